"""The compiled encoder beside the originals and beside today's fast path, in one run: arrays out, ids compared.

*Cold*: the memory of pieces is empty, the code is loaded and the tables are made. *Warm*: the same texts again, best of
three. Seconds are of this process's CPU, except with two threads: there they are of the clock, as are those of one
thread that they are compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Final, NamedTuple

import explorer
from benchmarks.speed.corpora import Corpus
from benchmarks.speed.measure import first_difference, fresh, options_of
from benchmarks.speed.rivals import Encode
from benchmarks.timing import seconds, timed
from explorer.engine.fast import FastPath
from explorer.engine.fast.encoder import Batches

PIECES: Final = 4
"""Parts that a document is cut into for threads, at line ends."""


class CompiledSpeed(NamedTuple):
    """One row: MB/s. today: of the fast path, cold and warm. threads: how many times as fast two threads are as one."""

    spec: str
    corpus: str
    how: str
    rival: str
    cold: float
    warm: float
    theirs: float
    today_cold: float
    today: float
    threads: float
    different: int


def batches_of(spec: str) -> Batches | None:
    """The compiled way of a tokenizer with an empty memory, None where it has none."""
    made = Batches(FastPath(explorer.load(spec).parts))
    made.seen = 1 << 40
    return made if made.encoder() is not None else None


def compiled_speeds(spec: str, corpus: Corpus, others: Sequence[tuple[str, Encode]]) -> Iterator[CompiledSpeed]:
    """Speeds for the document and its lines, against each original; nothing for a tokenizer without a compiled way."""
    options, size = options_of(spec), corpus.megabytes
    for how, texts in (("document", [corpus.text]), ("lines", corpus.text.splitlines())):
        batches = batches_of(spec)
        if batches is None:
            return

        def run(batches: Batches = batches, texts: list[str] = texts) -> list[list[int]]:
            found = batches.encode(texts, options)
            assert found is not None
            ids, offsets = found
            return [ids[start:end] for start, end in pairwise(offsets)]  # type: ignore[misc]

        def arrays(batches: Batches = batches, texts: list[str] = texts) -> object:
            return batches.encode(texts, options)

        cold = seconds(arrays, 1)
        warm = seconds(arrays, 3)
        today = fresh(explorer.load(spec))
        cold_today = seconds(lambda: [today.ids(text, options) for text in texts], 1)  # noqa: B023
        taken_today, ids = timed(lambda: [today.ids(text, options) for text in texts], 2)  # noqa: B023
        assert [list(each) for each in run()] == ids, f"{spec}: compiled ids are not those of the fast path"
        threads = of_two_threads(corpus.text, partial(batches.encode, options=options))
        for name, encode in others:
            taken, original = timed(lambda: [encode(text) for text in texts], 2)  # noqa: B023
            different = sum(map(bool, (first_difference(a, b) for a, b in zip(ids, original, strict=True))))
            yield CompiledSpeed(spec, corpus.name, how, name, size / cold, size / warm, size / taken,
                                size / cold_today, size / taken_today, threads, different)  # fmt: skip


def of_two_threads(text: str, call: Callable[[list[str]], object]) -> float:
    """How many times as fast two threads are as one, warm, by the clock; best of three."""
    lines = text.splitlines(keepends=True)
    step = -(-len(lines) // PIECES)
    parts = [["".join(lines[at : at + step])] for at in range(0, len(lines), step)]
    best: dict[int, float] = {}
    for threads in (1, 2, 1, 2, 1, 2):
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(call, parts))
            began = perf_counter()
            list(pool.map(call, parts))
            best[threads] = min(best.get(threads, 1e9), perf_counter() - began)
    return best[1] / best[2]
