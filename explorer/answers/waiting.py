"""Waiting as long as somebody wants what is waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

LOOKED: Final = 0.05
"""Seconds between two looks whether anybody still waits."""


@contextmanager
def waited_for(lock: Lock | BoundedSemaphore, still: Callable[[], None]) -> Iterator[None]:
    """A lock or a semaphore, held. still: asked while waiting; raises where nobody wants it any more.

    >>> with waited_for(Lock(), lambda: None):
    ...     print("held")
    held
    """
    while not lock.acquire(timeout=LOOKED):
        still()
    try:
        yield
    finally:
        lock.release()
