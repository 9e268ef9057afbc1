"""What classes build of a vocabulary: model, normalizer, pre-tokenizer and decoder. Those of version 4 share a few."""

from collections.abc import Callable
from typing import Any, NamedTuple

from explorer.engine.pre_tokenizers.patterns import QWEN2
from explorer.errors import shown
from explorer.implementations.transformers import parts
from explorer.implementations.transformers.arguments import Arguments, languages
from explorer.implementations.transformers.backend import Backend, texts_of
from explorer.vocabulary import SPACE_MARK

BPE, WORD_PIECE, UNIGRAM = "BPE", "WordPiece", "Unigram"


class Vocabulary(NamedTuple):
    """What a class gets of a tokenizer.json. charsmap: of its normalizer, as base64, None if there is none."""

    vocab: Any
    merges: Any = ()
    charsmap: str | None = None


Build = Callable[[Arguments, Vocabulary], Backend]


def backend_of(
    model: parts.Part, normalizer: parts.Part | None, pre_tokenizer: parts.Part, decoder: parts.Part
) -> Backend:
    """A new tokenizer with a model and these parts."""
    return Backend(model, texts_of(model), normalizer, pre_tokenizer, None, decoder)


# --- BPE and WordPiece -----------------------------------------------------------------------------------------------

NFC = {"type": "NFC"}


def byte_level(of: Vocabulary, normalizer: parts.Part | None, pre_tokenizer: parts.Part) -> Backend:
    model = parts.bpe(of.vocab, of.merges, continuing_subword_prefix="", end_of_word_suffix="")
    return backend_of(model, normalizer, pre_tokenizer, parts.BYTE_LEVEL_DECODER)


def gpt2(args: Arguments, of: Vocabulary) -> Backend:
    """Byte-level BPE with GPT-2's pattern."""
    return byte_level(of, None, parts.byte_level(args.sure("add_prefix_space")))


def gpt_neox(args: Arguments, of: Vocabulary) -> Backend:
    """The same with NFC."""
    cut = parts.byte_level(args.sure("add_prefix_space"), trim_offsets=args.sure("trim_offsets", True))
    return byte_level(of, NFC, cut)


QWEN3_5 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def qwen(regex: str) -> Build:
    """Byte-level BPE with NFC and a pattern."""

    def build(args: Arguments, of: Vocabulary) -> Backend:
        spell = parts.byte_level(bool(args.flag("add_prefix_space")), use_regex=False)
        return byte_level(of, NFC, parts.pre_tokenizers(parts.split(regex), spell))

    return build


qwen2 = qwen(QWEN2.regex)
qwen3_5 = qwen(QWEN3_5)


def cohere(args: Arguments, of: Vocabulary) -> Backend:
    """Byte-level BPE with NFC and single digits."""
    digits = {"type": "Digits", "individual_digits": True}
    return byte_level(of, NFC, parts.pre_tokenizers(digits, parts.byte_level(args.sure("add_prefix_space"))))


def codegen(args: Arguments, of: Vocabulary) -> Backend:
    """GPT-2's with a post-processor of its own, if the file has none."""
    backend = gpt2(args, of)
    backend.post_processor = parts.byte_level(True, trim_offsets=False)
    return backend


WORDS_OF_CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


CLIP = rf"<\|startoftext\|>|<\|endoftext\|>|{WORDS_OF_CLIP}"


def clip(args: Arguments, of: Vocabulary, regex: str = CLIP) -> Backend:
    """Byte-level BPE in lower case, with a mark at the end of words and without spaces."""
    unknown = args.spelling("unk_token")
    return backend_of(
        parts.bpe(of.vocab, of.merges, unk_token=unknown, continuing_subword_prefix="", end_of_word_suffix="</w>"),
        parts.sequence("normalizers", NFC, parts.replace_regex(r"\s+", " "), {"type": "Lowercase"}),
        parts.pre_tokenizers(parts.matches(regex), parts.byte_level(False)),
        parts.BYTE_LEVEL_DECODER,
    )


def llama(args: Arguments, of: Vocabulary) -> Backend:
    """SentencePiece's BPE with a Metaspace."""
    prefix = args.flag("add_prefix_space", None) is not False
    scheme = ("always" if args.flag("legacy") else "first") if prefix else "never"
    model = parts.bpe(of.vocab, of.merges, fuse_unk=True, byte_fallback=True)
    return backend_of(model, None, parts.metaspace(scheme, split=False), parts.spaces_of_llama(strip=prefix))


def gemma(args: Arguments, of: Vocabulary) -> Backend:
    """SentencePiece's BPE with a Replace of spaces."""
    unknown = args.spelling("unk_token")
    return with_gemmas_spaces(parts.bpe(of.vocab, of.merges, fuse_unk=True, byte_fallback=True, unk_token=unknown))


def with_gemmas_spaces(model: parts.Part) -> Backend:
    """A model with Gemma's other parts; its Split leaves spaces at the end of pre-tokens."""
    cut = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    return backend_of(model, parts.replace(" ", SPACE_MARK), cut, parts.spaces_of_llama(strip=False))


def bert(args: Arguments, of: Vocabulary, basic: bool = True) -> Backend:
    """BERT's WordPiece. basic: whether the normalizer does more than to drop controls."""
    return backend_of(
        {
            "type": "WordPiece", "unk_token": args.spelling("unk_token"), "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": of.vocab,
        },
        {
            "type": "BertNormalizer", "clean_text": True,
            "handle_chinese_chars": basic and args.sure("tokenize_chinese_chars", True),
            "strip_accents": basic and args.flag("strip_accents", None),
            "lowercase": basic and args.sure("do_lower_case", True),
        },
        {"type": "BertPreTokenizer"},
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
    )  # fmt: skip


def funnel(args: Arguments, of: Vocabulary) -> Backend:
    """BERT's with two more settings."""
    backend = bert(args, of)
    prefix = args.values.get("wordpieces_prefix")
    if not isinstance(prefix, str):
        raise args.refusal(f"wordpieces_prefix is {shown(prefix)}, not a text")
    backend.normalizer = {**(backend.normalizer or {}), "clean_text": args.sure("clean_text", True)}
    backend.decoder = {**(backend.decoder or {}), "prefix": prefix}
    return backend


def nllb(args: Arguments, of: Vocabulary) -> Backend:
    spaces = parts.metaspace("always")
    normalizer = parts.sequence("normalizers", *precompiled(of), ONE_SPACE) if of.charsmap else None
    return backend_of(_fused(args, of), normalizer, spaces, spaces)


def seamless(args: Arguments, of: Vocabulary) -> Backend:
    spaces = parts.metaspace("first")
    normalizer = parts.sequence(
        "normalizers", LINES, NFKC, parts.strip(right=True), parts.replace_regex(" +▁", SPACE_MARK),
        parts.replace_regex("^▁+$", ""), ONE_MARK,
    )  # fmt: skip
    return backend_of(_fused(args, of), normalizer, spaces, spaces)


def _fused(args: Arguments, of: Vocabulary) -> parts.Part:
    return parts.bpe(of.vocab, of.merges, unk_token=args.spelling("unk_token"), fuse_unk=True)


# --- Unigram -------------------------------------------------------------------------------------------------------

WHITE_SPACE = {"type": "WhitespaceSplit"}
PLAIN: list[parts.Part] = [{"type": "NFKD"}, {"type": "StripAccents"}]
NFKC = {"type": "NFKC"}
LINES = parts.replace_regex(r"[\n\r\t]", " ")
ONE_SPACE = parts.replace_regex(" {2,}", " ")
ONE_MARK = parts.replace_regex(" {2,}", SPACE_MARK)
PLAIN_SPACES = parts.replace_regex(r"\s{2,}|[\n\r\t]", " ")
QUOTES = (parts.replace("``", '"'), parts.replace("''", '"'))


def unigram(unknown: int, *, always: bool = False) -> Build:
    """The Unigram of XLM-R and T5. unknown: the id of the unknown token. always: ignores add_prefix_space."""

    def build(args: Arguments, of: Vocabulary) -> Backend:
        backend = unigram_of(of.vocab, unknown, None, "always" if always else scheme_of(args), [WHITE_SPACE])
        backend.normalizer = next(iter(precompiled(of)), None)
        return backend

    return build


xlm_roberta = unigram(3)
t5 = unigram(2, always=True)


def unigram_of(
    vocab: Any,
    unknown: int,
    normalizers: list[parts.Part] | None,
    scheme: str,
    cut: list[parts.Part] | None = None,
) -> Backend:
    """A Unigram. scheme: of its Metaspace. cut: pre-tokenizers before it in a Sequence, None for it alone."""
    metaspace = parts.metaspace(scheme)
    return backend_of(
        {"type": "Unigram", "unk_id": unknown, "vocab": vocab, "byte_fallback": False},
        None if normalizers is None else parts.sequence("normalizers", *normalizers),
        metaspace if cut is None else parts.pre_tokenizers(*cut, metaspace),
        metaspace,
    )


def precompiled(of: Vocabulary) -> list[parts.Part]:
    """The character map, if there is one."""
    return [{"type": "Precompiled", "precompiled_charsmap": of.charsmap}] if of.charsmap else []


def scheme_of(args: Arguments, without: str = "never") -> str:
    """When ▁ is put in front. without: the scheme without add_prefix_space."""
    return "always" if args.flag("add_prefix_space", True) else without


def scored(vocab: Any, piece: str) -> int | None:
    """The index of a piece with the score 0."""
    return next((id for id, entry in enumerate(vocab) if entry[0] == piece and entry[1] == 0), None)


def lowercase(args: Arguments) -> list[parts.Part]:
    """What do_lower_case adds to a normalizer."""
    return [{"type": "Lowercase"}] if args.flag("do_lower_case") else []


def plain_accents(args: Arguments) -> list[parts.Part]:
    """What removes accents, unless they are kept, and case, by the settings of a class."""
    return [*([] if args.flag("keep_accents") else PLAIN), *lowercase(args)]


def albert(args: Arguments, of: Vocabulary) -> Backend:
    """ALBERT's, with a template if the file has none."""
    steps = [*QUOTES, *plain_accents(args), *precompiled(of)]
    backend = unigram_of(of.vocab, 1, steps, scheme_of(args), [WHITE_SPACE])
    around = []
    for name, key in (("[CLS]", "cls_token"), ("[SEP]", "sep_token")):
        id = backend.texts.get(args.spelling(key))
        if id is None:
            raise args.refusal(f"{shown(args.spelling(key))} is not a piece of the model, but the template needs it")
        around.append((name, id))
    backend.post_processor = parts.template(around[:1], around[1:])
    return backend


def xlnet(args: Arguments, of: Vocabulary) -> Backend:
    unknown = args.values.get("unk_id", 0)
    steps = [*QUOTES, *PLAIN, *lowercase(args), *precompiled(of)]
    return unigram_of(of.vocab, checked_id(args, unknown), steps, "always", [WHITE_SPACE])


def checked_id(args: Arguments, id: object) -> int:
    """The setting unk_id. Raises InputError if it is not an id."""
    if not isinstance(id, int) or id < 0:
        raise args.refusal(f"unk_id is {shown(id)}, not an id")
    return id


def camembert(args: Arguments, of: Vocabulary) -> Backend:
    """CamemBERT's: the unknown token is found by its spelling."""
    unknown = next((id for id, entry in enumerate(of.vocab) if entry[0] == args.spelling("unk_token")), 0)
    return unigram(unknown)(args, of)


def words_of_deberta(args: Arguments) -> list[parts.Part]:
    """The pre-tokenizer before the Metaspace of DeBERTa's versions 2 and 3, in both versions of the class."""
    return [{"type": "Punctuation", "behavior": "Isolated"}] if args.flag("split_by_punct") else []


def deberta_v2(args: Arguments, of: Vocabulary) -> Backend:
    unknown = scored(of.vocab, args.spelling("unk_token"))
    if unknown is None:
        unknown = checked_id(args, args.values.get("unk_id", 1))
    steps = [*lowercase(args), PLAIN_SPACES, NFC, parts.strip(right=True)]
    return unigram_of(of.vocab, unknown, steps, scheme_of(args, "first"), words_of_deberta(args))


def mbart(args: Arguments, of: Vocabulary) -> Backend:
    return unigram_of(of.vocab, 3, None, "always", [WHITE_SPACE])


def mbart50(args: Arguments, of: Vocabulary) -> Backend:
    """The same with 50 languages: a vocabulary without any of them is put into fairseq's order."""
    codes = languages("mbart50")
    vocab = of.vocab
    if not {entry[0] for entry in vocab} & set(codes):
        first = [[args.spelling(f"{key}_token"), 0.0] for key in ("cls", "pad", "eos", "unk")]
        last = [[name, 0.0] for name in (*codes, args.spelling("mask_token"))]
        vocab = [*first, *vocab[3:], *last]
    return unigram_of(vocab, 3, [*precompiled(of), ONE_SPACE], "always")


def xglm(args: Arguments, of: Vocabulary) -> Backend:
    return unigram_of(of.vocab, 3, [*precompiled(of), ONE_SPACE], scheme_of(args))


def barthez(args: Arguments, of: Vocabulary) -> Backend:
    steps = [PLAIN_SPACES, NFC, parts.strip(right=True)]
    return unigram_of(of.vocab, 3, steps, scheme_of(args))


def rembert(args: Arguments, of: Vocabulary) -> Backend:
    steps = [*QUOTES, ONE_SPACE, *plain_accents(args), *precompiled(of)]
    return unigram_of(of.vocab, 2, steps, scheme_of(args))


def pegasus(args: Arguments, of: Vocabulary) -> Backend:
    """Pegasus's: the unknown token is not the first piece."""
    unknown = scored(of.vocab[1:], args.spelling("unk_token"))
    if unknown is None:
        raise args.refusal("the unknown token is not a piece with the score 0 after the first one")
    first = precompiled(of) or [parts.replace_regex("\\n", " ")]
    return unigram_of(of.vocab, unknown + 1, [*first, ONE_SPACE], "always")


def big_bird(args: Arguments, of: Vocabulary) -> Backend:
    """BigBird's: without an unknown token of the score 0 it is the piece 100."""
    unknown = scored(of.vocab, args.spelling("unk_token"))
    steps = [parts.strip(right=False), ONE_MARK]
    return unigram_of(of.vocab, 100 if unknown is None else unknown, steps, scheme_of(args))


def layout_xlm(args: Arguments, of: Vocabulary) -> Backend:
    return unigram_of(of.vocab, 3, [parts.strip(right=True), ONE_MARK], scheme_of(args))
