"""Small parts of a response leave at once instead of waiting 40 ms for the browser to confirm the part before.

Streamlit binds the server's socket itself, without naming TCP, and asyncio then leaves Nagle's algorithm on (uvicorn's
issue 3149): the body of a file waits for the confirmation of its headers, and a browser confirms late. A first visit
asks for a hundred files over six connections. This switches the algorithm off for the connection of each request, as
asyncio does where it knows the protocol. Where a server hides its connection, nothing changes.
"""

from __future__ import annotations

import socket
from collections.abc import MutableMapping
from typing import Any


class NoDelay:
    """ASGI middleware that sets `TCP_NODELAY` on the connections that requests come by."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Handles a request."""
        if scope["type"] != "lifespan" and (connection := connection_of(receive)) is not None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self.app(scope, receive, send)


def connection_of(receive: Any) -> Any | None:
    """The TCP socket behind uvicorn's `receive`; None for another server, a closed connection, or a Unix socket."""
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    found = transport.get_extra_info("socket") if transport is not None else None
    is_tcp = found is not None and found.fileno() >= 0 and found.family in {socket.AF_INET, socket.AF_INET6}
    return found if is_tcp else None
