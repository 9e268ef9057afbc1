"""A lesson on a phone is a story: one sentence at a time below the picture, and what the sentence names is in view.

On a phone, upright and on its side, every page of every card is turned to; on a desk cards stand beside their panels,
and what their words name is in view, too. Cards are turned by keys, so a lesson is loaded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ViewportSize

from explorer.learning.lessons.reading import lessons_in, page_words
from tests.browser.conftest import DESK, PHONE, WIDE, Explorer
from tests.tiers import chosen_tier

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]
SIDEWAYS: ViewportSize = {"width": 844, "height": 390}
TABLET = {"width": 820, "height": 1180}
LESSONS = list(lessons_in("en"))
SHIFT = 0.1
MODELS = ("llama-2", "bert-uncased")

SCRIPT = Path(__file__).with_name("story.js").read_text("utf-8")


def open_lesson(page: Explorer, lesson: str, card: int = 1, language: str = "en") -> None:
    page.page.goto(f"{page.address}/learn?lesson={lesson}&card={card}&lang={language}")
    page.page.locator(".st-key-learn-card .le-card h1").wait_for()
    page.page.wait_for_selector("html[data-arrived]", state="attached")
    page.settle()
    page.page.evaluate(f"{SCRIPT}.countShifts()")


def problems(page: Explorer) -> list[str]:
    """What is wrong with the page that is shown, once what is drawn has settled."""
    found: list[str] = []

    def none() -> bool:
        nonlocal found
        found = page.page.evaluate(f"{SCRIPT}.look()")
        return not found

    for _ in range(24):
        page.page.wait_for_timeout(75)
        if none():
            break
    return found


def pages(page: Explorer) -> Iterator[str]:
    """Turns from page to page to the end of the lesson, and names each."""
    for _ in range(120):
        at = page.page.locator(".le-story-title .num").inner_text()
        dots = page.page.locator(".le-dots i").evaluate_all("nodes => nodes.findIndex(each => each.className)")
        yield f"{at} page {dots + 1}"
        page.page.keyboard.press("PageDown")
        page.settle()
        if page.page.locator("html[data-story-ends]").count():
            return


def wrong_in(page: Explorer, lesson: str) -> list[Any]:
    open_lesson(page, lesson)
    wrong: list[Any] = [(lesson, at, found) for at in pages(page) if (found := problems(page))]
    shifts = page.page.evaluate("window.shifts")
    return [*wrong, *([(lesson, f"shifts by {shifts}")] if shifts >= SHIFT else [])]


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS, TABLET], ids=["upright", "sideways", "tablet"])
@pytest.mark.parametrize("lesson", ["token", *(pytest.param(each, marks=pytest.mark.long) for each in LESSONS[1:])])
def test_what_a_sentence_names_is_in_view_on_a_phone(visit: Visit, lesson: str, size: dict[str, int]) -> None:
    assert wrong_in(visit(size, **({"has_touch": True} if size is SIDEWAYS else {})), lesson) == []


@pytest.mark.long
@pytest.mark.parametrize(("width", "first"), [(1060, 5), (1280, 0), (1920, 3)])
def test_what_the_words_name_is_in_view_on_a_desk(visit: Visit, width: int, first: int) -> None:
    page, wrong = visit({"width": width, "height": 1080 if width == WIDE["width"] else 800}), []
    for lesson in LESSONS if chosen_tier == "all" else LESSONS[first::6]:
        open_lesson(page, lesson)
        for card in range(1, len(lessons_in("en")[lesson].cards) + 1):
            wrong += [(lesson, card, found)] if (found := problems(page)) else []
            page.page.keyboard.press("n")
            page.settle()
    assert wrong == []


def test_a_lesson_on_a_phone_is_turned_answered_and_ended(visit: Visit) -> None:
    page = visit(PHONE)
    open_lesson(page, "token", 6)
    seen = page.page
    shown, dots = seen.locator(".le-page:not(.away)"), seen.locator(".le-dots i")
    count = dots.count()
    assert count > 2
    first = shown.inner_text()
    swipe(page, -200)
    assert page.comes_to(lambda: shown.inner_text() != first), "a swipe to the left is the next page"
    swipe(page, 200)
    assert page.comes_to(lambda: shown.inner_text() == first)
    box = seen.locator(".st-key-learn-panel").bounding_box()
    assert box is not None
    seen.mouse.click(box["x"] + box["width"] - 20, box["y"] + 6)
    assert page.comes_to(lambda: shown.inner_text() != first), "so is a tap at the right of the picture"
    while seen.locator(".le-choice:visible").count() == 0:
        seen.get_by_role("button", name="Next ▶").click()
    assert not seen.get_by_role("button", name="Next ▶").is_visible(), "the next page opens after the answer"
    seen.locator(".le-choice", has_text="·c ran berry").click()
    seen.get_by_role("button", name="Check").click()
    verdict = seen.locator(".le-verdict:visible")
    assert page.comes_to(lambda: "Not this one." in verdict.inner_text())
    seen.locator(".le-choice", has_text="·cran berry").click()
    seen.get_by_role("button", name="Check").click()
    assert page.comes_to(lambda: "Right." in verdict.inner_text())
    assert seen.locator(".le-choice:visible").count() == 1, "what was tried gives its room to the picture"
    count_of_tokens = seen.locator(".st-key-learn_top .count")
    assert page.comes_to(lambda: count_of_tokens.inner_text() == "2 tokens"), "it is seen again"
    for _ in range(count + 4):
        if seen.locator("html[data-story-ends]").count():
            break
        seen.get_by_role("button", name="Next ▶").click()
        page.settle()
    assert seen.locator(".le-end li").all_inner_texts() == [*lessons_in("en")["token"].keep]
    assert "0 of 1" in seen.locator(".le-end").inner_text()
    assert seen.get_by_role("button", name="Open in Explore").is_visible()
    seen.get_by_role("button", name="Back", exact=True).click()
    assert page.comes_to(lambda: seen.locator(".le-end:visible").count() == 0)
    seen.get_by_role("link", name="All lessons").click()
    assert page.comes_to(lambda: seen.locator(".le-entry").count() >= len(LESSONS))


BESIDE = """nodes => nodes.map(node => node.getBoundingClientRect()).every((box, at, all) =>
  box.left >= 0 && box.right <= innerWidth + 1 && box.height >= 44
  && all.slice(at + 1).every(other => box.bottom <= other.top + 1 || other.bottom <= box.top + 1))"""


def to_the_end(page: Explorer, lesson: str, language: str = "en") -> None:
    """Opens the last card, and turns to the end of the lesson."""
    open_lesson(page, lesson, len(lessons_in(language)[lesson].cards), language)
    for _ in range(20):
        if page.page.locator("html[data-story-ends]").count():
            return
        page.page.keyboard.press("PageDown")
        page.settle()


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS, DESK], ids=["upright", "sideways", "desk"])
@pytest.mark.parametrize("language", ["en", *(pytest.param(each, marks=pytest.mark.long) for each in ("de", "ja"))])
def test_the_end_of_a_lesson_leads_to_the_next_one_to_an_own_text_and_to_all(
    visit: Visit, language: str, size: ViewportSize
) -> None:
    page, lessons = visit(size), list(lessons_in(language).values())
    to_the_end(page, lessons[0].key, language)
    seen, links = page.page, page.page.locator(".le-end nav a:visible")
    assert links.count() == 3
    assert links.evaluate_all(BESIDE)
    below = "nodes => Math.max(...nodes.map(node => node.getBoundingClientRect().bottom)) - innerHeight"
    assert page.comes_to(lambda: seen.locator(".le-end nav a, .le-next").evaluate_all(below) <= 0)
    assert page.sideways() == 0
    next_one, own, every = links.all()
    assert {lessons[1].title, lessons[1].about} <= set(next_one.inner_text().split("\n"))
    assert next_one.locator("svg > *").count() > 1, "its drawing"
    assert str(len(lessons)) in every.inner_text()
    assert "GPT-2" in own.inner_text()
    own.click()
    assert page.comes_to(lambda: page.ids() != [])
    assert "m=gpt-2" in seen.url
    assert page.field.input_value() != lessons[0].cards[-1].panel.text, "no text of the lesson"  # type: ignore[union-attr]
    seen.go_back()
    seen.locator(".le-way").wait_for()
    to_the_end(page, lessons[0].key, language)
    links.first.click()
    assert page.comes_to(lambda: f"lesson={lessons[1].key}" in seen.url)
    assert page.comes_to(lambda: seen.locator(".le-card h1:visible").inner_text() == lessons[1].cards[0].title)
    assert seen.locator(".le-end:visible").count() == 0


def test_on_a_desk_the_end_takes_the_place_of_the_last_card_and_gives_it_back(visit: Visit) -> None:
    page = visit(DESK)
    to_the_end(page, "token")
    seen = page.page
    title = lessons_in("en")["token"].cards[-1].title
    assert seen.locator(".le-try:visible, .le-words:visible").count() == 0
    assert seen.locator(".st-key-learn-panel").is_visible(), "the panel stays"
    seen.get_by_role("button", name="◀ Back").click()
    assert page.comes_to(lambda: seen.locator(".le-card h1:visible").all_inner_texts() == [title])
    seen.keyboard.press("n")
    seen.keyboard.press("n")
    assert page.comes_to(lambda: "lesson=train-bpe" in seen.url)


@pytest.mark.parametrize(
    ("lesson", "card", "most"), [("bpe", 7, 6), pytest.param("ways", 1, 8, marks=pytest.mark.long)]
)
def test_on_its_side_a_phone_shows_a_whole_tree_of_merges(visit: Visit, lesson: str, card: int, most: int) -> None:
    page = visit(SIDEWAYS)
    open_lesson(page, lesson, card)

    def cut_off() -> list[str]:
        """The merges of the tree that its place cuts off, above or below."""
        cut: list[str] = page.page.locator(".merge-tree").evaluate(
            """tree => {
                const place = tree.getBoundingClientRect();
                const isCut = ({ top, bottom }) => top < place.top - 1 || bottom > place.bottom + 1;
                return [...tree.querySelectorAll('.joint:not(.yet), .leaf')]
                    .filter(node => isCut(node.getBoundingClientRect())).map(node => node.textContent);
            }"""
        )
        return cut

    page.page.locator(".merge-tree .joint:not(.yet)").nth(most - 1).wait_for()
    assert page.comes_to(lambda: cut_off() == []), cut_off()


def test_a_card_is_seen_from_its_top_after_one_that_was_scrolled(visit: Visit) -> None:
    page = visit(SIDEWAYS)
    open_lesson(page, "request", 3)
    top = "document.querySelector('.st-key-learn-panel').scrollTop"
    page.page.keyboard.press("PageDown")
    assert page.comes_to(lambda: page.page.evaluate(top) > 0), "the second page names what stands below"
    for at in pages(page):
        if at.startswith("4 "):
            break
    assert page.comes_to(lambda: page.page.evaluate(top) == 0)


SCROLLS = "node => [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight]"


@pytest.mark.parametrize(
    ("lesson", "card", "picture"),
    [
        ("special", 2, ".text-whole"),
        ("pieces", 1, ".reading .strip"),
        ("token", 1, ".text-whole"),
        ("token", 1, ".tokens"),
    ],
)
def test_on_its_side_a_phone_shows_the_whole_text(visit: Visit, lesson: str, card: int, picture: str) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, lesson, card, "de")
    drawn = page.page.locator(f".st-key-learn-panel {picture}").first
    drawn.wait_for()
    assert page.comes_to(lambda: max(drawn.evaluate(SCROLLS)) <= 1), drawn.evaluate(SCROLLS)


def test_on_its_side_a_phone_shows_the_rule_that_matches(visit: Visit) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, "pieces", 7, "de")
    while not page.page.locator(".le-choice:visible").count():
        page.page.keyboard.press("PageDown")
        page.settle()
    page.page.keyboard.press("PageDown")  # the answer is shown
    matches = page.page.locator(".st-key-learn-panel .rule.yes")
    matches.wait_for()
    inside = """node => {
      const parts = [node, node.closest('.rules'), node.closest('.stepper')];
      const [rule, box, panel] = parts.map(each => each.getBoundingClientRect());
      return rule.top >= box.top - 1 && rule.bottom <= Math.min(box.bottom, panel.bottom) + 1;
    }"""
    assert page.comes_to(lambda: matches.evaluate(inside))


def test_on_its_side_a_phone_names_the_first_pair_of_a_training_in_full(visit: Visit) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, "train-wordpiece", 1, "de")
    pair = page.page.locator(".st-key-learn-panel .trow > :first-child", has_text="o + ##f").first
    pair.wait_for()
    assert page.comes_to(lambda: pair.evaluate(SCROLLS)[0] <= 1)


def test_the_count_of_a_long_match_lies_over_no_attempt(visit: Visit) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, "wordpiece", 2, "de")
    count = page.page.locator(".st-key-learn-panel .of-word.now p.aside")
    count.wait_for()
    over = """node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      const line = range.getClientRects()[0];
      const nodes = [...node.parentElement.querySelectorAll('.bar:not([hidden])')];
      const bars = nodes.map(each => each.getBoundingClientRect());
      return bars.some(bar => bar.top < line.bottom - 3 && bar.bottom > line.top + 3 && bar.right > line.left);
    }"""
    assert page.comes_to(lambda: not count.evaluate(over))


def test_a_japanese_token_in_a_sentence_stays_on_one_line(visit: Visit) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, "trie", 3, "de")
    lines = """nodes => nodes.flatMap(each => [...each.childNodes].filter(node => node.nodeType === 3).flatMap(node => {
      const at = node.nodeValue.indexOf('である'), range = document.createRange();
      if (at < 0) return [];
      range.setStart(node, at);
      range.setEnd(node, at + 3);
      return [range.getClientRects().length];
    }))"""
    assert page.comes_to(lambda: page.page.locator(".le-page p").evaluate_all(lines) == [1])


def to_the_question(page: Explorer) -> None:
    choices = page.page.locator(".le-choice:visible")
    while not choices.count():
        page.page.keyboard.press("PageDown")
        page.settle()


def test_of_like_letters_those_that_a_sentence_joins_are_ringed(visit: Visit) -> None:
    page = visit(PHONE)
    open_lesson(page, "bpe", 2)
    rung = page.page.locator(".merge-tree [data-about]")
    assert page.comes_to(lambda: sorted(rung.all_inner_texts()) == ["i", "n"]), "there are three n in unhappiness"
    boxes = {each.inner_text(): each.bounding_box() for each in rung.all()}
    left, right = boxes["i"], boxes["n"]
    assert left is not None
    assert right is not None
    assert left["x"] < right["x"] < left["x"] + 2 * left["width"]


RUNG = "nodes => nodes.map(each => [each.textContent, getComputedStyle(each).outlineStyle])"


def rings(page: Explorer, lesson: str, card: int, turned: int, language: str = "en") -> list[list[str]]:
    """What a page of a card rings on its panel, and how it is outlined."""
    open_lesson(page, lesson, card, language)
    for _ in range(turned):
        page.page.get_by_role("button", name=page_words(language)["next"]).click()
        page.settle()
    page.page.wait_for_timeout(600)
    rung: list[list[str]] = page.page.locator(".st-key-learn-panel .stepper [data-about]").evaluate_all(RUNG)
    return rung


@pytest.mark.parametrize("language", ["en", "ja"])
def test_of_like_letters_the_one_that_is_a_token_by_itself_is_ringed(visit: Visit, language: str) -> None:
    page = visit(PHONE)
    assert rings(page, "pieces", 4, 1, language) == [["·", "solid"]]
    leaves = page.page.locator(".merge-tree .leaf")
    of_dots = "nodes => nodes.map(each => each.textContent + each.hasAttribute('data-about'))"
    marked = [each for each in leaves.evaluate_all(of_dots) if each.startswith("·")]
    assert marked == ["·false", "·false", "·true"]


def test_a_number_that_several_rows_have_is_ringed_where_the_other_numbers_are(visit: Visit) -> None:
    page = visit(PHONE)
    assert rings(page, "train-wordpiece", 2, 1) == []
    thirteens = page.page.locator(".st-key-learn-panel .trow .number").get_by_text("13", exact=True)
    assert thirteens.count() > 1, "of other pairs"


def test_the_piece_that_matches_is_ringed_as_the_ones_that_fail_are(visit: Visit) -> None:
    page = visit(PHONE)
    assert rings(page, "wordpiece", 3, 0) == [["##playing", "solid"], ["##play", "solid"]]


def test_the_ids_of_a_character_do_not_scroll_sideways_on_a_phone(visit: Visit) -> None:
    page = visit(PHONE)
    open_lesson(page, "bytes", 4)
    box = page.page.locator(".st-key-learn-panel .of-output > .body")
    box.locator(".chip").first.wait_for()
    assert box.evaluate("node => getComputedStyle(node).overflowX") in ("hidden", "visible", "clip")
    assert page.page.locator(".st-key-learn-panel .strip").first.evaluate(SCROLLS)[0] <= 1


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["upright", "desk"])
def test_a_queue_that_is_done_gives_its_place_to_a_tab_that_has_something(visit: Visit, size: ViewportSize) -> None:
    page = visit(size)
    open_lesson(page, "fallback", 2)
    panel = page.page.locator(".st-key-learn-panel")
    tabs, idle = panel.locator(".tabs [aria-selected=true]"), panel.locator(".column .is-idle:visible")
    assert page.comes_to(lambda: tabs.count() > 0 and idle.count() == 0)
    panel.get_by_role("tab", name="Symbols").click()
    panel.get_by_role("tab", name="Queue").click()
    assert page.comes_to(lambda: "Queue" in tabs.all_inner_texts()), "it can be chosen all the same"


@pytest.mark.parametrize("card", [1, 3])
def test_the_tokens_that_a_walk_passed_are_not_cut_off(visit: Visit, card: int) -> None:
    page = visit(PHONE)
    open_lesson(page, "trie", card)
    panel = page.page.locator(".st-key-learn-panel")
    head, last = panel.locator(".passed-head"), panel.locator(".passed li").last
    last.wait_for()
    cut = """node => {
      const edge = node.closest('.top').getBoundingClientRect();
      const { top, bottom } = node.getBoundingClientRect();
      return top < edge.top || bottom > edge.bottom + 1;
    }"""
    assert page.comes_to(lambda: not head.evaluate(cut) and not last.evaluate(cut))


def test_a_column_without_words_leaves_its_room_to_others(visit: Visit) -> None:
    page = visit(PHONE)
    open_lesson(page, "fallback", 7, "de")
    cells = page.page.locator(".st-key-learn-panel .trow bdi:visible")
    cells.first.wait_for()
    assert page.comes_to(lambda: "Die Normalisierung" in cells.all_inner_texts())
    assert cells.evaluate_all("nodes => nodes.filter(each => each.scrollWidth > each.clientWidth + 1).length") == 0
    assert page.page.locator(".st-key-learn-panel .names span:visible", has_text="warum").count() == 0


def test_a_model_s_name_stays_on_its_line(visit: Visit) -> None:
    page = visit(PHONE)
    open_lesson(page, "own", 5)
    names = page.page.locator(".al-say bdi")
    names.first.wait_for()
    lines = """node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return new Set([...range.getClientRects()].map(each => Math.round(each.top))).size;
    }"""
    for width in (390, 360, 340, 330, 320):
        page.page.set_viewport_size({"width": width, "height": 844})
        page.settle()
        assert {each.inner_text(): each.evaluate(lines) for each in names.all()} == dict.fromkeys(
            names.all_inner_texts(), 1
        )


@pytest.mark.parametrize(("lesson", "card"), [("unigram", 5), ("pieces", 9)])
def test_a_question_and_its_answer_fit_a_phone_on_its_side(visit: Visit, lesson: str, card: int) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, lesson, card)
    to_the_question(page)
    below = "() => { const all = document.querySelector('.st-key-learn'); return all.scrollHeight - all.clientHeight; }"
    assert page.comes_to(lambda: page.page.evaluate(below) <= 0)
    page.page.get_by_role("button", name="Show me").click()
    page.page.locator(".le-choice.right").wait_for()
    page.settle()
    assert page.comes_to(lambda: page.page.evaluate(below) <= 0)


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_five_answers_are_large_enough_for_a_finger_on_a_phone_on_its_side(visit: Visit, language: str) -> None:
    page = visit(SIDEWAYS, has_touch=True)
    open_lesson(page, "own", 4, language)
    to_the_question(page)
    choices = page.page.locator(".le-choice:visible")
    assert choices.count() == 5
    heights = choices.evaluate_all("nodes => nodes.map(each => each.getBoundingClientRect().height)")
    assert min(heights) >= 44
    assert page.comes_to(lambda: problems(page) == [])
    check = page.page.get_by_role("button", name=page_words(language)["check"]).bounding_box()
    assert check is not None
    assert check["y"] + check["height"] <= SIDEWAYS["height"]


def swipe(page: Explorer, across: int) -> None:
    """A finger across the words of the card."""
    session = page.page.context.new_cdp_session(page.page)
    for kind, x in (("touchStart", 200), ("touchMove", 200 + across // 2), ("touchMove", 200 + across)):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": max(4, x), "y": 690}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def test_a_picture_keeps_its_height_where_the_letters_are_twice_as_large(visit: Visit) -> None:
    page = visit({"width": 195, "height": 422}, has_touch=True)
    open_lesson(page, "token")
    assert [each for each in problems(page) if "hidden" not in each and "below" not in each] == []
    page.page.get_by_role("button", name="Next ▶").click()
    assert page.page.locator(".le-page:not(.away)").is_visible()


def test_a_screen_reader_hears_the_page_that_is_turned_to(visit: Visit) -> None:
    page = visit(PHONE)
    open_lesson(page, "token")
    page.page.get_by_role("button", name="Next ▶").click()
    live = page.page.locator(".le-body [aria-live]")
    assert page.comes_to(lambda: "The pieces of text above the numbers are tokens." in live.inner_text())
    assert page.page.locator(".le-page[aria-hidden=false]").count() == 1
    assert page.page.evaluate("document.querySelector('.st-key-learn-row')?.checkVisibility() ?? false") is False


@pytest.mark.parametrize("model", ["xlm-r", *(pytest.param(each, marks=pytest.mark.long) for each in MODELS)])
def test_on_a_phone_the_work_and_the_count_of_tokens_are_in_view_at_each_step(visit: Visit, model: str) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/?m={model}&text=Hello+world,+unbelievable+things&stage=model&level=story&step=0")
    page.page.locator(".st-key-stepper .count b:not(:empty)").first.wait_for(state="attached")
    page.settle()
    page.page.locator(".st-key-stage .stepper").focus()
    count = page.page.locator(".st-key-overview .counts .count").text_content()
    for step in range(12):
        page.page.keyboard.press("ArrowRight")
        assert page.comes_to(lambda: not page.page.evaluate(f"{SCRIPT}.seen()")["hidden"]), (model, step)
        seen = page.page.evaluate(f"{SCRIPT}.seen()")
        assert (seen["count"], seen["bars"]) == (count, PHONE["height"])


def test_on_a_phone_a_lattice_has_no_gap_above_its_arcs(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/?m=xlm-r&text=What+is+LoRA%3F&stage=model&level=story&step=3")
    page.page.locator(".st-key-stage .arc.at").wait_for()
    page.settle()
    above = "node => node.firstElementChild.getBoundingClientRect().top - node.getBoundingClientRect().top"
    assert page.comes_to(lambda: abs(page.page.locator(".st-key-stage .arcs").evaluate(above)) <= 1)


def test_on_a_phone_the_pages_are_tabs_at_the_bottom(visit: Visit) -> None:
    page = visit(PHONE).open()
    tabs = page.page.get_by_role("navigation", name="App pages").get_by_role("link")
    assert tabs.count() == 7
    heights = tabs.evaluate_all("nodes => nodes.map(each => each.getBoundingClientRect().height)")
    assert min(heights) >= 44
    tabs.filter(has_text="Compare").click()
    page.page.wait_for_url("**/compare*")
    page.page.locator(".st-key-rows .ids").first.wait_for(state="attached")
    add, first = page.page.locator(".st-key-add").bounding_box(), tabs.first.bounding_box()
    assert add is not None
    assert first is not None
    assert add["y"] + add["height"] <= first["y"]
    assert page.sideways() == 0
