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

from explorer.compiled.kept import last_used, root
from explorer.opening.hub.cached import remove_abandoned
from explorer.opening.sources import NOTE as NOTE

MOST: Final = 500_000_000
"""Bytes of all beginnings. One has about 10 million."""


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

    @property
    def pinned(self) -> Source | None:
        """The same with the address of its commit, None without one.

        >>> Source("https://hf.co/org/name/resolve/main/a.gguf", "c0ffee", "", 1).pinned.url
        'https://hf.co/org/name/resolve/c0ffee/a.gguf'
        """
        url = re.sub(r"/resolve/[^/]+/", f"/resolve/{self.commit}/", self.url, count=1)
        return self._replace(url=url) if self.commit else None


def name_of(url: str) -> str:
    """A name for a file, with no other characters than those of names.

    >>> name_of("https://huggingface.co/org/name/resolve/main/a%20b.gguf")
    'a_b.gguf'
    """
    from urllib.parse import unquote, urlsplit

    return re.sub(r"[^\w.-]", "_", unquote(urlsplit(url).path.rpartition("/")[2]), flags=re.ASCII)[-100:].lstrip(".")


class Heads(NamedTuple):
    """The beginnings in a folder, which may not exist yet."""

    folder: Path

    def path_of(self, source: Source) -> Path:
        """The path of a beginning, whether it is there or not."""
        content = sha256(f"{source.tag} {source.size}".encode()).hexdigest()[:32]
        return self.folder_of(source.url) / content / name_of(source.url)

    def folder_of(self, url: str) -> Path:
        """The folder of the beginnings of an address."""
        return self.folder / sha256(url.encode()).hexdigest()[:32]

    def source_of(self, path: Path) -> Source | None:
        """Where a beginning is from; None for any other file."""
        with suppress(OSError, ValueError, TypeError, RuntimeError):
            if path.absolute().is_relative_to(self.folder):
                found = Source(**json.loads(path.with_name(NOTE).read_text("utf-8")))
                if [*map(type, found)] == [str, str, str, int]:
                    return found
        return None

    def has(self, source: Source) -> bool:
        """Whether the beginning of this content is kept. Another commit may have the same content."""
        found = self.source_of(self.path_of(source))
        return bool(source.tag) and found is not None and found._replace(commit=source.commit) == source

    def newest(self, url: str) -> Path | None:
        """The beginning of this address that was used last."""
        with suppress(OSError):
            found = [path for path in self.folder_of(url).glob(f"*/{name_of(url)}") if self.source_of(path) is not None]
            return max(found, key=lambda path: path.stat().st_mtime, default=None)
        return None

    def keep(self, source: Source, data: bytes) -> None:
        """Writes a beginning. It gets its name when it is complete. Raises OSError."""
        path = self.path_of(source)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(path, data)
        self.note(source)
        self.trim(path)

    def note(self, source: Source) -> None:
        """Notes where a beginning is from, also under the address of its commit, which opens without a request."""
        path = self.path_of(source)
        for each in (source, source.pinned):
            if each is not None:
                beside = self.path_of(each)
                beside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not beside.exists():
                    try:
                        os.link(path, beside)
                    except FileExistsError:  # another process was faster
                        pass
                    except OSError:  # a file system without hard links
                        write(beside, path.read_bytes())
                write(beside.with_name(NOTE), json.dumps(each._asdict()).encode())

    def trim(self, newest: Path) -> None:
        """Deletes the beginnings that were used least recently, beyond MOST. newest: stays in any case."""
        with suppress(OSError):
            remove_abandoned(self.folder.glob("*/*/*.incomplete"))
            files: dict[tuple[int, int], list[Path]] = {}  # one may have two names
            for path in self.folder.glob("*/*/*.gguf"):
                stat = path.stat()
                files.setdefault((stat.st_dev, stat.st_ino), []).append(path)
            left = MOST
            for paths in sorted(files.values(), key=lambda each: last_used(each[0].stat()), reverse=True):
                left -= paths[0].stat().st_size
                for path in paths if left < 0 and newest not in paths else ():
                    path.unlink()
                    path.with_name(NOTE).unlink(missing_ok=True)
                    path.parent.rmdir()


def own() -> Heads:
    """The beginnings that the person who runs this program has opened."""
    return Heads(root() / "gguf")


def source_of(path: Path) -> Source | None:
    """Where one of the own beginnings is from; None for any other file."""
    with suppress(RuntimeError):
        return own().source_of(path)
    return None


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
