"""Arrays kept between two runs, in the user's cache folder: compiled code, and what is computed from a vocabulary.

A file is a SHA-256, a line of JSON and arrays; the SHA-256 is that of the rest and of the file's name. A file that is
damaged or renamed counts as absent, and is written anew. Nothing is unpickled. All files together take about MOST
bytes; beyond that, the least recently read are deleted. numpy is imported on first use, because `build` is asked what
is there before it is needed.

What is loaded is run as machine code, and whoever writes a file computes its SHA-256, too. So a file that somebody else
could have written counts as absent as well: a folder is opened level by level from the root, and each level is checked
through its descriptor. Its owner is the user or, above the folder itself, root; nobody else may write there (above it,
a sticky folder such as /tmp may be); it isn't a link. What is read or written then goes through the descriptors, so
nothing can be exchanged in between. Left out: systems without owners and modes (Windows), where the profile's own
rights protect the cache.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, NamedTuple, TypeVar

CHECKED = os.name == "posix"
"""Whether files have owners and modes."""

FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
OTHERS = stat.S_IWGRP | stat.S_IWOTH


class NotPrivateError(OSError):
    """Somebody else could have written there."""


@contextmanager
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
            check(os.fstat(handle), path, above=True)
            path /= level
            if make:
                with suppress(FileExistsError):
                    os.mkdir(level, 0o700, dir_fd=handle)
            below = open_unlinked(level, handle, path, FOLDER_FLAGS)
            os.close(handle)
            handle = below
        check(os.fstat(handle), path)
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


def check(status: os.stat_result, path: Path, *, above: bool = False) -> None:
    """Raises NotPrivateError unless a file or folder is the user's alone.

    above: of a folder above it, it is enough that others can't exchange what is in it.
    """
    if status.st_uid != os.geteuid() and not (above and status.st_uid == 0):
        raise NotPrivateError(f"{path} belongs to another user")
    if status.st_mode & OTHERS and not (above and status.st_mode & stat.S_ISVTX):
        raise NotPrivateError(f"others may write to {path}")


def read(path: Path) -> bytes:
    """The bytes of a file. Raises NotPrivateError and OSError.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "a")
    >>> write(path, [b"a", b"bc"])
    >>> read(path)
    b'abc'
    """
    with opened(path.parent) as folder:
        handle = os.open(path, FILE_FLAGS) if folder is None else open_unlinked(path.name, folder, path, FILE_FLAGS)
        with open(handle, "rb", buffering=0) as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise NotPrivateError(f"{path} is not a file")
            if CHECKED:
                check(status, path)
            with suppress(OSError, NotImplementedError, TypeError):
                os.utime(handle)
            return file.read()


def write(path: Path, parts: list[Any]) -> None:
    """Writes a file, which gets its name when it is complete. Raises NotPrivateError and OSError."""
    with opened(path.parent, make=True) as folder:
        import secrets  # to write: nearly everything is read

        name = f"{path.name}-{secrets.token_hex(8)}.unfinished"
        unfinished = name if folder is not None else path.with_name(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(unfinished, flags, 0o600, dir_fd=folder), "wb") as file:
                for part in parts:
                    file.write(part)
            os.replace(unfinished, path.name if folder is not None else path, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=folder)
            raise


Made = TypeVar("Made")

FOLDER = "tokenizer-explorer"
SUFFIX = ".kept"
MOST = 1_000_000_000
"""Bytes of all files. A tokenizer's take 1 to 40 MB."""

HEAD = 64 + 1 + 10 + 1
"""Bytes of the digest and of the size of the JSON, each with a line feed."""
LINE = 64
"""Bytes. Arrays begin at multiples of it."""

SKEW = 86_400.0
"""Seconds by which the clock of a file system may be ahead."""

KINDS = ("uint8", "int32", "int64", "float64")
SIZES = (1, 4, 8, 8)
"""The kinds of numbers in arrays, and their bytes."""


def root() -> Path:
    """The folder of everything kept; it may not exist yet. For a user without a home, one that can't exist."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / FOLDER
    except RuntimeError:
        return Path(os.devnull, FOLDER)


def load(path: Path) -> Any:
    """What was saved under a path: None if nothing was, or if the file is damaged. Arrays are read-only.

    A named tuple comes back as a tuple.
    """
    try:
        data = memoryview(read(path))
        if len(data) < HEAD or data[:64] != digest(path, data[64:]):
            return None
        end = HEAD + int(bytes(data[65 : HEAD - 1]))
        tree, kinds = json.loads(bytes(data[HEAD:end]))
        arrays = []
        for kind, count in kinds:
            end += -end % LINE
            begin, end = end, end + count * SIZES[kind]
            arrays.append((data[begin:end], KINDS[kind]))
    except NotPrivateError as error:
        say_once(str(error))
        return None
    except (OSError, ValueError, MemoryError):
        return None
    return together(tree, arrays)


def save(path: Path, value: Any) -> bool:
    """Keeps numbers, strings, bytes, arrays, and tuples and dictionaries of them; whether the disk had room.

    The file gets its name when it is complete.
    """
    import numpy as np

    arrays: list[Any] = []
    tree = apart(value, arrays)
    text = json.dumps([tree, [[KINDS.index(each.dtype.name), len(each)] for each in arrays]]).encode()
    data = bytearray(b"\n%010d\n%s" % (len(text), text))
    for each in arrays:
        data += bytes(-(64 + len(data)) % LINE)
        data += np.ascontiguousarray(each).view(np.uint8).data
    try:
        write(path, [digest(path, data), data])
        trim(root(), MOST)
    except NotPrivateError as error:
        say_once(str(error))
        return False
    except OSError:
        return False
    return True


def is_kept(folder: Path) -> bool:
    """Whether anything is kept in a folder."""
    try:
        with opened(folder):
            return any(folder.glob(f"*{SUFFIX}"))
    except NotPrivateError as error:
        say_once(str(error))
    except OSError:
        pass
    return False


@cache
def say_once(why: str) -> None:
    """Logs why nothing is kept, once."""
    import logging

    logging.getLogger(__name__).warning(
        "kept compiled code is not used: %s; set XDG_CACHE_HOME to a folder that only you can write to", why
    )


def kept(path: Path, make: Callable[[], Made]) -> Made:
    """What a path holds, else what is made, and then kept there."""
    value: Made | None = load(path)
    if value is None:
        value = make()
        save(path, value)
    return value


class Keeper(NamedTuple):
    """Keeps what is computed of one tokenizer. key: of everything it depends on; empty keeps nothing."""

    key: str = ""

    def __call__(self, name: str, make: Callable[[], Made]) -> Made:
        """What is kept under a name, else what is made; a named tuple may come back as a tuple."""
        return kept(root() / "tables" / f"{self.key}-{name}{SUFFIX}", make) if self.key else make()


NOTHING_KEPT = Keeper()


def digest(path: Path, data: bytes | bytearray | memoryview) -> bytes:
    """The SHA-256 of a file's name and of its data, in hexadecimal digits."""
    hashed = sha256(path.name.encode() + b"\n")
    hashed.update(data)
    return hashed.hexdigest().encode()


def apart(value: Any, arrays: list[Any]) -> Any:
    """What JSON can hold, with the indexes of arrays and bytes, which are appended to `arrays`."""
    import numpy as np

    if isinstance(value, np.ndarray | bytes):
        arrays.append(np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value)
        return {"bytes" if isinstance(value, bytes) else "array": len(arrays) - 1}
    if isinstance(value, dict):
        return {"dict": {name: apart(each, arrays) for name, each in value.items()}}
    return [apart(each, arrays) for each in value] if isinstance(value, tuple) else value


def together(tree: Any, arrays: list[tuple[memoryview, str]]) -> Any:
    """The inverse of `apart`. arrays: the bytes of each, and the kind of its numbers. Bytes alone need no numpy.

    >>> together([1, {"dict": {"a": {"bytes": 0}}}, None], [(memoryview(b"xy"), "uint8")])
    (1, {'a': b'xy'}, None)
    """
    if isinstance(tree, list):
        return tuple(together(each, arrays) for each in tree)
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "dict":
        return {name: together(each, arrays) for name, each in content.items()}
    if kind == "bytes":
        return bytes(arrays[content][0])
    import numpy as np

    return np.frombuffer(*arrays[content])


def trim(folder: Path, most: int) -> None:
    """Deletes the files that have not been read for longest, until the others take at most this many bytes."""
    files = []
    for each in folder.glob("*/*"):  # those that were never finished, too
        with suppress(FileNotFoundError):  # another process trims, too
            if each.is_file():
                files.append((last_used(each.stat()), each.stat().st_size, each))
    total = 0
    for _, size, each in sorted(files, reverse=True):
        total += size
        if total > most:
            each.unlink(missing_ok=True)


def last_used(status: os.stat_result) -> float:
    """When a file was read or written last, in seconds since 1970; 0 if that is to come.

    Such a time is from a clock that was wrong. Otherwise such files would never go, and all others at once.
    """
    return status.st_mtime if status.st_mtime < time() + SKEW else 0.0
