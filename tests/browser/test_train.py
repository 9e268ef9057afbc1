"""The Train page in a real browser: decisions forwards and back, each algorithm on one screen, and where it leads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

ALGORITHMS = ("BPE", "WordPiece", "Unigram", "WordLevel")
SCROLLS = """() => {
  const node = document.querySelector('[data-testid=stMain]');
  return node.scrollHeight - node.clientHeight;
}"""
# The pages' tabs of a phone are named below their icons, smaller.
SMALL = """() => {
  const found = [], walk = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) walk(node.shadowRoot);
      const own = [...node.childNodes].some((each) => each.nodeType === 3 && each.textContent.trim());
      const small = parseFloat(getComputedStyle(node).fontSize) < 13 && node.getBoundingClientRect().width > 1;
      const left = node.closest('style, script, [data-testid="stSidebarNavLink"]');
      if (own && small && node.checkVisibility({ visibilityProperty: true }) && !left)
        found.push(node.outerHTML.slice(0, 80));
    }
  };
  walk(document);
  return found;
}"""


def opened(page: Explorer, query: str = "") -> Explorer:
    """The page, once its board is drawn."""
    page.page.goto(f"{page.address}/train{query}")
    page.page.locator(".stepper .foot").first.wait_for()
    page.settle()
    return page


def said(page: Explorer) -> str:
    return page.page.locator(".stepper .say .what").inner_text()


def decision(page: Explorer) -> int:
    return int(page.page.locator(".stepper .count b").inner_text())


@pytest.mark.parametrize("algorithm", [pytest.param("BPE", marks=pytest.mark.quick), *ALGORITHMS[1:]])
def test_each_algorithm_is_on_one_screen_at_its_first_decision(visit: Visit, algorithm: str) -> None:
    page = opened(visit({"width": 1280, "height": 800}), "" if algorithm == "BPE" else f"?algorithm={algorithm}")
    assert page.comes_to(lambda: page.page.evaluate(SCROLLS) <= 0)
    assert page.sideways() == 0
    assert decision(page) > 0
    assert page.page.evaluate(SMALL) == []
    box = page.page.locator(".stepper .foot").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    assert page.page.locator(".stepper .focus, .stepper b.work").count() > 0


def test_decisions_follow_each_other_and_are_in_the_url(visit: Visit) -> None:
    """Buttons, keys, reload and back; a link to any step is still one."""
    page = opened(visit(DESK, False))
    made = page.page.locator(".word b.work", has_text="he")
    assert made.count() == 2
    first = said(page)
    page.page.get_by_role("button", name="Forward one step").click()
    assert page.comes_to(lambda: decision(page) == 2)
    assert said(page) != first
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: decision(page) == 3)
    page.page.wait_for_url("**step=*")
    third = said(page)
    page.page.reload()
    page.page.locator(".stepper .foot").wait_for()
    assert page.comes_to(lambda: decision(page) == 3)
    assert said(page) == third
    page.page.locator(".stepper").focus()
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("ArrowLeft")
    assert page.comes_to(lambda: said(page) == first)
    page.page.keyboard.press("ArrowLeft")
    assert page.comes_to(lambda: decision(page) == 0)
    assert made.count() == 0
    page.page.keyboard.press("End")
    assert page.comes_to(lambda: "full" in said(page))


def test_what_comes_next_is_covered_while_the_page_asks(visit: Visit) -> None:
    page = opened(visit(DESK, False))
    page.page.get_by_role("button", name="Predict").click()
    page.page.get_by_role("button", name="Forward one step").click()
    page.page.locator(".stepper.asking").wait_for()
    assert page.page.locator(".asking .of-board .bd-track:visible").count() == 0
    assert page.page.locator(".asking .word b.work").count() == 0
    page.page.get_by_role("button", name="Show it").click()
    assert page.comes_to(lambda: decision(page) == 2)


def test_the_next_pair_is_guessed_in_the_picture(visit: Visit) -> None:
    page = opened(visit(DESK, False))
    page.page.get_by_role("button", name="Predict").click()
    page.page.get_by_role("button", name="Forward one step").click()
    pairs = page.page.locator(".bd-bar[data-answer]")
    assert page.comes_to(lambda: pairs.count() > 2)
    labels = pairs.locator(".bd-label").all_inner_texts()
    assert labels == sorted(labels), "the order tells nothing"
    reason = page.page.locator(".stepper .say .why")
    pairs.nth(1).click()
    assert page.comes_to(lambda: "tie" in reason.inner_text())
    assert decision(page) == 1
    pairs.filter(has_text="a z").click()
    assert page.comes_to(lambda: decision(page) == 2)
    assert said(page).startswith("a and z become az")


@pytest.mark.parametrize("view", ["Why&why=the", "What+if", "Word&algorithm=Unigram", "Lint"])
def test_a_question_shares_the_screen_with_its_answer(visit: Visit, view: str) -> None:
    page = opened(visit({"width": 1280, "height": 800}), f"?ask={view}")
    foot = page.page.locator(".stepper .foot").first

    def ends() -> float:
        box = foot.bounding_box()
        return box["y"] + box["height"] if box else 1e9

    assert page.comes_to(lambda: ends() <= 800)
    assert page.sideways() == 0


def test_a_chosen_view_has_the_panels_of_its_level(visit: Visit) -> None:
    page = opened(visit(DESK, False))
    page.page.get_by_role("radio", name="Algorithm").click()
    page.page.locator(".stepper .code").wait_for()
    page.page.wait_for_url("**ask=Algorithm*")
    page.page.reload()
    page.page.locator(".stepper .code").wait_for()
    page.page.get_by_role("radio", name="Why").click()
    page.page.get_by_label("Why is this a token, or why not?").fill("the")
    page.page.keyboard.press("Enter")
    page.page.locator(".say-steps .link").first.click()
    assert page.comes_to(lambda: said(page).startswith("h and e become he"))


def test_a_size_is_kept_whatever_is_clicked(visit: Visit) -> None:
    page = opened(visit(DESK, False))
    field = page.page.get_by_label("Tokens")
    page.page.get_by_role("radio", name="Algorithm").click()
    page.page.wait_for_url("**ask=Algorithm*")
    page.settle()
    assert field.input_value() == "48"
    field.fill("40")
    field.press("Enter")
    page.page.wait_for_url("**size=40*")
    page.page.get_by_role("radio", name="Story").click()
    assert page.comes_to(lambda: page.page.locator(".stepper .count").inner_text().endswith("of 10"))
    page.page.reload()
    # Streamlit's field has its default for a frame, then the value of the URL
    assert page.comes_to(lambda: page.page.locator(".stepper .foot").count() == 1 and field.input_value() == "40")
    page.settle()
    assert field.input_value() == "40"
    assert "size=40" in page.page.url


def test_the_tokenizer_opens_on_explore(visit: Visit) -> None:
    page = opened(visit(DESK, False)).page
    page.get_by_role("button", name="Open in Explore").click()
    page.locator(".st-key-overview").wait_for()
    page.wait_for_url("**m=trained+here*")


def test_a_phone_has_the_sentence_before_the_columns(visit: Visit) -> None:
    page = opened(visit(PHONE))
    tops = [page.page.locator(each).first.bounding_box() for each in (".stepper .what", ".stepper .columns")]
    assert tops[0] is not None
    assert tops[1] is not None
    assert tops[0]["y"] < tops[1]["y"] < PHONE["height"]
    assert page.sideways() == 0
    assert page.page.evaluate(SMALL) == []
