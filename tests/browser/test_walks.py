"""Walks through all pages: what a page was given is there when the visitor comes back, by a link or by Back."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, Explorer
from tests.ui.small_files import tokenizer_json

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

PAGES = ("Explore", "Compare", "Train", "Vocabulary", "Prompt", "Learn", "Corpus")
ONE = ("Explore", "Vocabulary", "Prompt")
"""Pages with one tokenizer."""


def start(visit: Visit, path: str = "") -> Explorer:
    page = visit(DESK)
    page.page.goto(f"{page.address}/{path}")
    page.page.locator(".st-key-m input").first.wait_for()
    page.settle()
    return page


def walk(page: Explorer, name: str) -> None:
    page.page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    place = "" if name == "Explore" else name.lower()
    page.page.wait_for_url(lambda url: url.split("?")[0].rstrip("/").endswith(place))
    page.settle()
    page.settle()


def tokenizer(page: Explorer) -> str:
    """What the select box shows, without what it finds the name by."""
    return page.page.locator(".st-key-m input").first.input_value().split("\u2003")[0]


def seeded_walk(seed: int) -> list[str]:
    dice = random.Random(seed)
    pages = [*PAGES, *PAGES]
    dice.shuffle(pages)
    return [each for at, each in enumerate(pages) if at == 0 or pages[at - 1] != each]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_tokenizer_that_was_chosen_stays_on_every_walk(visit: Visit, seed: int) -> None:
    page = start(visit)
    page.choose("m", "gpt-2")
    chosen = tokenizer(page)
    assert chosen.startswith("GPT-2")
    seen: list[tuple[str, str]] = []
    for name in [*seeded_walk(seed), "Explore"]:
        if seen or name != "Explore":
            walk(page, name)
        seen.append((name, tokenizer(page) if name in ONE else chosen))
    assert seen == [(name, chosen) for name, _ in seen]
    for _ in range(len(seen) - 1):
        page.page.go_back()
        page.settle()
        if page.page.locator(".st-key-m input").count():
            assert page.comes_to(lambda: tokenizer(page) == chosen), page.page.url


def test_an_example_of_one_page_is_no_choice_for_another(visit: Visit) -> None:
    page = start(visit)
    first = tokenizer(page)
    walk(page, "Prompt")
    assert tokenizer(page) != first  # its example has a model with a template
    walk(page, "Explore")
    assert tokenizer(page) == first


def test_an_upload_is_offered_wherever_tokenizers_are(visit: Visit) -> None:
    page = start(visit)
    page.drop(("mine.json", tokenizer_json()))
    assert page.comes_to(lambda: "mine.json" in tokenizer(page))
    walk(page, "Compare")
    chips = page.page.locator(".tc-chips li")
    assert page.comes_to(lambda: chips.filter(has_text="mine.json").count() == 1)
    assert chips.count() == 5
    for name in ("Vocabulary", "Prompt", "Explore"):
        walk(page, name)
        assert page.comes_to(lambda: "mine.json" in tokenizer(page)), name
    walk(page, "Vocabulary")
    page.choose("m", "gpt-2")
    page.page.get_by_role("button", name="Compare", exact=True).click()
    page.page.locator(".vo-others li").filter(has_text="mine.json").wait_for(timeout=120_000)
    walk(page, "Learn")
    page.page.locator(".st-key-learn-quiz button").first.click()
    page.choose("quiz_model", "mine.json")
    page.page.locator(".st-key-quiz_start button").click()
    page.page.locator(".st-key-learn_card .le-choice").first.wait_for()
    assert page.page.get_by_role("alert").count() == 0
    # removed from the comparison, it stays so
    walk(page, "Compare")
    chips.filter(has_text="mine.json").locator(".tc-remove").click()
    assert page.comes_to(lambda: chips.count() == 4)
    page.settle()
    walk(page, "Explore")
    walk(page, "Compare")
    assert page.comes_to(lambda: chips.count() == 4)


def test_a_link_to_a_comparison_is_what_it_says_whatever_was_uploaded(visit: Visit) -> None:
    page = start(visit, "?m=gpt-2")
    page.drop(("mine.json", tokenizer_json()))
    assert page.comes_to(lambda: "mine.json" in tokenizer(page))
    page.page.evaluate("""() => {
      history.pushState(null, '', '/compare?with=gpt-2%40huggingface&with=llama-2');
      dispatchEvent(new PopStateEvent('popstate'));
    }""")
    chips = page.page.locator(".tc-chips li")
    assert page.comes_to(lambda: chips.count() == 2)


def test_back_from_a_link_clicked_while_typing_leads_to_the_whole_text(visit: Visit) -> None:
    page = start(visit)
    page.field.select_text()
    page.page.keyboard.type("strawberry")
    walk(page, "Learn")
    page.page.go_back()
    field = page.page.locator(".st-key-field textarea")
    assert page.comes_to(lambda: field.count() == 1 and field.input_value() == "strawberry")
    assert page.comes_to(lambda: "text=strawberry" in page.page.url)


def test_a_key_in_the_moment_of_the_click_goes_along(visit: Visit) -> None:
    page = start(visit)
    page.page.evaluate("""() => {
      const parts = [...document.querySelectorAll('.st-key-field *')];
      const area = parts.map((each) => each.shadowRoot?.querySelector('textarea')).find(Boolean);
      area.value = 'strawberry';
      area.dispatchEvent(new InputEvent('input'));
      document.querySelector('[data-testid=stTopNavLink][href$="/compare"]').click();
    }""")
    page.page.wait_for_url(lambda url: "/compare" in url)
    assert page.comes_to(lambda: page.page.locator(".tc-chips li").count() > 0)
    assert page.comes_to(lambda: page.field.input_value() == "strawberry")


def test_back_to_a_page_without_a_text_shows_it_and_keeps_the_text(visit: Visit) -> None:
    page = visit(DESK)
    for number in range(3):  # a page's own report on its way out overtook the run of the next one in half of the walks
        page.page.goto(f"{page.address}/?m=gpt-2&text=strawberry+{number}")
        page.settle()
        walk(page, "Learn")
        walk(page, "Explore")
        page.page.go_back()
        assert page.comes_to(lambda: page.page.locator(".st-key-title h1").text_content() == "Learn")
        assert page.comes_to(lambda: page.page.locator("html[data-arrived]").count() == 1)
        page.page.go_forward()
        assert page.comes_to(lambda number=number: page.field.input_value() == f"strawberry {number}")
