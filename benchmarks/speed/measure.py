"""The measurements: MB/s and latencies of this engine and of the originals, in one run, on one core.

Seconds are of this process's CPU, so other load matters little; the originals run in it, too, on one thread. *Cold*: a
strategy is selected and the cache is empty. *Warm*: the same text again, best of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles
from typing import NamedTuple

import explorer
from benchmarks.speed.corpora import Corpus
from benchmarks.speed.rivals import Encode
from benchmarks.timing import seconds, timed
from explorer.engine.fast import FastPath
from explorer.engine.part import Options, initial_items, run_through
from explorer.engine.tokenizer import Tokenizer

KILOBYTES = (1, 10, 100)


class Speed(NamedTuple):
    """One row of the table: MB/s, and how many texts get other ids from the original."""

    spec: str
    corpus: str
    how: str
    """whole "document", or its "lines" one by one"""
    rival: str
    cold: float
    warm: float
    theirs: float
    different: int
    """the texts whose ids differ"""
    hit_rate: float

    @property
    def cold_ratio(self) -> float:
        return self.cold / self.theirs

    @property
    def warm_ratio(self) -> float:
        return self.warm / self.theirs


def options_of(spec: str) -> Options:
    """The options that match the originals: `tokenizers` always parses special tokens in the text."""
    return Options(add_special=False, parse_special=spec.endswith("@huggingface"))


def fresh(tok: Tokenizer) -> FastPath:
    """The fast path with an empty cache, its strategy selected and its tables built."""
    fast = FastPath(tok.parts)
    fast.ids("Unbelievably long words, such as antidisestablishmentarianism. 漢字かな交じり文も。 " * 50, Options())
    fast.memory.clear()
    fast.memory.asked = fast.memory.missed = 0
    return fast


def speeds(spec: str, corpus: Corpus, others: Sequence[tuple[str, Encode]]) -> list[Speed]:
    """Speeds for the document and its lines, against each original."""
    tok, options, found = explorer.load(spec), options_of(spec), []
    for how, texts in (("document", [corpus.text]), ("lines", corpus.text.splitlines())):
        ours = fresh(tok)

        def run(ours: FastPath = ours, texts: list[str] = texts) -> list[list[int]]:
            return [ours.ids(text, options) for text in texts]

        cold = seconds(run, 1)
        warm, ids = timed(run, 3)
        rate = 1 - ours.memory.missed / max(1, ours.memory.asked)
        for name, encode in others:

            def theirs(encode: Encode = encode, texts: list[str] = texts) -> list[list[int]]:
                return [encode(text) for text in texts]

            taken, original = timed(theirs, 2)
            same = [first_difference(a, b) for a, b in zip(ids, original, strict=True)]
            size = corpus.megabytes
            found.append(
                Speed(spec, corpus.name, how, name, size / cold, size / warm, size / taken, sum(map(bool, same)), rate)
            )
    return found


def first_difference(ours: list[int], theirs: list[int]) -> int:
    """The position of the first difference between two lists of ids, from 1; 0 if they are equal."""
    if ours == theirs:
        return 0
    pairs = zip(ours, theirs, strict=False)
    return next((number for number, (a, b) in enumerate(pairs, 1) if a != b), min(len(ours), len(theirs)) + 1)


class Latency(NamedTuple):
    """Milliseconds for a text of `kilobytes`, warm."""

    spec: str
    kilobytes: int
    p50: float
    p95: float


def latencies(spec: str, corpus: Corpus) -> list[Latency]:
    """Latencies of slices of a corpus, each encoded for the second time."""
    tok, options, found = explorer.load(spec), options_of(spec), []
    ours = fresh(tok)
    for kilobytes in KILOBYTES:
        size = kilobytes * 1000
        slices = [corpus.text[at : at + size] for at in range(0, min(len(corpus.text), 60 * size), size)][:50]
        times = []
        for text in slices:
            ours.ids(text, options)
            times.append(seconds(lambda text=text: ours.ids(text, options), 1) * 1000)  # type: ignore[misc]
        found.append(Latency(spec, kilobytes, median(times), quantiles(times, n=20)[-1]))
    return found


class TraceCost(NamedTuple):
    """The cost of a trace: its time ÷ that of the stages without events, and bytes per event."""

    spec: str
    times: float
    bytes_an_event: float
    events_a_character: float


def trace_cost(spec: str, corpus: Corpus) -> TraceCost:
    tok, text = explorer.load(spec), corpus.text[:20_000]
    options = Options()

    def stages() -> int:
        return len(run_through(tok.parts, initial_items(text), options))

    silent = seconds(stages, 3)
    traced = seconds(lambda: tok.trace(text), 3)
    events = [stage.events for stage in tok.trace(text).stages]
    count = sum(map(len, events))
    size = sum(each.data.itemsize * len(each.data) for each in events)
    return TraceCost(spec, traced / silent, size / count, count / len(text))
