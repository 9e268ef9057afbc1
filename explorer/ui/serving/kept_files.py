"""Streamlit's own files and the components', answered from memory and compressed.

A first visit asks for a hundred files, three megabytes. Streamlit reads each from the disk in small parts, 3 ms of the
processor a file, and sends it as it is: a class that arrives at once waits for that. A file whose response may be
cached (its name holds a digest) is kept as it was answered first, with a compressed form beside it; of the components'
files, which Streamlit does not know by their names, the response is made to say so. Leaves out pages, parts of files
and "not modified", which Streamlit answers itself.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import MutableMapping
from typing import Any, Final, NamedTuple

from explorer.ui.components.assets import PACKAGE

MOST_BYTES: Final = 64 * 2**20
"""Of all kept files; Streamlit's have 25 MB."""
SMALLEST: Final = 1000
"""Bytes; a smaller file is not worth compressing."""
TEXT: Final = (b"text/", b"application/javascript", b"application/json", b"image/svg")
COMPONENT: Final = re.compile(rf"/_stcore/bidi-components/{PACKAGE}\.\w+/[0-9a-f]{{16}}\.js$")
FOR_GOOD: Final = (b"cache-control", b"public, immutable, max-age=31536000")
CONDITIONS: Final = frozenset({b"if-none-match", b"if-modified-since", b"if-range", b"range"})
LENGTH: Final = b"content-length"

Message = MutableMapping[str, Any]
Headers = list[tuple[bytes, bytes]]


class Kept(NamedTuple):
    """A file as it was answered. compressed: None where that is no shorter."""

    headers: Headers
    body: bytes
    compressed: bytes | None


class KeptFiles:
    """ASGI middleware that answers files from memory once they were answered."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.files: dict[str, Kept] = {}
        self.size = 0

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Handles a request."""
        if not may_be_kept(scope):
            await self.app(scope, receive, send)
            return
        kept = self.files.get(scope["path"])
        if kept is not None:
            await answer(kept, scope, send)
            return
        start: Message = {}
        body = b""

        async def send_kept(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = named_for_good(message, scope["path"])
            if not is_for_good(start):
                await send(message)
            elif message["type"] == "http.response.body":
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await answer(self.keep(scope["path"], start["headers"], body), scope, send)

        # uncompressed, as it is kept
        asked = [each for each in scope["headers"] if each[0].lower() != b"accept-encoding"]
        await self.app({**scope, "headers": asked}, receive, send_kept)

    def keep(self, path: str, headers: Headers, body: bytes) -> Kept:
        """Compresses a file, and keeps it as far as there is room."""
        compressed = gzip.compress(body, 6, mtime=0) if len(body) >= SMALLEST and is_text(headers) else None
        shorter = compressed if compressed is not None and len(compressed) < len(body) else None
        own = [(name, value) for name, value in headers if name.lower() not in {LENGTH, b"vary"}]
        kept = Kept([*own, (b"vary", b"Accept-Encoding")], body, shorter)
        if self.size + len(body) <= MOST_BYTES:
            self.files[path] = kept
            self.size += len(body) + len(shorter or b"")
        return kept


async def answer(kept: Kept, scope: Message, send: Any) -> None:
    """Sends a kept file, compressed where the browser takes that."""
    headers, body = kept.headers, kept.body
    accepted = b",".join(value for name, value in scope["headers"] if name.lower() == b"accept-encoding")
    if kept.compressed is not None and takes_gzip(accepted):
        headers, body = [*headers, (b"content-encoding", b"gzip")], kept.compressed
    headers = [*headers, (LENGTH, str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def takes_gzip(accepted: bytes) -> bool:
    """Whether a browser takes compressed files, by its Accept-Encoding.

    >>> takes_gzip(b"gzip, br"), takes_gzip(b"br"), takes_gzip(b"gzip;q=0, br")
    (True, False, False)
    """
    parts = [part.strip().replace(b" ", b"").lower() for part in accepted.split(b",")]
    return any(part == b"gzip" or (part.startswith(b"gzip;q=") and part.strip(b"0.") != b"gzip;q=") for part in parts)


def may_be_kept(scope: Message) -> bool:
    """Whether a request is for one whole file of Streamlit or of a component."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope.get("query_string"):
        return False
    path: str = scope["path"]
    ours = "/static/" in path or "/_stcore/bidi-components/" in path
    return ours and not any(name.lower() in CONDITIONS for name, _ in scope["headers"])


def named_for_good(start: Message, path: str) -> Message:
    """The head of a response; of a component's file, whose name holds a digest, one that lets browsers keep the file.

    >>> start = {"status": 200, "headers": [(b"cache-control", b"public")]}
    >>> named_for_good(start, "/_stcore/bidi-components/explorer.sentence/0123456789abcdef.js")["headers"]
    [(b'cache-control', b'public, immutable, max-age=31536000')]
    """
    if not COMPONENT.search(path) or start["status"] != 200:
        return start
    others = [each for each in start["headers"] if each[0].lower() != FOR_GOOD[0]]
    return {**start, "headers": [*others, FOR_GOOD]}


def is_for_good(start: Message) -> bool:
    """Whether a response never changes: browsers may keep it, too."""
    if start.get("status") != 200:
        return False
    headers = {name.lower(): value for name, value in start["headers"]}
    return b"max-age" in headers.get(b"cache-control", b"") and b"content-encoding" not in headers


def is_text(headers: Headers) -> bool:
    """Whether a file is text, by its headers; fonts and pictures are compressed already."""
    return any(name.lower() == b"content-type" and value.startswith(TEXT) for name, value in headers)
