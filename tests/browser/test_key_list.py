"""The list of keys behind "?", on every page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from explorer.ui import PAGES
from explorer.views.components import keys_of
from tests.browser.conftest import DESK, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.parametrize("name", sorted(path.stem for path in PAGES.glob("*.py")))
def test_a_question_mark_opens_the_keys_of_the_page(name: str, visit: Callable[..., Explorer]) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/{'' if name == 'explore' else name}")
    page.page.locator(".st-key-key_list .ky-list").wait_for(state="attached")
    page.settle()
    shown = page.page.locator(".ky-list")
    assert not shown.is_visible()
    page.page.keyboard.press("?")
    assert page.comes_to(shown.is_visible)
    assert shown.locator("h3").all_inner_texts() == [title for title, _ in keys_of(name)]
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: not shown.is_visible())
    if name == "explore":
        page.field.press("End")
        page.field.press_sequentially("?")
        assert page.field.input_value().endswith("??"), "a question mark in a text is one"
        assert not shown.is_visible()
