"""Searches in sorted spans, and in stretches that overlap, of the original text.

A stage may have as many events as a text has characters, and a comparison asks for one at each position where two sides
differ. Scanning all of them every time would take time quadratic in the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.matching import Spot

T = TypeVar("T", bound=tuple[Any, ...])


def touching(spans: Sequence[T], start: int, end: int) -> Sequence[T]:
    """Those of sorted, disjoint spans that overlap or touch [start, end].

    >>> touching([Span(0, 1), Span(2, 4), Span(6, 7)], 4, 5)
    [Span(start=2, end=4)]
    """
    low = bisect_left(spans, start, key=lambda span: span[1])
    return spans[low : bisect_right(spans, end, lo=low, key=lambda span: span[0])]


def adjacent_joined(spots: Iterable[Spot]) -> list[Span]:
    """Each run of adjacent spots as one span.

    >>> adjacent_joined([Spot(*span, "", "", range(0), range(0)) for span in ((0, 1), (1, 1), (1, 3), (4, 5))])
    [Span(start=0, end=3), Span(start=4, end=5)]
    """
    spans: list[Span] = []
    for spot in spots:
        if spans and spans[-1].end == spot.start:
            spans[-1] = Span(spans[-1].start, spot.end)
        else:
            spans.append(Span(spot.start, spot.end))
    return spans


def overlap(one: Spot, other: Spot) -> bool:
    """Whether two spots share a character, or are insertions at the same position."""
    if one.start == one.end or other.start == other.end:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end


NOWHERE: Final = 1 << 62
"""Sorts after every number."""


class Covering(NamedTuple):
    """A stretch [start, end), and its number in the order."""

    start: int
    end: int
    number: int

    def meets(self, start: int, end: int) -> bool:
        """Whether it overlaps [start, end); an empty range only if it has the characters on both sides of it."""
        return self.start < end and start < self.end


class Covers:
    """Stretches in order of their numbers.

    >>> covers = Covers([Covering(0, 4, 0), Covering(2, 6, 1), Covering(5, 5, 2)])
    >>> covers.first(3, 5), covers.first(4, 8), covers.first(4, 4), covers.first(6, 9)
    (0, 1, 1, None)
    """

    def __init__(self, stretches: Iterable[Covering]) -> None:
        self.stretches = list(stretches)
        size = max((each.end for each in self.stretches), default=0)
        self.at = [NOWHERE] * size
        """per position, the index of the first stretch that covers it"""
        free = list(range(size + 1))
        """per position, the next one that is not covered yet, or a position on the way to it"""
        for index, (start, end, _) in enumerate(self.stretches):
            position = next_free(free, start)
            while position < end:
                self.at[position] = index
                free[position] = position + 1
                position = next_free(free, position)
        empty = sorted((each.start, index) for index, each in enumerate(self.stretches) if each.start == each.end)
        self.empty_at, self.empty = [start for start, _ in empty], [index for _, index in empty]

    def first(self, start: int, end: int) -> int | None:
        """The number of the first stretch that meets [start, end); None if none does."""
        if start < end:
            low, high = bisect_right(self.empty_at, start), bisect_left(self.empty_at, end)
            index = min([*self.at[start:end], *self.empty[low:high]], default=NOWHERE)
            return self.stretches[index].number if index != NOWHERE else None
        if not 0 < start < len(self.at):
            return None
        # a stretch with the characters on both sides covers both
        index = max(self.at[start - 1], self.at[start])
        if index == NOWHERE:
            return None
        while index < len(self.stretches) and not self.stretches[index].meets(start, end):
            index += 1
        return self.stretches[index].number if index < len(self.stretches) else None


def next_free(free: list[int], position: int) -> int:
    """The next position that is not covered. Follows the links in `free` and shortens them (path compression)."""
    end = position
    while free[end] != end:
        end = free[end]
    while free[position] != end:
        free[position], position = end, free[position]
    return end
