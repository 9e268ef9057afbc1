"""How long something takes, as every measurement here counts it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


ENOUGH = 2.0
"""Seconds. What takes so long is not done again for the sake of a better figure."""


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the best of so many runs: what else the machine does only ever adds."""
    return timed(run, times)[0]


def timed(run: Callable[[], Made], times: int = 3) -> tuple[float, Made]:
    """The same, and what the last of them made."""
    taken: list[float] = []
    while True:
        began = time.process_time()
        made = run()
        taken.append(time.process_time() - began)
        if len(taken) == times or sum(taken) > ENOUGH:
            return min(taken), made
