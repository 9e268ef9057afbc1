"""Facts about a code point: its label, its name, and its properties in llama.cpp's hand-written scanners.

The twelve flags are those of llama.cpp's `unicode_cpt_flags`; `simple_lower`, `simple_upper` and `first_of_nfd` are the
mappings that three of them are based on; all are those of Unicode 15.1, as in llama.cpp. Names and displayed categories
come from `unicodedata`, so a code point newer than this Python's Unicode has none.

Left out: full normalization forms (engine/normalizers/unicode_forms.py), case mappings to more than one character, and
properties that the standard library does not have, such as script and block.
"""

import unicodedata
from enum import IntFlag
from functools import cache, lru_cache
from typing import NamedTuple

from explorer.text.unicode_versions import after_15, major_category


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

CATEGORIES = {
    "Lu": "uppercase letter", "Ll": "lowercase letter", "Lt": "title-case letter", "Lm": "modifier letter",
    "Lo": "other letter", "Mn": "mark without width", "Mc": "mark with width", "Me": "enclosing mark",
    "Nd": "decimal digit", "Nl": "letter-like number", "No": "other number", "Pc": "connecting punctuation",
    "Pd": "dash", "Ps": "opening bracket", "Pe": "closing bracket", "Pi": "opening quotation mark",
    "Pf": "closing quotation mark", "Po": "other punctuation", "Sm": "mathematical symbol", "Sc": "currency symbol",
    "Sk": "modifier symbol", "So": "other symbol", "Zs": "space", "Zl": "line separator", "Zp": "paragraph separator",
    "Cc": "control", "Cf": "invisible format sign", "Cs": "half of a surrogate pair", "Co": "private use",
    "Cn": "not assigned",
}  # fmt: skip
"""General category → its meaning."""

HAN_RANGES = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""The ranges of Chinese characters, first and last code point, on which all originals agree."""

WHITE_SPACE = frozenset([*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]) | {
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
}
"""The code points with Unicode's White_Space property (PropList.txt). `str.isspace` adds U+001C to U+001F."""


def is_white_space(ch: str) -> bool:
    """Whether one character has Unicode's White_Space property, as Rust's `char::is_whitespace` says."""
    return ord(ch) in WHITE_SPACE


# Unicode does not name controls; these are the first control aliases of NameAliases.txt, which
# `unicodedata.lookup` accepts but `unicodedata.name` does not return.
_C0_NAMES = (  # U+0000 to U+001F
    "NULL|START OF HEADING|START OF TEXT|END OF TEXT|END OF TRANSMISSION|ENQUIRY|ACKNOWLEDGE|ALERT|BACKSPACE|"
    "CHARACTER TABULATION|LINE FEED|LINE TABULATION|FORM FEED|CARRIAGE RETURN|SHIFT OUT|SHIFT IN|"
    "DATA LINK ESCAPE|DEVICE CONTROL ONE|DEVICE CONTROL TWO|DEVICE CONTROL THREE|DEVICE CONTROL FOUR|"
    "NEGATIVE ACKNOWLEDGE|SYNCHRONOUS IDLE|END OF TRANSMISSION BLOCK|CANCEL|END OF MEDIUM|SUBSTITUTE|ESCAPE|"
    "INFORMATION SEPARATOR FOUR|INFORMATION SEPARATOR THREE|INFORMATION SEPARATOR TWO|"
    "INFORMATION SEPARATOR ONE"
)
_C1_NAMES = (  # U+0080 to U+009F
    "PADDING CHARACTER|HIGH OCTET PRESET|BREAK PERMITTED HERE|NO BREAK HERE|INDEX|NEXT LINE|"
    "START OF SELECTED AREA|END OF SELECTED AREA|CHARACTER TABULATION SET|"
    "CHARACTER TABULATION WITH JUSTIFICATION|LINE TABULATION SET|PARTIAL LINE FORWARD|PARTIAL LINE BACKWARD|"
    "REVERSE LINE FEED|SINGLE SHIFT TWO|SINGLE SHIFT THREE|DEVICE CONTROL STRING|PRIVATE USE ONE|"
    "PRIVATE USE TWO|SET TRANSMIT STATE|CANCEL CHARACTER|MESSAGE WAITING|START OF GUARDED AREA|"
    "END OF GUARDED AREA|START OF STRING|SINGLE GRAPHIC CHARACTER INTRODUCER|SINGLE CHARACTER INTRODUCER|"
    "CONTROL SEQUENCE INTRODUCER|STRING TERMINATOR|OPERATING SYSTEM COMMAND|PRIVACY MESSAGE|"
    "APPLICATION PROGRAM COMMAND"
)
_CONTROL_NAMES = {
    **dict(enumerate(_C0_NAMES.split("|"))),
    0x7F: "DELETE",
    **dict(enumerate(_C1_NAMES.split("|"), start=0x80)),
}


def label(ch: str) -> str:
    """The code point of one character as U+00C5: at least four digits, capital letters."""
    return f"U+{ord(ch):04X}"


def name(ch: str) -> str:
    """The Unicode name of one character, or a word in angle brackets if it has none. Never raises.

    >>> name("\\n"), name("\\ue000"), name("\\uffff")
    ('LINE FEED', '<private use>', '<noncharacter>')
    """
    known = unicodedata.name(ch, "") or _CONTROL_NAMES.get(ord(ch), "")
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
