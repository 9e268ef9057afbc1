"""A class in a real browser: a phone joins by letters, follows the card and answers; the teacher sees bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from explorer.cli.processes import LETTERS
from tests.browser.conftest import PHONE, Explorer
from tests.browser.test_accessibility import violations

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]
ASKS = 6
"""The first card of the first lesson that asks."""


def state(page: Page) -> dict[str, Any]:
    found: dict[str, Any] | None = page.evaluate("window.explorerClass?.state ?? null")
    return found or {}


def started(visit: Visit, language: str = "en") -> tuple[Explorer, str]:
    """A teacher's page that starts a class, and its letters."""
    teacher = visit({"width": 1280, "height": 800}, locale=language)
    teacher.page.goto(f"{teacher.address}/learn")
    teacher.page.locator(".cl-buttons .btn").first.click()
    teacher.page.locator(".cl-start .cl-letters").wait_for()
    code = teacher.page.evaluate("window.explorerClass.code")
    assert len(code) == 4
    assert set(code) <= set(LETTERS)
    return teacher, code


def joined(visit: Visit, code: str, **options: Any) -> Explorer:
    phone = visit(PHONE, has_touch=True, **options)
    phone.page.goto(f"{phone.address}/learn")
    phone.page.locator(".cl-buttons .btn").last.click()
    phone.page.locator(".cl-field").press_sequentially(code.lower())
    assert phone.comes_to(lambda: "here" in state(phone.page))
    return phone


def test_a_class_follows_answers_and_ends(visit: Visit) -> None:
    teacher, code = started(visit)
    board = teacher.page
    assert violations(board) == []
    phone = joined(visit, code, locale="de")
    assert violations(phone.page) == []
    assert teacher.comes_to(lambda: board.locator(".cl-code strong").inner_text() == "1")
    board.locator(".cl-go .main").click()
    board.locator(".cl-bar").wait_for()
    teacher.settle()
    # the phone follows to the card, in its own language
    assert phone.comes_to(lambda: "lesson=token" in phone.page.url)
    phone.page.locator(".le-letters").wait_for()
    assert phone.page.locator(".le-letters").inner_text() == code
    for _ in range(ASKS):
        if state(board).get("card") == f"token {ASKS}":
            break
        before = state(board)["card"]
        board.keyboard.press("PageDown")
        assert teacher.comes_to(lambda before=before: state(board)["card"] != before)
    assert state(board)["card"] == f"token {ASKS}"
    assert phone.comes_to(lambda: f"card={ASKS}" in phone.page.url)
    choices = phone.page.locator(".le-choice")
    assert phone.comes_to(lambda: choices.count() > 2 and choices.first.is_visible())
    assert phone.comes_to(lambda: bool(phone.page.evaluate("window.explorerClass.isHere()")))
    choices.nth(1).click()
    assert teacher.comes_to(lambda: state(board).get("bars") == {"1": 1})
    assert teacher.comes_to(lambda: board.locator(".le-ask.bars .le-bar b").nth(1).inner_text() == "1")
    assert violations(board) == []
    assert violations(phone.page) == []
    # the phone has chosen, and nothing says whether it was right
    assert phone.page.locator(".le-choice.chosen").count() == 1
    assert phone.page.locator(".le-choice:is(.right, .wrong)").count() == 0
    board.keyboard.press("h")
    assert teacher.comes_to(lambda: not board.locator(".le-bar").first.is_visible())
    board.keyboard.press("h")
    board.keyboard.press("Space")
    assert phone.comes_to(lambda: phone.page.locator(".le-choice.right").count() == 1)
    right = board.locator(".le-choice.right input").get_attribute("value")
    assert phone.page.locator(".le-choice.right input").get_attribute("value") == right
    assert phone.page.locator(".le-choice.wrong").count() == int(right != "1")
    # asked again, the first answers stay beside the new ones
    board.locator(".le-do .btn:visible").first.click()
    assert phone.comes_to(lambda: phone.page.locator(".le-choice:is(.right, .wrong, .chosen)").count() == 0)
    assert teacher.comes_to(lambda: state(board).get("before") == {"1": 1})
    # any page is shown to all, and the card brings them back
    teacher.settle()
    board.locator('a[data-testid="stTopNavLink"][href*="compare"]').click()
    board.locator(".cl-look").click()
    assert phone.comes_to(lambda: "/compare" in phone.page.url)
    teacher.settle()
    board.locator(".cl-back").click()
    assert phone.comes_to(lambda: f"/learn?lesson=token&card={ASKS}" in phone.page.url)
    board.locator(".cl-bar > .btn").last.click()
    board.locator(".cl-box .main").click()
    assert phone.comes_to(lambda: not phone.page.evaluate("window.explorerClass.code"))
    assert teacher.comes_to(lambda: board.locator(".cl-buttons .btn").count() == 2)
    # the phone asks once for a class that has ended
    over = [each for each in phone.complaints if "404" in each]
    assert len(over) <= 1
    phone.complaints[:] = [each for each in phone.complaints if each not in over]


@pytest.mark.long
@pytest.mark.parametrize("language", ["de", "ja"])
def test_pages_of_a_class_fit_in_each_language(visit: Visit, language: str) -> None:
    teacher, code = started(visit, language)
    phone = visit(PHONE, has_touch=True, locale=language)
    phone.page.goto(f"{phone.address}/learn?class={code}")  # as the camera opens it
    assert phone.comes_to(lambda: "here" in state(phone.page))
    assert "class=" not in phone.page.url
    for seen in (teacher, phone):
        assert seen.sideways() <= 0
        assert violations(seen.page) == []
        layer = seen.page.locator(".cl-layer")
        assert layer.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
        for english in ("Join the class", "You are in", "Fill the screen", "No name"):
            assert english not in layer.inner_text()
    phone.page.goto("about:blank")  # or it may ask once more for a class that has ended, and get a 404
    teacher.page.locator(".cl-go .btn").nth(1).click()  # ends it


def test_a_reload_keeps_the_class_and_what_was_chosen_for_it(visit: Visit) -> None:
    teacher, code = started(visit)
    board = teacher.page
    board.locator(".cl-plan select").select_option("30")
    chosen = board.locator(".cl-plan li input:checked").count()
    assert 0 < chosen < 7
    board.reload()
    board.locator(".cl-buttons .btn").click()
    board.locator(".cl-start .cl-letters").wait_for()
    assert board.evaluate("window.explorerClass.code") == code
    assert board.locator(".cl-plan li input:checked").count() == chosen
    board.locator(".cl-go .btn").nth(1).click()
    assert teacher.comes_to(lambda: not board.evaluate("window.explorerClass.code"))
