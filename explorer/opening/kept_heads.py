"""The beginnings of GGUF files that were read from the Hub, kept in the user's cache folder (`remote_gguf`).

    tokenizer-explorer/gguf/ADDRESS/CONTENT/model.gguf    the file up to the end of its keys, or all of a small one
    tokenizer-explorer/gguf/ADDRESS/CONTENT/from.json     its address, commit, ETag and size

Such a file opens like the whole one. The note beside it gives it the whole one's size, so both have the same origin.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from explorer.compiled.kept import root

MOST: Final = 500_000_000
"""Bytes of all beginnings. One has about 10 million."""
NOTE: Final = "from.json"
"""The file beside a beginning: where it is from."""


class Source(NamedTuple):
    """Where a beginning is from. commit, tag: as the server states them, "" if it doesn't. size: of the whole file."""

    url: str
    commit: str
    tag: str
    size: int

    @property
    def repository(self) -> str:
        """The model on the Hub with its commit, "" if the server doesn't name one.

        >>> Source("https://huggingface.co/org/name/resolve/main/a.gguf", 40 * "a", "", 1).repository
        'org/name@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
        """
        found = re.search(r"/([^/]+/[^/]+)/resolve/", self.url)
        return f"{found[1]}@{self.commit}" if found and self.commit else ""


def path_of(source: Source) -> Path:
    """The path of a beginning, whether it is there or not."""
    content = sha256(f"{source.tag} {source.size}".encode()).hexdigest()[:32]
    return folder_of(source.url) / content / name_of(source.url)


def folder_of(url: str) -> Path:
    """The folder of the beginnings of an address."""
    return root() / "gguf" / sha256(url.encode()).hexdigest()[:32]


def name_of(url: str) -> str:
    """A name for a file, with no other characters than those of names.

    >>> name_of("https://huggingface.co/org/name/resolve/main/a%20b.gguf")
    'a_b.gguf'
    """
    from urllib.parse import unquote, urlsplit

    return re.sub(r"[^\w.-]", "_", unquote(urlsplit(url).path.rpartition("/")[2]), flags=re.ASCII)[-100:].lstrip(".")


def source_of(path: Path) -> Source | None:
    """Where a beginning is from; None for any other file."""
    with suppress(OSError, ValueError, TypeError, RuntimeError):
        if path.absolute().is_relative_to(root() / "gguf"):
            found = Source(**json.loads(path.with_name(NOTE).read_text("utf-8")))
            if [*map(type, found)] == [str, str, str, int]:
                return found
    return None


def is_kept(source: Source) -> bool:
    """Whether the beginning of this content is kept. Another commit may have the same content."""
    found = source_of(path_of(source))
    return bool(source.tag) and found is not None and found._replace(commit=source.commit) == source


def newest(url: str) -> Path | None:
    """The beginning of this address that was used last."""
    with suppress(OSError):
        found = [path for path in folder_of(url).glob(f"*/{name_of(url)}") if source_of(path) is not None]
        return max(found, key=lambda path: path.stat().st_mtime, default=None)
    return None


def keep(source: Source, data: bytes) -> None:
    """Writes a beginning. It gets its name when it is complete. Raises OSError."""
    path = path_of(source)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(path, data)
    note(source)
    trim(path)


def note(source: Source) -> None:
    """Writes where a beginning is from."""
    write(path_of(source).with_name(NOTE), json.dumps(source._asdict()).encode())


def write(path: Path, data: bytes) -> None:
    """Writes a file under another name first."""
    import tempfile

    handle, new = tempfile.mkstemp(dir=path.parent, suffix=".incomplete")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def trim(newest: Path) -> None:
    """Deletes the beginnings that were used least recently, beyond MOST. newest: stays in any case."""
    with suppress(OSError):
        found = [(path.stat(), path) for path in (root() / "gguf").glob("*/*/*.gguf") if path != newest]
        left = MOST - newest.stat().st_size
        for stat, path in sorted(found, key=lambda each: each[0].st_mtime, reverse=True):
            left -= stat.st_size
            if left < 0:
                path.unlink()
                path.with_name(NOTE).unlink(missing_ok=True)
                path.parent.rmdir()
