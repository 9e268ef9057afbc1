"""The visitor's own text and tokenizer go along to every page; a chip in the head shows them and sets them back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator

import explorer
from tests.browser.conftest import DESK, PHONE, Explorer
from tests.browser.test_walks import start, tokenizer, walk

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
TEXT = "How many r's are in strawberry?"
FIRST = "What is LoRA?"
ENDS = """all => all.filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map((each) => each.getBoundingClientRect().right)"""


def chip(page: Explorer) -> Locator:
    return page.page.locator(".st-key-header .ch")


def says(page: Explorer, *words: str) -> bool:
    return page.comes_to(lambda: chip(page).is_visible() and all(each in chip(page).inner_text() for each in words))


def hues(nodes: Locator) -> list[str]:
    colors: list[str] = nodes.evaluate_all("all => all.map(e => e.style.getPropertyValue('--c'))")
    return colors


def prompt(page: Explorer) -> str:
    """What the model reads, as the Prompt page draws it."""
    return page.page.locator(".st-key-prompt-stage .pr-stage").inner_text()


def own(visit: Visit) -> Explorer:
    """A visitor who has chosen a tokenizer and typed a text."""
    page = start(visit)
    page.choose("m", "gpt-2")
    page.field.fill(TEXT)
    page.settle()
    assert says(page, "GPT-2", TEXT[:20])
    return page


def test_a_first_visit_has_no_chip_and_a_key_brings_it(visit: Visit) -> None:
    page = start(visit)
    assert not chip(page).is_visible()
    page.field.fill("abc abc")
    assert says(page, "Llama 2", "abc abc")
    bars = chip(page).locator("i")
    shown = page.page.locator(".st-key-overview .token:not(.special)")
    assert page.comes_to(lambda: bars.count() > 1)
    assert page.comes_to(lambda: set(hues(bars)) <= set(hues(shown))), (hues(bars), hues(shown))
    page.field.fill(FIRST)
    assert page.comes_to(lambda: not chip(page).is_visible()), "the first text is nobody's own"


def test_text_and_tokenizer_go_along_to_all_pages_and_back(visit: Visit) -> None:
    page = own(visit)
    chips = page.page.locator(".tc-chips li")
    ids = explorer.load("gpt-2").encode(TEXT).ids
    for name in ("Compare", "Vocabulary", "Prompt", "Corpus", "Train", "Learn"):
        walk(page, name)
        assert says(page, "GPT-2"), name
        if name in ("Vocabulary", "Prompt"):
            assert page.comes_to(lambda: tokenizer(page).startswith("GPT-2"))
        if name == "Compare":
            assert page.field.input_value() == TEXT
            assert page.comes_to(lambda: chips.count() == 4)
            assert chips.first.inner_text().startswith("GPT-2")
        if name == "Vocabulary":
            page.page.locator(".vo-own .chip").nth(len(set(ids)) - 1).click()
            assert page.comes_to(lambda: f"token={ids[-1]}" in page.page.url)
        if name == "Prompt":
            assert page.comes_to(lambda: "strawberry" in prompt(page))
            assert page.comes_to(lambda: "chat=" in page.page.url), "the address has what is shown"
    walk(page, "Explore")
    assert (page.field.input_value(), tokenizer(page)[:5]) == (TEXT, "GPT-2")
    assert page.shows(ids)


def test_a_reload_keeps_both_on_every_page(visit: Visit) -> None:
    page = own(visit)
    for name in ("Vocabulary", "Corpus", "Train"):
        walk(page, name)
        page.page.reload()
        page.settle()
        assert says(page, "GPT-2", TEXT[:20]), name
    walk(page, "Explore")
    assert (page.field.input_value(), tokenizer(page)[:5]) == (TEXT, "GPT-2")


def test_a_link_shows_its_own(visit: Visit) -> None:
    page = own(visit)
    page.page.goto(f"{page.address}/?m=llama-3")
    page.settle()
    assert page.field.input_value() == FIRST, "a link without a text means the first one"
    assert tokenizer(page).startswith("Llama 3")
    assert page.comes_to(lambda: linked(page))
    assert comes_back(page)
    page.page.get_by_role("button", name="Undo").first.click()
    assert says(page, "Llama 3")


def test_an_address_opens_what_its_sender_saw(visit: Visit) -> None:
    """An address names no tokenizer where its page's first one is shown, whatever the visitor's own is."""
    page = own(visit)
    for path, name in (
        ("?text=hello", "Llama 2"),
        ("vocabulary?token=300", "Llama 2"),
        ("prompt?view=sent", "Qwen 2.5"),
    ):
        page.page.goto(f"{page.address}/{path}")
        assert page.comes_to(lambda name=name: tokenizer(page).startswith(name)), path  # type: ignore[misc]
        page.settle()
        assert page.comes_to(lambda: linked(page)), path
        assert tokenizer(page).startswith(name), path
    chips = page.page.locator(".tc-chips li")
    for query, first, count in (
        ("text=hello", "Llama 2", 4),
        ("text=hello&with=qwen2.5&with=o200k_base", "Qwen 2.5", 2),
    ):
        page.page.goto(f"{page.address}/compare?{query}")
        chips.first.wait_for()
        page.settle()
        assert says(page, "hello")
        assert chips.count() == count, query
        assert chips.first.inner_text().startswith(first), query
    assert says(page, "Qwen 2.5"), "the first of those that are compared"
    walk(page, "Vocabulary")
    assert page.comes_to(lambda: tokenizer(page).startswith("GPT-2")), "the visitor's own is still there"


def test_forward_to_the_first_tokenizer_that_was_chosen_shows_it(visit: Visit) -> None:
    page = start(visit)
    page.choose("m", "gpt-2")
    walk(page, "Vocabulary")
    page.choose("m", "llama-2")
    page.settle()
    walk(page, "Corpus")
    page.page.go_back()
    page.settle()
    assert page.comes_to(lambda: tokenizer(page).startswith("Llama 2"))
    shared = page.page.url
    walk(page, "Explore")
    page.choose("m", "gpt-2")
    page.settle()
    page.page.goto(shared)
    page.settle()
    assert page.comes_to(lambda: tokenizer(page).startswith("Llama 2"))


def test_a_link_to_compare_names_its_first_tokenizer_in_the_chip(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/compare?text=hello&with=qwen2.5&with=o200k_base")
    page.page.locator(".tc-chips li").first.wait_for()
    assert says(page, "Qwen 2.5", "hello")
    page.page.locator(".tc-chips li").first.get_by_role("button").last.click()
    assert says(page, "o200k_base", "hello")


def linked(page: Explorer) -> bool:
    """Whether the chip says that a link is shown."""
    return chip(page).locator("[data-icon=link]").is_visible()


def comes_back(page: Explorer) -> bool:
    """Takes the cross, which brings the visitor's own back."""
    chip(page).get_by_role("button", name="Back to your own").click()
    page.settle()
    return (
        says(page, "GPT-2", TEXT[:20]) and not linked(page) and page.comes_to(lambda: page.field.input_value() == TEXT)
    )


def test_a_card_and_a_lesson_show_their_own_until_the_cross(visit: Visit) -> None:
    page = own(visit)
    page.page.locator(".st-key-examples button").first.click()
    page.page.locator(".card").nth(1).click()
    page.settle()
    assert page.comes_to(lambda: linked(page))
    assert says(page, "Llama 2")
    for name in ("Corpus", "Explore"):
        walk(page, name)
        assert linked(page), name
    page.page.reload()
    page.settle()
    assert page.comes_to(lambda: linked(page)), "the tab keeps what is the visitor's"
    assert comes_back(page)
    page.page.locator(".st-key-examples button").first.click()
    page.page.locator(".card").nth(1).click()
    page.settle()
    assert page.comes_to(lambda: linked(page))
    page.field.fill("one of mine")
    assert says(page, "one of mine")
    page.settle()
    assert not linked(page), "edited, it is the visitor's"


def test_train_begins_with_the_algorithm_of_the_tokenizer(visit: Visit) -> None:
    page = start(visit)
    page.choose("m", "bert-uncased")
    page.field.fill("low lower lowest")
    page.settle()
    walk(page, "Train")
    chosen = page.page.locator(".st-key-algorithm button[aria-checked=true]")
    assert page.comes_to(lambda: chosen.inner_text() == "WordPiece")
    page.page.locator(".st-key-train_example button").click()
    page.page.get_by_role("menuitem", name="Your text").or_(
        page.page.get_by_text("Your text", exact=True)
    ).first.click()
    corpus = page.page.locator(".st-key-train_field textarea")
    assert page.comes_to(lambda: corpus.input_value() == "low lower lowest")
    chip(page).get_by_role("button", name="Start again").click()
    assert page.comes_to(lambda: chosen.inner_text() == "BPE")
    page.page.goto(f"{page.address}/train?algorithm=Unigram")
    page.settle()
    assert page.comes_to(lambda: chosen.inner_text() == "Unigram"), "a link wins"


@pytest.mark.parametrize("name", ["Explore", "Compare", "Vocabulary", "Prompt", "Corpus"])
def test_the_cross_sets_back_on_the_page_and_undo_brings_it_back(visit: Visit, name: str) -> None:
    page = own(visit)
    if name != "Explore":
        walk(page, name)
    where = page.page.url.partition("?")[0]
    chip(page).get_by_role("button", name="Start again").click()
    assert page.comes_to(lambda: not chip(page).is_visible())
    page.settle()
    assert page.page.url.partition("?")[0] == where
    if name != "Corpus":
        assert "strawberry" not in page.page.url
    if name in ("Explore", "Vocabulary"):
        assert page.comes_to(lambda: tokenizer(page).startswith("Llama 2"))
    if name == "Explore":
        assert page.field.input_value() == FIRST
    page.page.get_by_role("button", name="Undo").first.click()
    assert says(page, "GPT-2", TEXT[:20])
    if name != "Explore":
        walk(page, "Explore")
    assert page.comes_to(lambda: page.field.input_value() == TEXT)
    assert page.comes_to(lambda: tokenizer(page).startswith("GPT-2"))


def test_on_a_phone_the_start_again_of_the_chip_can_be_undone(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/")
    page.settle()
    page.field.fill(TEXT)
    assert page.comes_to(lambda: chip(page).is_visible())
    chip(page).locator(".ch-open").click()
    page.page.get_by_role("button", name="Start again with").click()
    assert page.comes_to(lambda: page.field.input_value() == FIRST)
    undo = page.page.get_by_role("button", name="Undo").first
    assert page.sideways() == 0
    undo.tap()
    assert page.comes_to(lambda: page.field.input_value() == TEXT)


def test_a_slow_browser_reports_the_cross_and_its_undo_one_by_one(visit: Visit) -> None:
    page = own(visit)
    page.page.context.new_cdp_session(page.page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    chip(page).get_by_role("button", name="Start again").click()
    assert page.comes_to(lambda: page.field.input_value() == FIRST)
    page.page.get_by_role("button", name="Undo").first.click()
    assert page.comes_to(lambda: page.field.input_value() == TEXT)
    page.settle()
    assert says(page, "GPT-2", TEXT[:20])  # and Streamlit warns of no message to two fragments


def test_messages_that_were_edited_stay(visit: Visit) -> None:
    page = own(visit)
    walk(page, "Prompt")
    assert page.comes_to(lambda: "strawberry" in prompt(page))
    walk(page, "Explore")
    page.field.fill("Another text")
    page.settle()
    walk(page, "Prompt")
    assert page.comes_to(lambda: "Another" in prompt(page)), "not edited, it follows"


def test_a_click_changes_text_and_tokenizer_on_every_page(visit: Visit) -> None:
    page = own(visit)
    walk(page, "Corpus")
    chip(page).locator(".ch-open").click()
    field = page.page.locator("#ch-text")
    assert field.input_value() == TEXT
    assert field.evaluate("e => e.getRootNode().activeElement === e")
    assert page.page.get_by_role("radio", name="GPT-2").is_checked()
    page.page.get_by_role("button", name="Another of").click()
    page.page.get_by_role("radio", name="Llama 3").check()
    assert says(page, "Llama 3", TEXT[:20])
    field.fill("abc abc")
    field.press("Enter")
    assert says(page, "Llama 3", "abc abc")
    page.settle()
    page.page.keyboard.press("Escape")
    walk(page, "Explore")
    assert page.comes_to(lambda: page.field.input_value() == "abc abc")
    assert tokenizer(page).startswith("Llama 3")
    chip(page).locator(".ch-open").click()
    page.page.get_by_role("radio", name="Llama 3").wait_for()
    page.page.locator(".ch-first").click()
    assert page.comes_to(lambda: page.field.input_value() == FIRST)


@pytest.mark.parametrize(("width", "language"), [(820, "en"), (820, "de"), (1060, "en"), (1200, "de"), (1280, "en")])
def test_the_head_has_room_for_the_chip(visit: Visit, width: int, language: str) -> None:
    page = visit({**DESK, "width": width}, locale=language)
    page.page.goto(f"{page.address}/vocabulary?m=gpt-2")
    page.page.locator(".vo-list").first.wait_for()
    page.settle()
    assert says(page, "GPT-2")
    box, head = chip(page).bounding_box(), page.page.locator(".ky-head").bounding_box()
    own = page.page.locator(".hd-own").bounding_box()
    assert box
    assert head
    assert own
    ends = page.page.locator("[data-testid=stTopNav] > *").evaluate_all(ENDS)
    assert max(ends) < own["x"] < box["x"] + box["width"] < head["x"]
