"""One task, done in whatever process it lands in: its documents are read, encoded and counted.

What it gives is the tally as bytes. Where ids are wanted they are written to files first: the tally of a task is the
sign that all of the task is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from explorer.corpus.documents import batches
from explorer.corpus.ids_file import TaskIds, type_of
from explorer.corpus.meter import Keep, Meter
from explorer.corpus.models import Chosen, gauge
from explorer.corpus.reading import Judge, Reading
from explorer.corpus.tally import Tally
from explorer.corpus.tasks import Task
from explorer.engine.limits.budget import TASK, within

FORMAT: Final = 2
"""Changes when what is counted does."""


class Work(NamedTuple):
    """What is to be done with every task. parts: the folder that ids are written to, or nothing."""

    models: tuple[Chosen, ...]
    reading: Reading
    add_special: bool
    parse_special: bool
    parts: str = ""


def key(work: Work, task: Task) -> str:
    """Names the result of a task by all that it depends on: the files as they are, the options, the tokenizers."""
    depends = [FORMAT, work._replace(parts="ids" if work.parts else ""), task.pieces]
    return sha256(json.dumps(depends).encode()).hexdigest()[:32]


def do(work: Work, task: Task, told: Callable[[int], None] = lambda bytes: None) -> bytes:
    """The tally of a task. told: of the bytes of text, as they are done. Raises InputError."""
    gauges = [gauge(model) for model in work.models]
    if not work.parts:
        return counted(work, task, None, told).to_bytes()
    types = [type_of(len(each.tokenizer.vocabulary)) for each in gauges]
    with TaskIds(Path(work.parts), key(work, task), types) as ids:
        tally = counted(work, task, ids.keep, told)
    return tally.to_bytes()


def counted(work: Work, task: Task, keep: Keep | None, told: Callable[[int], None]) -> Tally:
    """The tally of a task."""
    gauges = [gauge(model) for model in work.models]
    meter = Meter(gauges, work.add_special, work.parse_special, keep)
    # one budget, which grows with the text: many small documents may not take long each
    with within("a task of this corpus", TASK * len(gauges)) as whole:
        for piece in task.pieces:
            judge = Judge(work.reading.invalid)
            for batch in batches(piece, work.reading, judge):
                whole.grow(sum(map(len, batch.texts)) * len(gauges))
                told(meter.count(piece.file.shown, batch))
            meter.judged(piece.file.shown, judge)
    return meter.tally()
