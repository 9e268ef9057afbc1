"""The HTML that a browser gets first has the pages' styles; nothing else is changed."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from explorer.ui.serving.first_paint import MOST_PAGES, FirstPaint
from tests.hostile.test_upload_limit import finished

PAGE = "<html><body><div id=root></div></body></html>"


def get(response: Response, path: str = "/", method: str = "GET") -> tuple[dict[bytes, bytes], str, set[bytes]]:
    """The headers and the body of a response behind the middleware, and the request headers that it sees."""
    asked: set[bytes] = set()
    headers: dict[bytes, bytes] = {}
    body = bytearray()

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        asked.update(name for name, _ in scope["headers"])
        await response(scope, receive, send)

    async def send(message: MutableMapping[str, Any]) -> None:
        headers.update(message.get("headers", ()))
        body.extend(message.get("body", b""))

    async def receive() -> Any:
        raise AssertionError("no body is read")

    sent = [(b"accept-encoding", b"gzip"), (b"if-none-match", b'"1"'), (b"cookie", b"a=b")]
    scope = {"type": "http", "method": method, "path": path, "headers": sent, "asgi": {"spec_version": "2.4"}}
    finished(FirstPaint(app)(scope, receive, send))
    return headers, body.decode(), asked


def test_a_page_has_the_styles_at_its_end_whole_or_in_parts() -> None:
    whole = HTMLResponse(PAGE, headers={"etag": '"1"', "x-kept": "yes"})
    parts = StreamingResponse(iter([PAGE[:20], PAGE[20:]]), media_type="text/html")
    for response in (whole, parts):
        headers, body, asked = get(response, "/compare")
        assert body.startswith("<html><body><div id=root></div><style>")
        assert ".stMainBlockContainer" in body
        assert body.endswith("</style></body></html>")
        assert int(headers[b"content-length"]) == len(body.encode())
        assert b"etag" not in headers
        assert asked == {b"cookie"}
    assert get(whole)[0][b"x-kept"] == b"yes"


def test_nothing_else_is_changed() -> None:
    assert get(PlainTextResponse(PAGE))[1] == PAGE
    assert get(HTMLResponse(PAGE), "/static/page.html")[1] == PAGE
    assert len(get(HTMLResponse(PAGE), "/_stcore/health")[2]) == 3
    assert get(HTMLResponse(PAGE), method="HEAD")[1] == PAGE


def test_a_page_is_asked_of_streamlit_once_unless_its_answer_is_for_one_browser() -> None:
    for response, expected in (
        (HTMLResponse(PAGE), 1),
        (HTMLResponse(PAGE, headers={"set-cookie": "a=b"}), 3),
        (HTMLResponse(PAGE, 404), 3),
    ):
        asked: list[str] = []

        async def app(
            scope: MutableMapping[str, Any], receive: Any, send: Any,
            asked: list[str] = asked, response: Response = response,
        ) -> None:  # fmt: skip
            asked.append(scope["path"])
            await response(scope, receive, send)

        front = FirstPaint(app)
        assert len({repr(answer(front, "/compare")) for _ in range(3)}) == 1
        assert len(asked) == expected
        for number in range(2 * MOST_PAGES):
            assert answer(front, f"/{number}") == answer(front, f"/{number}")
        assert len(front.pages) <= MOST_PAGES


def answer(front: FirstPaint, path: str) -> list[MutableMapping[str, Any]]:
    """What is sent to a browser that asks for a page."""
    sent: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append({**message})
        message.clear()  # what is sent belongs to who sends it

    async def receive() -> Any:
        raise AssertionError("no body is read")

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "asgi": {"spec_version": "2.4"}}
    finished(front(scope, receive, send))
    return sent
