"""The class of every code point, in the version of Unicode that each original uses.

One byte of bits for each code point, and none for `NOTHING`. A pattern of Hugging Face or tiktoken is at Unicode 16,
llama.cpp's scanners are at 15.1 (`engine.unicode`).
"""

from functools import cache

import regex

from explorer.compiled.scanners import (
    DROPPED,
    JOINED,
    LOWER,
    MARK,
    NEWLINE,
    NUMBER,
    OTHER_LETTER,
    SPACE,
    UPPER,
    VISIBLE,
)
from explorer.compiled.utf8 import NOTHING
from explorer.engine.regexes.safe import as_16
from explorer.text import WHITE_SPACE
from explorer.text.code_points import major_category

OF_16 = {
    r"[\p{Lu}\p{Lt}]+": UPPER,
    r"\p{Ll}+": LOWER,
    r"[\p{Lm}\p{Lo}]+": OTHER_LETTER,
    r"\p{M}+": MARK,
    r"\p{N}+": NUMBER,
    r"\s+": SPACE,
}
"""The classes that patterns name."""

LAST = 0x323B0
"""Code points from here to U+E0000 are ideographs newer than Unicode 16, or unassigned: VISIBLE."""

_PLANE_14 = range(0xE0000, 0xE1000)


@cache
def of_regex() -> bytes:
    """The classes of Unicode 16, according to the very program that runs the patterns on the traced path.

    >>> [of_regex()[ord(ch)] for ch in "aA一1 !"] == [LOWER, UPPER, OTHER_LETTER, NUMBER, SPACE, VISIBLE]
    True
    """
    table = bytearray([VISIBLE]) * (NOTHING + 1)
    for codes in (range(0xD800), range(0xE000, LAST), _PLANE_14):
        seen = as_16("".join(map(chr, codes)))
        for expression, kind in OF_16.items():
            for match in regex.finditer(expression, seen):
                start, end = match.span()
                table[codes[start] : codes[end - 1] + 1] = bytes([kind]) * (end - start)
    return _ended(table)


@cache
def of_scanners(marks_are_letters: bool = False) -> bytes:
    """The classes of llama.cpp's scanners, Unicode 15.1. Cased letters are not told apart.

    >>> [of_scanners()[ord(ch)] for ch in "aA一1 !"] == [OTHER_LETTER] * 3 + [NUMBER, SPACE, VISIBLE]
    True
    """
    bits = {"L": OTHER_LETTER, "N": NUMBER, "M": OTHER_LETTER if marks_are_letters else MARK}
    table = bytearray([VISIBLE]) * (NOTHING + 1)
    for codes in (range(0xD800), range(0xE000, LAST), _PLANE_14):
        table[codes[0] : codes[-1] + 1] = bytes([bits.get(major_category.__wrapped__(code), VISIBLE) for code in codes])
    for code in WHITE_SPACE:
        table[code] = SPACE
    return _ended(table)


def of_characters(dropped: str, joined: str) -> bytes:
    """The classes for SPACES."""
    table = bytearray(NOTHING + 1)
    for kind, characters in ((DROPPED, dropped), (JOINED, joined)):
        for ch in characters:
            table[ord(ch)] |= kind
    return bytes(table)


def _ended(table: bytearray) -> bytes:
    """The table with line breaks, and nothing after the last code point."""
    for code in b"\r\n":
        table[code] |= NEWLINE
    table[NOTHING] = 0
    return bytes(table)
