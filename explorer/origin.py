"""The origin of a tokenizer: its files, the choices made for them, and typed patterns.

Two tokenizers with the same origin and implementation give the same ids. The code that opens files records the origin;
exports repeat it, so that ids can be reproduced from the same bytes.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from explorer.errors import ChoicePairs

WHOLE = 1 << 24
"""Bytes of a GGUF that is hashed whole. Of a larger one, which has weights, only the keys are hashed because they
decide the ids."""


class File(NamedTuple):
    """A file that was read.

    size: in bytes. sha256: of its first `hashed` bytes: all of them, except of a large GGUF.

    >>> File.of("a.txt", b"abc").digest
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    """

    name: str
    size: int
    sha256: str
    hashed: int

    @classmethod
    def of(cls, name: str, data: bytes) -> File:
        """The file with this content."""
        return cls(name, len(data), hashlib.sha256(data).hexdigest(), len(data))

    @classmethod
    def beginning(cls, name: str, data: bytes, size: int) -> File:
        """The file of `size` bytes that begins with these.

        >>> File.beginning("a.gguf", b"abc", 10).digest[-15:]
        '(first 3 bytes)'
        """
        return cls(name, size, hashlib.sha256(data).hexdigest(), len(data))

    @property
    def digest(self) -> str:
        """The sha256, with a note if it does not cover the whole file."""
        return self.sha256 if self.hashed == self.size else f"{self.sha256} (first {self.hashed} bytes)"


class TypedPattern(NamedTuple):
    """A typed regular expression that replaces one of the tokenizer's own. number: of that one, from 1."""

    number: int
    regex: str


class Origin(NamedTuple):
    """The origin of a tokenizer; all fields are empty for one built in code.

    files: in the order they were read. choices: (key, answer) for questions a file leaves open. patterns: by number.
    repository: the model on the Hugging Face Hub and its commit, as `org/name@COMMIT`, "" for other files.
    """

    files: tuple[File, ...] = ()
    choices: ChoicePairs = ()
    patterns: tuple[TypedPattern, ...] = ()
    repository: str = ""
