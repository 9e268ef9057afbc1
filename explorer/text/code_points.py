"""Facts about a code point: its label, its name, its properties in llama.cpp's hand-written scanners, and its Unicode.

Every original has the tables of one version of Unicode: a newer character is unassigned there, neither letter nor
number, whatever the version of the Python or the `regex` module that runs this. Hugging Face's patterns and tiktoken
are at Unicode 16, llama.cpp at 15.1. A version assigns characters and almost never withdraws one, so the ranges of the
newer characters turn one version into another. Tests compare the ranges with the originals on every code point. They
are listed up to Unicode 18; a version after that is added to `OF_17_AND_18`.

The twelve flags are those of llama.cpp's `unicode_cpt_flags`; `simple_lower`, `simple_upper` and `first_of_nfd` are the
mappings that three of them are based on; all are those of Unicode 15.1, as in llama.cpp. Names and displayed categories
come from `unicodedata`, so a code point newer than this Python's Unicode has none.

`nfd_ranges` is the table in which llama.cpp looks up decompositions (`unicode_ranges_nfd` of its
`src/unicode-data.cpp`). Neighboring code points whose canonical decompositions begin with the same code point share an
entry. The table is computed as llama.cpp's `scripts/gen-unicode-data.py` does; its first entry maps 0 to 0, so that the
search always finds one. Only the first code point of a decomposition is in it.

Left out: full normalization forms (engine/normalizers/unicode_forms.py), case mappings to more than one character, and
properties that the standard library does not have, such as script and block.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import IntFlag
from functools import cache, lru_cache
from typing import NamedTuple

from explorer.tables import read_toml

TABLES = read_toml(__file__, "code_points.toml")


def code_points(ranges: str) -> frozenset[int]:
    """The code points of hexadecimal ranges such as `5C8-5C9 7FD`."""
    found: set[int] = set()
    for part in ranges.split():
        first, _, last = part.partition("-")
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(found)


def in_brackets(ranges: str) -> str:
    """The characters of hexadecimal ranges, written for a set of a pattern.

    >>> in_brackets("61-63 78")
    'a-cx'
    """
    return "".join("-".join(chr(int(end, 16)) for end in part.split("-")) for part in ranges.split())


OF_17_AND_18: str = TABLES["of_17_and_18"]


@cache
def after_16() -> frozenset[int]:
    """Characters of Unicode 17 and 18."""
    return code_points(OF_17_AND_18)


@cache
def after_15() -> frozenset[int]:
    """Characters newer than Unicode 15.1."""
    return code_points(TABLES["of_16"]) | after_16()


@cache
def of_15() -> Mapping[int, str]:
    """Characters of Unicode 15 and 15.1, which Python 3.11 lacks → the first letter of the category."""
    return {code: category for category, ranges in TABLES["of_15"].items() for code in code_points(ranges)}


@lru_cache(maxsize=1 << 16)
def major_category(code_point: int) -> str:
    """The first letter of the general category in Unicode 15.1, empty for unassigned code points.

    >>> "".join(major_category(ord(ch)) for ch in "aé1!+ "), major_category(0x3E784), major_category(0x378)
    ('LLNPSZ', '', '')
    """
    if code_point in after_15():
        return ""
    category = unicodedata.category(chr(code_point))
    return of_15().get(code_point, "") if category == "Cn" else category[0]


class Flag(IntFlag):
    """llama.cpp's `unicode_cpt_flags`, with its bit values. Each code point has one of the first eight.

    LOWERCASE, UPPERCASE and NFD are set for the *results* of a mapping: `A` has NFD because Å decomposes into it, and ß
    has LOWERCASE (ẞ becomes ß), but ŉ does not, because it is not the lower case of another character.
    """

    UNDEFINED = 0x0001
    NUMBER = 0x0002
    LETTER = 0x0004
    SEPARATOR = 0x0008
    ACCENT_MARK = 0x0010
    PUNCTUATION = 0x0020
    SYMBOL = 0x0040
    CONTROL = 0x0080
    WHITESPACE = 0x0100
    LOWERCASE = 0x0200
    UPPERCASE = 0x0400
    NFD = 0x0800


class Facts(NamedTuple):
    """The facts about one code point.

    >>> fact = facts("Å")
    >>> fact.label, fact.name, fact.category, fact.words
    ('U+00C5', 'LATIN CAPITAL LETTER A WITH RING ABOVE', 'Lu', ('letter', 'uppercase'))
    """

    code_point: int
    label: str
    """U+ and at least four hexadecimal digits."""
    name: str
    """The Unicode name; for a control its usual name, for other nameless code points a word in angle brackets."""
    category: str
    """General category, two letters."""
    flags: Flag

    @property
    def words(self) -> tuple[str, ...]:
        """The set flags in words, in the order of their bits."""
        return tuple((flag.name or "").lower().replace("_", " ") for flag in Flag if flag in self.flags)


_FLAG_OF_CATEGORY = {
    "N": Flag.NUMBER,
    "L": Flag.LETTER,
    "Z": Flag.SEPARATOR,
    "M": Flag.ACCENT_MARK,
    "P": Flag.PUNCTUATION,
    "S": Flag.SYMBOL,
    "C": Flag.CONTROL,
}


@cache
def categories() -> Mapping[str, str]:
    """General category → its meaning."""
    table: Mapping[str, str] = read_toml(__file__, "words.toml")
    return table


HAN_RANGES: Sequence[tuple[int, int]] = TABLES["han"]
"""The ranges of Chinese characters, first and last code point, on which all originals agree."""

WHITE_SPACE = frozenset([*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]) | {
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
}
"""The code points with Unicode's White_Space property (PropList.txt). `str.isspace` adds U+001C to U+001F."""


def is_white_space(ch: str) -> bool:
    """Whether one character has Unicode's White_Space property, as Rust's `char::is_whitespace` says."""
    return ord(ch) in WHITE_SPACE


def label(ch: str) -> str:
    """The code point of one character as U+00C5: at least four digits, capital letters."""
    return f"U+{ord(ch):04X}"


def name(ch: str) -> str:
    """The Unicode name of one character, or a word in angle brackets if it has none. Never raises.

    >>> name("\\n"), name("\\ue000"), name("\\uffff")
    ('LINE FEED', '<private use>', '<noncharacter>')
    """
    known = unicodedata.name(ch, "") or TABLES["controls"].get(ch, "")
    if known:
        return known
    category = unicodedata.category(ch)
    if category == "Co":
        return "<private use>"
    if category == "Cs":
        return "<surrogate>"
    if category == "Cn":
        return "<noncharacter>" if _is_noncharacter(ord(ch)) else "<unassigned>"
    # unicodedata has the code points of Tangut ideographs but not their names, which follow a rule
    return f"TANGUT IDEOGRAPH-{ord(ch):04X}" if 0x17000 <= ord(ch) < 0x18E00 else "<unnamed>"


def _is_noncharacter(code_point: int) -> bool:
    return 0xFDD0 <= code_point <= 0xFDEF or code_point & 0xFFFE == 0xFFFE


def simple_lower(ch: str) -> str:
    """The simple (one to one) lower case of one character, or the character itself.

    >>> simple_lower("Å"), simple_lower("İ")     # "İ".lower() is two characters
    ('å', 'i')
    """
    # İ is the only character whose full lower case is longer; it begins with the simple one
    return ch if ord(ch) in after_15() else ch.lower()[0]


def simple_upper(ch: str) -> str:
    """The simple (one to one) upper case of one character, or the character itself.

    >>> simple_upper("å"), simple_upper("ß"), simple_upper("ᾳ")     # "ß".upper() is "SS"
    ('Å', 'ß', 'ᾼ')
    """
    upper = ch.upper()
    if len(upper) > 1:
        # Greek letters with iota subscript: the simple upper case is the title case; others have none
        upper = ch.title()
    return upper if len(upper) == 1 and after_15().isdisjoint((ord(ch), ord(upper))) else ch


def first_of_nfd(ch: str) -> str:
    """The first character of the canonical decomposition, the only one that llama.cpp keeps.

    >>> first_of_nfd("Å"), first_of_nfd("각"), first_of_nfd("x")
    ('A', 'ᄀ', 'x')
    """
    return ch if ord(ch) in after_15() else unicodedata.normalize("NFD", ch)[0]


@cache
def _images() -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """All code points that are the lower case, upper case or NFD of another one."""
    lower: set[int] = set()
    upper: set[int] = set()
    # llama.cpp's table of decompositions begins with a dummy range that maps 0 to 0, so NULL counts, too
    nfd = {0}
    for code_point in range(0x110000):
        ch = chr(code_point)
        if unicodedata.category(ch) in ("Cn", "Co", "Cs"):
            continue
        for image, found in ((simple_lower(ch), lower), (simple_upper(ch), upper), (first_of_nfd(ch), nfd)):
            if image != ch:
                found.add(ord(image))
    return frozenset(lower), frozenset(upper), frozenset(nfd)


@lru_cache(maxsize=1 << 16)
def flags_of(code_point: int) -> Flag:
    """The twelve flags of a code point, as from `unicode_cpt_flags_from_cpt` of llama.cpp.

    Any number is allowed; outside of Unicode it is UNDEFINED. The first call takes 0.2 s: it goes through all of
    Unicode once for the three mappings.

    >>> flags_of(ord("a"))
    <Flag.LETTER|LOWERCASE|NFD: 2564>
    """
    if not 0 <= code_point < 0x110000:
        return Flag.UNDEFINED
    flags = _FLAG_OF_CATEGORY.get(major_category(code_point), Flag.UNDEFINED)
    lower, upper, nfd = _images()
    if code_point in WHITE_SPACE:
        flags |= Flag.WHITESPACE
    if code_point in lower:
        flags |= Flag.LOWERCASE
    if code_point in upper:
        flags |= Flag.UPPERCASE
    if code_point in nfd:
        flags |= Flag.NFD
    return flags


def facts(ch: str) -> Facts:
    """Everything the pages show about one character (a string of length 1; a lone surrogate is allowed)."""
    return Facts(ord(ch), label(ch), name(ch), unicodedata.category(ch), flags_of(ord(ch)))


HANGUL = range(0xAC00, 0xD7A4)
"""Syllables, which decompose by arithmetic; before Python 3.14.8 `unicodedata.decomposition` does not list them."""


class NfdRange(NamedTuple):
    """The code points from `first` to `last` decompose into `nfd` and more."""

    first: int
    last: int
    nfd: int


class Search(NamedTuple):
    """A search in the table.

    at: the index of the entry it ends at: the upper bound, minus one. hit: whether the code point is in it.
    """

    at: int
    hit: bool


@cache
def nfd_ranges() -> tuple[NfdRange, ...]:
    """The table, sorted. The first call goes through three planes of Unicode, which takes 0.1 s.

    >>> nfd_ranges()[:3]
    (NfdRange(first=0, last=0, nfd=0), NfdRange(first=192, last=197, nfd=65), NfdRange(first=199, last=199, nfd=67))
    """
    found = [NfdRange(0, 0, 0)]
    for code in range(0xC0, 0x30000):  # none decomposes beyond
        if not unicodedata.decomposition(chr(code)) and code not in HANGUL:
            continue
        nfd = ord(first_of_nfd(chr(code)))
        if nfd == code:
            continue
        last = found[-1]
        if (last.last, last.nfd) == (code - 1, nfd):
            found[-1] = last._replace(last=code)
        else:
            found.append(NfdRange(code, code, nfd))
    return tuple(found)


def search(code: int) -> Search:
    """The search of `unicode_cpts_normalize_nfd`: the last entry that begins at or before a code point.

    >>> search(0xC5), nfd_ranges()[search(0xC6).at].last == 0xC5
    (Search(at=1, hit=True), True)
    """
    ranges = nfd_ranges()
    at = bisect_right(ranges, code, key=lambda each: each.first) - 1
    return Search(at, ranges[at].first <= code <= ranges[at].last)
