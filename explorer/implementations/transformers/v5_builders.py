"""What the classes of `transformers` 5 build of a vocabulary: model, normalizer, pre-tokenizer and decoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from explorer.errors import shown
from explorer.implementations.transformers import parts
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend, texts_of
from explorer.implementations.transformers.tables import languages
from explorer.implementations.transformers.tokens import text
from explorer.vocabulary import SPACE_MARK

BPE, WORD_PIECE, UNIGRAM = "BPE", "WordPiece", "Unigram"


class Vocabulary(NamedTuple):
    """What a class gets of a tokenizer.json. charsmap: of its normalizer, as base64, None if there is none."""

    vocab: Any
    merges: list[Any]
    charsmap: str | None = None


Build: TypeAlias = Callable[[Arguments, Vocabulary], Backend]


def backend_of(
    model: parts.Part, *, normalizer: parts.Part | None = None, pre_tokenizer: parts.Part, decoder: parts.Part
) -> Backend:
    """A new tokenizer with a model and these parts."""
    return Backend(model, texts_of(model), normalizer, pre_tokenizer, None, decoder)


# --- BPE and WordPiece -----------------------------------------------------------------------------------------------


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
        pre_tokenizer=parts.split_at_spaces(),
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


CLIP: Final = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def clip(args: Arguments, of: Vocabulary) -> Backend:
    """Byte-level BPE in lower case, with a mark at the end of words and without spaces."""
    cut = {"type": "Split", "pattern": {"Regex": CLIP}, "behavior": "Removed", "invert": True}
    return backend_of(
        parts.bpe(
            of.vocab, of.merges, unk_token=spelled(args, "unk_token"), continuing_subword_prefix="",
            end_of_word_suffix="</w>",
        ),
        normalizer=parts.sequence(
            "normalizers", {"type": "NFC"}, parts.replace_regex(r"\s+", " "), {"type": "Lowercase"}
        ),
        pre_tokenizer=parts.pre_tokenizers(cut, parts.byte_level(False)),
        decoder=parts.BYTE_LEVEL_DECODER,
    )  # fmt: skip


def codegen(args: Arguments, of: Vocabulary) -> Backend:
    """GPT-2's with a post-processor of its own, if the file has none."""
    backend = gpt2(args, of)
    backend.post_processor = parts.byte_level(True, trim_offsets=False)
    return backend


def funnel(args: Arguments, of: Vocabulary) -> Backend:
    """BERT's with two more settings."""
    backend = bert(args, of)
    prefix = args.values.get("wordpieces_prefix")
    if not isinstance(prefix, str):
        raise args.refusal(f"wordpieces_prefix is {shown(prefix)}, not a text")
    backend.normalizer = {**(backend.normalizer or {}), "clean_text": args.sure("clean_text", True)}
    backend.decoder = {**(backend.decoder or {}), "prefix": prefix}
    return backend


# --- Unigram -------------------------------------------------------------------------------------------------------


def unigram_of(
    vocab: Any, unknown: int, normalizers: list[parts.Part] | None, scheme: str, *before: parts.Part, alone: bool
) -> Backend:
    """A Unigram. scheme: of its Metaspace. before: pre-tokenizers before that. alone: without a Sequence around it."""
    metaspace = parts.metaspace(scheme)
    return backend_of(
        {"type": "Unigram", "unk_id": unknown, "vocab": vocab, "byte_fallback": False},
        normalizer=None if normalizers is None else parts.sequence("normalizers", *normalizers),
        pre_tokenizer=metaspace if alone else parts.pre_tokenizers(*before, metaspace),
        decoder=metaspace,
    )


def precompiled(of: Vocabulary) -> list[parts.Part]:
    """The character map, if there is one."""
    return [{"type": "Precompiled", "precompiled_charsmap": of.charsmap}] if of.charsmap else []


def scheme_of(args: Arguments, without: str = "never") -> str:
    """When ▁ is put in front. without: the scheme without add_prefix_space."""
    return "always" if args.flag("add_prefix_space", True) else without


def scored(vocab: Any, piece: str) -> int | None:
    """The place of a piece with the score 0."""
    return next((id for id, each in enumerate(vocab) if each[0] == piece and each[1] == 0), None)


WHITE_SPACE: Final[parts.Part] = {"type": "WhitespaceSplit"}


def plain_accents(args: Arguments, *, always: bool = False) -> list[parts.Part]:
    """What removes accents and case, by the settings of a class. always: whatever keep_accents is."""
    keep = not always and bool(args.flag("keep_accents", False))
    return parts.plain_accents(keep=keep, lower=bool(args.flag("do_lower_case", False)))


def albert(args: Arguments, of: Vocabulary) -> Backend:
    """ALBERT's, with a template if the file has none."""
    steps = [*parts.QUOTES, *plain_accents(args), *precompiled(of)]
    backend = unigram_of(of.vocab, 1, steps, scheme_of(args), WHITE_SPACE, alone=False)
    around = []
    for name, key in (("[CLS]", "cls_token"), ("[SEP]", "sep_token")):
        id = backend.texts.get(spelled(args, key))
        if id is None:
            raise args.refusal(f"{shown(spelled(args, key))} is not a piece of the model, but the template needs it")
        around.append((name, id))
    backend.post_processor = parts.template(around[:1], around[1:])
    return backend


def xlnet(args: Arguments, of: Vocabulary) -> Backend:
    """XLNet's."""
    steps = [
        *parts.QUOTES,
        *plain_accents(args, always=True),
        *precompiled(of),
    ]
    return unigram_of(of.vocab, unknown_id(args, 0), steps, "always", WHITE_SPACE, alone=False)


def unknown_id(args: Arguments, default: int) -> int:
    """The setting unk_id."""
    found = args.values.get("unk_id", default)
    if not isinstance(found, int) or found < 0:
        raise args.refusal(f"unk_id is {shown(found)}, not an id")
    return found


def camembert(args: Arguments, of: Vocabulary) -> Backend:
    """CamemBERT's: the unknown token is found by its spelling."""
    unknown = next((id for id, each in enumerate(of.vocab) if each[0] == spelled(args, "unk_token")), 0)
    backend = unigram_of(of.vocab, unknown, None, scheme_of(args), WHITE_SPACE, alone=False)
    backend.normalizer = precompiled(of)[0] if of.charsmap else None
    return backend


def deberta_v2(args: Arguments, of: Vocabulary) -> Backend:
    """DeBERTa's of the versions 2 and 3."""
    found = scored(of.vocab, spelled(args, "unk_token"))
    lower: list[parts.Part] = [{"type": "Lowercase"}] if args.flag("do_lower_case", False) else []
    steps = [*lower, parts.replace_regex(r"\s{2,}|[\n\r\t]", " "), {"type": "NFC"}, parts.strip(right=True)]
    split: list[parts.Part] = (
        [{"type": "Punctuation", "behavior": "Isolated"}] if args.flag("split_by_punct", False) else []
    )
    unknown = unknown_id(args, 1) if found is None else found
    return unigram_of(of.vocab, unknown, steps, scheme_of(args, "first"), *split, alone=False)


def mbart(args: Arguments, of: Vocabulary) -> Backend:
    """mBART's."""
    return unigram_of(of.vocab, 3, None, "always", WHITE_SPACE, alone=False)


def mbart50(args: Arguments, of: Vocabulary) -> Backend:
    """The same with 50 languages: a vocabulary without any of them is put into fairseq's order."""
    codes = languages("mbart50")
    vocab = of.vocab
    if not {each[0] for each in vocab} & set(codes):
        first = [[spelled(args, f"{key}_token"), 0.0] for key in ("cls", "pad", "eos", "unk")]
        last = [[name, 0.0] for name in (*codes, spelled(args, "mask_token"))]
        vocab = [*first, *vocab[3:], *last]
    return unigram_of(vocab, 3, [*precompiled(of), parts.replace_regex(parts.TWO_SPACES, " ")], "always", alone=True)


def nllb(args: Arguments, of: Vocabulary) -> Backend:
    """NLLB's BPE."""
    normalizer = parts.sequence("normalizers", *precompiled(of), parts.replace_regex(parts.TWO_SPACES, " "))
    return backend_of(
        parts.bpe(of.vocab, of.merges, unk_token=spelled(args, "unk_token"), fuse_unk=True),
        normalizer=normalizer if of.charsmap else None,
        pre_tokenizer=parts.metaspace("always"),
        decoder=parts.metaspace("always"),
    )


def xglm(args: Arguments, of: Vocabulary) -> Backend:
    """XGLM's."""
    steps = [*precompiled(of), parts.replace_regex(parts.TWO_SPACES, " ")]
    return unigram_of(of.vocab, 3, steps, scheme_of(args), alone=True)


def barthez(args: Arguments, of: Vocabulary) -> Backend:
    """BARThez's."""
    steps = [parts.replace_regex(r"\s{2,}|[\n\r\t]", " "), {"type": "NFC"}, parts.strip(right=True)]
    return unigram_of(of.vocab, 3, steps, scheme_of(args), alone=True)


def rembert(args: Arguments, of: Vocabulary) -> Backend:
    """RemBERT's."""
    quotes = [*parts.QUOTES, parts.replace_regex(parts.TWO_SPACES, " ")]
    return unigram_of(of.vocab, 2, [*quotes, *plain_accents(args), *precompiled(of)], scheme_of(args), alone=True)


def seamless(args: Arguments, of: Vocabulary) -> Backend:
    """SeamlessM4T's BPE."""
    spaces = parts.metaspace("first")
    return backend_of(
        parts.bpe(of.vocab, of.merges, unk_token=spelled(args, "unk_token"), fuse_unk=True),
        normalizer=parts.sequence(
            "normalizers", parts.replace_regex(r"[\n\r\t]", " "), {"type": "NFKC"}, parts.strip(right=True),
            parts.replace_regex(" +▁", SPACE_MARK), parts.replace_regex("^▁+$", ""),
            parts.replace_regex(parts.TWO_SPACES, SPACE_MARK),
        ),
        pre_tokenizer=spaces,
        decoder=spaces,
    )  # fmt: skip


def pegasus(args: Arguments, of: Vocabulary) -> Backend:
    """Pegasus's: the unknown token is not the first piece."""
    found = scored(of.vocab[1:], spelled(args, "unk_token"))
    if found is None:
        raise args.refusal("the unknown token is not a piece with the score 0 after the first one")
    first = precompiled(of) or [parts.replace_regex("\\n", " ")]
    return unigram_of(of.vocab, found + 1, [*first, parts.replace_regex(parts.TWO_SPACES, " ")], "always", alone=True)


def big_bird(args: Arguments, of: Vocabulary) -> Backend:
    """BigBird's: without an unknown token of the score 0 it is the piece 100."""
    found = scored(of.vocab, spelled(args, "unk_token"))
    steps = [parts.strip(right=False), parts.replace_regex(parts.TWO_SPACES, SPACE_MARK)]
    return unigram_of(of.vocab, 100 if found is None else found, steps, scheme_of(args), alone=True)


def layout_xlm(args: Arguments, of: Vocabulary) -> Backend:
    """LayoutXLM's."""
    steps = [parts.strip(right=True), parts.replace_regex(parts.TWO_SPACES, SPACE_MARK)]
    return unigram_of(of.vocab, 3, steps, scheme_of(args), alone=True)


def spelled(args: Arguments, key: str) -> str:
    """The spelling of a special token; null is "None", as Python writes it."""
    token = args.token(key)
    return "None" if token is None else text(token)
