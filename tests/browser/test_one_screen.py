"""One screen: Explore's text, stages and one stage with its stepper, and Learn's list, without scrolling."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest

from explorer.learning.lessons.reading import lessons_in
from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

IDS = [1, 1724, 338, 4309, 4717, 29973]


def ids(page: Explorer) -> list[int]:
    """The ids under the text."""
    return [int(text) for text in page.page.locator(".st-key-overview .token small").all_text_contents()]


def stage_of(page: Explorer) -> str:
    """The name of the stage in focus."""
    return page.page.locator('.st-key-overview [role="tab"][aria-selected="true"] .name').inner_text()


def bottom(page: Explorer, selector: str) -> float:
    """Where an element ends, in pixels from the top of the window."""
    box = page.page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.quick
def test_the_first_screen_holds_all_without_scrolling(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="algorithm", step="14")
    assert page.comes_to(lambda: ids(page) == IDS)
    assert stage_of(page) == "Merge"
    assert bottom(page, ".st-key-stepper .foot") <= 800
    say = page.page.locator(".st-key-stepper .say .what").inner_text()
    assert say == "a + t → at. The best pair left: −12 beats is (−16)."
    rows = page.page.locator(".st-key-stepper .pairs li:visible")
    assert rows.first.locator(".text").inner_text() == "at"
    assert rows.nth(1).locator(".value").inner_text() == "−16"
    assert page.sideways() == 0


def test_the_list_of_lessons_is_on_one_screen(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800})
    for language in ("en", "de", "ja"):
        page.page.goto(f"{page.address}/learn?lang={language}")
        lessons = page.page.locator(".le-list:not(.others) .le-entry")
        lessons.last.wait_for()
        page.settle()
        assert lessons.count() == len(lessons_in(language))
        ends = lessons.evaluate_all("all => Math.max(...all.map(each => each.getBoundingClientRect().bottom))")
        assert ends <= 800, (language, ends)


def test_a_stage_is_chosen_by_click_and_key_and_is_in_the_url(visit: Visit) -> None:
    page = visit().open(stage="model")
    page.page.locator('.st-key-overview [role="tab"]', has_text="Normalize").click()
    assert page.comes_to(lambda: page.page.locator(".st-key-stepper_normalize").count() == 1)
    assert page.comes_to(lambda: page.page.locator(".st-key-stepper").count() == 0)
    assert "stage=normalize" in page.page.url
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: stage_of(page) == "Merge")
    assert page.comes_to(lambda: page.page.locator(".st-key-stepper .count").count() == 1)
    page.page.go_back()
    assert page.comes_to(lambda: stage_of(page) == "Normalize")
    page.page.reload()
    assert page.comes_to(lambda: page.page.locator(".st-key-stepper_normalize").count() == 1)


def test_nothing_moves_while_stepping(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="algorithm")
    parts = [".headline", ".top", ".columns", ".foot"]

    def places() -> list[object]:
        return [page.page.locator(f".st-key-stepper {part}").bounding_box() for part in parts]

    assert page.jumped() < 0.03
    page.focus_stepper()
    before = places()
    for _ in range(page.step[1]):
        page.page.keyboard.press("ArrowRight")
        assert places() == before
    assert page.at_end()


def test_levels_are_in_the_url_and_show_more_and_more(visit: Visit) -> None:
    page = visit().open(stage="model", level="story", step="14")
    stepper = page.page.locator(".st-key-stepper")
    assert stepper.locator(".joint:not(.yet)").count() == 1
    assert stepper.locator(".code").count() == 0
    stepper.get_by_role("radio", name="Algorithm").click()
    assert stepper.locator(".code").is_visible()
    assert "level=algorithm" in page.page.url
    assert page.step == (14, 47)
    stepper.get_by_role("radio", name="Implementation").click()
    assert stepper.locator(".say .what").inner_text() == "Pop at (−12): cell 3 absorbs cell 4."
    for name in ("Queue", "Heap", "Log", "Code", "rev_merge"):
        stepper.get_by_role("tab", name=name, exact=True).click()
        assert stepper.locator(".column .panel:visible").count() == 2, name
    page.page.keyboard.press("End")


def test_keys_of_the_page_drive_the_stepper_in_view(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="algorithm", step="0")
    page.page.evaluate("document.activeElement?.blur()")
    for key, step in (("ArrowRight", 1), ("PageDown", 2), ("PageUp", 1), ("End", 47), ("3", 14), ("Home", 0)):
        page.page.keyboard.press(key)
        assert page.at_step(step), key
    page.page.keyboard.press("f")
    assert page.page.locator("html[data-lecture]").count() == 1
    assert not page.page.locator(".st-key-bar").is_visible()
    page.page.keyboard.press("b")
    assert page.page.locator("html[data-black]").count() == 1
    page.page.keyboard.press("b")
    page.page.keyboard.press("f")
    assert page.page.locator("html[data-lecture]").count() == 0


def test_predict_hides_the_winner_until_it_is_answered(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="algorithm", step="13")
    stepper = page.page.locator(".st-key-stepper")
    stepper.get_by_role("button", name="Predict").click()
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: "Which pair is joined next?" in stepper.locator(".say").inner_text())
    assert page.step[0] == 13
    texts = stepper.locator(".pairs li:visible .text").all_inner_texts()
    letters = stepper.locator(".pairs li:visible .rank").all_inner_texts()
    assert texts.index("at") > 0, "in the order of the text, not of the queue"
    assert stepper.locator(".thread .answer-letter:visible").all_inner_texts() == letters, "the same on the text"
    assert stepper.locator(".buttons .main").inner_text() == "Show it"
    assert stepper.locator(".code .value:visible").all_inner_texts() == ["which one?"]
    page.page.keyboard.press(letters[0].lower())
    assert page.comes_to(lambda: "Another pair comes before it" in stepper.locator(".say").inner_text())
    assert page.step[0] == 13
    page.page.keyboard.press(letters[texts.index("at")].lower())
    assert page.at_step(14)
    assert stepper.locator(".code .value:visible").all_inner_texts() == ["at, −12", "a + t → at"]
    page.page.keyboard.press("p")


def test_a_phone_has_all_on_the_first_screen(visit: Visit) -> None:
    page = visit(PHONE).open(stage="model", level="algorithm", step="14")
    assert page.comes_to(lambda: ids(page) == IDS)
    assert page.jumped() < 0.03
    assert page.sideways() == 0
    assert bottom(page, ".st-key-stepper .foot") <= PHONE["height"] + 1, "the transport stays at the bottom"
    places = {part: page.page.locator(part).bounding_box() or {} for part in
              (".st-key-overview .tokens", ".st-key-overview .ribbon", ".st-key-stepper .foot")}  # fmt: skip
    tokens, ribbon, foot = places.values()
    assert "6" in page.page.locator(".st-key-overview .counts .count:visible").inner_text()
    assert ribbon["y"] - tokens["y"] - tokens["height"] <= 56, "one line between the tokens and the stages"
    fifth = page.page.locator(".st-key-stepper .pairs li").nth(4).bounding_box() or {}
    assert fifth["y"] + fifth["height"] <= foot["y"], "five pairs are in view"
    for button in page.page.locator(".st-key-stepper .foot button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44


def test_a_character_of_several_tokens_is_drawn_once(visit: Visit) -> None:
    page = visit(DESK).open(stage="model", m="gpt-2", text="I 🤗 tokens")
    assert page.comes_to(lambda: ids(page) == [40, 12520, 97, 245, 16326])
    assert page.page.locator(".st-key-overview .split").count() == 1
    assert page.page.locator(".st-key-overview .glyph").all_inner_texts() == ["🤗"]


def test_what_can_be_shared(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"]).open(stage="model")
    for menu, name, wanted in (
        ("Copy", "Ids for Python", f"ids = {IDS}"),
        ("Copy", "Ids, plain", " ".join(map(str, IDS))),
        ("Share", "Frame for a page or slides", "embed=true"),
    ):
        page.menu(menu, name)
        assert page.comes_to(lambda wanted=wanted: wanted in page.page.evaluate("navigator.clipboard.readText()"))  # type: ignore[misc]
        page.page.keyboard.press("Escape")
    with page.page.expect_download() as waited:
        page.menu("Share", "Picture, SVG")
    svg = waited.value.path().read_text("utf-8")
    assert svg.startswith("<svg")
    assert all(text in svg for text in ("What", "4309", "&lt;s>"))


def test_the_merges_are_played_once_on_the_first_visit(visit: Visit) -> None:
    page = visit()
    page.page.add_init_script("if (!sessionStorage.getItem('begun')) { localStorage.removeItem('explorer-visited'); "
                              "sessionStorage.setItem('begun', 'yes') }")  # fmt: skip
    page.open(stage="model")
    assert page.at_end()
    assert page.page.locator(".st-key-stepper .joint:not(.yet)").count() == 9
    page.page.wait_for_timeout(600)  # the URL follows after a rest
    page.page.reload()
    page.page.locator(".st-key-stepper .count").wait_for()
    page.page.wait_for_timeout(2500)
    assert page.step[0] in (0, 47), "not played again"


JOINED = """
window.joined = 0;
const { animate } = Element.prototype;
Element.prototype.animate = function (...moves) {
  if (this.classList.contains("ghost")) window.joined += 1;
  return animate.apply(this, moves);
};
"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_one_click_is_one_merge(visit: Visit, motion: str) -> None:
    page = visit({"width": 1280, "height": 800}, reduced_motion=motion)
    page.page.add_init_script(JOINED)
    page.open(stage="model", level="story", step="0")
    stepper = page.page.locator(".st-key-stepper")
    made, first = stepper.locator(".joint:not(.yet)"), stepper.locator(".waiting .wait:not(.lost) bdi").first
    for merge, step in enumerate((14, 17, 20, 23, 26, 29, 31, 36, 39), start=1):
        best = first.inner_text()
        stepper.get_by_role("button", name="Forward one step").click()
        assert page.comes_to(lambda merge=merge: made.count() == merge)  # type: ignore[misc]
        assert stepper.locator(".joint.newest bdi").inner_text() == best, "what waits first is joined next"
        assert page.step == (step, 47)
        assert re.findall(r"\d+", stepper.locator(".count").inner_text()) == [str(merge), "9"], "Story counts merges"
        assert page.comes_to(lambda step=step: f"step={step}" in page.page.url)  # type: ignore[misc]
    assert page.page.evaluate("window.joined") == (0 if motion == "reduce" else 18)
    stepper.get_by_role("button", name="Back one step").click()
    assert page.comes_to(lambda: made.count() == 8)


def test_a_step_that_story_passes_has_its_sentence_where_a_link_names_it(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="story", step="11")
    stepper = page.page.locator(".st-key-stepper")
    assert stepper.locator(".say .kind").inner_text() == "no piece"
    assert [stepper.locator(".say .what").inner_text().count(symbol) for symbol in ("o", "R")] == [2, 1]
    page.page.reload()
    assert page.comes_to(lambda: stepper.locator(".say .kind").inner_text() == "no piece")
    assert "step=11" in page.page.url
    page.focus_stepper()
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: stepper.locator(".joint:not(.yet)").count() == 1)


@pytest.mark.parametrize(
    ("query", "phrase"),
    [
        ("stage=model&level=story&step=14", "learned after 12 other pieces"),
        ("m=gpt-2&text=unhappiness&stage=model&level=algorithm&step=11", "merge 4 of 50,000"),
        ("m=xlm-r&stage=model&level=story&step=14", "1 piece in"),
    ],
)
def test_a_number_of_the_vocabulary_says_what_it_means(visit: Visit, query: str, phrase: str) -> None:
    page = visit({"width": 1280, "height": 800})
    page.page.goto(f"{page.address}/?{query}")
    numbers = page.page.locator(".st-key-stepper .means")
    numbers.first.wait_for()
    page.settle()
    tip = page.page.locator(".st-key-stepper .term-tip")
    numbers.first.hover()
    assert page.comes_to(lambda: phrase in tip.inner_text())
    page.page.mouse.move(5, 5)
    assert page.comes_to(lambda: not tip.is_visible())


SETTLED = """
window.settled = [];
const { animate } = Element.prototype;
Element.prototype.animate = function (...moves) {
  const kind = ["leaf", "token"].find((name) => this.classList.contains(name));
  if (kind) window.settled.push(kind);
  return animate.apply(this, moves);
};
"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_after_the_last_merge_the_tokens_settle_once(visit: Visit, motion: str) -> None:
    page = visit({"width": 1280, "height": 800}, reduced_motion=motion)
    page.page.add_init_script(SETTLED)
    page.open(stage="model", level="story")
    merges = page.page.locator(".st-key-stepper .joint").count()
    page.focus_stepper()
    for done in range(1, merges + 1):
        assert page.page.evaluate("window.settled") == []
        page.page.keyboard.press("Shift+ArrowRight")
        assert page.comes_to(lambda done=done: page.page.locator(".st-key-stepper .joint:not(.yet)").count() == done)  # type: ignore[misc]
    cells = page.page.locator(".st-key-stepper .leaf").count()
    wanted = [] if motion == "reduce" else ["leaf"] * cells + ["token"] * len(IDS)
    assert page.comes_to(lambda: page.page.evaluate("window.settled.toSorted()") == wanted)
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("ArrowRight")
    page.settle()
    assert page.page.evaluate("window.settled.length") == len(wanted)


def test_a_cut_and_a_token_are_explained_and_each_line_leads_to_its_step(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="algorithm")
    card = page.page.locator(".st-key-overview .why")
    page.page.get_by_role("button", name="Why cut Lo | RA?").click()
    assert page.comes_to(lambda: card.is_visible())
    assert card.locator("h2").inner_text() == "Why cut ·Lo | RA?"
    assert "would have to be a piece of llama-2" in card.locator(".why-say").inner_text()
    assert card.locator(".why-rows li").count() == 5
    assert "8 cuts" in card.locator(".why-note").inner_text()
    spellings = card.locator(".why-spelling")
    assert spellings.first.locator("bdi").all_inner_texts() == ["lora", "·l", "ora"]
    spellings.nth(1).click()
    assert page.comes_to(lambda: page.field.input_value() == "What is Lora?")
    assert not card.is_visible()
    # the field is ahead of the tokens: a question may only be asked of the tokens that are meant
    question = page.page.get_by_role("button", name="Why cut Lo | RA?")
    assert page.comes_to(lambda: question.count() == 0)
    page.page.keyboard.press("Control+z")
    assert page.comes_to(lambda: page.field.input_value() == "What is LoRA?")
    question.click()
    assert page.comes_to(lambda: card.is_visible())
    card.get_by_role("button", name="step 36", exact=True).click()
    assert page.at_step(36)
    assert not card.is_visible()
    assert "·Lo" in page.page.locator(".st-key-stepper .say .what").inner_text()
    page.page.locator(".st-key-overview .token").nth(1).click()
    assert page.comes_to(lambda: card.is_visible())
    assert card.locator("h2").inner_text() == "How ·What came about"
    assert card.locator(".why-chip").count() == 9
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: not card.is_visible())
    page.page.locator(".st-key-overview .seam").nth(1).click()
    assert page.comes_to(lambda: card.is_visible())
    assert card.locator("h2").inner_text().startswith("Why cut ·What | ·is")


def test_another_tokenizer_keeps_the_focus(visit: Visit) -> None:
    page = visit().open(stage="model", level="algorithm")
    heads = page.page.locator(".st-key-stepper .column .names span")
    assert page.comes_to(lambda: heads.all_inner_texts()[1:4] == ["Makes", "From", "Score"])
    page.choose("m", "gpt-2")
    stages = page.page.locator('.st-key-overview [role="tab"]')
    assert page.comes_to(lambda: stages.filter(has_text="Pre-tokenize").count() == 1)
    assert stage_of(page) == "Merge"
    assert page.comes_to(lambda: heads.all_inner_texts()[1:4] == ["Makes", "From", "Merge"])


def test_the_controls_of_compare_do_not_overlap_on_a_phone(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/compare")
    page.page.locator(".st-key-rows .cell").first.wait_for()
    page.settle()
    boxes = [
        box
        for each in page.page.locator(".st-key-bar > *, .st-key-add, .st-key-view [role=radiogroup]").all()
        if (box := each.bounding_box())
    ]
    assert len(boxes) >= 3
    for number, one in enumerate(boxes):
        for other in boxes[number + 1 :]:
            beside = one["x"] + one["width"] <= other["x"] + 1 or other["x"] + other["width"] <= one["x"] + 1
            below = one["y"] + one["height"] <= other["y"] + 1 or other["y"] + other["height"] <= one["y"] + 1
            assert beside or below
    assert all(box["width"] >= 44 and box["height"] >= 44 for box in boxes)


def test_a_frame_shows_the_text_the_stages_and_the_stepper_and_no_more(visit: Visit) -> None:
    page = visit({"width": 1216, "height": 700})
    page.page.goto(f"{page.address}/?embed=true&level=algorithm&step=14")  # `open` waits for the field, which is hidden
    page.page.locator(".st-key-stage .count b", has_text="14").wait_for()
    assert not page.page.locator(".stAppHeader").is_visible()
    assert not page.page.locator(".st-key-bar").is_visible()
    main = page.page.locator('[data-testid="stMain"]')
    assert main.evaluate("(node) => node.scrollHeight - node.clientHeight") <= 0


LONG = "The quick brown fox, unaffable in Zürich: 1234567 東京 <s> zero\u200bwidth\n" * 12


@pytest.mark.parametrize("view", ["Side by side", "Where they part", "What if", "While typing", "Languages"])
def test_a_question_of_compare_is_one_screen_whatever_the_text(visit: Visit, view: str) -> None:
    page = visit({"width": 1280, "height": 800})
    page.page.goto(f"{page.address}/compare?{urlencode({'view': view, 'text': LONG})}")
    page.page.locator(".st-key-section-take-away button").first.wait_for()
    page.settle()
    main = page.page.locator('[data-testid="stMain"]')
    assert main.evaluate("(node) => [node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth]") == [
        0,
        0,
    ]
    assert bottom(page, ".st-key-section-take-away button") <= 800
    for count in page.page.locator(".st-key-tab-what-if .line:first-child .count").all():
        box = count.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 1280, "labels such as U+200B don't push the counts off the page"
