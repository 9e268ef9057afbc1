"""Answers requests under this machine's names only, against DNS rebinding, and sockets of its own pages only.

A site can have its own name resolve to 127.0.0.1, and its script then reads whatever this server answers: Host and
Origin agree, so neither the browser nor Streamlit objects. Allowed are addresses, which no name service decides, this
machine's names, and those that the operator gives: `--host NAME`, or `EXPLORER_HOSTS` with spaces between names;
`*.example.org` allows all names below example.org, and `*` every name, where a proxy checks them.

A page of any site may open a socket, and send a request that changes something; the browser says whose page it is.
Streamlit takes such a page from every port of this machine, and asks another server for this machine's address before
it refuses one. Here its origin must be the host that was asked, or one that the operator gave Streamlit.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Collection, MutableMapping
from functools import cache
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from streamlit import config
from streamlit.url_util import get_hostname
from streamlit.web.server.server_util import allow_all_cross_origin_requests, is_allowed_origin

from explorer.ui.tokenizers.server_arguments import app_arguments, parse_arguments

VARIABLE: Final = "EXPLORER_HOSTS"
"""An environment variable: more names of this server, separated by spaces."""
PORT: Final = re.compile(r":\d{0,5}$")
LONGEST: Final = 260
"""Characters of a host with its port."""
READING: Final = ("GET", "HEAD", "OPTIONS")
"""Requests that change nothing; what they answer, the browser keeps from pages of others."""
FOREIGN_NAME: Final = f"This server does not have this name. Start it with --host NAME, or set {VARIABLE}=NAME."
FOREIGN_PAGE: Final = (
    "This comes from a page of another server. Start this one with --server.corsAllowedOrigins ORIGIN to allow it."
)


class Hosts:
    """ASGI middleware that refuses requests and connections under other names. allowed: by default, `allowed_hosts`."""

    def __init__(self, app: Any, allowed: Collection[str] | None = None) -> None:
        self.app, self.allowed = app, allowed

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Handles a request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        given = [value for name, value in scope.get("headers", ()) if name.lower() == b"host"]
        allowed = allowed_hosts() if self.allowed is None else self.allowed
        # a browser always sends one
        if len(given) > 1 or not all(is_allowed(each.decode("latin-1"), allowed) for each in given):
            await refuse(scope["type"], send, 421, FOREIGN_NAME)
            return
        if scope.get("method") not in READING:
            host = b"".join(given).decode("latin-1")
            origins = [value for name, value in scope.get("headers", ()) if name.lower() == b"origin"]
            if not all(is_own(each.decode("latin-1"), host) for each in origins):
                await refuse(scope["type"], send, 403, FOREIGN_PAGE)
                return
        await self.app(scope, receive, send)


@cache
def allowed_hosts() -> frozenset[str]:
    """The names of this machine, and those the operator gave."""
    given = [*os.environ.get(VARIABLE, "").split(), *parse_arguments(app_arguments()).hosts]
    name = socket.gethostname()
    own = ["localhost", "*.localhost", name, socket.getfqdn(), f"{name.partition('.')[0]}.local"]
    return frozenset(each.lower().rstrip(".") for each in (*own, *given))


def is_allowed(host: str, allowed: Collection[str]) -> bool:
    """Whether a Host header names this server.

    >>> [is_allowed(each, {"localhost", "*.a.org"}) for each in ("localhost:8501", "127.0.0.1", "[::1]:80", "x.a.org")]
    [True, True, True, True]
    >>> [is_allowed(each, {"localhost", "*.a.org"}) for each in ("localhost.evil.org", "127.0.0.1.evil.org", "a.org")]
    [False, False, False]
    """
    if len(host) > LONGEST:
        return False
    name = PORT.sub("", host).lower().rstrip(".")
    if name in allowed or "*" in allowed:
        return True
    try:
        ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        parents = (name[at + 1 :] for at, ch in enumerate(name) if ch == ".")
        return any(f"*.{each}" in allowed for each in parents)
    return True


def is_own(origin: str, host: str) -> bool:
    """Whether a page of this origin is this server's, which was asked by that host, or the operator's.

    >>> [is_own(f"http://{each}", "localhost:8501") for each in ("localhost:8501", "localhost:9000", "127.0.0.1:8501")]
    [True, False, False]
    """
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    if not name:
        return False
    if parts.netloc.lower() == host.lower() or allow_all_cross_origin_requests() or is_allowed_origin(origin):
        return True
    address = "browser.serverAddress"
    return config.is_manually_set(address) and name == get_hostname(config.get_option(address))


async def refuse(kind: str, send: Any, status: int, why: str) -> None:
    """Answers a request with a status and a sentence, and a connection with 403."""
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    body = why.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))  # a body that is on its way is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
