"""The first minute: how the first story ends, what comes next, and texts that play by themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from explorer.learning.lessons import library
from tests.browser.conftest import PHONE, Explorer
from tests.bundled import bundled
from tests.gallery import FILE, gallery, written

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]

IDS = [1, 1724, 338, 4309, 4717, 29973]
FIRST = """
if (!sessionStorage.getItem("begun")) { localStorage.removeItem("explorer-visited");
sessionStorage.setItem("begun", "yes") }
"""
NEXT = ".st-key-stepper .what-next"


def first_visit(visit: Visit, size: object = None, **more: object) -> Explorer:
    """A first visit, at the end of its story."""
    page = visit(size or {"width": 1280, "height": 800}, **more)
    page.page.add_init_script(FIRST)
    page.page.goto(f"{page.address}/")
    page.page.locator(NEXT).wait_for()
    return page


def ids_below(page: Explorer, row: str = ".end-ids") -> list[int]:
    """The ids at the end of a story."""
    return [int(text) for text in page.page.locator(f".st-key-stepper {row} .end-id").all_inner_texts()]


SAID = "node => [node.innerText, [...node.querySelectorAll('.term')].map((each) => each.innerText)]"


def test_the_first_story_explains_its_terms(visit: Visit) -> None:
    page = first_visit(visit, reduced_motion="reduce")
    page.page.keyboard.press("Escape")
    say = page.page.locator(".st-key-stepper .say")
    terms = set[str]()
    for _ in range(20):
        page.page.locator(".st-key-stepper .stepper").press("ArrowLeft")
        said, marked = say.evaluate(SAID)  # at once: the next step may be drawn between two looks
        terms |= {each.lower().rstrip("s") for each in marked}
        for term in ("score", "piece", "llama.cpp"):
            assert term not in said or any(term in each for each in marked), said
    assert {"score", "piece"} <= terms


FAINTEST = """
window.faintest = 1;
const look = () => {
  for (const token of document.querySelector(".st-key-overview")?.querySelectorAll(".token") ?? []) {
    window.faintest = Math.min(window.faintest, Number(getComputedStyle(token).opacity));
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


@pytest.mark.long
def test_the_tokens_of_the_text_stay_in_sight_at_the_end(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.add_init_script(FIRST + FAINTEST)
    page.page.goto(f"{page.address}/")
    page.page.locator(NEXT).wait_for()
    page.page.wait_for_timeout(1500)
    assert page.page.evaluate("window.faintest") == 1


@pytest.mark.long
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_stepper_drawn_again_still_tells_the_first_story(visit: Visit, motion: str) -> None:
    page = visit({"width": 1280, "height": 800}, reduced_motion=motion)
    page.page.add_init_script(FIRST)
    page.page.goto(f"{page.address}/")
    page.page.locator(".st-key-stepper .count").wait_for()
    page.page.locator(".ky-language").select_option("de")
    page.page.locator(NEXT).wait_for()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_first_story_ends_with_its_ids_and_what_comes_next(visit: Visit, motion: str) -> None:
    page = first_visit(visit, reduced_motion=motion)
    assert sorted(ids_below(page)) == sorted(IDS)
    stepper = page.page.locator(".st-key-stepper")
    assert stepper.locator(".say .what b").inner_text() == "6 tokens."
    assert len(page.page.locator(f"{NEXT} .tile").all()) == 3
    # each is as wide as its letters
    leaves = [box for box in (each.bounding_box() for each in stepper.locator(".leaf").all()) if box]
    page.page.wait_for_timeout(700)
    what = stepper.locator(".end-ids .end-id", has_text="1724").bounding_box()
    assert what is not None
    assert sum(what["x"] < box["x"] + box["width"] / 2 < what["x"] + what["width"] for box in leaves) == len("·What")
    # in the panel, above the transport
    card, foot = (page.page.locator(each).bounding_box() for each in (NEXT, ".st-key-stepper .foot"))
    assert card is not None
    assert foot is not None
    assert card["y"] + card["height"] <= foot["y"] + 1
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: not page.page.locator(NEXT).is_visible())
    assert sorted(ids_below(page)) == sorted(IDS), "the end stays"
    page.settle()
    page.page.reload()
    stepper.locator(".count").wait_for()
    page.focus_stepper()
    page.page.keyboard.press("End")
    assert page.at_end()
    assert not page.page.locator(NEXT).is_visible(), "once in a browser"


@pytest.mark.long
def test_a_step_or_another_stage_closes_what_comes_next(visit: Visit) -> None:
    page = first_visit(visit)
    page.page.locator(".st-key-stepper").get_by_role("button", name="Back one step").click()
    assert page.comes_to(lambda: not page.page.locator(NEXT).is_visible())
    page.page.locator(".st-key-stepper").get_by_role("button", name="Forward one step").click()
    assert page.at_end()
    assert not page.page.locator(NEXT).is_visible()


def test_an_own_text_is_drawn_at_each_key_and_played_at_enter(visit: Visit) -> None:
    page = first_visit(visit)
    field = page.page.locator(f"{NEXT} input")
    field.press_sequentially("newer", delay=30)
    own = bundled("llama-2").encode("newer").ids
    assert page.shows(own)
    assert page.field.input_value() == "newer"
    field.press("Enter")
    assert page.comes_to(lambda: not page.page.locator(NEXT).is_visible())
    assert page.comes_to(lambda: not page.page.locator(".st-key-stepper .stepper.ended").count()), (
        "from the first letter"
    )
    assert page.at_end()
    assert page.comes_to(lambda: sorted(ids_below(page)) == sorted(own))
    assert not page.page.locator(NEXT).is_visible(), "an own text has its end without what comes next"


@pytest.mark.long
def test_the_cut_and_the_lesson_are_what_they_say(visit: Visit) -> None:
    page = first_visit(visit)
    lesson, cut = page.page.locator(f"{NEXT} a.tile"), page.page.locator(f"{NEXT} button.tile")
    assert library()["token"].title in lesson.inner_text()
    assert str(library()["token"].minutes) in lesson.inner_text()
    assert "learn?lesson=token" in (lesson.get_attribute("href") or "")
    assert [each.inner_text() for each in cut.locator(".tok").all()] == ["·Lo", "RA"]
    assert "32,000" in cut.inner_text()
    cut.click()
    why = page.page.locator(".st-key-overview .why")
    assert page.comes_to(why.is_visible)
    assert why.locator("h2").inner_text() == "Why cut ·Lo | RA?"


def test_a_new_text_plays_by_itself_and_a_key_stops_it(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="story")
    page.field.fill("a new text that plays")
    drawn = page.page.locator(".st-key-stepper .joint:not(.yet)")
    assert page.comes_to(lambda: drawn.count() > 1), "without a key of the stepper"
    page.page.locator(".st-key-stepper .stepper").press("Space")
    page.page.wait_for_timeout(300)
    stopped = drawn.count()
    page.page.wait_for_timeout(1500)
    assert drawn.count() == stopped
    page.field.fill("another")
    assert page.comes_to(
        lambda: page.at_end() and sorted(ids_below(page)) == sorted(bundled("llama-2").encode("another").ids)
    )


@pytest.mark.long
def test_a_phone_has_the_ids_in_a_row(visit: Visit) -> None:
    page = first_visit(visit, PHONE)
    assert ids_below(page, ".end-row") == IDS
    assert not page.page.locator(".st-key-stepper .merge-tree").is_visible()
    assert not page.page.locator(".st-key-overview .ribbon").is_visible()
    assert page.sideways() == 0
    page.page.keyboard.press("Escape")
    assert page.comes_to(page.page.locator(".st-key-overview .ribbon").is_visible)


@pytest.mark.long
@pytest.mark.parametrize("locale", ["en-US", "de-DE", "ja-JP"])
def test_a_phone_shows_the_three_next_things_and_nothing_covers_them(visit: Visit, locale: str) -> None:
    page = first_visit(visit, PHONE, locale=locale)
    foot = page.page.locator(".st-key-stepper .foot")
    page.settle()

    def free() -> bool:
        tiles = [box for box in (each.bounding_box() for each in page.page.locator(f"{NEXT} .tile").all()) if box]
        below = foot.bounding_box()
        assert below is not None
        ends = [box["y"] + box["height"] for box in tiles]
        return len(tiles) == 3 and max(ends) <= min(below["y"], PHONE["height"])

    assert page.comes_to(free)
    own = page.page.locator(f"{NEXT} .pieces").evaluate_all(
        """all => all.map(pieces => { const title = pieces.parentNode.querySelector("b").getBoundingClientRect();
        const at = pieces.getBoundingClientRect(); return at.left >= title.right || at.top >= title.bottom; })"""
    )
    assert all(own), "the pieces are not drawn over the title"


def test_enter_in_the_bar_plays_and_shift_enter_is_a_line_break(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="story", text="newer lower")
    assert page.comes_to(lambda: page.at_end())
    ended = page.page.locator(".st-key-stepper .stepper.ended")
    page.field.press("Enter")
    assert page.comes_to(lambda: not ended.count()), "played again from the first letter"
    assert page.field.input_value() == "newer lower"
    page.field.press("End")
    page.field.press("Shift+Enter")
    assert page.field.input_value() == "newer lower\n"
    assert page.shows(bundled("llama-2").encode("newer lower\n").ids)


@pytest.mark.long
def test_a_sentence_of_a_merge_is_whole_on_a_tablet_in_japanese(visit: Visit) -> None:
    page = visit({"width": 820, "height": 1100}, locale="ja-JP", reduced_motion="reduce")
    page.open(stage="model", level="story", text="What is LoRA?")
    page.focus_stepper()
    page.page.keyboard.press("Home")
    lines = page.page.locator(".st-key-stepper .say :is(.what, .why)")
    for _ in range(10):
        page.page.keyboard.press("ArrowRight")
        page.page.wait_for_timeout(60)
        cut = lines.evaluate_all(
            """all => all.filter(line => line.scrollWidth > line.clientWidth + 1
            || line.scrollHeight > line.clientHeight + 2).map(line => line.textContent)"""
        )
        assert not cut


@pytest.mark.long
def test_tokens_that_have_no_letters_in_the_tree_stand_in_a_row(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="story", text="ab</s>cd", step="9999")
    assert page.comes_to(lambda: ids_below(page, ".end-row") == bundled("llama-2").encode("ab</s>cd").ids)


def test_the_file_of_the_gallery_is_what_the_engine_gives() -> None:
    assert FILE.read_text("utf-8") == written(gallery())
