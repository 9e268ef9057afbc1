"""Searches in stretches of a text that overlap.

A stage may have as many events as a text has characters, and a comparison asks for one at each position where two sides
differ. Scanning all of them every time would take time quadratic in the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, NamedTuple

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
