"""Files that are there whole or not at all: written under another name, flushed to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, cast

from explorer.errors import InputError

UNFINISHED: Final = ".unfinished"
"""How the names of files end that are being written."""


class Unwritable(InputError):
    """A file that could not be written: the disk is full, or the folder is closed."""


def unwritable(path: str | os.PathLike[str], error: OSError) -> Unwritable:
    """Says which file could not be written and why."""
    why = error.strerror or error
    return Unwritable(f"{os.fspath(path)}: cannot be written ({why}); make room or give another place")


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name once all of it is on the disk. Raises Unwritable."""
    unfinished = ""
    try:
        handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, 0o666 & ~umask())
        os.replace(unfinished, path)
        flush_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)


def write(path: Path, data: bytes) -> None:
    """Writes a file whole. Raises Unwritable."""
    with written(path) as file:
        file.write(data)


def flush_folder(folder: Path) -> None:
    """Makes a renaming last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def umask() -> int:
    """What new files are not allowed; it can only be read by setting it."""
    found = os.umask(0)
    os.umask(found)
    return found


def checked_place(path: Path) -> None:
    """Raises Unwritable where no file can be written under this name, before hours of work are done for it."""
    if path.is_dir():
        raise Unwritable(f"{path}: this is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise Unwritable(f"{path}: there is no folder {path.parent}; make it first")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
        os.close(handle)
        os.unlink(name)
    except OSError as error:
        raise unwritable(path, error) from None
