"""A cut between two segments of text, as a stage before the model is asked about it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from explorer.engine.items import Segment
from explorer.engine.results import Stage


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
