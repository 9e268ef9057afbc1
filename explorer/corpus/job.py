"""What a job does with each of its tasks, whatever it counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Protocol, TypeVar

from explorer.corpus.tasks import Task

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
