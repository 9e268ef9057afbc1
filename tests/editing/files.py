"""Small vocabularies in every format, trained here, and the lists of edits that are tried on them."""

from __future__ import annotations

from array import array
from functools import cache
from typing import Any, Final

from explorer.editing import edits as e
from explorer.formats import strict_json, tokenizer_json
from explorer.formats.rwkv import write
from explorer.training.trainers import TRAINERS
from explorer.training.words import CUTTINGS
from explorer.vocabulary import PRINTABLE
from tests.formats.gguf_writer import written

CORPUS: Final = (
    "The quick brown fox jumps over the lazy dog.", "a quick brown dog jumps over the lazy fox",
    "low lower lowest 12 34",
    "newer newest wider widest hello hello world", "été naïve café 東京 東京都 (^_^) (^o^) 😀😀 <s>a</s>",
)  # fmt: skip
"""Enough to learn some hundred tokens."""

SPECIAL: Final = ("<unk>", "<s>", "</s>")

TEXTS: Final = (
    *CORPUS, "", " ", "<s>quick</s> <tool> x<tool>y  <tool>\n", "hello <extra> world", "kaomoji(^_^)(^o^)😀",
    "東京都庁 aaaa",
    "aaaaaaa lowestlowest zzz", " leading  and   trailing  ", "12345 1 2\n\n3", "newerwider_fox",
    "e\u0301te\u0301 NAÏVE",
)  # fmt: skip


@cache
def trained(algorithm: str, whom: str, size: int, words: str = "none", **options: Any) -> bytes:
    """A trained vocabulary."""
    trainer = TRAINERS[algorithm, whom]
    given = trainer.options(vocab_size=size, **options)
    corpus = CUTTINGS[words].words(CORPUS) if trainer.of_words else CORPUS
    unk = "<unk>" if algorithm in ("wordpiece", "wordlevel", "unigram") else None
    return trainer.save(trainer.train(corpus, given).learned, given, CUTTINGS[words], unk)


def bpe() -> bytes:
    """Byte-level BPE; its special tokens are outside of the model, as Llama 3's."""
    whole = strict_json.read(
        trained("bpe", "huggingface", 330, "byte-level", initial_alphabet=PRINTABLE), "bpe", "JSON"
    )
    free = len(whole["model"]["vocab"])
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    whole["added_tokens"] = [{"id": free + at, "content": text, **flags} for at, text in enumerate(SPECIAL)]
    start = {"id": "<s>", "ids": [free + 1], "tokens": ["<s>"]}
    whole["post_processor"] = {
        "type": "TemplateProcessing", "special_tokens": {"<s>": start},
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    }  # fmt: skip
    return tokenizer_json.write(whole).encode()


def unigram() -> bytes:
    return trained("unigram", "huggingface", 120, "metaspace", special_tokens=SPECIAL, unk_token="<unk>")


def wordpiece() -> bytes:
    return trained("wordpiece", "huggingface", 120, "bert", special_tokens=SPECIAL)


def ranks() -> bytes:
    return trained("bpe", "minbpe", 300)


def sentencepiece_bpe() -> bytes:
    return trained("bpe", "sentencepiece", 340, byte_fallback=True)


def sentencepiece_unigram() -> bytes:
    return trained("unigram", "sentencepiece", 56)


def rwkv() -> bytes:
    words = [" the", "the", "fox", " fox", "!=", "東京", "hello", " hello", "  ", "12", "é"]
    return write([bytes([byte]) for byte in range(256)] + [word.encode() for word in words])


NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6


def gguf_bpe(pre: str | None = "gpt-2") -> bytes:
    whole = strict_json.read(bpe(), "bpe", "JSON")
    tokens = [*whole["model"]["vocab"], *SPECIAL]
    return written({
        "general.architecture": "llama", "llama.vocab_size": len(tokens), "tokenizer.ggml.model": "gpt2",
        **({} if pre is None else {"tokenizer.ggml.pre": pre}),
        "tokenizer.ggml.tokens": [token.encode() for token in tokens],
        "tokenizer.ggml.token_type": array("i", [NORMAL] * (len(tokens) - 3) + [CONTROL] * 3),
        "tokenizer.ggml.merges": [" ".join(pair).encode() for pair in whole["model"]["merges"]],
        "tokenizer.ggml.bos_token_id": len(tokens) - 2, "tokenizer.ggml.eos_token_id": len(tokens) - 1,
        "tokenizer.ggml.add_bos_token": True,
    })  # fmt: skip


def gguf_spm() -> bytes:
    words = "▁ a b c d e f h i l o r s t w h he ▁he ll llo ▁hello lo low ▁low er ▁lower the ▁the".split()
    rows = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL),
            *((f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)),
            *((word, -float(at), NORMAL) for at, word in enumerate(dict.fromkeys(words)))]  # fmt: skip
    return written({
        "general.architecture": "llama", "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [piece.encode() for piece, _, _ in rows],
        "tokenizer.ggml.scores": array("f", [score for _, score, _ in rows]),
        "tokenizer.ggml.token_type": array("i", [kind for _, _, kind in rows]),
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
    })  # fmt: skip


FLAGGED: Final = e.AddToken("<tool>", special=True, lstrip=True, rstrip=True)

OF_BPE: Final = (
    FLAGGED, e.AddToken("<extra>", single_word=True), e.AddMerges(words=(" (^_^)", "aaaa", "zzz")),
    e.AddMerges(merges=(("q", "x"), ("qx", "qx"))), e.Remove(tokens=(" the", "low")),
    e.Remove(ids=(290, 291, 292), keep_ids=True), e.SetFlag("lstrip", False, "<tool>"),
    e.SetFlag("ignore_merges", True),
    e.SetPattern(r"\p{L}+|\s+|[^\s\p{L}]+"), e.SetNormalizer("NFC"), e.SetFlag("pre_tokenizer.add_prefix_space", True),
    e.AddMerges(words=("widest fox",)), e.Remove(tokens=("<extra>",)), e.SetNormalizer("none"),
    e.SetPreTokenizer('{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}'),
)  # fmt: skip
"""Edits that are made one after another."""

OF_UNIGRAM: Final = (
    e.AddPieces(("東京", "▁(^_^)")), e.AddPieces(("brown▁fox",), score=-1.5), FLAGGED, e.AddPieces(("zz",), score=-3.0),
    e.Remove(tokens=("東京",)), e.SetFlag("special", False, "<tool>"), e.SetNormalizer("Lowercase"),
)  # fmt: skip
OF_WORDPIECE: Final = (
    e.AddPieces(("kaomoji", "##zz")), FLAGGED, e.Remove(ids=(40, 41)), e.Remove(ids=(50,), keep_ids=True),
    e.SetFlag("normalizer.lowercase", False), e.AddToken("<extra>"), e.SetPreTokenizer("Whitespace"),
)  # fmt: skip
OF_RANKS: Final = (
    e.AddEntries(("aa", "aaaa", "😀😀")), e.AddEntries(hex=("F09F98",)), e.Remove(tokens=("he",)),
    e.Remove(ids=(270, 280), keep_ids=True), e.AddEntries(("zz",)),
)  # fmt: skip
OF_MODEL: Final = (
    e.AddPieces(("<tool>", "(^_^)"), user_defined=True), e.AddPieces(("zz", "zzz")), e.AddPieces(("aa",), score=-2.5),
    e.Remove(tokens=("zz",)), e.Remove(tokens=("he",), keep_ids=True), e.SetFlag("add_dummy_prefix", False),
    e.SetFlag("remove_extra_whitespaces", False), e.SetNormalizer("identity"), e.Remove(tokens=("<tool>",)),
)  # fmt: skip
OF_RWKV: Final = (
    e.AddEntries(("(^_^)", "😀", "東京都")), e.Remove(tokens=("fox", " the")), e.AddEntries(hex=("E6 9D",)),
    e.Remove(ids=(258,)), e.Preset("emoji"),
)  # fmt: skip
OF_GGUF_BPE: Final = (
    e.AddToken("<tool>", special=True), e.AddToken("<extra>"), e.AddMerges(words=(" (^_^)", "aaaa")),
    e.Remove(tokens=(" the",)), e.Remove(ids=(290,), keep_ids=True), e.SetFlag("special", False, "<tool>"),
    e.SetFlag("add_bos_token", False), e.SetPreTokenizer("qwen2"), e.AddMerges(words=("newer",)),
)  # fmt: skip
OF_GGUF_SPM: Final = (
    e.AddPieces(("lower▁fox",), user_defined=True), e.AddPieces(("el",)), e.AddPieces(("lowe",), score=5.0),
    e.AddToken("<tool>", special=True), e.Remove(tokens=("▁the",)), e.Remove(tokens=("low",), keep_ids=True),
    e.SetFlag("add_space_prefix", False),
)  # fmt: skip
