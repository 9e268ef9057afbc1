"""Many stretches of a text in an order, asked again and again which of them is the first at some place.

A stage may have as many events as a text has characters, and a comparison asks for one at each place where two sides
differ: looking through all of them each time takes time that grows with the square of the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, NamedTuple

NOWHERE: Final = 1 << 62
"""Comes after every number."""


class Covering(NamedTuple):
    """A stretch [start, end), and its number in the order."""

    start: int
    end: int
    number: int

    def meets(self, start: int, end: int) -> bool:
        """Whether it reaches into [start, end); into a place between two characters only where it has both."""
        return self.start < end and start < self.end


class Covers:
    """Stretches whose numbers ascend.

    >>> covers = Covers([Covering(0, 4, 0), Covering(2, 6, 1), Covering(5, 5, 2)])
    >>> covers.first(3, 5), covers.first(4, 8), covers.first(4, 4), covers.first(6, 9)
    (0, 1, 1, None)
    """

    def __init__(self, stretches: Iterable[Covering]) -> None:
        self.stretches = list(stretches)
        size = max((each.end for each in self.stretches), default=0)
        self.at = [NOWHERE] * size
        """per place the place in `stretches` of the first one that covers it"""
        free = list(range(size + 1))
        """per place the next one that is not covered yet, or a place on the way to it"""
        for index, (start, end, _) in enumerate(self.stretches):
            place = found(free, start)
            while place < end:
                self.at[place] = index
                free[place] = place + 1
                place = found(free, place)
        empty = sorted((each.start, index) for index, each in enumerate(self.stretches) if each.start == each.end)
        self.empty_at, self.empty = [start for start, _ in empty], [index for _, index in empty]

    def first(self, start: int, end: int) -> int | None:
        """The number of the first stretch that meets [start, end)."""
        if start < end:
            low, high = bisect_right(self.empty_at, start), bisect_left(self.empty_at, end)
            index = min([*self.at[start:end], *self.empty[low:high]], default=NOWHERE)
            return self.stretches[index].number if index != NOWHERE else None
        if not 0 < start < len(self.at):
            return None
        # whatever has the characters on both sides covers both
        index = max(self.at[start - 1], self.at[start])
        if index == NOWHERE:
            return None
        while index < len(self.stretches) and not self.stretches[index].meets(start, end):
            index += 1
        return self.stretches[index].number if index < len(self.stretches) else None


def found(free: list[int], place: int) -> int:
    """The next place that is not covered; the way to it becomes shorter."""
    end = place
    while free[end] != end:
        end = free[end]
    while free[place] != end:
        free[place], place = end, free[place]
    return end
