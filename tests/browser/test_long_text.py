"""Texts of several lines and long ones: the field shows them, covers nothing, and a reload finds them again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer
from tests.bundled import bundled

pytestmark = [pytest.mark.browser, pytest.mark.long]

PROMPT = "<s>system\nYou are helpful.</s>\n<s>user\nWhat is LoRA?</s>"
LONG = "The quick brown fox. " * 150
COUNT = str(len(bundled("gpt-2").encode(LONG).ids))


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_field_shows_a_prompt_whole_and_covers_nothing(
    size: tuple[int, int], visit: Callable[..., Explorer]
) -> None:
    page = visit(size).open(m="gpt-2", stage="model")
    for text in (PROMPT, LONG):
        page.field.fill(text)
        page.settle()
        for focused in (True, False):
            if not focused:
                page.field.press("Escape")
            whole = page.field.evaluate("area => area.scrollHeight <= area.clientHeight + 1")
            assert whole == (text == PROMPT)
            field = page.field.bounding_box()
            below = page.page.locator(".st-key-overview").first.bounding_box()
            assert field is not None
            assert below is not None
            assert field["y"] + field["height"] <= below["y"]


def test_a_long_text_outlives_a_reload_and_is_missed_elsewhere(visit: Callable[..., Explorer]) -> None:
    page = visit(DESK).open(m="gpt-2", stage="model")
    first = page.field.input_value()
    note = page.page.locator(".lt .note").first
    assert not note.is_visible()
    page.field.fill(LONG)
    page.settle()
    assert note.is_visible()
    assert page.comes_to(lambda: "text_kept=" in page.page.url)
    count = page.page.locator(".st-key-overview .count").first
    assert page.comes_to(lambda: (count.text_content() or "").startswith(COUNT))
    page.page.reload()
    assert page.comes_to(lambda: page.field.input_value() == LONG)
    assert page.comes_to(lambda: (count.text_content() or "").startswith(COUNT))
    page.field.fill("short")
    assert page.comes_to(lambda: "text=short" in page.page.url)
    assert "text_kept" not in page.page.url
    assert not note.is_visible()
    page.page.go_back()
    assert page.comes_to(lambda: page.field.input_value() == LONG)
    other = visit(DESK)
    other.page.goto(page.page.url)
    other.page.locator(".st-key-stepper .count").wait_for()
    other.settle()
    assert other.field.input_value() == first
    note = other.page.locator(".lt .note").first
    assert note.is_visible()
    other.field.fill("new")
    assert other.comes_to(lambda: not note.is_visible() and "text_kept" not in other.page.url)
