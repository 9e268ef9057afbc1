"""Which event of a stage is about a span of the text, or about a cut, so that a stepper can start there.

Rows count in different units. A `Finder` reads those of one kind of stage, and answers in code points of the original.
A stage may have as many events as a text has characters, and a comparison asks for one at each position where two
sides differ: `Covers` finds it without scanning all of them every time, which would take time quadratic in the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from explorer.engine.items import Segment
from explorer.engine.tokenizer import Stage


class Sought(NamedTuple):
    """What a finder looks for.

    start, end: [start, end) of the original. read: the same in the text that was read, with escapes replaced, in which
    most rows count. code_points: the characters at the span before and after the stage. token: the special token that
    differs.
    """

    start: int
    end: int
    read: tuple[int, int]
    code_points: str = ""
    token: int | None = None


class Finder(ABC):
    """The events of one stage by what they are about."""

    @abstractmethod
    def find(self, sought: Sought) -> int | None:
        """The index of the event about it; None if no event is."""


class Painted(Finder):
    """Events that are each about a span [start, end), a later one over an earlier one; start == end: an insertion.

    >>> Painted([(0, 2, 7), (1, 1, 8)]).find(Sought(1, 2, (1, 2)))
    7
    """

    def __init__(self, spans: Iterable[tuple[int, int, int]] = ()) -> None:
        self.over: dict[int, int] = {}
        self.inserted: dict[int, int] = {}
        for start, end, event in spans:
            if start == end:
                self.inserted[start] = event
            for position in range(start, end):
                self.over[position] = event

    def find(self, sought: Sought) -> int | None:
        """The last event about the first position, or the insertion there."""
        start, end = sought.read
        return self.inserted.get(start) if start == end else self.over.get(start)


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


class Seam(NamedTuple):
    """A cut that a stage made.

    number: the stage's index in the trace. sides: the segments on both sides, as the model gets them. starts: by code
    point of the text that was read, its position in the original. text: the text that was read.
    """

    number: int
    stage: Stage
    sides: tuple[Segment, Segment]
    starts: Sequence[int]
    text: str

    @property
    def between(self) -> tuple[int, int]:
        """One after the last position of the left side and the first of the right, in the text that was read."""
        return self.in_read(max(self.sides[0].ends)), self.in_read(min(self.sides[1].starts))

    def in_read(self, position: int) -> int:
        """A position of the original text in the text that was read, in which events count."""
        return bisect_left(self.starts, position)
