"""The Vocabulary page in a browser: a search as it is typed, a token, the address."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_search_a_token_and_its_address(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK, False)
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=rwkv-world")
    found, about = page.locator(".vo-found"), page.locator(".vo-dossier header b")
    expect(found).to_have_text("65,530 of 65,530", timeout=30_000)
    page.locator(".vo-input").fill("token")
    expect(found).to_have_text("11 of 65,530", timeout=20_000)
    page.locator(".vo-plane .vo-row").nth(2).click()
    chosen = page.locator(".vo-plane .vo-row.on .vo-id").inner_text()
    expect(about).to_have_text(chosen, timeout=20_000)
    expect(page.locator(".vo-verdict")).to_contain_text("Its own text gives it.")
    assert f"q=token&token={chosen}" in page.url
    page.reload()
    expect(found).to_have_text("11 of 65,530", timeout=30_000)
    expect(about).to_have_text(chosen)


def test_a_slow_search_says_that_the_list_is_of_another(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK, False)
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=o200k_base&by=regex&q=token")
    found, rows = page.locator(".vo-found"), page.locator(".vo-list")
    expect(found).to_contain_text(" of ", timeout=30_000)
    page.locator(".vo-input").fill(r"^((.+)+)+\d$")
    expect(found).to_have_text("searching…", timeout=20_000)
    expect(rows).to_have_attribute("data-waits", "")
    expect(found).to_contain_text(" of ", timeout=60_000)
    expect(rows).not_to_have_attribute("data-waits", "")
