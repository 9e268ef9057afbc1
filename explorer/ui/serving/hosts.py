"""Answers requests under this machine's names only, against DNS rebinding.

A site can have its own name resolve to 127.0.0.1, and its script then reads whatever this server answers: Host and
Origin agree, so neither the browser nor Streamlit objects. Allowed are addresses, which no name service decides, this
machine's names, and those that the operator gives: `--host NAME`, or `EXPLORER_HOSTS` with spaces between names;
`*.example.org` allows all names below example.org, and `*` every name, where a proxy checks them.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Collection, MutableMapping
from functools import cache
from ipaddress import ip_address
from typing import Any, Final

from explorer.ui.tokenizers.server_arguments import app_arguments, parse_arguments

VARIABLE: Final = "EXPLORER_HOSTS"
"""An environment variable: more names of this server, separated by spaces."""
PORT: Final = re.compile(r":\d{0,5}$")
LONGEST: Final = 260
"""Characters of a host with its port."""


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
            await refuse(scope["type"], send)
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


async def refuse(kind: str, send: Any) -> None:
    """Answers with status 421, and a connection with 403."""
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    body = f"This server does not have this name. Start it with --host NAME, or set {VARIABLE}=NAME.".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 421, "headers": headers})
    await send({"type": "http.response.body", "body": body})
