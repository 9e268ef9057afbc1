"""Which event of a stage is about a span of the text, so that a stepper can start there.

Rows count in different units. A `Finder` reads those of one kind of stage, and answers in code points of the original.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NamedTuple


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
