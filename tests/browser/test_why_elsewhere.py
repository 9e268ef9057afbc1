"""Elsewhere: the other tokenizers are asked by a button, because they have to be opened."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


def test_the_other_tokenizers_are_asked_on_demand(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model")
    page.page.get_by_role("button", name="Why cut Lo | RA?").click()
    card = page.page.locator(".st-key-overview .why")
    card.get_by_role("button", name="Ask the other tokenizers").click()
    card.locator(".why-others").wait_for(timeout=120_000)
    assert card.is_visible()
    assert "None of the 9 other tokenizers here keeps LoRA as one token." in card.inner_text()
    assert card.locator(".why-others li .cuts").all_inner_texts() == ["Lo | RA"]
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: not card.is_visible())
