"""Edits of a vocabulary in a browser: added, removed from the list, and opened on Explore."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_token_is_added_undone_and_found_on_explore(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK, False)
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=bert-uncased&edit=true&token=2652")
    add = page.get_by_role("button", name="Add edit")
    expect(add).to_be_enabled(timeout=60_000)
    page.get_by_label("Text", exact=True).fill("<b>tool</b>")
    add.click()
    expect(page.get_by_text("1. Add the token “<b>tool</b>”")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("1 token added, 0 removed")).to_be_visible(timeout=60_000)
    here.settle()  # until then the page has what was there before, too
    page.get_by_role("button", name="Remove token 2652").click()
    expect(page.get_by_text("2. Remove id 2652")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("2. Remove id 2652")).to_have_count(0, timeout=60_000)
    page.get_by_label("Text before and after").fill("a <b>tool</b>")
    page.get_by_role("button", name="Open in Explore").click()
    expect(page.get_by_label("Tokenizer", exact=True)).to_have_value(
        re.compile("^BERT uncased, edited here"), timeout=60_000
    )
    # the token is one of a, itself and those around the text
    expect(page.get_by_text("4 tokens").first).to_be_visible(timeout=60_000)
