"""The Train page in a real browser: a merge forwards and back, and the tokenizer on Explore."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_merge_and_the_tokenizer_it_leads_to(visit: Callable[..., Explorer]) -> None:
    page = visit(DESK, False).open().page
    page.get_by_role("link", name="Train").click()
    page.locator(".stepper .foot").wait_for()
    made = page.locator(".word b.work", has_text="he")
    assert made.count() == 0
    buttons = page.locator(".stepper .foot button")
    for _ in range(4):
        buttons.nth(3).click()
    made.first.wait_for()
    assert "h" in (page.locator(".stepper .say .what").text_content() or "")
    buttons.nth(1).click()
    made.first.wait_for(state="detached")
    page.get_by_role("button", name="Open in Explore").click()
    page.locator(".st-key-overview").wait_for()
    page.wait_for_url("**m=trained+here*")
