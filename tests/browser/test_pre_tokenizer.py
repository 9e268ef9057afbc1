"""The pre-tokenizer's stepper in the browser: what a scanner reads, rules tried from the top, bytes as letters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
SCREEN = {"width": 1280, "height": 800}
BOX = ".st-key-stepper_pre-tokenize"


def at_step(visit: Visit, step: int, size: dict[str, int] = SCREEN, **query: str) -> Explorer:
    page = visit(size)
    link = {"stage": "pre-tokenize", "level": "algorithm", "pre-tokenize": str(step)} | query
    page.page.goto(f"{page.address}/?" + "&".join(f"{name}={value}" for name, value in link.items()))
    page.page.locator(f"{BOX} .reading .sym").first.wait_for()
    page.settle()
    return page


def texts(page: Explorer, selector: str) -> list[str]:
    return page.page.locator(f"{BOX} {selector}").all_inner_texts()


def test_a_scanner_says_what_it_reads(visit: Visit) -> None:
    page = at_step(visit, 3, m="gpt-2", text=" 12 a", **{"as": "llama.cpp"})
    say = page.page.locator(f"{BOX} .say .what")
    assert "does not apply at" in say.inner_text()
    assert texts(page, ".kinds span") == ["S", "N", "N", "S", "L"]
    assert texts(page, ".rule .here")[:3] == ["no", "no", ""]
    assert texts(page, ".read .words") == ["white space", "a number", "none read yet"]
    heights = set()
    foot = page.page.locator(f"{BOX} .foot")
    for _ in range(20):
        heights.add(foot.bounding_box()["y"])  # type: ignore[index]  # it is in the page
        page.page.keyboard.press("ArrowRight")
        page.page.wait_for_timeout(40)
    assert len(heights) == 1, "nothing moves from step to step"
    page.page.keyboard.press("End")
    assert page.comes_to(lambda: texts(page, ".bytes .byte") == ["20", "61"])
    assert texts(page, ".bytes .in") == ["Ġ", "a"]
    assert [text for text in texts(page, ".reading .under") if text] == ["numbers", "letters"]
    page.page.get_by_role("radio", name="Story").click()
    assert page.comes_to(lambda: len(texts(page, ".answers dt")) == 3)
    page.page.get_by_role("radio", name="Implementation").click()
    assert page.comes_to(lambda: texts(page, ".numbers span") == ["0", "1", "2", "3", "4"])


def test_a_pattern_is_tried_from_the_top(visit: Visit) -> None:
    page = at_step(visit, 6, PHONE, m="gpt-2", text="I 🤗 tokens", **{"as": "huggingface"})
    assert texts(page, ".rule .here") == ["no", "no", "no", "yes: ␣🤗", "not tried", "not tried"]
    assert texts(page, ".bytes .byte") == ["20", "F0", "9F", "A4", "97"]
    assert page.sideways() == 0


@pytest.mark.rest
def test_two_patterns_side_by_side(visit: Visit) -> None:
    page = at_step(visit, 1, m="qwen2.5", text="11", **{"as": "huggingface"})
    page.page.get_by_text("Difference of two patterns").click()
    table = page.page.locator(".tk-difference")
    table.wait_for()
    assert "1 of 7 alternatives is spelled differently." in table.inner_text()
    other = table.locator("tr.other")
    assert other.count() == 1
    assert [part.split() for part in other.locator("bdi").all_inner_texts()] == [["1", "|", "1"], ["11"]]
