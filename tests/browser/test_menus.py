"""The menus above the stages of Explore: what each action does, its key, and the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


def tab(page: Explorer, key: str) -> str:
    """The tab that is chosen."""
    return page.page.locator(f".st-key-{key} button[aria-checked=true]").text_content() or ""


def test_keys_lead_to_the_places_of_the_menu_and_back(visit: Visit) -> None:
    page = visit().open(text="What is LoRA?", stage="model")
    page.page.keyboard.press("s")
    page.page.locator(".st-key-between").wait_for()
    assert page.comes_to(lambda: tab(page, "between") == "A stop string")
    assert page.comes_to(lambda: "between=A+stop+string" in page.page.url)
    page.page.keyboard.press("b")
    page.page.locator(".bd-panel").wait_for()
    assert tab(page, "between") == "A border"
    page.page.keyboard.press("b")
    page.page.locator(".st-key-stepper .count b").wait_for()
    page.page.keyboard.press("d")
    page.page.locator(".st-key-stream").wait_for()
    assert page.comes_to(lambda: tab(page, "stream") == "One by one")
    page.menu("More", "Find a stop string")
    assert page.comes_to(
        lambda: page.page.locator(".st-key-between").count() == 1 and tab(page, "between") == "A stop string"
    )
    page.settle()
    page.page.locator(".st-key-between button").first.click()
    page.page.locator(".bd-panel").wait_for()
    page.page.keyboard.press("o")
    page.page.locator(".st-key-ways").wait_for()


def test_the_tab_of_streaming_opens_on_a_text_that_streams_and_leaves_a_typed_one(visit: Visit) -> None:
    page = visit().open(stage="decode")
    page.page.locator(".st-key-stream button").nth(1).click()
    assert page.comes_to(lambda: tab(page, "stream") == "One by one" and "text=" in page.page.url)
    assert page.comes_to(lambda: "arrived" in page.page.url)
    page.settle()
    assert "🤗" in page.field.input_value(), "no token of Llama 2 writes it whole"
    page.open(text="mine", stage="decode")
    page.page.locator(".st-key-stream button").nth(1).click()
    assert page.comes_to(lambda: tab(page, "stream") == "One by one")
    page.settle()
    assert page.field.input_value() == "mine"


def test_all_stages_open_on_one_page_in_another_tab(visit: Visit) -> None:
    page = visit().open(text="What is LoRA?", stage="model")
    with page.page.context.expect_page() as other:
        page.page.keyboard.press("a")
    opened = other.value
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.get_by_role("region", name="Special tokens").wait_for(timeout=60_000)
    assert opened.locator(".of-stepper").count() == 6
    assert not complaints
    opened.close()


def test_arrows_move_in_a_menu_and_escape_gives_the_focus_back(visit: Visit) -> None:
    page = visit().open(text="What is LoRA?", stage="model")
    for name in ("Copy", "Share", "More"):
        button = page.page.locator(".actions .action").filter(has_text=name)
        button.click()
        rows = page.page.get_by_role("menuitem")
        focused = "e => e.getRootNode().activeElement === e"
        assert rows.first.evaluate(focused)
        page.page.keyboard.press("End")
        assert rows.last.evaluate(focused)
        page.page.keyboard.press("ArrowDown")
        assert rows.first.evaluate(focused)
        page.page.keyboard.press("Escape")
        assert button.evaluate(focused)
        assert rows.count() == 0


def test_the_menu_fits_a_phone(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/?text=Anna")
    more = page.page.locator(".actions .action").filter(has_text="More")
    more.wait_for()
    page.settle()
    assert [each.is_visible() for each in page.page.locator(".actions .action").all()] == [True, True, True, False]
    more.click()
    box = page.page.get_by_role("menu").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert page.sideways() == 0


def test_learn_keeps_its_keys(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/learn?lesson=token&card=6")
    page.page.locator(".token").first.wait_for(state="attached")
    page.settle()
    before = page.page.url
    page.page.keyboard.press("d")
    page.settle()
    assert page.page.url == before
    assert page.page.locator(".st-key-stream").count() == 0
