"""Paths become files: files themselves, folders with all that is in them, and patterns such as `data/**/*.jsonl`.

What a file holds is told by its name: `.txt`, `.jsonl` (`.ndjson`), `.csv`, `.parquet`, the first three also as `.gz`
or `.zst`. A file of another name is read as plain text where it is named itself or by a pattern; in a folder it is
passed over. Left out: hidden files in folders, and links that lead to folders.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.errors import InputError


class Kind(StrEnum):
    """What a file's documents are: its lines, or a field of its records."""

    TEXT = "text"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


KINDS: Final = {
    ".txt": Kind.TEXT, ".jsonl": Kind.JSONL, ".ndjson": Kind.JSONL, ".csv": Kind.CSV, ".parquet": Kind.PARQUET,
}  # fmt: skip
PACKED: Final = (".gz", ".zst")


class File(NamedTuple):
    """A file as it was when the job was planned.

    path: absolute; a worker elsewhere opens the same one. shown: as results name it. packed: `.gz`, `.zst` or nothing.
    changed: when it was last written, in nanoseconds.
    """

    path: str
    shown: str
    kind: Kind
    packed: str
    size: int
    changed: int


class Found(NamedTuple):
    """The files of a job in their order, and how many of the folders' files are of no known kind."""

    files: tuple[File, ...]
    passed_over: int


def kind_of(name: str) -> tuple[Kind, str] | None:
    """What a file of this name holds and how it is packed; None where the name does not tell.

    >>> kind_of("part-01.JSONL.zst"), kind_of("notes.md")
    ((<Kind.JSONL: 'jsonl'>, '.zst'), None)
    """
    stem, packed = os.path.splitext(name.lower())
    if packed in PACKED:
        kind = KINDS.get(os.path.splitext(stem)[1])
        return (kind, packed) if kind is not None and kind != Kind.PARQUET else None
    kind = KINDS.get(packed)
    return (kind, "") if kind is not None else None


def find(paths: Iterable[str], own: Iterable[Path] = (), names: Mapping[str, str] = MappingProxyType({})) -> Found:
    """The files behind paths, in the order of the paths and within a folder by name; each file once.

    own: files and folders that the job itself writes: a job that goes on, or comes again, is not to find them.
    names: what results call a path, where it is not itself.
    Raises InputError for a path that is not there or cannot be read, for one of `own`, and where no file is left.
    """
    files: dict[str, File] = {}
    passed_over = 0
    places = [Path(os.path.realpath(place)) for place in own]
    for path in paths:
        for shown, named in behind(path):
            if places and not {real := Path(os.path.realpath(shown)), *real.parents}.isdisjoint(places):
                if shown == path:
                    raise InputError(f"{shown}: this is where the job writes; give another --output or --write")
                continue
            known = kind_of(shown)
            if known is None and not named:
                passed_over += 1
                continue
            if not named and is_special(shown):
                passed_over += 1
                continue
            file = described(shown, *(known or unnamed(shown)))
            files.setdefault(os.path.realpath(file.path), file._replace(shown=names.get(shown, file.shown)))
    if not files:
        what = f"the {passed_over} files there are of no known kind" if passed_over else "there is no file there"
        raise InputError(f"{what}; give .txt, .jsonl, .csv or .parquet files, or name a file of text itself")
    return Found(tuple(files.values()), passed_over)


def unnamed(shown: str) -> tuple[Kind, str]:
    """A file whose name tells nothing is plain text, unless it is packed."""
    packed = next((each for each in PACKED if shown.lower().endswith(each)), "")
    if packed and kind_of(shown[: -len(packed)]) is not None:
        raise InputError(f"{shown}: such a file packs its columns itself; unpack it and give the .parquet file")
    return Kind.TEXT, packed


def behind(path: str) -> Iterator[tuple[str, bool]]:
    """The files of one path, and whether each was named (by itself or a pattern) or lies in a folder that was."""
    if "\0" in path or not path:
        raise InputError(f"{path!r} is no path; give a file, a folder or a pattern")
    if os.path.lexists(path):
        yield from ([(path, True)] if not os.path.isdir(path) else ((each, False) for each in inside(path)))
        return
    matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    if not matches:
        raise InputError(f"{path}: there is no such file or folder; check the path")
    for match in matches:
        if not os.path.isdir(match):
            yield match, True


def inside(folder: str) -> Iterator[str]:
    """The files in a folder and the folders in it, by name."""
    for at, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(at, name) for name in sorted(names) if not name.startswith("."))


def unreadable(error: OSError) -> None:
    """Says which folder cannot be read: leaving it out in silence would make the totals wrong."""
    raise InputError(
        f"{error.filename}: the folder cannot be read ({error.strerror}); change its permissions or leave it out"
    ) from None


def is_special(path: str) -> bool:
    """Whether it is a pipe, a socket or a device: nothing of a corpus, though it may be called like it."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False  # what cannot be read is said where it is described


def described(shown: str, kind: Kind, packed: str) -> File:
    """A file with its size and time."""
    try:
        found = os.stat(shown)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror}); check the path and its permissions") from None
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{shown}: this is no ordinary file; give the file itself")
    if not os.access(shown, os.R_OK):
        raise InputError(f"{shown}: the file may not be read; change its permissions or leave it out")
    name = os.fsencode(shown).decode("utf-8", "backslashreplace")  # a name may be no UTF-8; what is written must be
    return File(os.path.abspath(shown), name, kind, packed, found.st_size, found.st_mtime_ns)
