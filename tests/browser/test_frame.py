"""The frame of Explore: its measures, lecture mode, tokens as text or as stored, words of the trade."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

MAIN = '[data-testid="stMain"]'
HIDDEN = "main => main.scrollHeight - main.clientHeight"
SIZE = "node => parseFloat(getComputedStyle(node).fontSize) * node.currentCSSZoom"


def bottom(page: Explorer, selector: str) -> float:
    """Where an element ends, in pixels from the top of the window."""
    box = page.page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def test_nothing_scrolls_on_one_screen_and_large_screens_are_larger(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="story")
    stepper = page.page.locator(".st-key-stepper")
    assert stepper.locator(".say .what").inner_text() == "The text is cut into 14 characters."
    assert stepper.locator(".joint.yet").count() == 9, "the trees to come, in outline"
    for control in (
        ".st-key-field textarea",
        ".st-key-m [role=group]",
        ".st-key-settings button",
    ):
        box = page.page.locator(control).first.bounding_box()
        assert box is not None
        assert box["height"] == 44, control
    for level in ("Story", "Algorithm", "Implementation"):
        stepper.get_by_role("radio", name=level).click()
        for height in (800, 768, 720):
            page.page.set_viewport_size({"width": 1280, "height": height})
            page.page.wait_for_timeout(100)
            assert page.page.locator(MAIN).evaluate(HIDDEN) == 0, (level, height)
            assert bottom(page, ".st-key-stepper .foot") < height
    page.page.set_viewport_size({"width": 1920, "height": 1080})
    page.page.wait_for_timeout(200)
    assert page.page.locator(MAIN).evaluate(HIDDEN) == 0
    box = stepper.locator(".stepper").bounding_box()
    assert box is not None
    assert abs(box["height"] - 508 * 1.3) < 2


@pytest.mark.rest
def test_the_queue_and_the_trees_of_several_pieces_stand_over_their_own_symbols(visit: Visit) -> None:
    page = visit().open(stage="model", m="gpt-2", text="I 🤗 café", level="algorithm")
    stepper = page.page.locator(".st-key-stepper")
    page.focus_stepper()
    page.page.keyboard.press("End")
    assert page.at_end()
    page.page.keyboard.press("Shift+ArrowLeft")
    row = stepper.locator(".pairs .now")
    assert row.locator(".text").inner_text() == "·café"
    assert row.locator(".from").inner_text() == "·caf + é"
    assert stepper.locator(".sym .whole").all_inner_texts()[-1] == "·café"
    stepper.get_by_role("radio", name="Story").click()
    top = stepper.locator(".joint").last.bounding_box()
    first = stepper.locator(".leaf", has_text="c").first.bounding_box()
    assert top is not None
    assert first is not None
    assert top["x"] + top["width"] > first["x"], "the tree of the last piece is over that piece"


@pytest.mark.quick  # the headless shell keeps the size of a window that is full screen
def test_the_lecture_belongs_to_the_page_and_all_is_on_one_screen(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 720}).open(stage="model", level="algorithm", step="14")
    page.menu("More", "Full screen")
    page.page.locator("html[data-lecture]").wait_for(state="attached")
    for width, height in ((1280, 720), (1920, 1080)):
        page.page.set_viewport_size({"width": width, "height": height})
        page.page.wait_for_timeout(200)
        for part in (".say .what", ".sym", ".pairs .now", ".code .on", ".foot"):
            assert bottom(page, f".st-key-stepper {part}") <= height, (part, height)
        assert page.page.locator(".st-key-stepper .code .on").first.is_visible()
    for part in (".say .what", ".say .why", ".pairs .now", ".code", ".beads .cell b"):
        assert 24 <= page.page.locator(f".st-key-stepper {part}").first.evaluate(SIZE) <= 48, part
    for key, step in (("ArrowRight", 15), ("PageUp", 14), ("3", 14), ("Home", 0), ("End", 47)):
        page.page.keyboard.press(key)
        assert page.at_step(step), key
    page.page.keyboard.press("b")
    assert page.page.locator("html[data-black]").count() == 1
    page.page.keyboard.press("Escape")
    page.page.locator("html:not([data-lecture]):not([data-black])").wait_for(state="attached")
    # on a stage of any kind, by key
    page.page.locator('.st-key-overview [role="tab"]', has_text="Ids").click()
    page.settle()
    page.page.keyboard.press("f")
    page.page.locator("html[data-lecture]").wait_for(state="attached")
    page.page.keyboard.press("f")
    page.page.locator("html:not([data-lecture])").wait_for(state="attached")
    # not while typing
    page.field.click()
    page.page.keyboard.press("f")
    assert page.page.locator("html[data-lecture]").count() == 0


@pytest.mark.long
def test_a_mark_in_several_tokens_is_drawn_once(visit: Visit) -> None:
    page = visit(DESK).open(stage="model", m="gpt-2", text="လူတိုင်း")
    split = page.page.locator(".st-key-overview .split")
    texts = split.evaluate_all("all => all.map((each) => each.querySelector('.glyph').textContent)")
    assert texts == ["လ", *(f"◌{mark}" if mark not in "တင" else mark for mark in "ူတိုင်း")]
    assert "".join(page.page.locator(".st-key-overview .share").all_text_contents()).strip() == "", "room alone"


@pytest.mark.long
def test_tokens_are_text_and_by_switch_as_stored(visit: Visit) -> None:
    page = visit(DESK).open(stage="model", m="gpt-2", text="I 🤗 café", level="algorithm", step="20")
    tokens = page.page.locator(".st-key-overview .tokens")
    symbols = page.page.locator(".st-key-stepper .sym")
    assert "·café" in tokens.inner_text()
    assert tokens.locator(".split").count() == 1, "one bracket over the tokens of one character"
    assert "Ġ" not in page.page.locator(".st-key-stepper .top").inner_text()
    page.open_settings()
    page.page.get_by_text("Raw spelling").click()
    assert page.comes_to(lambda: "ĠcafÃ©" in tokens.inner_text())
    page.settle()
    assert "stored=true" in page.page.url
    assert page.comes_to(lambda: any("Ġ" in text for text in symbols.all_inner_texts()))
    page.page.keyboard.press("Escape")
    tokens.locator(".token").last.click()
    assert page.comes_to(lambda: page.page.locator(".st-key-overview .why h2").inner_text() == "How ĠcafÃ© came about")


@pytest.mark.long
def test_words_of_the_trade_are_explained_where_they_stand(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="algorithm", step="14")
    tip = page.page.locator(".st-key-stepper .term-tip")
    word = page.page.locator(".st-key-stepper .say .term")
    assert word.all_inner_texts() == ["score"], "each word once"
    word.hover()
    assert page.comes_to(lambda: tip.is_visible())
    assert tip.inner_text() == "score: how much the vocabulary favors a piece; higher is better."
    page.page.mouse.move(5, 5)
    assert page.comes_to(lambda: not tip.is_visible())
    page.page.locator(".st-key-stepper .terms-button").first.click()
    assert page.comes_to(lambda: tip.is_visible())
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: not tip.is_visible())
    assert page.page.locator(".st-key-overview .ribbon .term").all_inner_texts() == [
        "Bytes", "Special tokens", "Normalize", "Merge", "Ids",
    ]  # fmt: skip
    phone = visit(PHONE).open(stage="model", level="algorithm", step="14")
    phone.page.locator(".st-key-overview .ribbon .term", has_text="Merge").tap()
    assert phone.comes_to(lambda: phone.page.locator(".st-key-overview .term-tip").is_visible())


@pytest.mark.rest
def test_the_table_waits_behind_the_menu(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model")
    table = page.page.locator(".st-key-section-take-away")
    assert not table.is_visible()
    page.menu("Copy", "Tokens as a table, and files")
    assert page.comes_to(lambda: table.get_by_role("button", name="Tokens as CSV").is_visible())
