"""Models that look units up: characters, words, whole pre-tokens."""

from __future__ import annotations

from explorer.engine.models.lookup import CharWord, WordLevel, characters, words
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import GPT2
from explorer.stages.stage import CutCause, OriginKind
from explorer.vocabulary import Vocabulary
from tests.analysis.toy_tokenizers import toy, vocabulary
from tests.analysis.why.said import cut, origin, sentence
from tests.meaning import mentions


def test_characters() -> None:
    made = vocabulary("<unk>", "a", "b", "ab", unknown=True)
    tok = toy(made, CharWord(made, 0, characters({})))
    found = cut(tok, "ab")
    assert (found.cause, sentence(found)) == (
        CutCause.UNITS, "Every character is looked up by itself, whatever longer pieces the vocabulary has."
    )  # fmt: skip
    assert found.joined is not None
    assert found.joined.id == 3
    assert (origin(tok, "ab").how, sentence(origin(tok, "ab"))) == (OriginKind.LOOKED_UP, "“a” is a piece: token 1.")
    token = origin(tok, "axyb", 1)
    assert (token.how, token.lost) == (OriginKind.UNKNOWN, "xy")


def test_words() -> None:
    made = vocabulary("<unk>", "▁a", "▁b", unknown=True)
    found = cut(toy(made, CharWord(made, 0, words)), "▁a▁b")
    assert (found.cause, sentence(found)) == (
        CutCause.UNITS, "A word begins at each ▁, whatever the vocabulary has."
    )  # fmt: skip


def test_bytes_of_a_unit() -> None:
    made = Vocabulary.of([b"a", *(b"<0x%02X>" % byte for byte in range(256))], (), [1, *[6] * 256])
    tok = toy(made, CharWord(made, None, characters({}), range(1, 257)))
    found, token = cut(tok, "aé", 1), origin(tok, "aé", 2)
    assert (found.cause, token.how) == (CutCause.BYTES, OriginKind.BYTE)
    assert mentions(sentence(token), "“é” is not a piece. Its byte A9, 2 of 2, becomes token 170.")


def test_word_level() -> None:
    made = vocabulary("<unk>", "low", unknown=True)
    tok = toy(made, PreTokenization([RegexSplit(GPT2)]), WordLevel(made, 0))
    assert mentions(sentence(origin(tok, "low!")), "“low” is a piece as a whole: token 1.")
    assert (origin(tok, "low!", 1).how, origin(tok, "low!", 1).lost) == (OriginKind.UNKNOWN, "!")
    assert cut(tok, "low!").cause == CutCause.PRE_TOKENIZER
