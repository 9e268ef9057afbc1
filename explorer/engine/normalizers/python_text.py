"""What the tokenizers of `transformers` that are written in Python do to a text, with the Unicode of this Python.

Follows `PreTrainedTokenizer.tokenize` of its version 4, and `BasicTokenizer` of `models/bert/tokenization_bert.py`.
Differs from `BertNormalizer` in this: characters without a category are dropped as controls, the text is composed (NFC)
before anything else, words that are special tokens stay as they are, and capitals are lowercased before added tokens
are looked for, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Final

from explorer.engine.normalizers.huggingface import Drop, ToSpace
from explorer.engine.normalizers.stage import ByCharacter, NormalizeEvent, Normalizer, Written, covering, emit_text
from explorer.engine.normalizers.unicode_forms import (
    UnicodeForm,
)
from explorer.engine.part import Emit, Segment


def is_dropped(ch: str) -> bool:
    """Whether `_clean_text` drops a character: a control, a format character, one that Unicode does not assign.

    >>> [is_dropped(ch) for ch in "\\t\\u200d\\ue000a"]
    [False, True, True, False]
    """
    return ch not in "\t\n\r" and (ch in "\0\ufffd" or unicodedata.category(ch)[0] == "C")


def is_space(ch: str) -> bool:
    """Whether `_clean_text` writes a space for a character."""
    return ch in " \t\n\r" or unicodedata.category(ch) == "Zs"


def is_punctuation(ch: str) -> bool:
    """Whether a character is a word of its own."""
    if ch < "\x80":
        return ch.isprintable() and not ch.isalnum() and ch != " "
    return unicodedata.category(ch)[0] == "P"


def is_mark(ch: str) -> bool:
    """Whether a character is a nonspacing mark."""
    return unicodedata.category(ch) == "Mn"


def composed(first: str, second: str) -> str | None:
    """The character that decomposes to these two, None if none does."""
    one = unicodedata.normalize("NFC", first + second)
    pair = unicodedata.decomposition(one) if len(one) == 1 else ""
    return one if len(one) == 1 and (not pair or pair == f"{ord(first):04X} {ord(second):04X}") else None


class PythonForm(UnicodeForm):
    """A normalization form as `unicodedata` has it.

    >>> PythonForm("NFC").apply(Segment.of("ne\u0301"), 0, False, lambda *row: None).text
    'né'
    """

    unknown: frozenset[str] = frozenset()
    combining_class = staticmethod(unicodedata.combining)
    composed = staticmethod(composed)

    def decomposed(self, ch: str) -> str:
        """The decomposition of a character."""
        return unicodedata.normalize("NFKD" if self.compatible else "NFD", ch)


class LowercaseExcept:
    """Lowercases each character on its own, except within the spellings of some tokens. A line feed ends a line.

    >>> LowercaseExcept(["[CLS]"]).apply(Segment.of("A[CLS]ΑΣ"), 0, False, lambda *row: None).text
    'a[CLS]ασ'
    """

    def __init__(self, kept: Iterable[str]) -> None:
        self.kept = re.compile("|".join(map(re.escape, kept)))

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment lowercased."""
        text = segment.text
        if text.lower() == text:
            return segment
        inside = bytearray(len(text))
        for match in self.kept.finditer(text):
            inside[match.start() : match.end()] = b"\1" * (match.end() - match.start())
        written: list[Written] = []
        for at, ch in enumerate(text):
            now = ch if inside[at] else ch.lower()
            if now != ch:
                emit_text(emit, NormalizeEvent.LOWER, item, at, now)
            written.append((now, at, at + 1))
        return covering(segment, written)


class Uppercase(ByCharacter):
    """The upper case of each character: ß becomes two.

    >>> Uppercase().apply(Segment.of("aß"), 0, False, lambda *row: None).text
    'ASS'
    """

    def __init__(self) -> None:
        super().__init__(str.upper, NormalizeEvent.REPLACE)


class LowercaseWords:
    """Lowercases words, those that are special tokens excepted. The last Σ of a word becomes ς.

    >>> LowercaseWords(["[A]"]).apply(Segment.of("[A] ΟΔΟΣ X"), 0, False, lambda *row: None).text
    '[A] οδος x'
    """

    def __init__(self, kept: Collection[str] = ()) -> None:
        self.kept = frozenset(kept)

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment lowercased."""
        written: list[Written] = []
        for match in WORDS.finditer(segment.text):
            word = match[0]
            low, done = word if word in self.kept else word.lower(), 0
            for at, ch in enumerate(word, match.start()):
                size = 1 if low is word else len(ch.lower())
                now = low[done : done + size]
                done += size
                if now != ch:
                    emit_text(emit, NormalizeEvent.LOWER, item, at, now)
                written.append((now, at, at + 1))
        return covering(segment, written)


WORDS: Final = re.compile(r"\s+|\S+")


def cleaned() -> list[Normalizer]:
    """The passes of `BasicTokenizer` before words, without spaces around Chinese characters."""
    return [Drop(is_dropped, NormalizeEvent.DROP_CONTROL), ToSpace(is_space), PythonForm("NFC")]


def stripped() -> list[Normalizer]:
    """The passes that strip accents."""
    return [PythonForm("NFD"), Drop(is_mark, NormalizeEvent.DROP_MARK)]
