"""What is changed in all responses: security headers, files from memory, no delay.

The content security policy keeps untrusted text a text even if a page has a bug: it allows scripts from the server
itself, from the blobs that Streamlit loads components from, and the inline scripts of the page, Streamlit's and ours,
by their hashes. Styles are inline everywhere in Streamlit. Nothing is fetched from other origins, and no other site
may frame the pages unless `EXPLORER_FRAMED_BY` names it. `Referrer-Policy` hides the URL, which holds the text, from
other sites. Leaves out TLS and `Strict-Transport-Security`, which are a proxy's task.

A first visit asks for a hundred files, three megabytes. Streamlit reads each from the disk in small parts, 3 ms of
the processor a file, and sends it as it is: a class that arrives at once waits for that. A file whose response may be
cached (its name holds a digest) is kept as it was answered first, with a compressed form beside it; of the
components' files, which Streamlit does not know by their names, the response is made to say so. Leaves out pages,
parts of files and "not modified", which Streamlit answers itself.

Streamlit binds the server's socket itself, without naming TCP, and asyncio then leaves Nagle's algorithm on
(uvicorn's issue 3149): the body of a file waits 40 ms for the confirmation of its headers, and a browser confirms
late. `NoDelay` switches the algorithm off for the connection of each request, as asyncio does where it knows the
protocol. Where a server hides its connection, nothing changes.
"""

import gzip
import logging
import os
import re
import socket
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import streamlit
from starlette.datastructures import Headers as RequestHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.tables import read_toml
from explorer.ui.components.every_page import PACKAGE
from explorer.ui.serving import first_paint

LOG = logging.getLogger(__name__)
SENT = read_toml(__file__, "responses.toml")
"""What all responses say alike."""
FRAMED_BY = "EXPLORER_FRAMED_BY"
"""An environment variable: the origins that may frame the pages, separated by spaces."""

INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
ORIGIN = re.compile(r"https?://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:(\d{1,5}|\*))?", re.IGNORECASE)
"""`https://*.example.org:8443`: in ASCII, without a path, and a star for whole parts alone."""


class Headers:
    """ASGI middleware that adds the headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.added = [(name.encode(), value.encode()) for name, value in headers(framing_origins()).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in self.added}
                message["headers"] = [each for each in message.get("headers", ()) if each[0].lower() not in own]
                message["headers"] += self.added
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def framing_origins() -> tuple[str, ...]:
    """The origins that the operator lets frame the pages. One line of the log names what is no origin."""
    given = [each.removesuffix("/") for each in re.split(r"[\s,]+", os.environ.get(FRAMED_BY, "")) if each]
    wrong = [each for each in given if not ORIGIN.fullmatch(each)]
    if wrong:
        LOG.warning("%s has no origin in %a; give https://example.org, with spaces between several", FRAMED_BY, wrong)
    return tuple(each for each in given if each not in wrong)


def headers(framed_by: tuple[str, ...] = ()) -> dict[str, str]:
    """The headers by lowercase name.

    >>> headers()["x-frame-options"], "x-frame-options" in headers(("https://example.org",))
    ('SAMEORIGIN', False)
    """
    found = {**SENT["headers"], "content-security-policy": policy(framed_by)}
    # this header cannot name other origins; newer browsers use the policy
    return found if framed_by else found | {"x-frame-options": "SAMEORIGIN"}


def policy(framed_by: tuple[str, ...]) -> str:
    """The content security policy."""
    inline = " ".join(f"'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in inline_scripts())
    rules = {
        **SENT["policy"],
        "script-src": f"'self' blob: {inline}".rstrip(),
        "frame-ancestors": " ".join(("'self'", *framed_by)),
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


@cache
def inline_scripts() -> tuple[bytes, ...]:
    """The inline scripts of the page: Streamlit's and ours."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    return (*(INLINE.findall(page.read_bytes()) if page.is_file() else ()), first_paint.script())


MOST_BYTES = 64 * 2**20
"""Of all kept files; Streamlit's have 25 MB."""
SMALLEST = 1000
"""Bytes; a smaller file is not worth compressing."""
TEXT = (b"text/", b"application/javascript", b"application/json", b"image/svg")
COMPONENT = re.compile(rf"/_stcore/bidi-components/{PACKAGE}\.\w+/[0-9a-f]{{16}}\.js$")
FOR_GOOD = (b"cache-control", b"public, immutable, max-age=31536000")
CONDITIONS = frozenset({b"if-none-match", b"if-modified-since", b"if-range", b"range"})
LENGTH = b"content-length"

HeaderList = list[tuple[bytes, bytes]]


class Kept(NamedTuple):
    """A file as it was answered. compressed: None where that is no shorter."""

    headers: HeaderList
    body: bytes
    compressed: bytes | None


class KeptFiles:
    """ASGI middleware that answers files from memory once they were answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.files: dict[str, Kept] = {}
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        if not may_be_kept(scope):
            await self.app(scope, receive, send)
            return
        kept = self.files.get(scope["path"])
        if kept is None:
            # uncompressed, as it is kept
            messages, body = await first_paint.answered(self.app, scope, receive, {b"accept-encoding"})
            start = named_for_good(messages[0], scope["path"])
            if not is_for_good(start):
                for each in (start, *messages[1:]):
                    await send(each)
                return
            kept = self.keep(scope["path"], start["headers"], body)
        await answer(kept, scope, send)

    def keep(self, path: str, headers: HeaderList, body: bytes) -> Kept:
        """Compresses a file, and keeps it as far as there is room."""
        # fonts and pictures are compressed already
        is_text = len(body) >= SMALLEST and dict(headers).get(b"content-type", b"").startswith(TEXT)
        compressed = gzip.compress(body, 6, mtime=0) if is_text else body
        shorter = compressed if len(compressed) < len(body) else None
        own = [(name, value) for name, value in headers if name not in {LENGTH, b"vary"}]
        kept = Kept([*own, (b"vary", b"Accept-Encoding")], body, shorter)
        if self.size + len(body) <= MOST_BYTES:
            self.files[path] = kept
            self.size += len(body) + len(shorter or b"")
        return kept


async def answer(kept: Kept, scope: Scope, send: Send) -> None:
    """Sends a kept file, compressed where the browser takes that."""
    headers, body = kept.headers, kept.body
    if kept.compressed is not None and takes_gzip(",".join(RequestHeaders(scope=scope).getlist("accept-encoding"))):
        headers, body = [*headers, (b"content-encoding", b"gzip")], kept.compressed
    headers = [*headers, (LENGTH, str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def takes_gzip(accepted: str) -> bool:
    """Whether a browser takes compressed files, by its Accept-Encoding.

    >>> takes_gzip("gzip, br"), takes_gzip("br"), takes_gzip("gzip;q=0, br")
    (True, False, False)
    """
    parts = accepted.replace(" ", "").lower().split(",")
    return any(part == "gzip" or (part.startswith("gzip;q=") and part.strip("0.") != "gzip;q=") for part in parts)


def may_be_kept(scope: Scope) -> bool:
    """Whether a request is for one whole file of Streamlit or of a component."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope.get("query_string"):
        return False
    path: str = scope["path"]
    ours = "/static/" in path or "/_stcore/bidi-components/" in path
    return ours and CONDITIONS.isdisjoint(name for name, _ in scope["headers"])


def named_for_good(start: Message, path: str) -> Message:
    """The head of a response; of a component's file, whose name holds a digest, one that lets browsers keep the file.

    >>> start = {"status": 200, "headers": [(b"cache-control", b"public")]}
    >>> named_for_good(start, "/_stcore/bidi-components/explorer.sentence/0123456789abcdef.js")["headers"]
    [(b'cache-control', b'public, immutable, max-age=31536000')]
    """
    if not COMPONENT.search(path) or start["status"] != 200:
        return start
    return {**start, "headers": [*(each for each in start["headers"] if each[0] != FOR_GOOD[0]), FOR_GOOD]}


def is_for_good(start: Message) -> bool:
    """Whether a response never changes: browsers may keep it, too."""
    headers = dict(start.get("headers", ()))
    return (
        start.get("status") == 200
        and b"max-age" in headers.get(b"cache-control", b"")
        and b"content-encoding" not in headers
    )


class NoDelay(NamedTuple):
    """ASGI middleware that sets `TCP_NODELAY` on the connections that requests come by."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        if scope["type"] != "lifespan" and (connection := connection_of(receive)) is not None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self.app(scope, receive, send)


def connection_of(receive: Receive) -> Any | None:
    """The TCP socket behind uvicorn's `receive`; None for another server, a closed connection, or a Unix socket."""
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    found = transport.get_extra_info("socket") if transport is not None else None
    is_tcp = found is not None and found.fileno() >= 0 and found.family in {socket.AF_INET, socket.AF_INET6}
    return found if is_tcp else None
