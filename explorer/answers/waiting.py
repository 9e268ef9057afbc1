"""Waits for a lock as long as the result is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

POLL_SECONDS: Final = 0.05
"""Seconds between two checks whether the result is still wanted."""


@contextmanager
def acquired(lock: Lock, check_wanted: Callable[[], None]) -> Iterator[None]:
    """Holds a lock. While waiting, calls `check_wanted`, which raises once the result isn't wanted.

    >>> with acquired(Lock(), lambda: None):
    ...     print("acquired")
    acquired
    """
    while not lock.acquire(timeout=POLL_SECONDS):
        check_wanted()
    try:
        yield
    finally:
        lock.release()
