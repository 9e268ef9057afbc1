"""A browser's connection: no part of a response waits for a late confirmation, the policy lets it open early, and no
page of another server has one."""

from __future__ import annotations

import socket
import threading
from base64 import b64encode
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import pytest
import uvicorn
from streamlit import config
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.ui.serving import first_paint
from explorer.ui.serving.limits import Hosts, is_own
from explorer.ui.serving.responses import NoDelay, connection_of, headers
from tests.hostile.test_upload_limit import finished


@contextmanager
def served(app: Any) -> Iterator[int]:
    """The port of a server of this app on this machine."""
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="error"))
    with socket.socket(socket.AF_INET) as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        yield bound.getsockname()[1]
        server.should_exit = True
        thread.join(30)


def test_small_parts_leave_at_once() -> None:
    """On a socket that is bound as Streamlit binds it, for which asyncio leaves the delay on."""
    found: list[int] = []

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            found.append(connection_of(receive).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))  # type: ignore[union-attr]
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    with served(NoDelay(app)) as port, socket.create_connection(("127.0.0.1", port), timeout=30) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert browser.recv(100).startswith(b"HTTP/1.1 204")
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
    digest = b64encode(sha256(first_paint.script()).digest()).decode()
    assert f"'sha256-{digest}'" in headers()["content-security-policy"]


OWN = ("http://127.0.0.1:{port}", "https://127.0.0.1:{port}", None)
FOREIGN = (
    "http://127.0.0.1:1", "http://127.0.0.1", "http://localhost:{port}", "http://localhost", "http://0.0.0.0:{port}",
    "http://[::1]:{port}", "http://127.0.0.1:{port}@evil.example", "http://evil.example:{port}", "null", "",
    "http://[", "http://",
)  # fmt: skip


def test_only_own_pages_open_a_socket_or_send_a_request() -> None:
    """Whatever Streamlit takes for its own: each port of this machine. Nobody is asked for an address meanwhile."""

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    def status(port: int, method: str, origin: str | None) -> str:
        line = "" if origin is None else f"Origin: {origin}\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=30) as browser:
            browser.sendall(f"{method} / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{line}\r\n".encode())
            return browser.recv(100).decode().split()[1]

    def opening(port: int, origin: str | None) -> int:
        try:
            with connect(f"ws://127.0.0.1:{port}/", origin=origin, proxy=None):  # type: ignore[arg-type]
                return 101
        except InvalidStatus as error:
            return error.response.status_code

    with served(Hosts(app, ("localhost",))) as port:
        for each in OWN:
            origin = each and each.format(port=port)
            assert opening(port, origin) == 101, origin
            assert status(port, "PUT", origin) == "204", origin
        for each in FOREIGN:
            origin = each.format(port=port)
            assert opening(port, origin) == 403, origin
            assert [status(port, method, origin) for method in ("PUT", "POST", "DELETE")] == ["403"] * 3, origin
            assert status(port, "GET", origin) == "204", origin  # no page of others reads what is answered


def test_the_operator_names_the_origin_of_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a proxy that does not pass on what the browser asks."""
    origin, host = "https://a.example.org", "127.0.0.1:8501"
    assert not is_own(origin, host)
    given: dict[str, Any] = {"server.corsAllowedOrigins": [origin], "server.enableCORS": True}
    original = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: given.get(name, original(name)))
    assert is_own(origin, host)
    assert not is_own(f"{origin}:9", host)
    given["server.enableCORS"] = False
    assert is_own("https://b.example.org", host)
    given |= {"server.enableCORS": True, "server.corsAllowedOrigins": [], "browser.serverAddress": "a.example.org"}
    monkeypatch.setattr(config, "is_manually_set", lambda name: name in given)
    assert is_own(origin, host)
