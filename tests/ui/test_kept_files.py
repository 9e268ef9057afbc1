"""Files that never change are answered from memory as Streamlit answered them; pages name early what they need."""

from __future__ import annotations

import gzip
import re
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.responses import Response
from streamlit.testing.v1 import AppTest

from explorer.ui.components import every_page
from explorer.ui.serving import responses
from explorer.ui.serving.first_paint import COMPONENTS, STATIC, chunks, links
from explorer.ui.serving.responses import KeptFiles
from tests.hostile.test_upload_limit import finished
from tests.ui.app import APP

SCRIPT = "const a = 1;\n" * 400
FOR_GOOD = {"cache-control": "public, immutable, max-age=31536000"}


class Browser:
    """Asks the middleware in front of an app that always answers the same, and counts how often the app is asked."""

    def __init__(self, response: Response) -> None:
        self.response = response
        self.asked = 0
        self.files = KeptFiles(self.app)

    async def app(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        self.asked += 1
        await self.response(scope, receive, send)

    def get(self, path: str, method: str = "GET", query: bytes = b"", **sent: str) -> tuple[dict[str, str], bytes]:
        headers: dict[str, str] = {}
        body = bytearray()

        async def send(message: MutableMapping[str, Any]) -> None:
            headers.update((name.decode(), value.decode()) for name, value in message.get("headers", ()))
            body.extend(message.get("body", b""))

        async def receive() -> Any:
            raise AssertionError("no body is read")

        asked = [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()]
        scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": asked}
        finished(self.files(scope, receive, send))
        return headers, bytes(body)


def test_a_kept_file_is_the_file_compressed_or_not() -> None:
    browser = Browser(Response(SCRIPT, media_type="text/javascript", headers=FOR_GOOD | {"etag": '"1"'}))
    first, small = browser.get("/static/js/a.123.js", accept_encoding="gzip, br")
    again, packed = browser.get("/static/js/a.123.js", accept_encoding="gzip, br")
    plain, whole = browser.get("/static/js/a.123.js", accept_encoding="identity")
    assert browser.asked == 1
    assert whole == gzip.decompress(packed) == SCRIPT.encode()
    assert small == packed
    assert len(packed) < len(whole)
    assert int(again["content-length"]) == len(packed)
    assert int(plain["content-length"]) == len(whole)
    assert again["content-encoding"] == "gzip"
    assert "content-encoding" not in plain
    assert again["vary"] == plain["vary"] == "Accept-Encoding"
    for name in ("etag", "cache-control", "content-type"):
        assert first[name] == again[name] == plain[name]


def test_a_component_whose_name_holds_a_digest_may_be_kept() -> None:
    """Streamlit says of each component's file only that it is public; the browser would fetch it for every page."""
    browser = Browser(Response(SCRIPT, media_type="text/javascript", headers={"cache-control": "public"}))
    for _ in range(2):
        headers, body = browser.get("/_stcore/bidi-components/explorer.explorer_sentence/0123456789abcdef.js")
        assert headers["cache-control"] == FOR_GOOD["cache-control"]
        assert body == SCRIPT.encode()
    assert browser.asked == 1
    others = ("explorer.explorer_sentence/sentence.js", "other.sentence/0123456789abcdef.js")
    assert {browser.get(f"/_stcore/bidi-components/{name}")[0]["cache-control"] for name in others} == {"public"}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/", {}),
        ("/static/js/a.js", {"query": b"x=1"}),
        ("/static/js/a.js", {"method": "HEAD"}),
        ("/static/js/a.js", {"if_none_match": '"1"'}),
        ("/static/js/a.js", {"range": "bytes=0-5"}),
    ],
)
@pytest.mark.sample(5)
def test_what_the_app_must_answer_itself(path: str, asked: dict[str, Any]) -> None:
    browser = Browser(Response(SCRIPT, media_type="text/javascript", headers=FOR_GOOD))
    for _ in range(2):
        browser.get(path, **asked)
    assert browser.asked == 2


def test_what_may_change_or_fails_is_not_kept_and_there_is_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Response("no such file", status_code=404, headers=FOR_GOOD)
    for response in (Response(SCRIPT, headers={"cache-control": "no-cache"}), Response(SCRIPT), missing):
        browser = Browser(response)
        for _ in range(2):
            browser.get("/static/js/a.js")
        assert browser.asked == 2
    monkeypatch.setattr(responses, "MOST_BYTES", 3 * len(SCRIPT))
    browser = Browser(Response(SCRIPT, media_type="font/woff2", headers=FOR_GOOD))
    for name in "abcdabcd":
        assert browser.get(f"/static/js/{name}.js")[1] == SCRIPT.encode()
    assert browser.asked == 5, "the first three are kept"


def test_what_pages_name_early_exists_and_is_not_named_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    html = (STATIC / "index.html").read_text("utf-8")
    found = chunks()
    assert {name.rpartition("/")[2].partition(".")[0] for name in found} >= {"BidiComponent", "Selectbox", "Html"}
    for name in found:
        assert (STATIC / name).is_file()
        assert name not in html
    monkeypatch.setattr(every_page, "FILES", {})
    assert b"bidi-components" not in links("/"), "a component that no page has mounted is not served"
    AppTest.from_file(APP, default_timeout=60).run()
    hrefs = re.findall(r'href="\./([^"]+)"', links("/").decode())
    assert len(hrefs) == len(set(hrefs))
    assert set(found) <= set(hrefs)
    assert every_page.JAVASCRIPT.keys() >= set(COMPONENTS["/"])
    for name in COMPONENTS["/"]:
        assert f"_stcore/bidi-components/explorer.{name}/{every_page.FILES[name]}" in hrefs
