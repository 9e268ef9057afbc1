"""Classes of characters as Hugging Face's `tokenizers` knows them for BERT: those of Unicode 8.

The Rust crate it asks (`unicode_categories`) stopped at Unicode 8, so a combining mark, a punctuation mark or a
control that was added later is an ordinary character there: it is neither stripped nor split off, and its word mostly
ends as [UNK]. `NEWER` lists these code points up to Unicode 17; the rest is asked of `unicodedata`, so the answers are
the same on every Python from 3.11 on. A test holds them against the original on every code point.

Left out: lower case, where the original follows the Unicode version of the Rust it was built with and Python its own.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

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


def _code_points(ranges: str) -> frozenset[int]:
    found: set[int] = set()
    for part in ranges.split():
        first, _, last = part.partition("-")
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(found)


NEWER = _code_points(_RANGES)
"""Marks, punctuation and controls of Unicode 9 to 17, which the original takes for ordinary characters."""

UNDECOMPOSED = _code_points("105C9 105E4 11383 11385 1138E 11391 113C5 113C7-113C8 11938 16121-16128 16D68-16D6A")
"""Characters of Unicode 13 to 16 with a canonical decomposition, which the original leaves whole."""

# Their category was changed after Unicode 8.
_ONCE_PUNCTUATION = frozenset("\u166d\U000111c9")
_ONCE_MARK = frozenset("\u1734\U0001171e")


@lru_cache(maxsize=1 << 14)
def is_control(ch: str) -> bool:
    """General category Cc, Cf or Co.

    >>> is_control("\\u200d"), is_control("\\ufeff"), is_control("a")
    (True, True, False)
    """
    return unicodedata.category(ch) in ("Cc", "Cf", "Co") and ord(ch) not in NEWER


@lru_cache(maxsize=1 << 14)
def is_punctuation(ch: str) -> bool:
    """General category P, or one of ASCII's symbols such as `$` and `+`, as BERT has it."""
    if ch < "\x80":
        return ch.isprintable() and not ch.isalnum() and ch != " "
    if ch in _ONCE_PUNCTUATION:
        return True
    return unicodedata.category(ch)[0] == "P" and ord(ch) not in NEWER


@lru_cache(maxsize=1 << 14)
def is_mark(ch: str) -> bool:
    """General category Mn: a mark that takes no place of its own, such as a combining accent."""
    return (unicodedata.category(ch) == "Mn" and ord(ch) not in NEWER) or ch in _ONCE_MARK


@lru_cache(maxsize=1 << 14)
def decomposed(ch: str) -> str:
    """The canonical decomposition of one character.

    >>> [f"{ord(part):04X}" for part in decomposed("각")]
    ['1100', '1161', '11A8']
    """
    return ch if ord(ch) in UNDECOMPOSED else unicodedata.normalize("NFD", ch)
