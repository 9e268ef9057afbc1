"""A job is cut into tasks of about the same size; each is done by itself, anywhere, in any order.

Plain text and JSON are cut into byte ranges. Where a line begins decides whose it is, so every line is in one task
wherever the cuts fall (`streams.lines`). What cannot be entered in its middle stays whole: packed files, CSV (a quoted
field may hold line ends), plain text read as whole files. Parquet is cut between row groups. Small files share a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from explorer.corpus.sources import File, Kind

SIZE: Final = 32_000_000
"""Bytes of a task, about, unless asked otherwise."""
MOST_PIECES: Final = 1000
"""Files in one task, however small."""


class Piece(NamedTuple):
    """A stretch of a file: bytes from `start` to before `stop`, of a Parquet file row groups; to the end where None.

    size: bytes of the file it stands for.
    """

    file: File
    start: int
    stop: int | None
    size: int


class Task(NamedTuple):
    """Pieces that are read one after the other. number: its place in the job, from 0."""

    number: int
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


Groups = Callable[[File], list[int]]
"""Told a Parquet file: the size of each of its row groups."""


def tasks(files: Iterable[File], size: int, whole: bool, groups: Groups) -> tuple[Task, ...]:
    """The tasks of a job, in the order of its files.

    whole: plain text is not to be cut.
    """
    made: list[Task] = []
    waiting: list[Piece] = []
    for piece in (piece for file in files for piece in pieces(file, size, whole, groups)):
        if waiting and (sum(each.size for each in waiting) + piece.size > size or len(waiting) == MOST_PIECES):
            made.append(Task(len(made), tuple(waiting)))
            waiting = []
        waiting.append(piece)
    if waiting:
        made.append(Task(len(made), tuple(waiting)))
    return tuple(made)


def pieces(file: File, size: int, whole: bool, groups: Groups) -> Iterator[Piece]:
    """The pieces of one file, none larger than it has to be.

    >>> file = File("/a.txt", "a.txt", Kind.TEXT, "", 25, 0)
    >>> [piece[1:] for piece in pieces(file, 10, False, lambda file: [])]
    [(0, 10, 10), (10, 20, 10), (20, None, 5)]
    """
    if file.kind == Kind.PARQUET:
        for start, stop, bytes in together(groups(file), size):
            yield Piece(file, start, stop, bytes)
    elif file.packed or file.kind == Kind.CSV or (whole and file.kind == Kind.TEXT) or file.size <= size:
        yield Piece(file, 0, None, file.size)
    else:
        for start in range(0, file.size, size):
            stop = start + size
            last = stop >= file.size
            yield Piece(file, start, None if last else stop, min(stop, file.size) - start)


def together(sizes: list[int], size: int) -> Iterator[tuple[int, int, int]]:
    """Neighbours as long as they are not too large together: the first, the one behind the last, their size.

    >>> list(together([4, 4, 4, 20, 1], 10))
    [(0, 2, 8), (2, 3, 4), (3, 4, 20), (4, 5, 1)]
    """
    start = total = 0
    for at, each in enumerate(sizes):
        if at > start and total + each > size:
            yield start, at, total
            start, total = at, 0
        total += each
    if sizes:
        yield start, len(sizes), total
