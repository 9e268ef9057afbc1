"""How long something takes, as every measurement here counts it."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the best of so many runs: what else the machine does only ever adds."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        run()
        taken.append(time.process_time() - began)
    return min(taken)
