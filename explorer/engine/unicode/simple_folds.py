"""Characters that are equal when case is ignored: simple case folding of Unicode 16, as Rust's regex-syntax has it.

Simple folding maps one character to one: ẞ to ß and not to ss. İ and ı fold to themselves. Characters newer than
Unicode 16 fold to themselves, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final

from explorer.engine.unicode.versions import lower
from explorer.text.unicode_versions import after_16, code_points

SIMPLE: Final = {
    "ẞ": "ß",
    "ᾼ": "ᾳ",
    "ῌ": "ῃ",
    "ῼ": "ῳ",
    "\u1fd3": "\u0390",
    "\u1fe3": "\u03b0",
    "ﬅ": "ﬆ",
    **{chr(code): chr(code - 8) for start in (0x1F88, 0x1F98, 0x1FA8) for code in range(start, start + 8)},
}
"""The characters that Python folds to several, although they fold to one as well."""

WITH_CASE: Final = (
    "41-587 10A0-1FFF 2100-24FF 2C00-2D2F A640-ABBF FB00-FB06 FF21-FF5A 10400-10D8F 118A0-118DF 16E40-16E7F 1E900-1E943"
)
"""Ranges that have all characters with case."""


def folded(ch: str) -> str:
    """The simple case folding of a character.

    >>> folded("A"), folded("ẞ"), folded("ſ"), folded("İ")
    ('a', 'ß', 's', 'İ')
    """
    later = lower(ch)
    if later != ch.lower():  # a capital newer than this Python
        return later
    fold = ch.casefold()
    return fold if len(fold) == 1 else SIMPLE.get(ch, ch)


@cache
def equal_characters() -> Mapping[str, frozenset[str]]:
    """Each character that equals others when case is ignored → all of them, itself included.

    >>> sorted(equal_characters()["k"])
    ['K', 'k', '\\u212a']
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for ch in map(chr, code_points(WITH_CASE) - after_16()):
        found[folded(ch)].add(ch)
    return {ch: frozenset(each) for each in found.values() if len(each) > 1 for ch in each}


@cache
def cased() -> str:
    """All characters that equal others, in one text."""
    return "".join(sorted(equal_characters()))
