"""Other ways to cut a text on Explore: a link, another seed or rule, the steps of a draw, the way back, a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


def opened(page: Explorer, **query: str) -> Explorer:
    asked = {"m": "gpt-2", "text": "%20unrelated", "sample": "many"} | query
    page.page.goto(f"{page.address}/?" + "&".join(f"{name}={value}" for name, value in asked.items()))
    return page


def shown(page: Explorer) -> str:
    return page.page.locator(".wy-what").inner_text()


def test_a_link_opens_the_draws_and_one_of_them_is_played(visit: Visit) -> None:
    page = opened(visit(DESK))
    page.page.locator(".wy-row").first.wait_for()
    assert "88" in shown(page)
    assert page.page.locator(".wy-row.usual .wy-cell small").all_inner_texts()[0].endswith("94.03 %")
    page.page.keyboard.press("r")
    assert page.comes_to(lambda: "seed=1" in page.page.url)
    assert page.comes_to(lambda: page.page.locator(".wy-panel.waits").count() == 0)
    page.page.get_by_role("button", name="the paper").click()
    assert page.comes_to(lambda: page.page.locator(".wy-row.usual .wy-cell.own small").inner_text().endswith("65.46 %"))
    assert "rule=subword-nmt" in page.page.url
    page.page.locator(".wy-row .wy-see").nth(1).click()
    page.page.locator(".stepper .head, .stepper").first.wait_for()
    assert page.comes_to(lambda: "sample=one" in page.page.url and "draw=" in page.page.url)
    assert page.page.locator(".wy-bar-panel select").input_value() == "subword-nmt"
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: "sample" not in page.page.url and "alpha" not in page.page.url)
    page.page.go_back()
    page.page.locator(".wy-bar-panel").wait_for()
    assert page.comes_to(lambda: "sample=one" in page.page.url)


def test_alpha_is_changed_and_an_error_is_shown(visit: Visit) -> None:
    page = opened(visit(DESK), draws="1000000")
    page.page.locator(".wy-error").wait_for()
    assert "10,000" in page.page.locator(".wy-error").inner_text()
    page.page.locator(".wy-foot select").select_option("1000")
    page.page.locator(".wy-row").first.wait_for()
    page.page.locator(".wy-foot .alpha").fill("nan")
    page.page.locator(".wy-error").wait_for()
    page.page.locator(".wy-foot .alpha").fill("0")
    assert page.comes_to(lambda: page.page.locator(".wy-row").count() == 1)


def test_another_text_keeps_what_was_asked(visit: Visit) -> None:
    page = opened(visit(DESK), alpha="0.4", seed="9")
    page.page.locator(".wy-row").first.wait_for()
    page.field.fill(" lower")
    assert page.comes_to(lambda: page.page.locator(".wy-row.usual .tok").inner_text() == "·lower")
    assert page.page.locator(".wy-foot .seed").input_value() == "9"
    assert page.page.locator(".wy-foot .alpha").input_value() == "0.4"


def test_a_model_without_sampling_says_so(visit: Visit) -> None:
    page = opened(visit(DESK), m="bert-uncased")
    page.page.locator(".wy-panel").wait_for()
    assert page.comes_to(lambda: "WordPiece" in shown(page))
    assert not page.page.locator(".wy-foot").is_visible()


def test_a_phone_has_a_bar_under_each_way(visit: Visit) -> None:
    page = opened(visit(PHONE))
    page.page.locator(".wy-row").first.wait_for()
    assert page.page.locator(".wy-row").first.locator(".wy-cell:visible").count() == 1
    assert page.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.page.get_by_role("radio", name="One draw").click()
    page.page.locator(".stepper").wait_for()
    assert page.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
