"""Reads the lines of files one after the other, each with its position, without loading a whole file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from explorer.errors import InputError
from explorer.text import from_bytes

LONGEST: Final = 1_000_000
"""The most bytes of one line."""


class Line(NamedTuple):
    """A line of a file: the file's name, the line number from 1, the text without the line end."""

    file: str
    number: int
    text: str

    @property
    def location(self) -> str:
        """File and line, for errors."""
        return f"{self.file}: line {self.number}"


class Readable(Protocol):
    """An object that can be read line by line."""

    def readline(self, most: int, /) -> bytes:
        """The next line, at most `most` bytes of it; empty at the end."""
        ...


def lines_of(file: Readable, name: str) -> Iterator[Line]:
    """The lines of a file. Raises InputError for a line that is too long or not UTF-8.

    >>> import io
    >>> [line.text for line in lines_of(io.BytesIO(b"a\\r\\n\\nb"), "x.txt")]
    ['a', '', 'b']
    """
    number = 0
    while data := file.readline(LONGEST + 1):
        number += 1
        if len(data) > LONGEST:
            raise InputError(f"{name}: line {number} has more than {LONGEST} bytes; split it")
        yield Line(name, number, from_bytes(data.removesuffix(b"\n").removesuffix(b"\r"), f"{name}: line {number}"))
