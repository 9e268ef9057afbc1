"""How fast a job is, and when it will be done, as the command line and the page say it."""

from __future__ import annotations

from typing import NamedTuple


class Pace(NamedTuple):
    """How far a job is. done, of: bytes of the files, about. before: of them, what an earlier run had done.

    text: bytes of text that this run has read, in so many seconds.
    """

    done: int = 0
    of: int = 0
    before: int = 0
    text: int = 0
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return min(1.0, self.done / self.of) if self.of else 0.0

    @property
    def rate(self) -> float:
        """Bytes of text a second; 0 before there is a rate."""
        return self.text / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that are left at this pace; None before it can be told.

        >>> Pace(done=30, of=90, before=10, text=20, seconds=2.0).left
        6.0
        """
        by_this_run = self.done - self.before
        return (self.of - self.done) * self.seconds / by_this_run if by_this_run > 0 else None
