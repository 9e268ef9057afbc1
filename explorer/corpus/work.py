"""Runs one task, in any process: reads, encodes and counts its documents.

The result is the tally as bytes. Ids, if requested, are written to files first: a tally means that all of its task is
done.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from explorer.corpus.counter import Counter, Keep
from explorer.corpus.documents import ranges
from explorer.corpus.ids_file import TaskIds, type_of
from explorer.corpus.job import ALWAYS, OnBytes, Turn, ignore
from explorer.corpus.models import Chosen, stats_of, tokenizers
from explorer.corpus.reading import Reading
from explorer.corpus.sources import Task
from explorer.corpus.tally import Tally
from explorer.engine.limits.budget import TASK, within

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
