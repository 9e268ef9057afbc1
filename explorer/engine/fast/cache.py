"""The memory of the untraced path: what was a piece of text before has the same ids again.

A dict whose missing entries are solved, so that a text whose pieces are all known costs no loop in Python:
`chain.from_iterable(map(memory.__getitem__, pieces))`. It is bounded in bytes. What it holds is in two halves: when the
young one is full it becomes the old one, and what is asked for again comes back from there; so what is in use stays,
without a clock on every look-up. One memory serves all threads and sessions: ids of a piece never change.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from sys import getsizeof
from threading import Lock
from typing import Final

from explorer.engine.limits.budget import MODEL, ask

Ids = tuple[int, ...]

LIMIT: Final = 128 << 20
"""Bytes that one memory may hold. The pieces of 5 MB in many languages take 40; with less than they need in either half
each pass over a text would drive out what the next one asks for."""

LARGEST: Final = 1 << 16
"""A piece whose entry is larger is solved each time it comes: one of them would drive out a thousand others."""

ENTRY: Final = 100
"""Bytes of a place in a dict, about; the ids themselves are those of the vocabulary."""


class Memory(dict[str, Ids]):
    """Piece → ids.

    solve: gives the ids of a piece. limit: bytes it may hold.

    >>> memory = Memory(lambda piece: (len(piece),))
    >>> memory.all_of(["ab", "c", "ab"]), memory.asked, memory.missed
    ([2, 1, 2], 3, 2)
    """

    __slots__ = ("_lock", "_old", "_size", "asked", "limit", "missed", "solve")

    def __init__(self, solve: Callable[[str], Ids], limit: int = LIMIT) -> None:
        self.solve, self.limit = solve, limit
        self.asked = 0
        """pieces asked for"""
        self.missed = 0
        """those that had to be solved"""
        self._old: dict[str, Ids] = {}
        self._size = 0
        self._lock = Lock()

    def __missing__(self, piece: str) -> Ids:
        ids = self._old.get(piece)
        if ids is None:
            ids = self.solve(piece)
            self.missed += 1
            if not self.missed & 31:
                ask(MODEL)
        size = getsizeof(piece) + getsizeof(ids) + ENTRY
        if size <= LARGEST:
            with self._lock:
                if self._size + size > self.limit // 2:
                    self._old = dict(self)
                    self.clear()
                    self._size = 0
                self._size += size
                self[piece] = ids
        return ids

    def all_of(self, pieces: list[str]) -> list[int]:
        """The ids of all pieces, one after the other."""
        self.asked += len(pieces)
        return list(chain.from_iterable(map(self.__getitem__, pieces)))

    @property
    def hit_rate(self) -> float:
        """The share of pieces that were known, 0 to 1; counted without a lock, so nearly."""
        return 1 - self.missed / self.asked if self.asked else 0.0
