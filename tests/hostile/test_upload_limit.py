"""Unclaimed uploads are limited for each session."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from explorer.ui.serving.limits import MOST_BYTES, MOST_FILES, UploadLimit

Made = TypeVar("Made")


class Server:
    """Accepts files and stores them."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, int]] = []

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await asyncio.sleep(0)
        headers = dict(scope["headers"])
        self.taken.append((scope["path"].split("/")[-2], int(headers.get(b"content-length", b"0"))))
        await send({"type": "http.response.start", "status": 204, "headers": []})

    def stored(self, session: str) -> tuple[int, int]:
        sizes = [size for owner, size in self.taken if owner == session]
        return sum(sizes), len(sizes)


def finished(work: Coroutine[Any, Any, Made]) -> Made:
    """What a coroutine returns, run in a thread of its own: a process that runs browser tests has a loop already."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(asyncio.run, work).result()


def put(app: UploadLimit, *sizes: int | None, session: str = "mine") -> list[int]:
    """The status codes for files of these sizes, sent at once; None sends no length."""

    async def one(number: int, size: int | None) -> int:
        headers = [] if size is None else [(b"content-length", str(size).encode())]
        path = f"/_stcore/upload_file/{session}/{number}"
        said: list[int] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                said.append(message["status"])

        await app({"type": "http", "method": "PUT", "path": path, "headers": headers}, None, send)
        return said[0]

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(one(number, size) for number, size in enumerate(sizes)))

    return finished(all_of_them())


@pytest.fixture
def server() -> Server:
    return Server()


def test_ten_files_of_100_mb_exceed_the_limit_in_turn_and_at_once(server: Server) -> None:
    app = UploadLimit(server, server.stored)
    one_by_one = [put(app, 100_000_000)[0] for _ in range(10)]
    assert one_by_one == [204, 204, *[413] * 8]
    assert sum(size for _, size in server.taken) <= MOST_BYTES
    assert put(app, *[100_000_000] * 10, session="other") == [204, 204, *[413] * 8]


def test_a_request_without_a_length_counts_as_the_largest(server: Server) -> None:
    assert put(UploadLimit(server, server.stored), *[None] * 4).count(204) <= 2


def test_too_many_small_files_exceed_the_limit(server: Server) -> None:
    assert put(UploadLimit(server, server.stored), *[1] * (MOST_FILES + 5)) == [204] * MOST_FILES + [413] * 5


def test_claimed_files_no_longer_count(server: Server) -> None:
    app = UploadLimit(server, server.stored)
    assert put(app, 200_000_000) == [204]
    assert put(app, 100_000_000) == [413]
    server.taken.clear()
    assert put(app, 100_000_000) == [204]
    assert not app.bytes_in_progress
    assert not app.files_in_progress


def test_other_requests_pass(server: Server) -> None:
    passed: list[str] = []

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        passed.append(scope["type"])

    for scope in ({"type": "websocket", "path": "/_stcore/stream"}, {"type": "http", "method": "GET", "path": "/"}):
        finished(UploadLimit(app, server.stored)(scope, None, None))
    assert passed == ["websocket", "http"]
