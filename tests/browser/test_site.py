"""The site of all lessons and examples in a browser, from a plain file server: pages play and lead to each other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from explorer.saved.lesson import INDEX, site
from explorer.views.examples import QUESTIONS

pytestmark = [pytest.mark.browser, pytest.mark.long]


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The URL of a site in this folder, which a plain file server answers."""
    site(folder)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path) as url:
        yield url


def test_pages_play_and_lead_back_without_a_message_in_the_console(served: str, browser: Browser) -> None:
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{message.text} {message.location}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{served}/{INDEX}")
    page.get_by_role("link", name=QUESTIONS[0].label).click()
    page.locator(".of-stepper .say", has_text="make a piece").wait_for()
    page.get_by_role("link", name="All lessons and examples").click()
    page.get_by_role("link", name="BPE: the list decides").click()
    page.get_by_role("link", name="Next:").click()
    page.wait_for_url("**/lesson-*.html")
    page.get_by_role("link", name="All lessons and examples").click()
    page.get_by_role("link", name=QUESTIONS[0].label).wait_for()
    page.close()
    assert [each for each in said if "favicon" not in each] == []
