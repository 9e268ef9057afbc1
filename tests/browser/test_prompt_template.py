"""The view Template of the page Prompt in Chromium: its levels, jumps to the step that wrote a token, a failure."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Locator

from explorer.prompts.messages import packed
from tests.browser.conftest import PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
MOCK = {"width": 1280, "height": 800}
PART = {"type": "text", "text": "x"}
LIST = packed({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [PART]}]})


def opened(visit: Visit, query: str, size: object = MOCK) -> Explorer:
    page = visit(size)
    page.page.goto(f"{page.address}/prompt?m=qwen2.5&view=template&{query}")
    page.page.locator(".stepper:not([aria-busy]) .headline").wait_for()
    page.settle()
    return page


def step(page: Explorer) -> str:
    return page.page.locator(".stepper .count b").inner_text()


def lit(page: Explorer) -> Locator:
    """The rows of the source that are at work."""
    return page.page.locator(".tp-row.tp-on")


def parts(page: Explorer) -> list[list[str]]:
    """What is at work: an expression, its tokens, their number."""
    rows = page.page.locator(".tp-part").all()
    return [[row.locator("> code").inner_text(), *row.locator(".pr-text").all_inner_texts()] for row in rows]


def test_a_write_lights_its_statement_and_shows_its_parts(visit: Visit) -> None:
    page = opened(visit, "step=16&level=algorithm")
    assert page.comes_to(lambda: step(page) == "16")
    assert page.page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollHeight - main.clientHeight") == 0
    assert lit(page).locator(".tp-number").all_inner_texts() == ["23"]
    assert lit(page).locator(".tp-hot").inner_text() == "message.content"
    assert lit(page).locator(".tp-value").inner_text() == "19 tokens"
    assert page.page.locator(".tp-row", has_text="22").locator(".tp-decided").inner_text() == 'message.role == "user"'
    made = parts(page)
    assert [row[0] for row in made][:2] == ["'<|im_start|>'", "message.role"]
    content = next(row[1:] for row in made if row[0] == "message.content")
    assert len(content) == 14
    assert content[:2] == ["And", "·Q"]
    assert page.page.locator(".tp-turn small").all_inner_texts() == ["10", "10", "15", "19"]
    assert page.page.locator(".tp-turn.tp-future").all_inner_texts() == ["answer"]
    assert page.page.locator(".tp-fold").count() == 4
    page.page.locator(".stepper").focus()
    page.page.keyboard.press("ArrowLeft")
    assert page.comes_to(lambda: step(page) == "15")
    assert lit(page).locator(".tp-decided").inner_text() == 'message.role == "user"'
    page.page.keyboard.press("Shift+ArrowLeft")
    assert page.comes_to(lambda: step(page) == "14")
    assert page.sideways() == 0
    foot = page.page.locator(".stepper .foot").bounding_box()
    assert foot is not None
    assert foot["y"] + foot["height"] <= 800


def test_story_has_the_text_and_implementation_every_line(visit: Visit) -> None:
    page = opened(visit, "step=3&level=story")
    assert page.page.locator(".tp-row").count() == 0
    assert page.page.locator(".tp-growing .pr-token").count() == 10
    assert page.page.locator(".tp-growing .tp-new").count() == 10
    page.page.locator(".levels button", has_text="Implementation").click()
    assert page.comes_to(lambda: page.page.locator(".tp-row").count() == 54)
    assert page.page.locator(".tp-fold").count() == 0
    assert page.page.locator(".tp-cut").count() > 54
    assert parse_qs(urlparse(page.page.url).query)["level"] == ["implementation"]


def test_a_token_leads_to_the_step_that_wrote_it(visit: Visit) -> None:
    page = visit(MOCK)
    page.page.goto(f"{page.address}/prompt?m=qwen2.5&step=3")
    page.page.locator(".pr-token").first.wait_for()
    page.settle()
    page.page.locator(".pr-row").nth(2).locator(".pr-token", has_text="cheap").click()
    page.page.get_by_text("Show in the template").click()
    page.page.locator(".stepper:not([aria-busy]) .headline").wait_for()
    assert page.comes_to(lambda: step(page) == "13")


def test_a_template_that_fails_opens_at_its_last_step(visit: Visit) -> None:
    page = opened(visit, f"level=algorithm&chat={LIST}")
    assert page.comes_to(lambda: page.page.locator(".say .kind").inner_text() == "error")
    assert step(page) == page.page.locator(".stepper .count span").last.inner_text().split()[-1]
    assert lit(page).locator(".tp-fault").inner_text() == "message.content"
    assert lit(page).locator(".tp-value").inner_text() == "fails"
    assert "can only concatenate" in page.page.locator(".say .why").inner_text()
    assert page.page.locator(".tp-part.tp-fault > code").inner_text() == "message.content"
    page.page.locator(".tp-offer").click()
    assert page.comes_to(lambda: page.page.locator(".say .kind").inner_text() != "error")
    assert page.comes_to(lambda: page.page.locator(".tp-turn").count() == 3)
    assert page.page.locator(".tp-offer").is_hidden()


def test_on_a_phone_everything_is_there_and_nothing_scrolls_sideways(visit: Visit) -> None:
    page = opened(visit, "step=16&level=algorithm", PHONE)
    assert page.comes_to(lambda: step(page) == "16")
    assert page.sideways() == 0
    assert lit(page).count() == 1
    assert len(parts(page)) == 6


def test_llama_cpp_plays_the_same_template(visit: Visit) -> None:
    page = visit(MOCK)
    page.page.goto(f"{page.address}/prompt?m=qwen2.5&as=llama.cpp&view=template&step=16&level=implementation")
    page.page.locator(".stepper:not([aria-busy]) .headline").wait_for()
    assert page.comes_to(lambda: "binary_expression" in page.page.locator(".say .what").inner_text())
