"""The class of a token by its text, the script of its letters, and sets of token ids.

The script is Unicode's property Script of the token's letters and marks, those shared by several scripts (Common,
Inherited) apart. A token does not reveal a language. Both depend only on the class and script of each character, so the
texts of a vocabulary have few different answers.

A set of ids is a whole number: bit i is set if id i is in the set. Intersecting two sets of 256,000 ids takes
microseconds, and so does counting one, so the counts of all facets are computed anew for every search.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import compress, repeat
from typing import Any, Final, Generic, TypeVar, overload

from explorer.engine.regexes.safe import compiled

Match = Callable[[str], Any]
"""Matches a whole text: the match, or None."""


class TokenClass(StrEnum):
    """What a token consists of. A token of text has the first class that fits."""

    WORD_START = "start of a word"
    """A space and letters; where a vocabulary marks pieces within words, letters without that mark."""
    LETTERS = "letters"
    NUMBER = "number"
    """Digits, with signs or without."""
    SPACE = "white space"
    SIGNS = "signs only"
    MIXED = "letters and signs"
    PART = "part of a character"
    """Its bytes aren't valid UTF-8."""
    BYTE = "byte"
    """A piece for a single byte, such as `<0x0A>`."""
    SPECIAL = "special"
    ADDED = "added"
    """Found in a text before the model runs: user-defined, or added and not special."""
    UNUSED = "unused"
    NO_BYTES = "no bytes"
    """It decodes to nothing."""
    NO_TOKEN = "no token"  # a name, not a password
    """An id without a piece."""


SEARCHED: Final = frozenset({TokenClass.SPECIAL, TokenClass.ADDED})
"""Classes of tokens that are searched for in a text before the model runs."""

GIVEN: Final = SEARCHED | {TokenClass.UNUSED, TokenClass.NO_TOKEN, TokenClass.BYTE}
"""Classes of tokens that no training learns."""

OF_TEXT: Final = (
    (TokenClass.WORD_START, r"(?: [\p{L}\p{M}]+)"),
    (TokenClass.LETTERS, r"(?:[\p{L}\p{M}]+)"),
    (TokenClass.NUMBER, r"(?:[^\p{L}\p{M}\p{N}]*+\p{N}[^\p{L}\p{M}]*+)"),
    (TokenClass.SPACE, r"(?:\s+)"),
    (TokenClass.SIGNS, r"(?:[^\p{L}\p{M}]+)"),
    (TokenClass.MIXED, r"(?s:.+)"),
)
"""Patterns of a whole text, in order."""

PATTERN: Final = "|".join(f"({pattern})" for _, pattern in OF_TEXT)

SCRIPTS: Final = tuple(
    "Latin Han Cyrillic Arabic Hangul Hiragana Katakana Greek Thai Hebrew Devanagari Bengali Tamil Telugu Kannada"
    " Malayalam Gujarati Gurmukhi Oriya Sinhala Myanmar Khmer Lao Georgian Armenian Ethiopic Tibetan Mongolian Thaana"
    " Syriac Cherokee Canadian_Aboriginal Bopomofo Yi Coptic Runic Ogham Gothic Braille Tifinagh Nko Vai Javanese"
    " Balinese Sundanese Cham Lisu Ol_Chiki Meetei_Mayek Glagolitic Cuneiform Egyptian_Hieroglyphs Syloti_Nagri Tai_Le"
    " Limbu New_Tai_Lue Tai_Tham Tai_Viet Lepcha Saurashtra Kayah_Li Rejang Bamum Phags_Pa Tagalog Hanunoo Buhid"
    " Tagbanwa Buginese Batak Samaritan Mandaic Deseret Adlam Chakma Osage Mro Miao".split()
)
"""Names of the property, those that vocabularies contain most first."""

SCRIPT_PATTERN: Final = "|".join(rf"(\p{{Script={name}}})" for name in SCRIPTS)

SEVERAL: Final = "several"
NO_SCRIPT: Final = "none"
OTHER: Final = "other"
"""In place of a script: letters of more than one, no letters, a script that is not listed."""

SHARED: Final = r"[\p{Script=Common}\p{Script=Inherited}]|[^\p{L}\p{M}]"
"""Characters that belong to no script of their own."""


def class_and_script(text: str) -> tuple[TokenClass, str]:
    """`class_of` and `script_of` of a text that isn't empty.

    >>> class_and_script(" word")
    (<TokenClass.WORD_START: 'start of a word'>, 'Latin')
    """
    return of_outline(text.translate(_alike))


class Alike(dict[int, str]):
    """Code point → a character with the same class and script, the same one for all of them.

    >>> alike = Alike()
    >>> ["don't".translate(alike), "wasn’t".translate(alike), " é".translate(alike)]
    ["ddd'd", "dddd'd", ' d']
    """

    def __init__(self) -> None:
        self.first: dict[tuple[bool, TokenClass, str], str] = {}

    def __missing__(self, code: int) -> str:
        ch = chr(code)
        # only the space itself begins a word
        found = self[code] = self.first.setdefault((ch == " ", class_of(ch), script_of_character(ch)), ch)
        return found


_alike = Alike()


@lru_cache(1 << 12)
def of_outline(outline: str) -> tuple[TokenClass, str]:
    """The answers for a text of few different characters."""
    return class_of(outline), script_of(outline)


def class_of(text: str) -> TokenClass:
    """The class of a text that isn't empty.

    >>> [class_of(text).name for text in (" the", "the", "ทำ", "42", " ", "\\n//", "don't")]
    ['WORD_START', 'LETTERS', 'LETTERS', 'NUMBER', 'SPACE', 'SIGNS', 'MIXED']
    """
    if text.isascii() and text.isalpha():
        return TokenClass.LETTERS
    found = matcher(PATTERN)(text)
    assert found is not None, "the last pattern matches anything"
    return OF_TEXT[found.lastindex - 1][0]


def script_of(text: str) -> str:
    """The script of a text's letters.

    >>> [script_of(text) for text in (" word", "猫である", "123", "猫", "aж", "ー")]
    ['Latin', 'several', 'none', 'Han', 'several', 'none']
    """
    if text.isascii():
        return "Latin" if text.isalpha() or any(map(str.isalpha, text)) else NO_SCRIPT
    found: set[str] = set(map(script_of_character, text))
    found.discard(NO_SCRIPT)
    if len(found) > 1:
        return SEVERAL
    return next(iter(found), NO_SCRIPT)


def script_of_character(ch: str) -> str:
    """The script of one character."""
    if matcher(SHARED)(ch):
        return NO_SCRIPT
    found = matcher(SCRIPT_PATTERN)(ch)
    return OTHER if found is None else SCRIPTS[found.lastindex - 1]


@cache
def matcher(pattern: str) -> Match:
    """Matches a whole text; compiled when it is first asked for."""
    return compiled(pattern).fullmatch


FLAGS: Final = bytes.maketrans(b"01", b"\x00\x01")
DIGITS: Final = bytes.maketrans(b"\x00\x01", b"01")

Selection = int
"""A set of ids."""


def selection_of(ids: Iterable[int], size: int) -> Selection:
    """The set of some ids. size: the number of ids of the vocabulary.

    >>> selection_of([0, 3], 5)
    9
    """
    flags = bytearray(size)
    for id in ids:
        flags[id] = 1
    return of_flags(flags)


def of_flags(flags: bytes | bytearray) -> Selection:
    """The set of the ids whose byte is 1; the others are 0."""
    return int(flags[::-1].translate(DIGITS) or b"0", 2)


def flags_of(selection: Selection, size: int) -> bytes:
    """One byte per id: 1 if it is in the set.

    >>> flags_of(9, 5)
    b'\\x01\\x00\\x00\\x01\\x00'
    """
    return format(selection, f"0{size}b").encode()[::-1].translate(FLAGS) if size else b""


def ids_in(selection: Selection, size: int) -> Iterator[int]:
    """The ids of a set, ascending.

    >>> list(ids_in(9, 5))
    [0, 3]
    """
    return compress(range(size), flags_of(selection, size))


def everything(size: int) -> Selection:
    """The set of all ids."""
    return (1 << size) - 1


Read = TypeVar("Read")
Value = TypeVar("Value", bound=str)


class Computed(Sequence[Read]):
    """A sequence whose items are computed when they are read."""

    @abstractmethod
    def at(self, index: int) -> Read:
        """The item at an index from 0."""

    @overload
    def __getitem__(self, index: int) -> Read: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Read, ...]: ...

    def __getitem__(self, index: int | slice) -> Read | tuple[Read, ...]:
        place = range(len(self))[index]
        return self.at(place) if isinstance(place, int) else tuple(map(self.at, place))


class Runs(Computed[Value], Generic[Value]):
    """A value for each id, the same one for many in a row. starts: the first id of each run. size: the number of ids.

    >>> runs = Runs([0, 2], ["a", "b"], 5)
    >>> runs[1], runs[2], list(runs), {value: bin(ids) for value, ids in runs.selections().items()}
    ('a', 'b', ['a', 'a', 'b', 'b', 'b'], {'a': '0b11', 'b': '0b11100'})
    """

    def __init__(self, starts: Sequence[int], values: Sequence[Value], size: int) -> None:
        self.starts, self.values, self.size = starts, values, size

    def __len__(self) -> int:
        return self.size

    def at(self, index: int) -> Value:
        """The value of an id."""
        return self.values[bisect_right(self.starts, index) - 1]

    def __iter__(self) -> Iterator[Value]:
        for value, start, stop in zip(self.values, self.starts, [*self.starts[1:], self.size], strict=True):
            yield from repeat(value, stop - start)

    def selections(self) -> dict[str, Selection]:
        """By value, the ids that have it."""
        found: dict[str, bytearray] = {}
        for value, start, stop in zip(self.values, self.starts, [*self.starts[1:], self.size], strict=True):
            flags = found.setdefault(value, bytearray())
            flags += bytes(start - len(flags)) + b"\x01" * (stop - start)
        return {str(value): of_flags(flags) for value, flags in found.items()}
