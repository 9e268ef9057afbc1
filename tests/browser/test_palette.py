"""The palette: Ctrl K on every page, answers in the rows, and where Enter leads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import explorer
from tests.browser.conftest import PHONE, Explorer
from tests.browser.test_walks import start, walk

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


def answers(page: Explorer, typed: str, wanted: str) -> None:
    """Types, and waits for a row that says this."""
    page.page.locator(".pa-field").fill(typed)
    rows = page.page.locator(".pa-rows li")
    assert page.comes_to(lambda: any(wanted in each for each in rows.all_text_contents())), (
        typed,
        rows.all_text_contents(),
    )


def test_each_kind_is_answered_in_its_row(visit: Visit) -> None:
    page = start(visit)
    page.page.keyboard.press("Control+k")
    tok = explorer.load("llama-2")
    answers(page, "1724", "What")
    answers(page, "99999999", "31999")
    answers(page, "[1724, 338, 4309]", tok.decode([1724, 338, 4309]).strip().replace(" ", "␣"))
    answers(page, "U+1F917", "🤗")
    answers(page, "F0 9F A4 97", "Bytes")
    answers(page, "Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B")
    answers(page, "zweimal doppelt".split()[1], "BOS")
    answers(page, "重複", "BOS")
    answers(page, "qqxz vvkj", "tokens")
    field = page.page.locator(".pa-field")
    assert field.get_attribute("role") == "combobox"
    active = page.page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-selected") == "true"
    field.press("Escape")
    assert field.input_value() == ""
    field.press("Escape")
    assert page.comes_to(lambda: not field.is_visible())


def test_enter_leads_there_and_the_session_stays(visit: Visit) -> None:
    page = start(visit)
    page.choose("m", "gpt-2")
    walk(page, "Corpus")
    page.page.keyboard.press("/")
    page.page.locator(".pa-field").fill("41236")
    page.page.keyboard.press("Enter")  # before there is an answer
    page.page.wait_for_url("**/vocabulary?*")
    assert page.comes_to(lambda: "41236" in page.page.locator(".vo-headline").inner_text())
    page.page.keyboard.press("Control+k")
    answers(page, "qqxz vvkj", "tokens")
    page.page.keyboard.press("Enter")
    assert page.comes_to(lambda: page.field.count() > 0 and page.field.input_value() == "qqxz vvkj")


def test_a_slash_in_a_field_is_one_and_a_phone_has_a_button(visit: Visit) -> None:
    page = start(lambda _: visit(PHONE))
    page.field.press_sequentially("/")
    assert not page.page.locator(".pa-field").is_visible()
    page.page.locator(".pa-open").click()
    box = page.page.locator(".pa").bounding_box()
    assert box
    assert box["width"] == PHONE["width"]
    assert page.sideways() == 0


@pytest.mark.parametrize("path", ["vocabulary", "start"])
def test_on_a_phone_nothing_covers_its_button(visit: Callable[..., Explorer], path: str) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/{path}")
    button = page.page.locator(".pa-open")
    button.wait_for()
    page.settle()
    home, own = page.page.locator(".ky-home").bounding_box(), button.bounding_box()
    assert home is not None
    assert own is not None
    assert home["x"] + home["width"] <= own["x"]
    button.click()
    assert page.comes_to(lambda: page.page.locator(".pa-field").is_visible())
