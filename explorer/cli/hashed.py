"""A file read line by line with its sha256: exports name the bytes they were made from."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, BinaryIO

from explorer.origin import File


class HashedFile:
    """A file that hashes what is read from it.

    >>> import io
    >>> file = HashedFile(io.BytesIO(b"a\\nb"))
    >>> file.readline(9), file.end("a.txt").size
    (b'a\\n', 2)
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size, self.hash = file, 0, sha256()

    def readline(self, most: int) -> bytes:
        """The next line, or the first `most` bytes of it."""
        data = self.file.readline(most)
        self.size += len(data)
        self.hash.update(data)
        return data

    def end(self, name: str) -> File:
        """The name, size and sha256 of what was read."""
        return File(name, self.size, self.hash.hexdigest(), self.size)


def records(read: Iterable[File]) -> list[dict[str, Any]]:
    """Files as JSON objects."""
    return [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in read]
