"""Worst cases from 1 kB to 1 MB: the factor for ten times the text, with an empty cache."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import explorer
from benchmarks.growth import CASES
from benchmarks.speed.measure import fresh
from benchmarks.timing import seconds
from explorer.engine.part import Options

SIZES = (1_000, 10_000, 100_000, 1_000_000)


class Growth(NamedTuple):
    """Seconds at each size, and the factor for each step of ten times the text."""

    spec: str
    case: str
    seconds: tuple[float, ...]

    @property
    def factors(self) -> tuple[float, ...]:
        return tuple(after / max(before, 1e-6) for before, after in pairwise(self.seconds))


def growth(spec: str, largest: int = SIZES[-1]) -> Iterator[Growth]:
    """Every worst case except special tokens, which are never cached."""
    tok = explorer.load(spec)
    for case, text in CASES.items():
        times = []
        for size in SIZES:
            if size <= largest:
                ours, sample = fresh(tok), text(size)
                times.append(seconds(lambda ours=ours, sample=sample: ours.ids(sample, Options()), 1))  # type: ignore[misc]
        yield Growth(spec, case, tuple(times))
