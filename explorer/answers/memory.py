"""Answers that are kept: least recently used, bounded in bytes.

What an answer weighs is said by whoever puts it in. An `InputError` is kept as well, for a while: a page asks several
times for what it draws, and finding out what is wrong may take long. Whoever asks for what another thread is working
out waits for that thread.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple

from cachetools import LRUCache

from explorer.answers.waiting import waited_for
from explorer.errors import InputError

TRIED_AGAIN: Final = 60.0
"""Seconds: a file may be repaired meanwhile, a machine less busy."""

LEAST: Final = 500
"""Bytes that anything kept weighs."""


class Weighed(NamedTuple):
    """An answer and what it weighs in bytes."""

    answer: Any
    weight: int


@dataclass(frozen=True)
class Failed:
    """What came of it was an error. until: when it is tried again, by `monotonic`."""

    error: InputError
    until: float


@dataclass
class Turn:
    """Who works one answer out, and how many wait for that."""

    lock: Lock = field(default_factory=Lock)
    waiting: int = 0


class Memory:
    """Answers by key. most: bytes of all together; what is heavier by itself is given and not kept.

    >>> memory = Memory(10_000)
    >>> memory.get("key", lambda: Weighed("made", 1_000)), memory.get("key", lambda: Weighed("made again", 1_000))
    ('made', 'made')
    >>> memory.get("other", lambda: Weighed("large", 9_500)), memory.weight
    ('large', 9500)
    """

    def __init__(self, most: int) -> None:
        self._kept: LRUCache[Hashable, Weighed] = LRUCache(most, getsizeof=lambda each: each.weight)
        self._turns: dict[Hashable, Turn] = {}
        self._lock = Lock()

    @property
    def weight(self) -> int:
        """Bytes that are kept."""
        return int(self._kept.currsize)

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._kept.clear()

    def get(self, key: Hashable, make: Callable[[], Weighed], still: Callable[[], None] = lambda: None) -> Any:
        """The answer, made if it is not there. still: asked while waiting; raises where nobody wants it any more."""
        found = self._look(key)
        if found is None:
            with self._turn(key, still):
                found = self._look(key)
                if found is None:
                    found = self._made(key, make)
        if isinstance(found.answer, Failed):
            # what was raised last time is no part of it
            raise found.answer.error.with_traceback(None)
        return found.answer

    def _look(self, key: Hashable) -> Weighed | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None and isinstance(found.answer, Failed) and monotonic() > found.answer.until:
                del self._kept[key]
                return None
            return found

    def _made(self, key: Hashable, make: Callable[[], Weighed]) -> Weighed:
        try:
            made = make()
        except InputError as error:
            made = Weighed(Failed(error, monotonic() + TRIED_AGAIN), LEAST)
        made = made._replace(weight=max(LEAST, made.weight))
        with self._lock:
            if made.weight <= self._kept.maxsize:
                self._kept[key] = made
        return made

    @contextmanager
    def _turn(self, key: Hashable, still: Callable[[], None]) -> Iterator[None]:
        with self._lock:
            turn = self._turns.setdefault(key, Turn())
            turn.waiting += 1
        try:
            with waited_for(turn.lock, still):
                yield
        finally:
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[key]
