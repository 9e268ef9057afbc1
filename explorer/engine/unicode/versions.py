"""Character properties of Hugging Face's `tokenizers`, which uses three versions of Unicode side by side.

The crate of BERT's parts and `Punctuation` (`unicode_categories`) is at Unicode 8, that of the normalization forms and
`StripAccents` (`unicode_normalization_alignments`) at Unicode 9; lower case comes from the Rust it is built with,
Unicode 17. So a newer combining mark, punctuation mark or control is an ordinary character there: it is not stripped,
split off, composed or reordered. The code points that differ are listed up to Unicode 17 or 18, and `unicodedata`
answers for all others, so the results are the same on every Python from 3.11. Tests compare every code point with the
original. Its patterns are at Unicode 16 (`stand_ins`).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from explorer.text.unicode_versions import code_points

_RANGES = (
    "5C8-5C9 61D 7FD 890-891 897-89F 8CA-8E2 9FD-9FE A76 AFA-AFF B53-B55 C04 C3C C77 C84 D00 D3B-D3C D81 EBA ECE 180F "
    "1885-1886 1ABF-1AF0 1B4E-1B4F 1B7D-1B7F 1DF6-1DFB 2E43-2E4F 2E52-2E5D 2E60-2E63 A82C A8C5 A8FF A9BD 10D24-10D27 "
    "10D69-10D6E 10EAB-10EAD 10ECB-10ED0 10EF0-10EFF 10F46-10F50 10F55-10F59 10F82-10F89 11070 11073-11074 110C2 "
    "110CD 111C9 111CF 1123E 11241 1133B 113BB-113C0 113CE 113D0 113D2 113D4-113D5 113D7-113D8 113E1-113E2 "
    "11438-1143F 11442-11444 11446 1144B-1144F 1145A-1145B 1145D-1145E 11660-1166C 116B9 1182F-11837 11839-1183B "
    "1193B-1193C 1193E 11943-11946 119D4-119D7 119DA-119DB 119E0 119E2 11A01-11A0A 11A33-11A38 11A3B-11A47 "
    "11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A9C 11A9E-11AA2 11B00-11B09 11B60 11B62-11B64 11B66 11BE1 "
    "11C30-11C36 11C38-11C3D 11C3F 11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 "
    "11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 11D97 11DF0 11EF3-11EF4 11EF7-11EF8 "
    "11F00-11F01 11F36-11F3A 11F40 11F42-11F4F 11F5A 11FFF 12FF1-12FF2 13430-13440 13447-13455 1611E-16129 "
    "1612D-1612F 16D6D-16D6F 16E97-16E9A 16F4F 16FE2 16FE4 1CF00-1CF2D 1CF30-1CF46 1D127-1D128 1D25B-1D25C "
    "1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF "
    "1E5EE-1E5EF 1E5FF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1E944-1E94A 1E95E-1E95F"
)


# --- BERT and punctuation: Unicode 8 ---------------------------------------------------------------------------------

NEWER = code_points(_RANGES)
"""Marks, punctuation and controls of Unicode 9 to 17, ordinary characters for the original."""

# Their category changed after Unicode 8.
_ONCE_PUNCTUATION = frozenset("\u166d\U000111c9")
_ONCE_MARK = frozenset("\u1734\U0001171e")


@lru_cache(maxsize=1 << 14)
def is_control(ch: str) -> bool:
    """Whether a character has the general category Cc, Cf or Co.

    >>> is_control("\\u200d"), is_control("\\ufeff"), is_control("a")
    (True, True, False)
    """
    return unicodedata.category(ch) in ("Cc", "Cf", "Co") and ord(ch) not in NEWER


@lru_cache(maxsize=1 << 14)
def is_punctuation(ch: str) -> bool:
    """Whether a character is punctuation for BERT: general category P, or an ASCII symbol such as `$` and `+`."""
    if ch < "\x80":
        return ch.isprintable() and not ch.isalnum() and ch != " "
    if ch in _ONCE_PUNCTUATION:
        return True
    return unicodedata.category(ch)[0] == "P" and ord(ch) not in NEWER


@lru_cache(maxsize=1 << 14)
def is_mark(ch: str) -> bool:
    """Whether a character has the general category Mn: a nonspacing mark, such as a combining accent."""
    return (unicodedata.category(ch) == "Mn" and ord(ch) not in NEWER) or ch in _ONCE_MARK


# --- normalization forms: Unicode 9 ---------------------------------------------------------------------------------

_UNKNOWN_TO_FORMS = (
    "558 58B-58C 5C8-5C9 7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA 209D-209F 32FF A7F1-A7F4 "
    "A82C AB69 105C9 105E4 10781-10785 10787-107B0 107B2-107BF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF "
    "10EF0-10EFB 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 11383 11385 1138E 11391 113C5 113C7-113C8 "
    "113CE-113D0 1145E 11839-1183A 11938 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 "
    "11F41-11F42 16121-16128 1612F 16D68-16D6A 16FF0-16FF1 1B123-1B126 1CCD6-1CCF9 1D127-1D128 1D250-1D252 "
    "1D25B-1D25C 1D25F 1D280-1D281 1D6A6 1DF95 1DFCD-1DFFF 1E030-1E06D 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF "
    "1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F16C 1FBF0-1FBF9 "
)
UNKNOWN_TO_FORMS = code_points(_UNKNOWN_TO_FORMS)
"""Characters of Unicode 10 to 18 that decompose or combine, but not in the original."""

_UNSTRIPPED = (
    "5C8-5C9 7FD 897-89F 8CA-8D3 9FE AFA-AFF B53-B55 C04 C3C CF3 D00 D3B-D3C D81 EBA ECE 1715 180F 1ABF-1AF0 1CF7 "
    "1DF6-1DFA A82C A8FF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 10F82-10F85 11070 "
    "11073-11074 110C2 11145-11146 111C9 111CE-111CF 11241 1133B 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 "
    "113D2 113E1-113E2 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 119D1-119D7 "
    "119DA-119E0 119E4 11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11B60-11B67 11D31-11D36 "
    "11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DF0 11EF3-11EF6 11F00-11F01 11F03 "
    "11F34-11F3A 11F3E-11F42 11F5A 13440 13447-13455 1611E-1612F 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1CF00-1CF2D "
    "1CF30-1CF46 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF "
    "1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 "
)
UNSTRIPPED = code_points(_UNSTRIPPED)
"""Marks of Unicode 10 to 18, which `StripAccents` of the original keeps."""


@lru_cache(maxsize=1 << 14)
def decomposed(ch: str, compatible: bool = False) -> str:
    """The full decomposition of one character, canonical or compatibility.

    >>> [f"{ord(part):04X}" for part in decomposed("각")], decomposed("ﬁ"), decomposed("ﬁ", compatible=True)
    (['1100', '1161', '11A8'], 'ﬁ', 'fi')
    """
    return ch if ord(ch) in UNKNOWN_TO_FORMS else unicodedata.normalize("NFKD" if compatible else "NFD", ch)


def combining_class(ch: str) -> int:
    """The canonical combining class, 0 for characters that are not combining marks."""
    return 0 if ord(ch) in UNKNOWN_TO_FORMS else unicodedata.combining(ch)


@lru_cache(maxsize=1 << 14)
def composed(first: str, second: str) -> str | None:
    """The character that decomposes to these two, None if none does.

    >>> composed("e", "\\u0301"), composed("ᄀ", "ᅡ"), composed("x", "\\u0301")
    ('é', '가', None)
    """
    one = unicodedata.normalize("NFC", first + second)
    if len(one) != 1 or ord(one) in UNKNOWN_TO_FORMS:
        return None
    # NFC may also reorder or compose parts of `first`; only a pair that decomposes exactly so counts
    pair = unicodedata.decomposition(one)
    return one if not pair or pair == f"{ord(first):04X} {ord(second):04X}" else None


@lru_cache(maxsize=1 << 14)
def is_any_mark(ch: str) -> bool:
    """Whether a character is a mark of any kind (Mn, Mc, Me) for `StripAccents`."""
    return (unicodedata.category(ch)[0] == "M" and ord(ch) not in UNSTRIPPED) or ch in "\u1cf2\u1cf3"


# --- lower case and numbers: Unicode 17 -----------------------------------------------------------------------------

_LATER = {
    0x1C89: 0x1C8A,
    0xA7CB: 0x0264,
    0xA7CC: 0xA7CD,
    0xA7CE: 0xA7CF,
    0xA7D2: 0xA7D3,
    0xA7D4: 0xA7D5,
    0xA7DA: 0xA7DB,
    0xA7DC: 0x019B,
    **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},
    **{code: code + 0x1B for code in range(0x16EA0, 0x16EB9)},
}
"""Capitals of Unicode 15 to 17, which are missing in an older Python."""


@lru_cache(maxsize=1 << 14)
def lower(ch: str) -> str:
    """The full lower case of one character on its own, as Rust's `char::to_lowercase`: İ becomes two, Σ never ς.

    >>> lower("Σ"), len(lower("İ"))
    ('σ', 2)
    """
    later = _LATER.get(ord(ch))
    return ch.lower() if later is None else chr(later)


_NUMBER = regex.compile(r"\p{N}")
_NUMBERS_OF_17 = code_points("11DE0-11DE9 16FF4-16FF6")
_NUMBERS_OF_18 = code_points("1246F 12475-1247F 12550-12686")


@lru_cache(maxsize=1 << 14)
def is_numeric(ch: str) -> bool:
    """Whether a character has the general category N, as Rust's `char::is_numeric`: digits of all scripts, ½, Ⅷ, ①.

    >>> [is_numeric(ch) for ch in "1Ⅷ一"]
    [True, True, False]
    """
    if ord(ch) in _NUMBERS_OF_18:
        return False
    return _NUMBER.match(ch) is not None or ord(ch) in _NUMBERS_OF_17
