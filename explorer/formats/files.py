"""Checks of a path before it is opened: only regular files are read, and file names in errors stay on one line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from explorer.errors import InputError


def regular_size(path: Path, name: str, wanted: str) -> int:
    """Bytes of a regular file. Raises InputError for a folder, a pipe, a device or a missing file.

    Checked before opening, because opening a pipe blocks until somebody writes to it. name: what errors call the file.
    wanted: what to give instead, such as "the .gguf file".

    >>> regular_size(Path("vocabs"), "vocabs", "the .gguf file")
    Traceback (most recent call last):
    explorer.errors.InputError: vocabs: this is a folder; name the .gguf file in it
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; check the path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{name}: cannot be opened ({why}); check the path and its permissions") from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{name}: this is a folder; name {wanted} in it")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{name}: this is not a regular file; give {wanted} itself")
    return found.st_size


def on_one_line(name: str) -> str:
    """A file name for an error message: a path may contain line feeds and bytes that aren't UTF-8.

    >>> on_one_line("a.model"), on_one_line("a\\nb")
    ('a.model', "'a\\\\nb'")
    """
    return name if name.isprintable() else ascii(name)


def check_size(size: int, most: int, name: str) -> None:
    """Raises InputError for a file with more bytes than any of its format."""
    if size > most:
        raise InputError(f"{name}: {size} bytes, but such a file has at most {most}; give another file")
