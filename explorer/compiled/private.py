"""Files that only the user can have written: what is loaded from them is run as machine code.

A folder is opened level by level from the root, and each level is checked through its descriptor: its owner is the user
or, above the folder itself, root; nobody else may write there (above it, a sticky folder such as /tmp may be); it isn't
a link. What is read or written then goes through the descriptors, so nothing can be exchanged in between.

Left out: systems without owners and modes (Windows), where the profile's own rights protect the cache.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

CHECKED: Final = os.name == "posix"
"""Whether files have owners and modes."""

FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
FILE_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


class NotPrivateError(OSError):
    """Somebody else could have written there."""


@contextlib.contextmanager
def opened(folder: Path, *, make: bool = False) -> Iterator[int | None]:
    """A folder's descriptor; None where there are no owners. make: creates what is missing, for the user alone.

    Raises NotPrivateError, and OSError for a folder that does not exist.
    """
    if not folder.is_absolute():
        raise NotPrivateError(f"{folder} is not an absolute path")
    if not CHECKED:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        yield None
        return
    handle = os.open(folder.anchor, FOLDER_FLAGS)
    try:
        path = Path(folder.anchor)
        for level in folder.parts[1:]:
            check_above(os.fstat(handle), path)
            path /= level
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(level, 0o700, dir_fd=handle)
            below = open_unlinked(level, handle, path, FOLDER_FLAGS)
            os.close(handle)
            handle = below
        check_own(os.fstat(handle), path)
        yield handle
    finally:
        os.close(handle)


def open_unlinked(name: str, folder: int, path: Path, flags: int) -> int:
    """The descriptor of what has this name in a folder. Raises NotPrivateError for a link."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise NotPrivateError(f"{path} is a link") from None
        raise


def check_above(found: os.stat_result, path: Path) -> None:
    """Raises NotPrivateError if others can exchange what is in a folder."""
    if found.st_uid not in (0, os.geteuid()):
        raise NotPrivateError(f"{path} belongs to another user")
    if found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX:
        raise NotPrivateError(f"others may write to {path}")


def check_own(found: os.stat_result, path: Path) -> None:
    """Raises NotPrivateError unless a file or folder is the user's alone."""
    if found.st_uid != os.geteuid():
        raise NotPrivateError(f"{path} belongs to another user")
    if found.st_mode & OTHERS:
        raise NotPrivateError(f"others may write to {path}")


def read_into(path: Path, new: Any) -> Any:
    """The bytes of a file in what `new` makes for their number. Raises NotPrivateError and OSError.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "a")
    >>> write(path, [b"a", b"bc"])
    >>> bytes(read_into(path, bytearray))
    b'abc'
    """
    with opened(path.parent) as folder:
        handle = os.open(path, FILE_FLAGS) if folder is None else open_unlinked(path.name, folder, path, FILE_FLAGS)
        with open(handle, "rb", buffering=0) as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise NotPrivateError(f"{path} is not a file")
            if CHECKED:
                check_own(found, path)
            whole = new(found.st_size)
            view, read = memoryview(whole), 0
            while read < len(view) and (more := file.readinto(view[read:])):
                read += more
            if read < len(view):
                raise OSError(f"{path} became shorter")
            with contextlib.suppress(OSError, NotImplementedError, TypeError):
                os.utime(handle)
    return whole


def write(path: Path, parts: list[Any]) -> None:
    """Writes a file, which gets its name when it is complete. Raises NotPrivateError and OSError."""
    with opened(path.parent, make=True) as folder:
        name = f"{path.name}-{secrets.token_hex(8)}.unfinished"
        unfinished = name if folder is not None else path.with_name(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(unfinished, flags, 0o600, dir_fd=folder), "wb") as file:
                for part in parts:
                    file.write(part)
            os.replace(unfinished, path.name if folder is not None else path, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(unfinished, dir_fd=folder)
            raise
