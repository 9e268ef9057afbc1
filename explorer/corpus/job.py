"""What a job does with each of its tasks, whatever it counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from explorer.corpus.sources import Task

OnBytes = Callable[[int], None]
"""Receives the bytes of text of each batch."""

Turn = AbstractContextManager[object]
"""Held while a task computes, so that others may wait for the disk meanwhile."""

ALWAYS: Final[Turn] = nullcontext()
"""A turn that is never waited for."""


class Counts(Protocol):
    """The result of a task, or of several."""

    def take(self, other: Any, number: int) -> None:
        """Adds the result of the task with this number."""

    def text_bytes(self) -> int:
        """How many bytes of text were counted."""


Result = TypeVar("Result", bound=Counts, covariant=True)


class Job(Protocol[Result]):
    """Counts tasks, in any process. The result of a task travels, and is kept, as bytes."""

    def key(self, task: Task) -> str:
        """The name of a task's result, from all it depends on."""

    def do(self, task: Task, on_progress: OnBytes, turn: Turn = ...) -> bytes:
        """The result of a task. Raises InputError."""

    def read(self, data: bytes, name: str = "these bytes") -> Result:
        """The result in these bytes, which errors call `name`."""

    def nothing(self) -> Result:
        """The result of no task."""


def ignore(size: int) -> None:
    """Reports nothing."""


# How fast a job is, and when it will be done, as the command line and the page say it.


class Pace(NamedTuple):
    """How far a job is. done, of: bytes of the files, about. before: of them, what an earlier run had done.

    text: bytes of text that this run has read. seconds: that it took.
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
        """Seconds that are left at this pace; None before it is known.

        >>> Pace(done=30, of=90, before=10, text=20, seconds=2.0).left
        6.0
        """
        by_this_run = self.done - self.before
        return (self.of - self.done) * self.seconds / by_this_run if by_this_run > 0 else None
