"""Files that are complete or absent: written under a temporary name, flushed to disk, then renamed."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from explorer.errors import InputError

UNFINISHED = ".unfinished"
"""The suffix of files that are being written."""


class Unwritable(InputError):
    """A file that can't be written: the disk is full, or the folder is not writable."""


class Damaged(InputError):
    """A finished part that is not what was written; the job removes it and makes it again."""


def unwritable(path: str | os.PathLike[str], error: OSError) -> Unwritable:
    """The error that names a file and why it can't be written."""
    why = error.strerror or error
    return Unwritable(f"{os.fspath(path)}: cannot be written ({why}); free some space or give another path")


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name once all of it is on disk. Raises Unwritable."""
    with all_written([path]) as (file,):
        yield file


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file, complete or not at all; into what is no file, such as a pipe, directly. Raises Unwritable."""
    if path.exists() and not path.is_file():
        try:
            path.write_bytes(data)
        except OSError as error:
            raise unwritable(path, error) from None
        return
    with written(path.resolve()) as file:
        file.write(data)


@contextlib.contextmanager
def all_written(paths: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """Files of one folder to write to, which get their names once all of them are on disk. Raises Unwritable."""
    unfinished: list[str] = []
    path = paths[0]
    try:
        with contextlib.ExitStack() as stack:
            files = []
            for path in paths:
                handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
                unfinished.append(name)
                files.append(stack.enter_context(os.fdopen(handle, "wb")))
            yield cast(list[BinaryIO], files)
            for path, file in zip(paths, files, strict=True):  # noqa: B007  # an error names the path
                file.flush()
                os.fsync(file.fileno())
        for path, name in zip(paths, unfinished, strict=True):
            mask = os.umask(0)  # it can only be read by setting it
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, path)
        flush_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        for name in unfinished:
            with contextlib.suppress(OSError):
                os.unlink(name)


def write(path: Path, data: bytes) -> None:
    """Writes a file in one go. Raises Unwritable."""
    with written(path) as file:
        file.write(data)


def flush_folder(folder: Path) -> None:
    """Makes a rename durable, where the system opens folders."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows doesn't
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_writable(path: Path) -> None:
    """Raises Unwritable if no file can be written at this path. Called before hours of work are spent."""
    if path.is_dir():
        raise Unwritable(f"{path}: this is a folder; give a file name")
    if not path.parent.is_dir():
        raise Unwritable(f"{path}: the folder {path.parent} does not exist; create it first")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
        os.close(handle)
        os.unlink(name)
    except OSError as error:
        raise unwritable(path, error) from None
