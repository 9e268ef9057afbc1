"""Every example is a link that shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import parse_qs, urlsplit

import pytest

from explorer.ui.explore import query_of
from explorer.ui.parameters import step_parameter
from explorer.views.examples import EXAMPLES, QUESTIONS, WALKS, Example
from tests.browser.conftest import Explorer
from tests.views.test_presets import opened

pytestmark = pytest.mark.browser
PARTS = 11
"""All examples in a row take a minute: so many tests share them."""
Visit = Callable[..., Explorer]


def choose(page: Explorer, example: Example) -> None:
    """Opens an example by its link."""
    page.page.goto(f"{page.address}/?{query_of(example)}")


def ids(page: Explorer) -> list[int]:
    """The ids under the text."""
    return [int(text) for text in page.page.locator(".st-key-overview .token small").all_text_contents()]


def words(text: str) -> str:
    """A sentence without its quotation marks, which a page draws as chips."""
    return re.sub(r"\s+", " ", re.sub("[“”]", "", text)).strip()


def shows(page: Explorer, example: Example) -> bool:
    """Whether the page shows the example: ids, stage, step, level and sentence."""
    wanted = opened(example).encode(example.text).ids
    sentence = page.page.locator(".st-key-stepper, [class*=st-key-stepper_]").locator(".say .what")
    count = page.page.locator(".st-key-stage .count")

    def holds() -> bool:
        # all at once, because a stage may be replaced between two questions
        said = words(" ".join(sentence.all_inner_texts()))
        titles = count.evaluate_all("all => all.map(each => each.title)")
        steps = [title.split()[1] for title in titles if title]
        return ids(page) == wanted and steps in ([], [str(example.step)]) and words(example.says) in said

    return page.comes_to(holds)


def linked(page: Explorer) -> dict[str, list[str]]:
    """The parameters of the page's URL."""
    return parse_qs(urlsplit(page.page.url).query)


def visit_all(page: Explorer, examples: Sequence[Example]) -> None:
    for example in examples:
        choose(page, example)
        assert shows(page, example), example
        written = {step_parameter(example.stage): [str(example.step)]} if example.step else {}
        assert page.comes_to(lambda written=written: written.items() <= linked(page).items()), page.page.url  # type: ignore[misc]
        query = linked(page)
        assert query["stage"] == [example.stage]
        assert query["level"] == [example.level]
        assert page.field.input_value() == example.text
        assert page.page.locator(".st-key-overview .hint").inner_text() == example.shows
        # the hint never makes the band higher, so the stage stays where it is
        assert page.page.locator(".st-key-overview .band").bounding_box()["height"] <= 76  # type: ignore[index]


@pytest.mark.long
def test_a_question_is_a_link_and_back_leads_to_the_one_before(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", text="mine", level="story")
    visit_all(page, QUESTIONS[:2])
    page.page.locator('.st-key-overview [role="tab"]', has_text="Bytes").click()
    assert page.comes_to(lambda: page.page.locator(".st-key-stepper_utf8").count() == 1)
    visit_all(page, QUESTIONS[2:4])
    link = page.page.url
    page.page.go_back()
    assert shows(page, QUESTIONS[2])
    again = visit({"width": 1280, "height": 800})
    again.page.goto(link)
    assert shows(again, QUESTIONS[3])


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_example_is_a_link(visit: Visit, part: int) -> None:
    visit_all(visit({"width": 1280, "height": 800}).open(stage="model"), EXAMPLES[part::PARTS])


@pytest.mark.long
def test_an_example_opens_with_the_models_own_pattern_and_switches(visit: Visit) -> None:
    page = visit()
    page.page.goto(f"{page.address}/?stage=pre-tokenize&m=gpt-2&text=a+b&pattern=a&special=false&sel=0-1")
    page.page.locator(".st-key-overview .token").first.wait_for()
    choose(page, WALKS[2].stops[2])
    assert shows(page, WALKS[2].stops[2])
    assert "pattern=" not in page.page.url
    assert "sel=" not in page.page.url
