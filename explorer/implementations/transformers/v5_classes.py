"""The supported classes of `transformers` 5: their defaults, the tokenizer each builds, and what it does last.

Most classes of version 5 build their parts themselves. From a tokenizer.json they use the vocabulary and merges, the
post-processor and the added tokens; they ignore its normalizer, pre-tokenizer and decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from explorer.engine.pre_tokenizers.patterns import QWEN2
from explorer.errors import shown
from explorer.implementations.transformers import parts
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments
from explorer.implementations.transformers.backend import Backend, texts_of
from explorer.implementations.transformers.bos_eos import id_or_unknown, in_template, update_template
from explorer.implementations.transformers.tokens import Token, text
from explorer.implementations.transformers.v4_classes import (
    END,
    MPNET_FLAGS,
    OF_BERT,
    OF_COHERE,
    OF_MPNET,
    OF_ROBERTA,
    Hook,
    sentinels,
)
from explorer.implementations.transformers.v5_special_tokens import all_tokens
from explorer.vocabulary import SPACE_MARK

BPE, WORD_PIECE, UNIGRAM = "BPE", "WordPiece", "Unigram"


class Vocabulary(NamedTuple):
    """What a class gets of a tokenizer.json. charsmap: of its normalizer, as base64, None if there is none."""

    vocab: Any
    merges: list[Any]
    charsmap: str | None = None


Build: TypeAlias = Callable[[Arguments, Vocabulary], Backend]
Finish: TypeAlias = Callable[[Arguments, Backend], None]


class ClassSpecV5(NamedTuple):
    """A class.

    defaults, prepared, finished: as in version 4. model: the type of its model, which decides the form of the
    vocabulary. build: makes its tokenizer; None: the tokenizer.json is used unchanged.
    """

    defaults: Mapping[str, Any] = MappingProxyType({})
    model: str = ""
    build: Build | None = None
    prepared: tuple[Hook, ...] = ()
    finished: tuple[Finish, ...] = ()


def backend_of(
    model: parts.Part, *, normalizer: parts.Part | None = None, pre_tokenizer: parts.Part, decoder: parts.Part
) -> Backend:
    """A new tokenizer with a model and these parts."""
    return Backend(model, texts_of(model), normalizer, pre_tokenizer, None, decoder)


# --- builders ------------------------------------------------------------------------------------------------------


def gpt2(args: Arguments, of: Vocabulary) -> Backend:
    """Byte-level BPE with GPT-2's pattern."""
    return backend_of(
        parts.byte_level_bpe(of.vocab, of.merges),
        pre_tokenizer=parts.byte_level(args.sure("add_prefix_space", False)),
        decoder=parts.BYTE_LEVEL_DECODER,
    )


def gpt_neox(args: Arguments, of: Vocabulary) -> Backend:
    """The same with NFC."""
    return backend_of(
        parts.byte_level_bpe(of.vocab, of.merges),
        normalizer={"type": "NFC"},
        pre_tokenizer=parts.byte_level(
            args.sure("add_prefix_space", False), trim_offsets=args.sure("trim_offsets", True)
        ),
        decoder=parts.BYTE_LEVEL_DECODER,
    )


QWEN3_5: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def qwen(regex: str) -> Build:
    """Byte-level BPE with NFC and a pattern."""

    def build(args: Arguments, of: Vocabulary) -> Backend:
        return backend_of(
            parts.byte_level_bpe(of.vocab, of.merges),
            normalizer={"type": "NFC"},
            pre_tokenizer=parts.pre_tokenizers(
                parts.split(regex), parts.byte_level(bool(args.flag("add_prefix_space", None)), use_regex=False)
            ),
            decoder=parts.BYTE_LEVEL_DECODER,
        )

    return build


def llama(args: Arguments, of: Vocabulary) -> Backend:
    """SentencePiece's BPE with a Metaspace."""
    prefix = args.flag("add_prefix_space", None) is not False
    scheme = ("always" if args.flag("legacy", False) else "first") if prefix else "never"
    return backend_of(
        parts.bpe(of.vocab, of.merges, fuse_unk=True, byte_fallback=True),
        pre_tokenizer=parts.metaspace(scheme, split=False),
        decoder=parts.spaces_of_llama(strip=prefix),
    )


def gemma(args: Arguments, of: Vocabulary) -> Backend:
    """SentencePiece's BPE with a Replace of spaces."""
    unknown = spelled(args, "unk_token")
    return backend_of(
        parts.bpe(of.vocab, of.merges, fuse_unk=True, byte_fallback=True, unk_token=unknown),
        normalizer=parts.replace(" ", SPACE_MARK),
        pre_tokenizer={
            "type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False,
        },
        decoder=parts.spaces_of_llama(strip=False),
    )  # fmt: skip


def bert(args: Arguments, of: Vocabulary) -> Backend:
    """BERT's WordPiece."""
    return backend_of(
        {
            "type": "WordPiece", "unk_token": spelled(args, "unk_token"), "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": of.vocab,
        },
        normalizer={
            "type": "BertNormalizer", "clean_text": True,
            "handle_chinese_chars": args.sure("tokenize_chinese_chars", True),
            "strip_accents": args.flag("strip_accents", None), "lowercase": args.sure("do_lower_case", True),
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )  # fmt: skip


def cohere(args: Arguments, of: Vocabulary) -> Backend:
    """Byte-level BPE with NFC and single digits."""
    return backend_of(
        parts.byte_level_bpe(of.vocab, of.merges),
        normalizer={"type": "NFC"},
        pre_tokenizer=parts.pre_tokenizers(
            {"type": "Digits", "individual_digits": True}, parts.byte_level(args.sure("add_prefix_space", False))
        ),
        decoder=parts.BYTE_LEVEL_DECODER,
    )


def unigram(unknown: int, *, always: bool = False) -> Build:
    """The Unigram of XLM-R and T5. unknown: the id of the unknown token. always: ignores add_prefix_space."""

    def build(args: Arguments, of: Vocabulary) -> Backend:
        scheme = "always" if always or args.flag("add_prefix_space", True) else "never"
        return backend_of(
            {"type": "Unigram", "unk_id": unknown, "vocab": of.vocab, "byte_fallback": False},
            normalizer={"type": "Precompiled", "precompiled_charsmap": of.charsmap} if of.charsmap else None,
            pre_tokenizer=parts.pre_tokenizers({"type": "WhitespaceSplit"}, parts.metaspace(scheme)),
            decoder=parts.metaspace(scheme),
        )

    return build


def spelled(args: Arguments, key: str) -> str:
    """The spelling of a special token; null is "None", as Python writes it."""
    token = args.token(key)
    return "None" if token is None else text(token)


# --- last steps ----------------------------------------------------------------------------------------------------


def id_of(args: Arguments, backend: Backend, key: str, without: int | None = None) -> int:
    """The id of a named special token. without: the original's id if it is null, None if it raises an error then."""
    token = args.token(key)
    if token is not None:
        return id_or_unknown(args, backend, text(token))
    if without is None:
        raise args.refusal(f"{key} is null, but the template needs it")
    return without


def enclosed(first: str, last: str, *, listed: bool = False, **without: int) -> Finish:
    """Sets a template with two named special tokens. without: the id of one that is null."""

    def finish(args: Arguments, backend: Backend) -> None:
        both = [
            (in_template(args, spelled(args, key), listed=listed), id_of(args, backend, key, without.get(key)))
            for key in (first, last)
        ]
        backend.post_processor = parts.template(both[:1], both[1:])

    return finish


def ended(args: Arguments, backend: Backend) -> None:
    """Sets a template with </s> after the text, whose id is that of the EOS token whatever its spelling."""
    backend.post_processor = parts.template([], [("</s>", id_of(args, backend, "eos_token"))])


def roberta(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with the special tokens."""
    both = {key: [spelled(args, f"{key}_token"), id_of(args, backend, f"{key}_token")] for key in ("sep", "cls")}
    flags = {key: args.sure(key, False) for key in ("trim_offsets", "add_prefix_space")}
    backend.post_processor = {"type": "RobertaProcessing", **both, **flags}


def mpnet(args: Arguments, backend: Backend) -> None:
    """The same for MPNet."""
    both = {
        key: [spelled(args, f"{key}_token"), id_of(args, backend, f"{key}_token", without)]
        for key, without in (("sep", 2), ("cls", 0))
    }
    backend.post_processor = {"type": "RobertaProcessing", **both, "trim_offsets": True, "add_prefix_space": False}


def all_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, with their flags."""
    backend.add(
        token.as_special() if isinstance(token, Token) else Token(token, special=True) for token in all_tokens(args)
    )


def plainly_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, without their flags."""
    backend.add(Token(text(token), special=True) for token in all_tokens(args))


# --- the classes ---------------------------------------------------------------------------------------------------

OF_QWEN: Final = {"unk_token": END, "bos_token": None, "eos_token": END, "pad_token": END, "add_prefix_space": None}
OF_XLM_R: Final = {key: value for key, value in OF_ROBERTA.items() if key.endswith("_token")} | {
    "add_prefix_space": True
}
BERT: Final = ClassSpecV5(
    OF_BERT, WORD_PIECE, bert, (), (enclosed("cls_token", "sep_token", cls_token=2, sep_token=3),)
)

CLASSES: Final[Mapping[str, ClassSpecV5]] = MappingProxyType(
    {
        "TokenizersBackend": ClassSpecV5(),
        "GPT2Tokenizer": ClassSpecV5(
            {"unk_token": END, "bos_token": END, "eos_token": END, "pad_token": None, "add_prefix_space": False},
            BPE, gpt2,
        ),
        "RobertaTokenizer": ClassSpecV5(OF_ROBERTA, BPE, gpt2, (), (roberta,)),
        "GPTNeoXTokenizer": ClassSpecV5(
            {"unk_token": END, "bos_token": END, "eos_token": END, "pad_token": "<|padding|>",
             "add_prefix_space": False, "trim_offsets": True},
            BPE, gpt_neox, (), (update_template,),
        ),
        "Qwen2Tokenizer": ClassSpecV5(OF_QWEN, BPE, qwen(QWEN2.regex), (), (plainly_special,)),
        "Qwen3_5Tokenizer": ClassSpecV5(OF_QWEN, BPE, qwen(QWEN3_5)),
        "LlamaTokenizer": ClassSpecV5(
            {"clean_up_tokenization_spaces": False, "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
             "legacy": False, "add_prefix_space": None},
            BPE, llama,
        ),
        "GemmaTokenizer": ClassSpecV5(
            {"unk_token": "<unk>", "bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>",
             "mask_token": "<mask>"},
            BPE, gemma,
        ),
        "CohereTokenizer": ClassSpecV5(
            {**OF_COHERE, "pad_token": "<PAD>", "cls_token": "<CLS>", "sep_token": "<SEP>",
             "mask_token": "<MASK_TOKEN>", "add_prefix_space": False},
            BPE, cohere, (), (all_special,),
        ),
        "BertTokenizer": BERT,
        "DistilBertTokenizer": BERT,
        "MPNetTokenizer": ClassSpecV5(OF_MPNET, WORD_PIECE, bert, MPNET_FLAGS, (mpnet,)),
        "XLMRobertaTokenizer": ClassSpecV5(
            OF_XLM_R, UNIGRAM, unigram(3), (), (enclosed("bos_token", "eos_token", listed=True),)
        ),
        "T5Tokenizer": ClassSpecV5(
            {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "extra_ids": 100, ADDITIONAL: None},
            UNIGRAM, unigram(2, always=True), (sentinels,), (ended,),
        ),
    }
)  # fmt: skip
"""Class name → its row."""


def vocabulary_for(args: Arguments, spec: ClassSpecV5, model: Mapping[str, Any], charsmap: str | None) -> Vocabulary:
    """The vocabulary of a tokenizer.json in the form of the class's model. Raises InputError if it has another form."""
    vocab = model.get("vocab")
    if spec.model in (BPE, WORD_PIECE) and isinstance(vocab, list):
        vocab = {each[0] if isinstance(each, list) else each: id for id, each in enumerate(vocab)}
    if isinstance(vocab, dict) != (spec.model != UNIGRAM):
        raise args.refusal(
            f"its class builds a {spec.model} model, but the model of tokenizer.json is {shown(model.get('type'))}"
        )
    merges = model.get("merges", []) if spec.model == BPE else []
    return Vocabulary(vocab, list(merges), charsmap)
