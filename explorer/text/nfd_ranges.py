"""The table in which llama.cpp looks up decompositions: `unicode_ranges_nfd` of its `src/unicode-data.cpp`.

Neighboring code points whose canonical decompositions begin with the same code point share an entry. The table is
computed from `unicodedata`, as llama.cpp's `scripts/gen-unicode-data.py` does; its first entry maps 0 to 0, so that the
search always finds one. Only the first code point of a decomposition is in it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cache
from typing import NamedTuple

from explorer.text.code_points import first_of_nfd

HANGUL = range(0xAC00, 0xD7A4)
"""Syllables, which decompose by arithmetic, so that `unicodedata.decomposition` does not list them."""


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
