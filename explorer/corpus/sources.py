"""Finds the files of a job, and splits it into tasks of similar size, each of which runs independently, in any order.

Files are given by path, in a folder, or by a pattern such as `data/**/*.jsonl`. The suffix gives the format: `.txt`,
`.jsonl` (`.ndjson`), `.csv`, `.parquet`, the first three also with `.gz` or `.zst`. A file with another suffix is read
as plain text if it is given by path or pattern, and passed over in a folder. Leaves out hidden files in folders, and
symbolic links to folders.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from explorer.errors import InputError


class FileKind(StrEnum):
    """The format of a file, which decides whether its documents are lines or fields of records."""

    TEXT = "text"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


KINDS: Final = {
    ".txt": FileKind.TEXT,
    ".jsonl": FileKind.JSONL,
    ".ndjson": FileKind.JSONL,
    ".csv": FileKind.CSV,
    ".parquet": FileKind.PARQUET,
}
PACKED: Final = (".gz", ".zst")


class CorpusFile(NamedTuple):
    """A file as it was when the job was planned.

    path: absolute; remote workers open the same path. shown: its name in results. packed: `.gz`, `.zst` or empty.
    changed: the modification time in nanoseconds.
    """

    path: str
    shown: str
    kind: FileKind
    packed: str
    size: int
    changed: int


class FoundFiles(NamedTuple):
    """The files of a job in order, and the number of files in folders whose format is unknown."""

    files: tuple[CorpusFile, ...]
    passed_over: int


def kind_of(name: str) -> tuple[FileKind, str] | None:
    """A file's format and compression by its name; None if the suffix is unknown.

    >>> kind_of("part-01.JSONL.zst"), kind_of("notes.md")
    ((<FileKind.JSONL: 'jsonl'>, '.zst'), None)
    """
    stem, packed = os.path.splitext(name.lower())
    if packed in PACKED:
        kind = KINDS.get(os.path.splitext(stem)[1])
        return (kind, packed) if kind is not None and kind != FileKind.PARQUET else None
    kind = KINDS.get(packed)
    return (kind, "") if kind is not None else None


def find(paths: Iterable[str], own: Iterable[Path] = (), names: Mapping[str, str] = {}) -> FoundFiles:
    """The files at paths, in the order of the paths and sorted by name within a folder; each file once.

    own: files and folders that the job itself writes, which a resumed or repeated job must not read. names: a path's
    name in results, if not itself. Raises InputError for a path that is missing, unreadable or one of `own`, and if no
    file is left.
    """
    files: dict[str, CorpusFile] = {}
    passed_over = 0
    outputs = [Path(os.path.realpath(each)) for each in own]
    for path in paths:
        for each, named in files_of(path):
            if outputs and not {real := Path(os.path.realpath(each)), *real.parents}.isdisjoint(outputs):
                if each == path:
                    raise InputError(f"{each}: the job writes here; give another --output or --write")
                continue
            known = kind_of(each)
            if not named and (known is None or is_special(each)):
                passed_over += 1
                continue
            file = described(each, *(known or unnamed(each)))
            files.setdefault(os.path.realpath(file.path), file._replace(shown=names.get(each, file.shown)))
    if not files:
        what = f"the {passed_over} files found have no known suffix" if passed_over else "no file was found"
        raise InputError(f"{what}; give .txt, .jsonl, .csv or .parquet files, or give the path of a text file")
    return FoundFiles(tuple(files.values()), passed_over)


def unnamed(shown: str) -> tuple[FileKind, str]:
    """The format of a file with an unknown suffix: plain text, possibly compressed."""
    packed = next((each for each in PACKED if shown.lower().endswith(each)), "")
    if packed and kind_of(shown[: -len(packed)]) is not None:
        raise InputError(f"{shown}: Parquet compresses its own columns; decompress the file and give the .parquet file")
    return FileKind.TEXT, packed


def files_of(path: str) -> Iterator[tuple[str, bool]]:
    """The files at one path, each with whether it was given by path or pattern rather than found in a folder."""
    if "\0" in path or not path:
        raise InputError(f"{path!r} is not a path; give a file, a folder or a pattern")
    if os.path.lexists(path):
        yield from ([(path, True)] if not os.path.isdir(path) else ((each, False) for each in inside(path)))
        return
    matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    if not matches:
        raise InputError(f"{path}: no such file or folder; check the path")
    for match in matches:
        if not os.path.isdir(match):
            yield match, True


def inside(folder: str) -> Iterator[str]:
    """The files in a folder and its subfolders, sorted by name."""
    for at, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(at, name) for name in sorted(names) if not name.startswith("."))


def unreadable(error: OSError) -> None:
    """Refuses a folder that can't be read: skipping it silently would make the totals wrong."""
    raise InputError(
        f"{error.filename}: the folder cannot be read ({error.strerror}); change its permissions or leave it out"
    ) from None


def is_special(path: str) -> bool:
    """Whether a path is a pipe, a socket or a device, whatever its name."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False  # `described` reports files that can't be read


def described(shown: str, kind: FileKind, packed: str) -> CorpusFile:
    """A file with its size and modification time."""
    try:
        found = os.stat(shown)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror}); check the path and its permissions") from None
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{shown}: this is not a regular file; give the file itself")
    if not os.access(shown, os.R_OK):
        raise InputError(f"{shown}: no permission to read the file; change its permissions or leave it out")
    name = os.fsencode(shown).decode("utf-8", "backslashreplace")  # a name may be invalid UTF-8; output must be valid
    return CorpusFile(os.path.abspath(shown), name, kind, packed, found.st_size, found.st_mtime_ns)


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
