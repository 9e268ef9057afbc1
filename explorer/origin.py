"""Where a tokenizer comes from: the files it was read from, what was chosen for them, the patterns put in by hand.

Two tokenizers of the same origin and implementation give the same ids. Whoever opens files writes the origin; the
exports repeat it, so that ids can be made again from the same bytes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MOST_HASHED = 1 << 27
"""Bytes of a file that its sha256 is made of. Only a GGUF with its weights is larger, vocabulary first."""


class File(NamedTuple):
    """A file that was read. sha256: of its first `hashed` bytes, which are all of them up to `MOST_HASHED`.

    >>> File.of("a.txt", b"abc").digest
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    """

    name: str
    size: int
    sha256: str
    hashed: int

    @classmethod
    def of(cls, name: str, data: bytes) -> File:
        """A file by its bytes."""
        return cls(name, len(data), hashlib.sha256(data).hexdigest(), len(data))

    @classmethod
    def at(cls, path: Path) -> File:
        """A file that need not fit into memory. Raises OSError."""
        hashed, left = hashlib.sha256(), MOST_HASHED
        with path.open("rb") as file:
            while left and (block := file.read(min(left, 1 << 20))):
                hashed.update(block)
                left -= len(block)
            size = file.seek(0, 2)
        return cls(path.name, size, hashed.hexdigest(), MOST_HASHED - left)

    @property
    def digest(self) -> str:
        """The sha256 in one word, which says so where it is not of the whole file."""
        return self.sha256 if self.hashed == self.size else f"{self.sha256} (first {self.hashed} bytes)"


class TypedPattern(NamedTuple):
    """A regular expression in place of one of the tokenizer's own. number: of the one it replaces, from 1."""

    number: int
    regex: str


@dataclass(frozen=True, slots=True)
class Origin:
    """files: as they were read. choices: what was answered where a file leaves something open. patterns: by number.

    All empty for a tokenizer put together in code.
    """

    files: tuple[File, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    patterns: tuple[TypedPattern, ...] = ()
