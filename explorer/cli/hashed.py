"""A file that is read line by line, and its sha256 on the way: exports say which bytes they are about."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, BinaryIO

from explorer.origin import File


class Hashed:
    """The file.

    >>> import io
    >>> file = Hashed(io.BytesIO(b"a\\nb"))
    >>> file.readline(9), file.end("a.txt").size
    (b'a\\n', 2)
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size, self.hash = file, 0, sha256()

    def readline(self, most: int) -> bytes:
        """The next line, or the first bytes of it."""
        data = self.file.readline(most)
        self.size += len(data)
        self.hash.update(data)
        return data

    def end(self, name: str) -> File:
        """What was read."""
        return File(name, self.size, self.hash.hexdigest(), self.size)


def records(read: Iterable[File]) -> list[dict[str, Any]]:
    """Files for JSON."""
    return [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in read]
