"""The characters added after a version of Unicode, and general categories of a fixed version.

Every original has the tables of one version of Unicode: a newer character is unassigned there, neither letter nor
number, whatever the version of the Python or the `regex` module that runs this. Hugging Face's patterns and tiktoken
are at Unicode 16, llama.cpp at 15.1. A version assigns characters and almost never withdraws one, so the ranges of the
newer characters turn one version into another. Tests compare the ranges with the originals on every code point.

Listed up to Unicode 18. A version after that is added to `OF_17_AND_18`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final


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


_OF_15 = {
    "L": (
        "1123F-11240 11F02 11F04-11F10 11F12-11F33 1342F 13441-13446 1B132 1B155 1DF25-1DF2A 1E030-1E06D "
        "1E4D0-1E4EB 2B739 2EBF0-2EE5D 31350-323AF "
    ),
    "M": "CF3 ECE 10EFD-10EFF 11241 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 13440 13447-13455 1E08F 1E4EC-1E4EF",
    "N": "11F50-11F59 1D2C0-1D2D3 1E4F0-1E4F9",
    "P": "11B00-11B09 11F43-11F4F",
    "S": (
        "2FFC-2FFF 31EF 1F6DC 1F774-1F776 1F77B-1F77F 1F7D9 1FA75-1FA77 1FA87-1FA88 1FAAD-1FAAF 1FABB-1FABD 1FABF "
        "1FACE-1FACF 1FADA-1FADB 1FAE8 1FAF7-1FAF8 "
    ),
    "C": "13439-1343F",
}
_OF_16 = (
    "897 1B4E-1B4F 1B7F 1C89-1C8A 2427-2429 31E4-31E5 A7CB-A7CD A7DA-A7DC 105C0-105F3 10D40-10D65 10D69-10D85 "
    "10D8E-10D8F 10EC2-10EC4 10EFC 11380-11389 1138B 1138E 11390-113B5 113B7-113C0 113C2 113C5 113C7-113CA "
    "113CC-113D5 113D7-113D8 113E1-113E2 116D0-116E3 11BC0-11BE1 11BF0-11BF9 11F5A 13460-143FA 16100-16139 "
    "16D40-16D79 18CFF 1CC00-1CCF9 1CD00-1CEB3 1E5D0-1E5FA 1E5FF 1F8B2-1F8BB 1F8C0-1F8C1 1FA89 1FA8F 1FABE 1FAC6 "
    "1FADC 1FADF 1FAE9 1FBCB-1FBEF "
)
OF_17_AND_18: Final = (
    "558 58B-58C 5C8-5C9 88F B53-B54 C5C CDC 1ACF-1AF0 208F 209D-209F 20C1-20C4 2B96 2E60-2E63 A7CE-A7CF A7D2 A7D4 "
    "A7DD A7E2 A7F1 AB6C-AB6D FBC3-FBD2 FD90-FD91 FDC8-FDCE 107BB-107BF 10940-10959 10EC5-10EC7 10EC9-10EEE "
    "10EF0-10EFB 11B0A 11B60-11B67 11DB0-11DDB 11DE0-11DE9 11DF0-11DF1 1246F 12475-1247F 12550-12686 16EA0-16EB8 "
    "16EBB-16ED3 16FF2-16FF6 187F8-187FF 18CD6-18CDA 18D09-18D20 18D80-18DF2 18E00-19191 191A0-191D2 1B123-1B128 "
    "1B168 1CCFA-1CCFC 1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD 1D127-1D128 1D1EB-1D1FF 1D250-1D281 1D6A6 1DB00-1DB1C "
    "1DF1F-1DF24 1DF2B-1DF81 1DF90-1DF96 1DFCD-1DFFF 1E6C0-1E6DE 1E6E0-1E6F5 1E6FE-1E6FF 1F1AE 1F6D8-1F6D9 "
    "1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8 1FA54-1FA57 1FA8A-1FA8E 1FAC8 1FACC-1FACD 1FADD 1FAEA-1FAEB "
    "1FAEF 1FAF9-1FAFA 1FBFA 2B73A-2B73F 2B81E 2CEA2-2CEAD 323B0-33479 3D000-3FC3F "
)


@cache
def after_16() -> frozenset[int]:
    """Characters of Unicode 17 and 18."""
    return code_points(OF_17_AND_18)


@cache
def after_15() -> frozenset[int]:
    """Characters newer than Unicode 15.1."""
    return code_points(_OF_16) | after_16()


@cache
def of_15() -> Mapping[int, str]:
    """Characters of Unicode 15 and 15.1, which Python 3.11 lacks → the first letter of the category."""
    return {code: category for category, ranges in _OF_15.items() for code in code_points(ranges)}


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
