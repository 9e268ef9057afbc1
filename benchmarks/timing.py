"""Time measurement for all benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


ENOUGH = 2.0
"""Seconds. Work that takes longer is not repeated for a better figure."""


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the fastest run, because other load only adds."""
    return timed(run, times)[0]


def timed(run: Callable[[], Made], times: int = 3) -> tuple[float, Made]:
    """The same, with the result of the last run."""
    taken: list[float] = []
    while True:
        began = time.process_time()
        made = run()
        taken.append(time.process_time() - began)
        if len(taken) == times or sum(taken) > ENOUGH:
            return min(taken), made
