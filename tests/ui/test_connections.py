"""A browser's connection: no part of a response waits for a late confirmation, and the policy lets it open early."""

from __future__ import annotations

import socket
import threading
from base64 import b64encode
from collections.abc import MutableMapping
from hashlib import sha256
from typing import Any

import uvicorn

from explorer.ui.serving import early
from explorer.ui.serving.headers import headers
from explorer.ui.serving.no_delay import NoDelay, connection_of
from tests.hostile.test_upload_limit import finished


def test_small_parts_leave_at_once() -> None:
    """On a socket that is bound as Streamlit binds it, for which asyncio leaves the delay on."""
    found: list[int] = []

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            found.append(connection_of(receive).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))  # type: ignore[union-attr]
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    server = uvicorn.Server(uvicorn.Config(NoDelay(app), lifespan="off", log_level="error"))
    with socket.socket(socket.AF_INET) as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        with socket.create_connection(bound.getsockname(), timeout=30) as browser:
            browser.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert browser.recv(100).startswith(b"HTTP/1.1 204")
        server.should_exit = True
        thread.join(30)
    assert found
    assert all(found)


def test_another_server_is_left_alone() -> None:
    passed: list[Any] = []

    async def app(*arguments: Any) -> None:
        passed.append(arguments)

    finished(NoDelay(app)({"type": "http"}, None, None))
    finished(NoDelay(app)({"type": "lifespan"}, None, None))
    assert len(passed) == 2


def test_the_script_runs_under_the_policy() -> None:
    """Which names it by its hash; tests/browser/test_served.py compares what it says with the server's answer."""
    digest = b64encode(sha256(early.script()).digest()).decode()
    assert f"'sha256-{digest}'" in headers()["content-security-policy"]
