"""The step in the address: what leaves a stage gives it back, and it is the step of this page alone."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from explorer.views.examples import EXAMPLES
from tests.browser.conftest import Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
STEP = 20


def asked(page: Explorer) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.page.url).query, keep_blank_values=True)


@pytest.mark.parametrize("name", ["Cut it in two", "Other possible cuts", "a stage", "Escape"])
def test_what_takes_the_place_of_a_stage_gives_its_step_back(visit: Visit, name: str) -> None:
    page = visit().open(step=str(STEP))
    assert page.at_step(STEP)
    bar = page.page.locator(".st-key-overview")
    if name == "a stage":
        here = bar.locator(".stage[aria-selected=true] .name").inner_text()
        bar.locator(".stage").first.click()
        page.settle()
        bar.locator(".stage").filter(has_text=here).click()
    elif name == "Escape":
        page.page.keyboard.press("b")
        page.page.locator(".bd-panel").wait_for()
        page.settle()
        page.page.keyboard.press("Escape")
    else:
        page.menu("More", name)
        page.settle()
        page.menu("More", name)
    page.page.locator(".st-key-stepper .count b").wait_for()
    page.settle()
    assert page.at_step(STEP)
    assert asked(page)["step"] == [str(STEP)]


@pytest.mark.parametrize("other", ["Next turn", "Prompt"])
def test_a_template_opens_again_at_the_step_at_which_it_was_left(visit: Visit, other: str) -> None:
    page = visit()
    page.page.goto(f"{page.address}/prompt?view=template&step=7")
    cards = page.page.locator(".st-key-prompt-cards .stage")
    page.page.locator(".st-key-template_stepper .count b:not(:empty)").wait_for()
    page.settle()
    cards.filter(has=page.page.get_by_text(other, exact=True)).click()
    assert page.comes_to(lambda: "step" not in asked(page))
    page.settle()
    cards.filter(has=page.page.get_by_text("Template", exact=True)).click()
    assert page.comes_to(lambda: asked(page).get("step") == ["7"])
    page.page.locator(".st-key-template_stepper .count b:not(:empty)").wait_for()
    page.settle()
    assert asked(page)["step"] == ["7"]


def test_the_words_of_a_level_are_not_shown_at_one_with_less(visit: Visit) -> None:
    example = next(each for each in EXAMPLES if each.level == "implementation" and each.stage == "model")
    query = {"text": example.text, "m": example.model, "as": example.implementation, "step": str(example.step)}
    hint = ".st-key-overview .hint"
    page = visit().open(**query, stage="model", level="story")
    assert page.page.locator(hint).inner_text() == ""
    page.page.locator(".st-key-stepper").get_by_text("Implementation", exact=True).click()
    assert page.comes_to(lambda: page.page.locator(hint).inner_text() == example.shows)
    page = visit().open(**query, stage="model", level="implementation")
    assert page.comes_to(lambda: page.page.locator(hint).inner_text() == example.shows)


@pytest.mark.parametrize("other", ["Prompt", "Vocabulary"])
def test_a_step_that_was_just_taken_stays_on_its_page(visit: Visit, other: str) -> None:
    page = visit().open(step=str(STEP))
    link = page.page.get_by_test_id("stTopNavLink").filter(has_text=other)
    page.focus_stepper()
    slow = page.page.context.new_cdp_session(page.page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 8})  # the page that is left stays a while
    page.page.keyboard.press("ArrowRight")
    link.click()  # before the step is in the address
    page.page.wait_for_url(lambda url: other.lower() in url)
    for _ in range(20):
        assert "step" not in asked(page)
        page.page.wait_for_timeout(50)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    page.settle()
    assert "step" not in asked(page)


def test_back_leads_to_the_tokenizer_before(visit: Visit) -> None:
    page = visit().open(step=str(STEP), m="llama-2")
    page.choose("m", "gpt-2")
    assert page.comes_to(lambda: asked(page).get("m") == ["gpt-2"])
    page.settle()
    page.choose("m", "rwkv-world")
    assert page.comes_to(lambda: asked(page).get("m") == ["rwkv-world"])
    page.settle()
    page.page.go_back()
    assert page.comes_to(lambda: asked(page).get("m") == ["gpt-2"])
    assert page.comes_to(lambda: "GPT-2" in page.page.locator(".st-key-m input").input_value())
    page.settle()
    page.page.go_back()
    assert page.comes_to(lambda: "Llama 2" in page.page.locator(".st-key-m input").input_value())
    assert page.at_step(STEP)


def test_back_leads_to_the_comparison_before(visit: Visit) -> None:
    page = visit()
    page.page.goto(f"{page.address}/compare")
    chips = page.page.locator(".tc-chips li")
    assert page.comes_to(lambda: chips.count() == 4)
    page.settle()
    chips.last.locator(".tc-remove").click()
    assert page.comes_to(lambda: chips.count() == 3)
    assert page.comes_to(lambda: len(asked(page).get("with", [])) == 3)
    page.settle()
    page.page.go_back()
    assert page.comes_to(lambda: chips.count() == 4)


@pytest.mark.parametrize("card", ["99", "0", "x"])
def test_a_card_that_a_lesson_lacks_is_corrected_in_the_address(visit: Visit, card: str) -> None:
    page = visit()
    page.page.goto(f"{page.address}/learn?lesson=bpe&card={card}")
    at = page.page.locator(".le-at")
    at.wait_for()
    page.settle()
    assert page.comes_to(lambda: at.inner_text().startswith(f"{asked(page).get('card', ['1'])[0]} / "))
