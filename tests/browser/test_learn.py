"""The page Learn in a real browser: cards drive the stepper, questions are graded, progress stays in the browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from explorer.answers.learn import ENGINE, asked_of
from explorer.languages import ENGLISH, phrases
from explorer.learning.checks.cards import shown_by
from explorer.learning.lessons import library
from explorer.learning.lessons.reading import (
    Card,
    ExplorePanel,
    QuestionRef,
    TrainPanel,
    lesson_named,
    lessons_in,
    page_words,
)
from tests.browser.conftest import DESK, Explorer

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]


def open_card(seen: Explorer, lesson: str, card: int, **more: str) -> None:
    query = "&".join(f"{name}={value}" for name, value in {"lesson": lesson, "card": str(card), **more}.items())
    seen.page.goto(f"{seen.address}/learn?{query}")
    seen.page.locator(".le-card h1").wait_for()
    seen.settle()


def step_of(seen: Explorer) -> int:
    """The step of the stepper; -1 while a new one is built."""
    count = seen.page.locator(".st-key-learn-panel .stepper .count").first
    found = re.findall(r"\d+", (count.get_attribute("title") or "").replace(",", ""))
    return int(found[0]) if found else -1


def test_a_lesson_is_walked_and_a_question_answered(visit: Visit) -> None:
    seen = visit(DESK)
    open_card(seen, "queue", 2)
    page = seen.page
    assert seen.comes_to(lambda: step_of(seen) == 14)
    page.get_by_role("button", name="Next ▶").click()
    assert seen.comes_to(lambda: "card=3" in page.url)
    assert seen.comes_to(lambda: page.locator(".le-choice").count() == 4)
    assert page.locator("html").get_attribute("data-covered") == "tokens"
    assert seen.comes_to(lambda: page.locator(".stepper.asking").count() == 1), "the next pair is hidden"
    seen.settle()
    page.keyboard.press("s")
    page.locator(".le-choice.right").wait_for()
    assert page.locator("html").get_attribute("data-covered") is None
    card = library()["queue"].cards[2]
    assert isinstance(card.question, QuestionRef)
    asked = asked_of(card.panel, card.question)
    assert asked is not None
    assert seen.comes_to(lambda: step_of(seen) == asked.after), "the answer is shown in the stepper"
    page.get_by_role("button", name="Another question").click()
    assert seen.comes_to(lambda: "seed=6" in page.url)
    assert seen.comes_to(lambda: page.locator(".le-choice.right").count() == 0)
    page.go_back()
    assert seen.comes_to(lambda: "seed=6" not in page.url)
    kept = json.loads(page.evaluate("localStorage.getItem('explorer-learn')"))
    assert kept["lessons"]["queue"]["seen"] == [2, 3]
    assert kept["lessons"]["queue"]["right"] == {"3": False}
    page.get_by_role("link", name="All lessons").click()
    page.get_by_text("Continue: The queue inside llama.cpp, card 3").wait_for()
    entries = page.locator(".le-entry")
    drawn = entries.locator("svg > :nth-child(2)")
    assert seen.comes_to(lambda: drawn.count() == entries.count() == len(lessons_in(ENGLISH))), "each has its drawing"
    ring = page.locator(".le-entry", has_text="The queue inside llama.cpp").locator(".le-ring")
    share = float(ring.evaluate("node => parseFloat(node.style.getPropertyValue('--share'))"))
    cards = library()["queue"].cards
    questions = sum(card.question is not None for card in cards)
    assert share == pytest.approx(100 * (2 + 1) / (len(cards) + questions), abs=0.5), "two cards and a question"
    assert "0 of 1 answer right" in (page.locator(".le-head p").text_content() or "")
    page.get_by_role("button", name="Forget my progress").click()
    page.get_by_role("link", name="Begin").wait_for()


@pytest.mark.long
def test_a_lesson_in_another_language_speaks_it_and_the_other_pages_too(visit: Visit) -> None:
    seen = visit(DESK)
    german = phrases("de")
    seen.page.goto(f"{seen.address}/learn?lang=de")
    lesson = lesson_named("bpe.de")
    assert lesson is not None
    seen.page.locator(".le-entry", has_text=lesson.title).click()
    seen.page.get_by_role("button", name=page_words("de")["next"]).click()
    title = seen.page.locator(".le-card h1", has_text=lesson.cards[1].title)
    title.wait_for()
    assert title.evaluate("node => node.closest('[lang]').lang") == "de"
    assert seen.page.locator(".st-key-learn").get_attribute("lang") == "de", "its panel, too"
    play = seen.page.locator(".stepper .buttons .main")
    assert seen.comes_to(lambda: german.words("Play", "browser") in (play.text_content() or ""))
    assert seen.comes_to(lambda: german.words("The list is in the order of training: what was frequent is early.")
                         in (seen.page.locator(".st-key-learn-panel .stepper").inner_text() or ""))  # fmt: skip
    seen.page.get_by_role("button", name=page_words("de")["open"].replace("{0}", german.words("Explore"))).click()
    seen.page.locator(".st-key-overview").wait_for()
    assert seen.comes_to(lambda: german.words("Play", "browser") in (play.text_content() or ""))


@pytest.mark.long
def test_a_question_locks_the_panel_until_it_is_answered(visit: Visit) -> None:
    seen = visit(DESK)
    open_card(seen, "queue", 3)
    page = seen.page
    assert seen.comes_to(lambda: page.locator(".le-choice").count() == 4)
    seen.settle()
    assert seen.comes_to(lambda: step_of(seen) > 0)
    before = step_of(seen)
    stepper = page.locator(".st-key-learn-panel .stepper").first
    stepper.focus()
    for key in ("End", "ArrowRight", "Shift+ArrowRight", " "):
        page.keyboard.press(key)
        seen.settle()
        assert step_of(seen) == before, key
    stepper.locator("input[type=range]").fill(str(before + 3))
    assert seen.comes_to(lambda: step_of(seen) == before)
    assert stepper.locator(".answer-letter:visible").count() == 0, "the card alone has choices"
    page.keyboard.press("ArrowLeft")
    assert seen.comes_to(lambda: step_of(seen) == before - 1), "what came before can be studied"
    page.keyboard.press("End")
    assert seen.comes_to(lambda: step_of(seen) == before)
    asked = library()["queue"].cards[2]
    assert isinstance(asked.panel, ExplorePanel)
    assert isinstance(asked.question, QuestionRef)
    question = asked_of(asked.panel, asked.question)
    assert question is not None
    stepper.get_by_role("button", name="Predict").click()  # which stops before landmarks, not before an answer
    page.locator(".le-choice input").nth((question.right + 1) % 4).check()
    page.get_by_role("button", name="Check").click()
    page.locator(".le-choice.wrong").wait_for()
    page.locator(".le-card h1").click()
    page.keyboard.press("PageDown")
    page.locator(".le-choice.right").wait_for()
    assert "card=3" in page.url, "a remote shows the answer first"
    assert seen.comes_to(lambda: step_of(seen) == question.after)
    page.keyboard.press("PageDown")
    assert seen.comes_to(lambda: "card=4" in page.url)


@pytest.mark.long
def test_nothing_on_the_panel_tells_an_answer(visit: Visit) -> None:
    seen = visit({"width": 1280, "height": 800})
    page = seen.page
    open_card(seen, "token", 6)
    tells = (".st-key-learn_top .tokens", ".st-key-learn_top .counts", ".st-key-learn_top .result",
             ".stepper .count .total")  # fmt: skip
    assert seen.comes_to(lambda: page.locator("html[data-covered]").count() == 1)
    assert seen.comes_to(lambda: page.locator(".stepper .leaf").count() > 1)
    for each in tells:
        assert page.locator(each).count() > 0, each
        assert page.locator(f"{each}:visible").count() == 0, each
    assert page.locator(".stepper .joint.yet:visible").count() == 0, "the merges to come"
    page.keyboard.press("s")
    page.locator(".le-choice.right").wait_for()
    for each in tells[:3]:
        assert seen.comes_to(lambda each=each: page.locator(f"{each}:visible").count() > 0), each  # type: ignore[misc]
    assert page.locator(".stepper .count .total").first.is_visible()


@pytest.mark.long
def test_the_answer_that_a_card_opens_closes_with_it(visit: Visit) -> None:
    seen = visit({"width": 1280, "height": 800})
    number = next(at for at, card in enumerate(library()["queue"].cards, 1) if getattr(card.panel, "why", ""))
    open_card(seen, "queue", number)
    why = seen.page.locator(".why[popover]")
    assert seen.comes_to(why.is_visible)
    seen.page.keyboard.press("n")
    assert seen.comes_to(lambda: f"card={number + 1}" in seen.page.url)
    assert seen.comes_to(lambda: not why.is_visible())


def test_a_task_is_judged_as_it_is_typed(visit: Visit) -> None:
    seen = visit(DESK)
    open_card(seen, "bpe", len(library()["bpe"].cards))
    page = seen.page
    field = page.locator("textarea.le-try")
    verdict = page.locator(".le-verdict:visible")
    field.fill("hello")
    assert seen.comes_to(lambda: "5 letters" in (verdict.text_content() or ""))
    assert page.locator(".le-try.right").count() == 0
    field.fill("information")
    page.locator(".le-try.right").wait_for()
    field.press("Enter")
    assert field.input_value() == "information", "Enter ends what is typed"
    shown = page.locator(".st-key-learn_top").get_by_text("information", exact=True)
    assert seen.comes_to(lambda: shown.count() > 0), "the panel shows what is typed"
    kept = json.loads(page.evaluate("localStorage.getItem('explorer-learn')"))
    assert kept["lessons"]["bpe"]["right"] == {str(len(library()["bpe"].cards)): True}
    page.get_by_role("button", name="◀ Back").click()
    assert seen.comes_to(lambda: field.is_hidden())


@pytest.mark.parametrize("key", list(library()))
@pytest.mark.long
def test_every_card_of_a_lesson_opens_at_its_step(key: str, visit: Visit) -> None:
    seen, lesson = visit(DESK), library()[key]
    open_card(seen, key, 1)
    for number, card in enumerate(lesson.cards, 1):
        seen.page.get_by_text(f"{number} / {len(lesson.cards)}").wait_for()
        assert seen.comes_to(lambda number=number: number == 1 or f"card={number}" in seen.page.url)  # type: ignore[misc]
        panel = card.panel
        if isinstance(panel, ExplorePanel | TrainPanel) and card.question is None and has_steps(card):
            assert seen.comes_to(lambda wanted=panel.step: step_of(seen) == wanted), number  # type: ignore[misc]
        assert seen.page.locator("[role=alert]:visible").count() == 0, number
        if number < len(lesson.cards):
            seen.page.keyboard.press("n")  # Page Down would stop at a question


def has_steps(card: Card) -> bool:
    script = shown_by(ENGINE, card.panel).script
    return script is not None and len(script) > 0


def test_back_to_a_lesson_on_paper_shows_it_on_paper(visit: Callable[..., Explorer]) -> None:
    page = visit()
    page.page.goto(f"{page.address}/learn?lesson=bytes&print=true")
    paper = page.page.locator(".st-key-paper .le-paper").first
    paper.wait_for()
    page.page.locator(".st-key-learn-row a", has_text="BPE").first.click()
    page.page.locator(".le-card").wait_for()
    page.page.go_back()
    paper.wait_for()
