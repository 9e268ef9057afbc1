"""The web app as an installed package starts it: from any folder, reachable from this machine only."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Explorer, served

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_the_app_starts_from_anywhere(browser: Browser, installed: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.tokenizer.json"
    vocab = {"h": 0, "i": 1, "hi": 2}
    own.write_text(f'{{"model": {{"type": "BPE", "vocab": {vocab}, "merges": ["h i"]}}}}'.replace("'", '"'))
    log = tmp_path / "log.txt"
    command = [installed / "bin" / "explorer", "app", "--tokenizer", own.name]
    with served(command, tmp_path, log, PYTHONPATH=str(installed)) as address:
        assert f"URL: {address}" in log.read_text(), "for this machine only"
        context = browser.new_context(color_scheme="light")
        here = Explorer(context.new_page(), address).open(m="gpt-2", text="hi there")
        assert here.shows([5303, 612])
        color = here.page.locator(".st-key-stepper .tx").first.evaluate(
            "node => getComputedStyle(node).getPropertyValue('--acc')"
        )
        assert color.strip() == "#c2374a", "the theme of .streamlit/config.toml"
        here.open(m=own.name, text="hi")
        assert here.shows([2]), "the file that --tokenizer offers"
        for page in ("compare", "corpus"):
            here.page.goto(f"{address}/{page}")
            here.page.locator("h1", has_text=page).wait_for()
            assert here.page.locator("h1").count() == 1
        assert here.complaints == []
        context.close()
