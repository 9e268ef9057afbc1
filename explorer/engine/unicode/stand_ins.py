"""Shows a pattern the text as Unicode 16 does, whichever version the `regex` module has.

Oniguruma and Rust's `regex` in Hugging Face's tokenizers, and the patterns of tiktoken, are at Unicode 16. So before a
pattern sees a text, each newer character is replaced by a stand-in that is unassigned in every version; positions stay
the same, and pieces are taken from the original text. A character of which a later version changed a property is
replaced by one that keeps the old properties. Texts without such characters, almost all, are not touched.

A stand-in is not a member of sets that list characters. So if a pattern names non-ASCII characters, the stand-in is
chosen from the same ranges as the character it replaces. Left out: a pattern that names one new character on its own,
and backreferences (`(.)\\1`), for which different new characters may become equal.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import Final

import regex

from explorer.text.code_points import OF_17_AND_18, after_16, code_points, in_brackets

CHANGED: Final = {"\u0295": "\u0296", "\U00011a3a": "\U00011a84"}
"""Characters whose properties changed: a lowercase letter (Ll), a Prepend → one that keeps the property."""

_PICTOGRAPHS = (
    "1F1AE 1F6D8-1F6D9 1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8 1FA54-1FA57 1FA8A-1FA8E 1FAC8 1FACC-1FACD 1FADD "
    "1FAEA-1FAEB 1FAEF 1FAF9-1FAFA"
)
PICTOGRAPHS: Final = code_points(_PICTOGRAPHS)
"""The new characters that were Extended_Pictographic before they were assigned."""

UNASSIGNED: Final = 0x40000
"""Added to the code point of a new character: planes 4 to 7 have no characters."""

RESERVED: Final = 0x1FC00
"""First code point of the stand-ins of pictographs: up to U+1FFFD all are unassigned and Extended_Pictographic."""

_BELOW_10000 = " ".join(part for part in OF_17_AND_18.split() if len(part.partition("-")[0]) < 5)
LIKELY: Final = re.compile(f"[\u0295{in_brackets(_BELOW_10000)}\U00010000-\U0010ffff]")
"""Matches every new character, and others above U+FFFF. The exact ranges would take twenty times as long."""

_DIGITS = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
NAMED: Final = re.compile(
    rf"\\p\{{Block=(?P<block>\w+)\}}|(?:(?P<low>{_DIGITS}|\\x[0-9A-Fa-f]{{2}}|\\?[^\\])-)?(?P<high>{_DIGITS}|[^\0-\x7f])",
    re.DOTALL,
)
"""Ranges that end above ASCII, single non-ASCII characters, and blocks: all may include unassigned characters."""


def as_16(text: str) -> str:
    """The text with a stand-in for each character newer than Unicode 16.

    >>> [f"{ord(ch):X}" for ch in as_16("a\\U0003e784")]
    ['61', '7E784']
    """
    return _SEEN(text)


class StandIns:
    """Replaces newer characters for one pattern. spelled: the pattern, as the `regex` module runs it.

    >>> [f"{ord(ch):X}" for ch in StandIns("[\\u0530-\\u058f]")("a\\u0558\\U0003e784")]
    ['61', '530', '7E784']
    """

    def __init__(self, spelled: str) -> None:
        self.ranges = tuple(dict.fromkeys(map(_extent, NAMED.finditer(spelled))))
        """the ranges [low, high] that the pattern names"""

    def __call__(self, text: str) -> str:
        """The text as the pattern sees it."""
        if text.isascii():
            return text
        new = new_characters().intersection(LIKELY.findall(text))
        return text.translate({ord(ch): self.stand_in(ch) for ch in new}) if new else text

    def stand_in(self, ch: str) -> str:
        """The stand-in for a new character; the character itself if no other is in the same ranges."""
        code, found = ord(ch), CHANGED.get(ch) or plain_stand_in(ord(ch))
        inside = self.ranges_of(code)
        if inside == self.ranges_of(ord(found)):
            return found
        low = max((low for low, _ in inside), default=0)
        high = min((high for _, high in inside), default=-1)
        codes = _unassigned(code in PICTOGRAPHS) if ch not in CHANGED else []
        near = codes[bisect_left(codes, low) : bisect_right(codes, high)]
        return next((chr(code) for code in near if self.ranges_of(code) == inside), ch)

    def ranges_of(self, code: int) -> list[tuple[int, int]]:
        """The ranges that contain a code point."""
        return [each for each in self.ranges if each[0] <= code <= each[1]]


def _extent(found: re.Match[str]) -> tuple[int, int]:
    """The range of a match of `NAMED`."""
    if found["block"]:
        codes = list(map(ord, regex.findall(rf"\p{{Block={found['block']}}}", everything())))
        return min(codes, default=0), max(codes, default=-1)
    high = _code_of(found["high"])
    return _code_of(found["low"]) if found["low"] else high, high


def _code_of(spelled: str) -> int:
    """The code point of one character of a pattern.

    >>> [_code_of(each) for each in ("a", "\\\\-", "\\\\x00", "\\\\u0041")]
    [97, 45, 0, 65]
    """
    return int(spelled[2:], 16) if len(spelled) > 2 else ord(spelled[-1])


_SEEN: Final = StandIns("")


def plain_stand_in(code: int) -> str:
    """The stand-in for a new character if the pattern does not name any."""
    return chr(RESERVED + (code - 2 & 0x3FF) if code in PICTOGRAPHS else UNASSIGNED + code)


@cache
def new_characters() -> frozenset[str]:
    """All characters that have a stand-in."""
    return frozenset(map(chr, after_16())) | CHANGED.keys()


@cache
def everything() -> str:
    """All characters in one text."""
    return "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


@cache
def _unassigned(pictographs: bool) -> list[int]:
    """The code points that are unassigned in every version: pictographs, or all others."""
    kind = r"[\p{Cn}&&\p{ExtPict}]" if pictographs else r"[\p{Cn}--\p{ExtPict}]"
    found = map(ord, regex.findall(kind, everything(), regex.VERSION1))
    return [code for code in found if code not in after_16()]
