"""What an engineer comes for: each task in at most three actions from the first page; typing and Enter are one."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import explorer
from explorer.opening.formats import open_files
from tests.browser.conftest import Explorer
from tests.browser.test_palette import DROP, TINY
from tests.browser.test_walks import start

PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


class Actions:
    """What a visitor does, counted."""

    def __init__(self, page: Explorer) -> None:
        page.settle()
        self.page, self.count = page, 0

    def palette(self) -> None:
        self.count += 1
        self.page.page.keyboard.press("Control+k")

    def ask(self, typed: str, wanted: str) -> None:
        """Types, and opens the first row, which says this."""
        self.count += 1
        self.page.page.locator(".pa-field").fill(typed)
        first = self.page.page.locator(".pa-row").first
        assert self.page.comes_to(lambda: first.count() > 0 and wanted in first.inner_text()), first.inner_text()
        self.page.page.keyboard.press("Enter")

    def shows(self, holds: Callable[[], bool]) -> None:
        assert self.page.comes_to(holds)
        assert self.count <= 3


def test_ids_that_differ(visit: Visit) -> None:
    page = start(visit)
    does = Actions(page)
    does.palette()
    page.page.locator(".pa-field").fill("[1, 5618, 338, 4309, 4717, 29973]")
    does.count += 1
    row = page.page.locator(".pa-row").filter(has_text="Compare them with")
    row.click()
    does.shows(lambda: "Expected+ids" in page.page.url)
    does.shows(lambda: page.page.locator(".al-card").count() > 0)


def test_a_double_bos(visit: Visit) -> None:
    page = start(visit)
    does = Actions(page)
    does.palette()
    does.ask("double bos", "twice")
    does.shows(lambda: page.ids()[:2] == [1, 1])


def test_which_token_an_id_is(visit: Visit) -> None:
    page = start(visit)
    does = Actions(page)
    does.palette()
    does.ask("15339", explorer.load("llama-2").decode([15339]).strip())
    does.shows(lambda: "15339" in page.page.locator(".vo-headline").first.inner_text())


def test_how_many_tokens(visit: Visit) -> None:
    page = start(visit)
    does = Actions(page)
    does.count += 1
    page.field.fill("strawberry")
    count = len(explorer.load("llama-2").encode("strawberry").ids)
    does.shows(lambda: f"{count} tokens" in page.page.locator(".counts").inner_text())


def test_an_own_file(visit: Visit) -> None:
    page = start(visit)
    does = Actions(page)
    does.count += 1
    page.page.evaluate(DROP, [["tokenizer.json", json.dumps(TINY)]])
    assert page.comes_to(lambda: "reads fine" in page.page.locator(".pa-rows").inner_text())
    does.count += 1
    page.page.keyboard.press("Enter")
    does.shows(lambda: "tokenizer.json" in page.page.locator(".st-key-m input").first.input_value())


def test_what_is_seen_is_shared(visit: Visit) -> None:
    page = start(lambda *_: visit(permissions=["clipboard-read", "clipboard-write"]))
    does = Actions(page)
    does.count += 2
    page.menu("Share", "Link to this step")
    does.shows(lambda: page.page.evaluate("navigator.clipboard.readText()") == page.page.url)


def test_transformers_5_against_4(visit: Visit) -> None:
    files = {
        "tokenizer.json": json.dumps({**TINY, **dict.fromkeys(PARTS), "added_tokens": [], "version": "1.0"}),
        "tokenizer_config.json": json.dumps({"tokenizer_class": "GPT2Tokenizer"}),
    }
    page = start(visit)
    does = Actions(page)
    does.count += 1
    page.field.fill("abc a")
    page.settle()
    does.count += 1
    page.page.evaluate(DROP, [*files.items()])
    does.count += 1
    page.page.locator(".pa-row").filter(has_text="transformers 5 against").click()
    does.shows(lambda: "text=abc" in page.page.url)
    data = {name: text.encode() for name, text in files.items()}
    five, four = (open_files(data, each).encode("abc a") for each in ("transformers-5", "transformers-4"))
    assert five.ids != four.ids
    does.shows(lambda: page.page.locator(".st-key-parting").count() > 0)
