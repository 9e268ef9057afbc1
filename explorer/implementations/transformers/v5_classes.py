"""The supported classes of `transformers` 5: their defaults, the tokenizer each builds, and what it does last.

Most classes of version 5 build their parts themselves. From a tokenizer.json they use the vocabulary and merges, the
post-processor and the added tokens; they ignore its normalizer, pre-tokenizer and decoder.

`build` makes the tokenizer of a class from its arguments and a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `TokenizersBackend.__init__`: the file unchanged, or the parts
that the class builds; then tokens of `added_tokens_decoder` with other flags; then the special tokens; then a template
with BOS and EOS if there is no post-processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from explorer.engine.pre_tokenizers.patterns import QWEN2
from explorer.errors import shown
from explorer.formats.bpe_codes import CODES
from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.tokenizer_json import Json, TokenizerJson
from explorer.implementations.transformers import builders as make
from explorer.implementations.transformers import parts, phobert, templates
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    EXTRA,
    Arguments,
    all_tokens,
    named_tokens,
    unnamed_tokens,
)
from explorer.implementations.transformers.backend import Backend, Token, named, text
from explorer.implementations.transformers.builders import BPE, UNIGRAM, WORD_PIECE, Vocabulary
from explorer.implementations.transformers.templates import Finish, Hook, update_template
from explorer.implementations.transformers.v4_classes import (
    ALL_NAMED,
    MASK_LEFT,
    MASK_LEFT_NORMALIZED,
    MASK_LEFT_RAW,
    MASK_LEFT_SPECIAL,
    OF_ALBERT,
    OF_BERT,
    OF_BIG_BIRD,
    OF_CAMEMBERT,
    OF_CLIP,
    OF_COHERE,
    OF_DEBERTA,
    OF_FUNNEL,
    OF_MBART50,
    OF_MPNET,
    OF_PEGASUS,
    OF_REFORMER,
    OF_ROBERTA,
    OF_SEAMLESS,
    OF_T5,
    OF_WHISPER,
    OF_XGLM,
    OF_XLNET,
    WHISPER_FLAGS,
    checked_offset,
    madeup_words,
    sentinels,
)


class ClassSpecV5(NamedTuple):
    """A class.

    defaults, prepared, finished: as in version 4. model: the type of its model, which decides the form of the
    vocabulary. build: makes its tokenizer; None: the tokenizer.json is used unchanged. updates: whether a
    template of BOS and EOS is set if there is no other. twice: whether it is set last, too.
    """

    defaults: Mapping[str, Any] = {}
    model: str = ""
    build: make.Build | None = None
    prepared: tuple[Hook, ...] = ()
    finished: tuple[Finish, ...] = ()
    updates: bool = True
    twice: bool = False


# --- last steps ----------------------------------------------------------------------------------------------------


def id_of(args: Arguments, backend: Backend, key: str, without: int | None = None) -> int:
    """The id of a named special token. without: the original's id if it is null, None if it raises an error then."""
    token = args.token(key)
    if token is not None:
        return templates.id_or_unknown(args, backend, text(token))
    if without is None:
        raise args.refusal(f"{key} is null, but the template needs it")
    return without


def with_ids(args: Arguments, backend: Backend, keys: Iterable[str], **without: int) -> list[tuple[str, int]]:
    """Named special tokens with their ids. without: the id of one that is null."""
    return [(args.spelling(key), id_of(args, backend, key, without.get(key))) for key in keys]


def enclosed(*keys: str, first: int = 1, listed: bool = False, **without: int) -> Finish:
    """Sets a template with named special tokens. first: how many are before the text. without: as in `with_ids`."""

    def finish(args: Arguments, backend: Backend) -> None:
        for key in keys:
            templates.in_template(args, args.spelling(key), listed=listed)
        tokens = with_ids(args, backend, keys, **without)
        backend.post_processor = parts.template(tokens[:first], tokens[first:])

    return finish


def ended(args: Arguments, backend: Backend) -> None:
    """Sets a template with </s> after the text, whose id is that of the EOS token whatever its spelling."""
    backend.post_processor = parts.template([], [("</s>", id_of(args, backend, "eos_token"))])


def roberta(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with the special tokens."""
    flags = [args.sure(key) for key in ("trim_offsets", "add_prefix_space")]
    backend.post_processor = parts.roberta(with_ids(args, backend, ("cls_token", "sep_token")), *flags)


def mpnet(args: Arguments, backend: Backend) -> None:
    """The same for MPNet."""
    both = with_ids(args, backend, ("cls_token", "sep_token"), cls_token=0, sep_token=2)
    backend.post_processor = parts.roberta(both, True, False)


def clip(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with BOS and EOS."""
    backend.post_processor = parts.roberta(with_ids(args, backend, ("bos_token", "eos_token")), False, False)


def all_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, with their flags."""
    backend.add(
        token.as_special() if isinstance(token, Token) else Token(token, special=True) for token in all_tokens(args)
    )


def plainly_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, without their flags."""
    backend.add(Token(text(token), special=True) for token in all_tokens(args))


def splinter(args: Arguments, backend: Backend) -> None:
    """The template of BERT, if both tokens exist. The question's token must, though only pairs of texts have it."""
    if args.token("question_token") is None:
        raise args.refusal(f"{TOKENIZER_CONFIG}: question_token is null; remove it")
    if args.token("cls_token") is not None and args.token("sep_token") is not None:
        CLS_AND_SEP(args, backend)


CLS_AND_SEP: Final = enclosed("cls_token", "sep_token")


def starts_with_end(args: Arguments, backend: Backend) -> None:
    """Sets XGLM's template: EOS before the text. It names BOS, too."""
    id_of(args, backend, "bos_token")
    enclosed("eos_token")(args, backend)


def ended_by_name(args: Arguments, backend: Backend) -> None:
    """Sets a template with the EOS token after the text."""
    name = templates.in_template(args, args.spelling("eos_token"))
    backend.post_processor = parts.template([], [(name, templates.id_or_unknown(args, backend, name))])


def pegasus(args: Arguments) -> None:
    """Pegasus's <mask_1> and <unk_2> to <unk_102>; without a list of its own, these are its special tokens."""
    offset, mask = checked_offset(args), args.values["mask_token_sent"]
    first = [mask] if mask is not None and mask not in templates.listed(args) else []
    args.values[ADDITIONAL] = [*first, *(f"<unk_{number}>" for number in range(2, offset))]


# --- the classes ---------------------------------------------------------------------------------------------------

OF_QWEN: Final = named("unk <|endoftext|> eos <|endoftext|> pad <|endoftext|>", bos_token=None, add_prefix_space=None)
ADDED: Final = {"add_prefix_space": True}
OF_XLM_R: Final = phobert.DEFAULTS | ADDED
BERT: Final = ClassSpecV5(
    OF_BERT, WORD_PIECE, make.bert, (), (enclosed("cls_token", "sep_token", cls_token=2, sep_token=3),)
)

CLASSES: Final = {
    "TokenizersBackend": ClassSpecV5(),
    "GPT2Tokenizer": ClassSpecV5(
        {**OF_WHISPER, "pad_token": None}, BPE, make.gpt2,
    ),
    "RobertaTokenizer": ClassSpecV5(OF_ROBERTA, BPE, make.gpt2, (), (roberta,)),
    "GPTNeoXTokenizer": ClassSpecV5(
        {**OF_WHISPER, "pad_token": "<|padding|>", "trim_offsets": True},
        BPE, make.gpt_neox, (), (templates.update_template,),
    ),
    "Qwen2Tokenizer": ClassSpecV5(OF_QWEN, BPE, make.qwen(QWEN2.regex), (), (plainly_special,)),
    "Qwen3_5Tokenizer": ClassSpecV5(OF_QWEN, BPE, make.qwen(make.QWEN3_5)),
    "LlamaTokenizer": ClassSpecV5(
        named("unk <unk> bos <s> eos </s>", clean_up_tokenization_spaces=False, legacy=False, add_prefix_space=None),
        BPE, make.llama,
    ),
    "GemmaTokenizer": ClassSpecV5(
        named("unk <unk> bos <bos> eos <eos> pad <pad> mask <mask>"),
        BPE, make.gemma,
    ),
    "CohereTokenizer": ClassSpecV5(
        {**OF_COHERE, "pad_token": "<PAD>", "cls_token": "<CLS>", "sep_token": "<SEP>",
         "mask_token": "<MASK_TOKEN>", "add_prefix_space": False},
        BPE, make.cohere, (), (all_special,),
    ),
    "BertTokenizer": BERT,
    "DistilBertTokenizer": BERT,
    "MPNetTokenizer": ClassSpecV5(OF_MPNET, WORD_PIECE, make.bert, (ALL_NAMED, MASK_LEFT), (mpnet,)),
    "XLMRobertaTokenizer": ClassSpecV5(
        OF_XLM_R, UNIGRAM, make.unigram(3), (), (enclosed("bos_token", "eos_token", listed=True),)
    ),
    "CLIPTokenizer": ClassSpecV5(OF_CLIP, BPE, make.clip, (), (clip,)),
    "WhisperTokenizer": ClassSpecV5(
        OF_WHISPER, BPE, make.gpt2, (WHISPER_FLAGS,), (templates.whisper,),
    ),
    "CodeGenTokenizer": ClassSpecV5({**OF_WHISPER, "pad_token": None}, BPE, make.codegen),
    "BlenderbotTokenizer": ClassSpecV5(
        OF_ROBERTA | ADDED, BPE, make.gpt2, (MASK_LEFT_RAW,)
    ),
    "DebertaTokenizer": ClassSpecV5(
        {**OF_DEBERTA, "add_prefix_space": False}, BPE, make.gpt2, (), (CLS_AND_SEP,)
    ),
    "DebertaV2Tokenizer": ClassSpecV5(
        OF_DEBERTA | ADDED, UNIGRAM, make.deberta_v2, (),
        (enclosed("cls_token", "sep_token", cls_token=0, sep_token=0),),
    ),
    "AlbertTokenizer": ClassSpecV5({**OF_ALBERT, **ADDED, "do_lower_case": True}, UNIGRAM, make.albert),
    "XLNetTokenizer": ClassSpecV5(
        OF_XLNET, UNIGRAM, make.xlnet, (MASK_LEFT,), (enclosed("sep_token", "cls_token", first=0),)
    ),
    "CamembertTokenizer": ClassSpecV5(
        OF_CAMEMBERT | ADDED, UNIGRAM, make.camembert, (MASK_LEFT_SPECIAL,),
        (enclosed("bos_token", "eos_token"),),
    ),
    "MBartTokenizer": ClassSpecV5(
        OF_XLM_R, UNIGRAM, make.mbart, (MASK_LEFT, templates.mbart_languages),
        (templates.mbart,),
    ),
    "MBart50Tokenizer": ClassSpecV5(
        OF_MBART50, UNIGRAM, make.mbart50, (MASK_LEFT, templates.mbart50_languages),
        (templates.mbart50,),
    ),
    "NllbTokenizer": ClassSpecV5(
        OF_XLM_R, BPE, make.nllb, (MASK_LEFT_NORMALIZED, templates.nllb_languages), (templates.nllb,)
    ),
    "PegasusTokenizer": ClassSpecV5(OF_PEGASUS, UNIGRAM, make.pegasus, (pegasus,), (ended_by_name,)),
    "BigBirdTokenizer": ClassSpecV5(
        OF_BIG_BIRD | ADDED, UNIGRAM, make.big_bird, (ALL_NAMED, MASK_LEFT), (CLS_AND_SEP,)
    ),
    "SplinterTokenizer": ClassSpecV5(
        {**OF_BERT, "question_token": "[QUESTION]"}, WORD_PIECE, make.bert, (), (splinter,), updates=False
    ),
    "FunnelTokenizer": ClassSpecV5(OF_FUNNEL, WORD_PIECE, make.funnel, (), (CLS_AND_SEP,)),
    "LayoutLMv2Tokenizer": ClassSpecV5(OF_BERT, WORD_PIECE, make.bert, (), (CLS_AND_SEP,)),
    "LayoutLMv3Tokenizer": ClassSpecV5(OF_ROBERTA | ADDED, BPE, make.gpt2, (), (roberta,)),
    "LayoutXLMTokenizer": ClassSpecV5(OF_XLM_R, UNIGRAM, make.layout_xlm, (MASK_LEFT,), (CLS_AND_SEP,)),
    **dict.fromkeys(phobert.NAMES, ClassSpecV5(phobert.DEFAULTS, CODES, None, (), (phobert.finish,))),
    "XGLMTokenizer": ClassSpecV5(OF_XGLM | ADDED, UNIGRAM, make.xglm, (madeup_words,), (starts_with_end,)),
    "BarthezTokenizer": ClassSpecV5(OF_XLM_R, UNIGRAM, make.barthez, (MASK_LEFT,)),
    "RemBertTokenizer": ClassSpecV5(
        OF_ALBERT | ADDED | {"do_lower_case": False, "keep_accents": True}, UNIGRAM, make.rembert, (),
        (CLS_AND_SEP, all_special), twice=True,
    ),
    "ReformerTokenizer": ClassSpecV5(OF_REFORMER, BPE, make.nllb, (), (all_special,), twice=True),
    "FNetTokenizer": ClassSpecV5({**OF_ALBERT, **ADDED, "do_lower_case": True}, UNIGRAM),
    "SeamlessM4TTokenizer": ClassSpecV5(OF_SEAMLESS, BPE, make.seamless, (), (templates.seamless,)),
    "T5Tokenizer": ClassSpecV5(
        OF_T5, UNIGRAM, make.unigram(2, always=True), (sentinels,), (ended,),
    ),
}  # fmt: skip
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


OfFiles: TypeAlias = Callable[[Arguments], Backend]


def build(args: Arguments, spec: ClassSpecV5, file: TokenizerJson | None, of_files: OfFiles | None) -> Backend:
    """The tokenizer of a folder. of_files: what the class takes from other files, if there is no tokenizer.json.

    Raises InputError where the original raises an error.
    """
    args.values = {**spec.defaults, **args.values}
    for hook in spec.prepared:
        hook(args)
    if file is None:
        assert of_files is not None, "a folder has a tokenizer.json or other files"
        backend = of_files(args)
    elif spec.build is None:
        backend = Backend.of(file)
    else:
        backend = spec.build(args, vocabulary_for(args, spec, file.model, _charsmap(file.normalizer)))
        backend.post_processor = file.post_processor or backend.post_processor
    if file is not None and isinstance(file.padding, dict):
        args.values.setdefault("pad_token", file.padding.get("pad_token"))
    explicit = "add_bos_token" in args.values or "add_eos_token" in args.values
    _add_tokens(args, backend)
    updated = explicit or backend.post_processor is None
    if updated and spec.updates:
        update_template(args, backend)
    for finish in spec.finished:
        finish(args, backend)
    if updated and spec.twice:
        update_template(args, backend)
    return backend


def _charsmap(normalizer: Json | None) -> str | None:
    """The character map of the first Precompiled normalizer, nested Sequences excepted."""
    if not normalizer:
        return None
    parts = normalizer["normalizers"] if normalizer["type"] == "Sequence" else [normalizer]
    return next(
        (
            part["precompiled_charsmap"]
            for part in parts
            if part.get("type") == "Precompiled" and "precompiled_charsmap" in part
        ),
        None,
    )


def _add_tokens(args: Arguments, backend: Backend) -> None:
    """Adds tokens of the settings that the backend does not have, or has with other flags."""
    named, unnamed = named_tokens(args), unnamed_tokens(args)
    for token in unnamed:
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(token)}, which is not a token; give its text")
    spelled = {token.content for token in (*backend.tokens, *args.decoder.values())}
    special = [token for token in (*named.values(), *unnamed) if text(token) not in spelled]
    names = {text(token) for token in named.values() if not isinstance(token, str) or token}
    backend.add_missing(args.decoder, special, names)
