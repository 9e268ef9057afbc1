"""What a job does with each of its tasks, whatever it counts, and one task, in any process: read, encode, count."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from explorer.corpus.counter import Counter, Keep
from explorer.corpus.documents import ranges
from explorer.corpus.ids_file import TaskIds, type_of
from explorer.corpus.models import Chosen, stats_of, tokenizers
from explorer.corpus.reading import Reading
from explorer.corpus.sources import Task
from explorer.corpus.tally import Tally
from explorer.engine.budget import TASK, within

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


FORMAT: Final = 3
"""Incremented when the counts change their meaning, or the form they are kept in."""


class Work(NamedTuple):
    """Measures tokenizers. parts: the folder that ids are written to, or empty. text: bytes of all files, about."""

    models: tuple[Chosen, ...]
    reading: Reading
    add_special: bool
    parse_special: bool
    parts: str = ""
    text: int = 0

    def key(self, task: Task) -> str:
        """The name of a task's result: the files and their times, the options, the tokenizers decide."""
        depends = [FORMAT, self._replace(parts="ids" if self.parts else "", text=0), task.ranges]
        return sha256(json.dumps(depends).encode()).hexdigest()[:32]

    def do(self, task: Task, on_progress: OnBytes = ignore, turn: Turn = ALWAYS) -> bytes:
        """The tally of a task as bytes. Raises InputError."""
        if not self.parts:
            with turn:
                return counted(self, task, None, on_progress).to_bytes()
        types = [type_of(len(each.vocabulary)) for each in tokenizers(self.models).values()]
        with TaskIds(Path(self.parts), self.key(task), types) as ids, turn:
            tally = counted(self, task, ids.keep, on_progress)
        return tally.to_bytes()

    def read(self, data: bytes, name: str = "these bytes") -> Tally:
        """The tally in these bytes."""
        return Tally.from_bytes(data, name)

    def nothing(self) -> Tally:
        """The tally of no text."""
        return Tally.nothing(len(each.vocabulary) for each in tokenizers(self.models).values())


def counted(work: Work, task: Task, keep: Keep | None, on_progress: OnBytes) -> Tally:
    """The tally of a task."""
    all_stats = [stats_of(model) for model in work.models]
    for each in all_stats:
        each.tokenizer.batches.expected = work.text
    counter = Counter(all_stats, work.add_special, work.parse_special, keep)
    # one budget for the task, which grows with the text: many small documents share it
    with within("a task of this corpus", TASK * len(all_stats)) as whole:
        for file_range, batches, policy in ranges(task, work.reading):
            for batch in batches:
                whole.grow(batch.size * len(all_stats))
                on_progress(counter.count(file_range.file.shown, batch))
            counter.count_invalid(file_range.file.shown, policy)
    return counter.tally()
