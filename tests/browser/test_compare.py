"""The Compare page in a browser: aligned rows, keys, links, a phone, dark mode."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from urllib.parse import parse_qs, quote, urlencode, urlparse

import pytest
from playwright.sync_api import Locator

from explorer.views.examples import COMPARED
from tests.browser.conftest import DESK, PHONE, Explorer
from tests.ui.small_files import tokenizer_json

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

TEXT = "A\u030angstrom fi\ufb01 unbelievable שלום 1234 猫"
TWO = ["gpt-2@huggingface", "llama-3@huggingface"]

CHIPS = """
rows => {
  const lines = [...rows.getRootNode().querySelectorAll('.line')];
  return lines.map(line => [...line.querySelectorAll('.aligned-row')].map(row =>
    [...row.querySelectorAll('.cell')].map(cell => {
      const box = cell.getBoundingClientRect(), style = getComputedStyle(cell);
      const [from, to] = style.gridColumn.split(' / ').map(Number);
      return {from, to, left: box.left, right: box.right, top: box.top, bottom: box.bottom};
    })));
}
"""
"""The chips of each line and row: their columns in the grid and their positions on the page."""


def opened(page: Explorer, selector: str = ".st-key-rows .cell", **query: str | list[str]) -> Explorer:
    """The Compare page, once an element of it exists."""
    page.page.goto(f"{page.address}/compare?{urlencode(query, doseq=True)}")
    page.page.locator(selector).first.wait_for()
    page.settle()
    return page


FOCUSED = """() => {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active.closest(".st-key-add") ? "add" : active.closest(".tc-chips li")?.textContent ?? "";
}"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("view", ["Side by side", "Where they part", "Expected ids"])
def test_a_removed_tokenizer_gives_the_focus_to_the_next_or_to_what_adds_one(visit: Visit, view: str) -> None:
    three = [*TWO, "llama-2"]
    page = opened(visit(DESK), ".tc-chips li", text="is", view=view, **{"with": three})
    chips = page.page.locator(".tc-chips li")
    for count in (2, 1):
        chips.last.locator(".tc-remove").focus()
        page.page.keyboard.press("Enter")
        assert page.comes_to(lambda count=count: chips.count() == count)  # type: ignore[misc]
        page.settle()
        # a chip alone has a button only where it is chosen
        wanted = chips.last.inner_text().replace("\n", "") if count > 1 or view != "Side by side" else "add"
        assert page.comes_to(lambda wanted=wanted: page.page.evaluate(FOCUSED) == wanted), wanted  # type: ignore[misc]


def test_tabs_in_other_words_look_and_are_named_like_the_others(visit: Visit) -> None:
    page = opened(visit(DESK), text="is")
    tabs = page.page.locator(".st-key-view")
    for name in ("Side by side", "First difference", "Why are my ids different?", "What if"):
        assert tabs.get_by_role("radio", name=name, exact=True).count() == 1
    sizes = """tabs => tabs.map(tab => Math.max(...[getComputedStyle(tab, "::after"),
        ...[...tab.querySelectorAll("p")].map(each => getComputedStyle(each))]
        .filter(style => style.content !== "none" && style.visibility === "visible")
        .map(style => parseFloat(style.fontSize))))"""
    assert len(set(tabs.get_by_role("radio").evaluate_all(sizes))) == 1


def rows(page: Explorer) -> Locator:
    return page.page.locator(".st-key-rows .lines")


@pytest.mark.rest
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_equal_token_boundaries_align_and_nothing_overlaps(visit: Visit, size: dict[str, int], dark: bool) -> None:
    page = opened(visit(size, dark), text=TEXT)
    lines = rows(page).evaluate(CHIPS)
    assert len(lines) >= 1
    for line in lines:
        edges: dict[int, set[int]] = {}
        for row in line:
            for cell in row:
                edges.setdefault(cell["from"], set()).add(round(cell["left"]))
            for one, other in pairwise(row):
                assert one["right"] <= other["left"] + 0.5
        assert all(len(lefts) == 1 for lefts in edges.values()), edges
        for upper, lower in pairwise(line):
            assert max(cell["bottom"] for cell in upper) <= min(cell["top"] for cell in lower) + 0.5
    assert page.sideways() == 0
    background = page.page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) < 200) is dark


CRUSHED = """
lines => [...lines.querySelectorAll('.cell')].filter(cell => {
  const box = cell.getBoundingClientRect(), after = cell.nextElementSibling, next = after?.matches('.cell') && after.getBoundingClientRect();
  const within = [...cell.querySelectorAll('b, .ids')].map(part => part.getBoundingClientRect());
  return (next && next.left < box.right - 0.6) || within.some(part => part.left < box.left - 0.6 || part.right > box.right + 0.6);
}).map(cell => cell.textContent)
"""  # noqa: E501
"""The chips that overlap the next one, or that are too narrow for their content."""


@pytest.mark.rest
@pytest.mark.parametrize(("text", "size"), [("👩\u200d👩\u200d👧 ภาษาไทย", PHONE), ("Donaudampfschiff" * 8, DESK)])
def test_chips_wider_than_a_line_keep_their_width(visit: Visit, text: str, size: dict[str, int]) -> None:
    three = ["llama-2", "gpt-2@huggingface", "bert-uncased@huggingface"]
    page = opened(visit(size), text=text, **{"with": three})
    assert rows(page).evaluate("lines => [...lines.children].some(line => line.scrollWidth > line.clientWidth)")
    assert rows(page).evaluate(CRUSHED) == []
    assert page.sideways() == 0
    # the label of bert-uncased's single token is in view
    box = page.page.locator(".st-key-rows .cell.bad b").first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= size["width"]


@pytest.mark.rest
def test_pointing_at_a_token_marks_the_same_text_in_every_row(visit: Visit) -> None:
    page = opened(visit(), text="so unbelievable")
    page.page.locator(".st-key-rows .cell b", has_text="unbelievable").first.hover()
    marked = page.page.locator(".st-key-rows .cell.hov")
    assert page.comes_to(lambda: marked.count() >= 4)
    texts = page.page.locator(".st-key-rows .aligned-row").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.hov b')].map(text => text.textContent).join(''))"
    )
    assert texts == ["·unbelievable"] * 4


def test_arrow_keys_move_between_chips(visit: Visit) -> None:
    page = opened(visit(), text="so unbelievable")
    focused = "box => { const chip = box.getRootNode().activeElement; return [chip?.rowIndex, chip?.index]; }"
    page.page.locator(".st-key-rows .cell").first.focus()
    for key, position in (
        ("ArrowRight", [0, 1]),
        ("ArrowDown", [1, 1]),
        ("Home", [1, 0]),
        ("End", [1, 1]),
        ("ArrowLeft", [1, 0]),
        ("ArrowUp", [0, 0]),
    ):
        page.page.keyboard.press(key)
        assert page.comes_to(lambda position=position: rows(page).evaluate(focused) == position), key  # type: ignore[misc]
    page.page.keyboard.press("Enter")
    assert page.comes_to(lambda: "sel=0-2" in page.page.url)
    page.page.keyboard.press("Tab")
    assert rows(page).evaluate("box => box.getRootNode().activeElement?.className") == "vocabulary-link"
    page.page.keyboard.press("Escape")
    assert rows(page).evaluate(focused) == [0, 0]
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: "sel=" not in page.page.url)


def counts(page: Explorer) -> list[str]:
    """The steps that the two steppers show, as in the URL."""
    titles = page.page.locator(".count").evaluate_all("all => all.map(count => count.title)")
    return ["".join(text.split()) for text in titles]


def test_steppers_begin_at_the_difference_and_a_link_opens_explore_there(visit: Visit) -> None:
    query = {"view": "Where they part", "text": "What is naïve", "with": TWO, "level": "algorithm"}
    page = opened(visit(), ".st-key-side_stepper_1 .count", **query)
    assert page.comes_to(lambda: [count.partition("of")[0] for count in counts(page)] == ["Step40", "Step24"])
    assert "step0" not in page.page.url, "the URL omits the default step"
    # a step of one is a step of both, counted from the difference, whatever moves it; and so is the level
    steps = lambda: [int(count.removeprefix("Step").partition("of")[0]) for count in counts(page)]  # noqa: E731
    page.page.locator(".count").first.click()
    page.page.keyboard.press("ArrowLeft")
    assert page.comes_to(lambda: steps() == [39, 23])
    page.page.locator(".st-key-side_stepper_1").get_by_role("button", name="Forward one step").click()
    assert page.comes_to(lambda: steps() == [40, 24])
    page.page.locator(".st-key-side_stepper_1").get_by_role("radio", name="Implementation").click()
    assert page.comes_to(lambda: page.page.locator('.stepper[data-level="implementation"]').count() == 2)
    page.open_settings()
    page.page.locator(".st-key-together label").click()
    page.page.keyboard.press("Escape")
    page.settle()
    page.page.locator(".count").first.click()
    page.page.keyboard.press("Home")
    assert page.comes_to(lambda: "step0=0" in page.page.url)
    assert steps() == [0, 24]
    page.page.reload()
    page.page.locator(".st-key-side_stepper_1 .count").wait_for()
    assert page.comes_to(lambda: steps() == [0, 24])
    page.page.locator('[data-testid="stPageLink"] a').first.click()
    page.page.locator(".st-key-stepper .count").wait_for()
    assert page.at_step(40)
    assert page.field.input_value() == "What is naïve"


def test_places_are_chosen_by_pointer_and_keys_and_stay(visit: Visit) -> None:
    query = {"view": "Where they part", "text": "He's 1234567 LoRA", "with": TWO}
    page = opened(visit(), ".st-key-parting_picture .pt-mark", **query)
    here = lambda: page.page.locator(".st-key-parting_picture .pt-mark.here").inner_text()  # noqa: E731
    stage = page.page.locator(".st-key-parting_picture .pt-stage.here b").first
    head = page.page.locator(".st-key-parting_say .headline")
    assert page.comes_to(lambda: here() == "2")
    assert "place=" not in page.page.url, "the URL omits the first difference"
    assert "1234567" in head.inner_text()
    page.page.locator(".pt-mark").first.click()
    assert page.comes_to(lambda: here() == "1" and "place=1" in page.page.url and stage.inner_text() == "Ids")
    assert page.comes_to(lambda: "He's" in head.inner_text())
    assert head.get_attribute("aria-live") == "polite"
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("Enter")
    assert page.comes_to(lambda: here() == "3" and "place=3" in page.page.url)
    page.page.keyboard.press("n")
    assert page.comes_to(lambda: here() == "4")
    page.page.keyboard.press("Shift+N")
    assert page.comes_to(lambda: here() == "3")
    page.settle()
    page.page.reload()
    page.page.locator(".st-key-parting_picture .pt-mark.here").wait_for()
    assert page.comes_to(lambda: here() == "3" and "place=3" in page.page.url)
    # another text, another first difference
    page.field.fill("He's 12345")
    assert page.comes_to(lambda: here() == "2" and "place=" not in page.page.url)
    page.field.press("End")
    page.page.keyboard.type("n")
    assert page.comes_to(lambda: page.field.input_value() == "He's 12345n")


@pytest.mark.rest
def test_back_from_explore_restores_the_comparison(visit: Visit) -> None:
    two = ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]
    query = {
        "view": "Where they part",
        "text": "e\u0301",
        "with": [*two, TWO[0]],
        "left": two[1],
        "addspecial": "false",
    }
    page = opened(visit(), ".st-key-parting_say .headline", **query)
    link = page.page.locator('[data-testid="stPageLink"] a').last
    there = page.page.url
    target = urlparse(link.evaluate("link => link.href"))
    assert (target.path, parse_qs(target.query)["special"]) == ("/", ["false"])
    for leave in (link, page.page.get_by_role("link", name="Explore", exact=True)):
        leave.click()
        page.page.locator(".st-key-stepper .count").wait_for()
        page.settle()
        if leave is link:
            page.open_settings()
            assert not page.page.get_by_role("switch", name="Add BOS/EOS").is_checked()
        page.page.go_back()
        page.page.locator(".st-key-parting_say .headline").first.wait_for()
        page.settle()
        assert page.page.url == there
        chips = page.page.locator(".st-key-tokenizer_chips li")
        assert all(
            name in chips.all_inner_texts()[at] for at, name in enumerate(("· Hugging Face", "· llama.cpp", "GPT-2"))
        )
        assert "· llama.cpp" in page.page.locator(".st-key-tokenizer_chips .chosen").last.inner_text()
        page.open_settings()
        assert not page.page.get_by_role("switch", name="Add BOS/EOS").is_checked()


def test_no_difference_is_reported_and_a_difference_is_marked(visit: Visit) -> None:
    query = {"view": "Where they part", "text": "abc", "with": ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]}
    page = opened(visit(), ".st-key-parting_say .headline", **query)
    answer = page.page.locator(".st-key-parting_say .headline").first
    assert answer.inner_text() == "Both give the same id."
    page.field.fill("xA\u030ab")
    assert page.comes_to(lambda: "composes A" in answer.inner_text())
    assert page.comes_to(lambda: page.page.locator(".st-key-side_stepper_0 .count").count() == 1)
    assert "sel=" not in page.page.url, "it is not the visitor's selection"


@pytest.mark.rest
def test_a_reload_keeps_everything(visit: Visit) -> None:
    page = opened(
        visit(), ".st-key-expected textarea", text="one", view="Expected ids", addspecial="false", **{"with": TWO}
    )
    page.page.locator(".st-key-expected textarea").fill("1 2 3")
    page.field.fill("one two")
    page.page.get_by_role("button", name="Llama 3", exact=True).click()
    page.settle()
    assert page.comes_to(lambda: all(part in page.page.url for part in ("one+two", "expect=1+2+3", "of=llama-3")))
    page.page.reload()
    page.page.locator(".st-key-expected-rows .al-say").first.wait_for()
    page.settle()
    assert page.field.input_value() == "one two"
    assert page.page.locator(".st-key-expected textarea").input_value() == "1 2 3"
    assert page.page.locator(".st-key-tokenizer_chips .chosen").inner_text().startswith("Llama 3")
    page.open_settings()
    assert not page.page.get_by_role("switch", name="Add BOS/EOS").is_checked()


@pytest.mark.rest
def test_an_answer_about_an_older_text_is_dimmed(visit: Visit) -> None:
    page = opened(visit(), text="abc")
    seen = page.page.locator(".st-key-rows").first
    opacity = """node => {
      let all = 1;
      for (; node; node = node.parentElement) all *= getComputedStyle(node).opacity;
      return all;
    }"""
    for text, dimmed in (("a" * 100_001, True), ("ab", False)):
        page.field.fill(text)
        assert page.comes_to(lambda dimmed=dimmed: (seen.evaluate(opacity) < 0.5) is dimmed)  # type: ignore[misc]
        assert page.page.locator(".st-key-view").evaluate(opacity) == 1


def test_a_chip_too_long_for_its_place_keeps_its_implementation(visit: Visit) -> None:
    page = opened(visit(DESK), text="abc", **{"with": ["llama-3@huggingface", "llama-3@llama.cpp"]})
    clipped = page.page.locator(".tc-name").evaluate_all(
        "all => all.map((name) => { const [model, how] = name.children; name.style.maxWidth = '130px';"
        "const ends = [name, how].map((node) => node.getBoundingClientRect().right);"
        "return [model.scrollWidth > model.clientWidth, ends[1] > ends[0], how.textContent]; })"
    )
    assert clipped == [[True, False, " · Hugging Face"], [True, False, " · llama.cpp"]]


@pytest.mark.long
def test_an_upload_becomes_a_row_at_once(visit: Visit) -> None:
    page = opened(visit(), text="abc ab")
    page.drop(("mine.json", tokenizer_json()))
    assert page.comes_to(lambda: page.page.locator(".st-key-rows .aligned-row .name").count() == 5)
    assert "mine.json" in page.page.url


def test_a_first_text_belongs_to_its_page_and_a_typed_one_is_taken_along(visit: Visit) -> None:
    page = visit(DESK)
    page.open()
    first = page.field.input_value()
    page.page.get_by_role("link", name="Compare", exact=True).first.click()
    assert page.comes_to(lambda: page.field.input_value() == COMPARED != first)
    page.page.get_by_role("link", name="Explore", exact=True).first.click()
    assert page.comes_to(lambda: page.field.input_value() == first)
    page.settle()
    page.field.fill("Grüße")
    assert page.comes_to(lambda: "text=" in page.page.url)
    page.page.get_by_role("link", name="Compare", exact=True).first.click()
    assert page.comes_to(lambda: page.field.input_value() == "Grüße" and "/compare" in page.page.url)


@pytest.mark.parametrize("count", [4, 6])
def test_every_count_stands_beside_its_row_on_the_screen(visit: Visit, count: int) -> None:
    names = ["llama-3@huggingface", "o200k_base", "bert-uncased", "gpt-2@huggingface", "llama-2", "mistral-v1"][:count]
    page = opened(visit(DESK), text=COMPARED, **{"with": names})
    rights = page.page.locator(".st-key-rows .count b").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().right)"
    )
    card = page.page.locator(".st-key-rows .al-card").bounding_box()
    assert card is not None
    assert len(rights) == count
    assert all(card["x"] < right < card["x"] + card["width"] for right in rights)


def test_enter_in_the_list_takes_the_default_implementation(visit: Visit) -> None:
    page = opened(visit(), text="so")
    page.page.locator(".st-key-add button").first.click()
    for name, spec in (("qwen", "qwen2.5@huggingface"), ("bert unc", "bert-uncased@huggingface")):
        field = page.page.locator(".st-key-with input").first
        field.fill(name)
        page.page.get_by_role("option").first.wait_for()
        field.press("Enter")
        assert page.comes_to(lambda spec=spec: f"with={quote(spec)}" in page.page.url), page.page.url  # type: ignore[misc]


def test_in_the_dark_what_is_the_same_has_no_color(visit: Visit) -> None:
    page = visit(DESK, dark=True)
    fill = """node => {
      const canvas = document.createElement('canvas').getContext('2d');
      canvas.fillStyle = getComputedStyle(node).backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    }"""
    for view, same in (("Where they part", ".pt-stage.same, .pt-cell"), ("Side by side", ".cell.k0")):
        page.page.goto(f"{page.address}/compare?{urlencode({'view': view})}")
        node = page.page.locator(same).first
        node.wait_for()
        page.settle()
        red, _, blue = node.evaluate(fill)
        assert blue <= red, (view, "not bluish")
