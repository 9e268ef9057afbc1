"""The cache of the fast path: a piece of text met before has the same ids again.

A dict whose missing entries are computed, so that a text whose pieces are all known runs no loop in Python:
`chain.from_iterable(map(cache.__getitem__, pieces))`. It is bounded in bytes and consists of two generations: when the
young one is full it becomes the old one, and entries asked for again are copied back. So entries in use stay, without a
clock on every look-up. All threads and sessions share one cache: the ids of a piece never change.
"""

from collections.abc import Callable
from itertools import chain
from sys import getsizeof
from threading import Lock

from explorer.engine.budget import MODEL, ask

Ids = tuple[int, ...]

LIMIT = 128 << 20
"""Bytes one cache may hold. The pieces of 5 MB in many languages take 40 MB. If they did not fit into one generation,
each pass over a text would evict what the next one needs."""

LARGEST = 1 << 16
"""A piece whose entry is larger is not cached: it would evict a thousand others."""

ENTRY = 100
"""Approximate bytes of a dict entry; the ids themselves belong to the vocabulary."""


class PieceCache(dict[str, Ids]):
    """Piece → ids.

    solve: computes the ids of a piece. limit: bytes it may hold. asked: pieces looked up. missed: pieces computed.

    >>> cache = PieceCache(lambda piece: (len(piece),))
    >>> cache.all_of(["ab", "c", "ab"]), cache.asked, cache.missed
    ([2, 1, 2], 3, 2)
    """

    __slots__ = ("_lock", "_old", "_size", "asked", "limit", "missed", "solve")

    def __init__(self, solve: Callable[[str], Ids], limit: int = LIMIT) -> None:
        self.solve, self.limit = solve, limit
        self.asked = 0
        self.missed = 0
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
        """The ids of all pieces, concatenated."""
        self.asked += len(pieces)
        return list(chain.from_iterable(map(self.__getitem__, pieces)))
