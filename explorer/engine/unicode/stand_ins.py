"""A text as a pattern of Unicode 16 sees it, whichever version the `regex` module knows.

Oniguruma and Rust's `regex` in Hugging Face's tokenizers, and the patterns of tiktoken, are at Unicode 16. So a
character that came later is replaced by one that is unassigned in every version before a pattern looks at the text; the
positions stay, and pieces are cut from the text itself. Characters of which a later version changed a property are
replaced by one that has the old properties for good. Texts in which there are none, almost all, are not touched.

A stand-in is in no set that spells out its characters. So where a pattern names characters beyond ASCII, the stand-in
lies in the same ranges as the character it stands for. Left out: a pattern that names one of the new characters alone,
and references to groups (`(.)\\1`), to which new characters may be alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import Final

import regex

from explorer.text.unicode_versions import OF_17_AND_18, after_16, code_points, in_brackets

CHANGED: Final = {"\u0295": "\u0296", "\U00011a3a": "\U00011a84"}
"""A letter that was a small one (Ll) up to Unicode 16, and one that graphemes began with → one that is so for good."""

_PICTOGRAPHS = (
    "1F1AE 1F6D8-1F6D9 1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8 1FA54-1FA57 1FA8A-1FA8E 1FAC8 1FACC-1FACD 1FADD "
    "1FAEA-1FAEB 1FAEF 1FAF9-1FAFA"
)
PICTOGRAPHS: Final = code_points(_PICTOGRAPHS)
"""Of the new characters those that were Extended_Pictographic before they were assigned."""

UNASSIGNED: Final = 0x40000
"""Planes 4 to 7 hold no characters: what is added to the code point of a new character."""
RESERVED: Final = 0x1FC00
"""Unassigned and Extended_Pictographic from here to U+1FFFD, where the stand-ins of pictographs lie."""

_BELOW_10000 = " ".join(part for part in OF_17_AND_18.split() if len(part.partition("-")[0]) < 5)
LIKELY: Final = re.compile(f"[\u0295{in_brackets(_BELOW_10000)}\U00010000-\U0010ffff]")
"""Finds every new character, and others beyond U+FFFF. The exact ranges would take twenty times as long."""

_DIGITS = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
NAMED: Final = re.compile(
    rf"\\p\{{Block=(?P<block>\w+)\}}|(?:(?P<low>{_DIGITS}|\\x[0-9A-Fa-f]{{2}}|\\?[^\\])-)?(?P<high>{_DIGITS}|[^\0-\x7f])",
    re.DOTALL,
)
"""Ranges that end beyond ASCII, single characters beyond ASCII, and blocks: all hold unassigned characters as well."""


def as_16(text: str) -> str:
    """The text with a stand-in for each character that Unicode 16 does not know; itself where there is none.

    >>> [f"{ord(ch):X}" for ch in as_16("a\\U0003e784")]
    ['61', '7E784']
    """
    return _SEEN(text)


class Seen:
    """The same for one pattern. spelled: the pattern, as the `regex` module runs it.

    >>> [f"{ord(ch):X}" for ch in Seen("[\\u0530-\\u058f]")("a\\u0558\\U0003e784")]
    ['61', '530', '7E784']
    """

    def __init__(self, spelled: str) -> None:
        self.ranges = tuple(dict.fromkeys(map(extent, NAMED.finditer(spelled))))
        """[low, high] of what the pattern spells out"""

    def __call__(self, text: str) -> str:
        if text.isascii():
            return text
        new = new_characters().intersection(LIKELY.findall(text))
        return text.translate({ord(ch): self.stand_in(ch) for ch in new}) if new else text

    def stand_in(self, ch: str) -> str:
        """What is shown to the pattern for a new character: that one itself where there is nothing like it."""
        code, found = ord(ch), CHANGED.get(ch) or plain(ord(ch))
        inside = self.inside(code)
        if inside == self.inside(ord(found)):
            return found
        low = max((low for low, _ in inside), default=0)
        high = min((high for _, high in inside), default=-1)
        codes = unassigned(code in PICTOGRAPHS) if ch not in CHANGED else []
        near = codes[bisect_left(codes, low) : bisect_right(codes, high)]
        return next((chr(code) for code in near if self.inside(code) == inside), ch)

    def inside(self, code: int) -> list[tuple[int, int]]:
        """The ranges that hold a character."""
        return [each for each in self.ranges if each[0] <= code <= each[1]]


def extent(found: re.Match[str]) -> tuple[int, int]:
    """The range that was found in a pattern."""
    if found["block"]:
        codes = list(map(ord, regex.findall(rf"\p{{Block={found['block']}}}", everything())))
        return min(codes, default=0), max(codes, default=-1)
    high = code_of(found["high"])
    return code_of(found["low"]) if found["low"] else high, high


def code_of(spelled: str) -> int:
    """The code point of one character of a pattern.

    >>> [code_of(each) for each in ("a", "\\\\-", "\\\\x00", "\\\\u0041")]
    [97, 45, 0, 65]
    """
    return int(spelled[2:], 16) if len(spelled) > 2 else ord(spelled[-1])


_SEEN: Final = Seen("")


def plain(code: int) -> str:
    """The stand-in for a new character where a pattern names none."""
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
def unassigned(pictographs: bool) -> list[int]:
    """The code points that are unassigned in every version, pictographs or others."""
    kind = r"[\p{Cn}&&\p{ExtPict}]" if pictographs else r"[\p{Cn}--\p{ExtPict}]"
    found = map(ord, regex.findall(kind, everything(), regex.VERSION1))
    return [code for code in found if code not in after_16()]
