"""Splits a job into tasks of similar size; each runs independently, anywhere, in any order.

Plain text and JSON are cut into byte ranges. A line belongs to the range it begins in, so every line is in one task
wherever the cuts fall (`streams.lines`). Files that can't be read from the middle stay whole: compressed files, CSV (a
quoted field may contain line ends), plain text read as whole files. Parquet is cut between row groups. Small files
share a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from explorer.corpus.sources import CorpusFile, FileKind

SIZE: Final = 32_000_000
"""The default size of a task in bytes, about."""
MOST_RANGES: Final = 1000
"""The most files in one task, however small."""


class FileRange(NamedTuple):
    """A range of a file: bytes [start, stop), row groups for Parquet; up to the end if `stop` is None.

    size: the bytes of the file in the range.
    """

    file: CorpusFile
    start: int
    stop: int | None
    size: int


class Task(NamedTuple):
    """File ranges that are read one after the other. number: its index in the job, from 0."""

    number: int
    ranges: tuple[FileRange, ...]

    @property
    def size(self) -> int:
        """The bytes of its ranges."""
        return sum(file_range.size for file_range in self.ranges)


Groups = Callable[[CorpusFile], list[int]]
"""Gives the size of each row group of a Parquet file."""


def tasks(files: Iterable[CorpusFile], size: int, whole: bool, groups: Groups) -> tuple[Task, ...]:
    """The tasks of a job, in the order of its files. whole: don't cut plain text."""
    cut: list[Task] = []
    waiting: list[FileRange] = []
    for file_range in (file_range for file in files for file_range in file_ranges(file, size, whole, groups)):
        if waiting and (sum(each.size for each in waiting) + file_range.size > size or len(waiting) == MOST_RANGES):
            cut.append(Task(len(cut), tuple(waiting)))
            waiting = []
        waiting.append(file_range)
    if waiting:
        cut.append(Task(len(cut), tuple(waiting)))
    return tuple(cut)


def file_ranges(file: CorpusFile, size: int, whole: bool, groups: Groups) -> Iterator[FileRange]:
    """The ranges of one file, none larger than necessary.

    >>> file = CorpusFile("/a.txt", "a.txt", FileKind.TEXT, "", 25, 0)
    >>> [file_range[1:] for file_range in file_ranges(file, 10, False, lambda file: [])]
    [(0, 10, 10), (10, 20, 10), (20, None, 5)]
    """
    if file.kind == FileKind.PARQUET:
        for start, stop, bytes in together(groups(file), size):
            yield FileRange(file, start, stop, bytes)
    elif file.packed or file.kind == FileKind.CSV or (whole and file.kind == FileKind.TEXT) or file.size <= size:
        yield FileRange(file, 0, None, file.size)
    else:
        for start in range(0, file.size, size):
            stop = start + size
            yield FileRange(file, start, None if stop >= file.size else stop, min(stop, file.size) - start)


def together(sizes: list[int], size: int) -> Iterator[tuple[int, int, int]]:
    """Adjacent row groups up to a total size: first index, end index, total size.

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
