"""The address and the screen agree, whatever was clicked and however often one went back: a reload changes nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Explorer
from tests.tiers import chosen_tier

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
DESK = {"width": 1280, "height": 900}

WAYS = ["stage"] * 3 + ["step"] * 2 + ["level", "tab", "example"] + ["back"] * 4 + ["forward", "reload"]

SEEN = """() => {
  const deep = (key, selector) => {
    for (const node of document.querySelectorAll(`.st-key-${key}, .st-key-${key} *`)) {
      const found = node.shadowRoot?.querySelector(selector);
      if (found) return found;
    }
    return null;
  };
  const box = deep('stage', '.stepper');
  const all = (node, selector) => [...node?.querySelectorAll(selector) ?? []].map(each => each.textContent);
  return {
    stage: deep('overview', '[role=tab][aria-selected=true]')?.textContent ?? null,
    tokens: all(deep('overview', '.tokens'), '.token').join('|'),
    panel: box?.getAttribute('aria-label') ?? null,
    step: box?.querySelector('.count')?.textContent ?? null,
    says: box?.querySelector('.say .what')?.textContent ?? null,
    level: all(box, '.levels [aria-checked=true]').join(),
    tabs: all(box, '.tabs [aria-selected=true]').join(),
    text: deep('field', 'textarea')?.value ?? null,
    tokenizer: ['m', 'as'].map(key => document.querySelector(`.st-key-${key} input`)?.value).join(' '),
  };
}"""
"""What the page shows of all that the address has."""


def rest(page: Page) -> dict[str, Any]:
    """What the page shows once neither it nor its address has changed for half a second."""
    before, since = None, 0
    for _ in range(200):
        page.wait_for_timeout(100)
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        now: tuple[dict[str, Any], str] = page.evaluate(SEEN), page.url
        since = since + 1 if now == before else 0
        if since >= 5 and (now[0]["tokens"] or "/start" in page.url):
            return now[0]
        before = now
    raise AssertionError("the page does not come to rest")


def agrees(page: Explorer, done: list[str]) -> None:
    """The same address, opened beside the page, shows the same."""
    shown = rest(page.page)
    beside = page.page.context.new_page()
    beside.set_viewport_size(page.page.viewport_size or DESK)
    beside.goto(page.page.url)
    opened = rest(beside)
    beside.close()
    # on a busy machine a page stands still for longer before it shows its step
    assert shown == opened or page.comes_to(lambda: rest(page.page) == opened), (done, page.page.url, shown, opened)


def click(page: Explorer, parts: str, index: int) -> bool:
    """Clicks one of several parts, unless it can't be clicked now."""
    found = page.page.locator(f"{parts}:visible")
    if not found.count():
        return False
    part = found.nth(index % found.count())
    if part.get_attribute("aria-disabled") == "true":
        return False
    part.click()
    return True


def act(page: Explorer, name: str, index: int) -> bool:
    """Does one thing a visitor can do. False if it can't be done now."""
    if name == "example":
        if "/start" not in page.page.url:
            page.page.locator(".st-key-examples button").click()
        page.page.locator(".st-key-gallery .texts a").first.wait_for()
        opened = click(page, ".st-key-gallery .texts a", index)
        page.page.wait_for_url(lambda url: "/start" not in url)
        page.page.locator(".st-key-overview .ribbon [role=tab]").first.wait_for()
        return opened
    if name == "reload":
        page.page.reload()
        return True
    if name in ("back", "forward"):
        # the first entry of a new window is a blank page
        can = (
            "navigation.canGoBack && navigation.currentEntry.index > 0" if name == "back" else "navigation.canGoForward"
        )
        if not page.page.evaluate(can):
            return False
        page.page.evaluate(f"history.{name}()")
        return True
    parts = {
        "stage": ".st-key-overview .ribbon [role=tab]",
        "step": ".st-key-stage .buttons button:not(.main, [aria-pressed])",
        "level": ".st-key-stage .levels button",
        "tab": ".st-key-stage .tabs button",
    }
    return click(page, parts[name], index)


def test_back_shows_what_the_address_says_and_a_link_opens_a_tab(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(page.address)
    ribbon = page.page.locator(".st-key-overview .ribbon [role=tab]")
    ribbon.first.wait_for()
    page.settle()

    def stage_is(name: str) -> bool:
        chosen = page.page.locator(".st-key-overview .ribbon [role=tab][aria-selected=true] .name")
        drawn = page.page.locator(".st-key-stage .stepper")  # for a moment, Streamlit keeps the panel before
        names = "panels => panels.map(panel => panel.getAttribute('aria-label'))"
        panels = {"Bytes": "Bytes", "Ids": "Ids", "Merge": "Merge queue"}
        return page.comes_to(lambda: chosen.inner_text() == name and drawn.evaluate_all(names) == [panels[name]])

    for name in ("Bytes", "Ids"):
        ribbon.filter(has_text=name).click()
        assert stage_is(name)
    for name in ("Bytes", "Merge"):
        page.page.go_back()
        assert stage_is(name), page.page.url
    page.page.go_forward()
    assert stage_is("Bytes")
    page.page.goto(f"{page.address}/?level=implementation&step=47&tab=symbols&tab=code")
    tabs = page.page.locator(".st-key-stage .tabs [aria-selected=true]")
    assert page.comes_to(lambda: tabs.all_inner_texts() == ["Symbols", "Code"])
    page.page.locator(".st-key-stage .tabs button", has_text="Queue").click()
    assert page.comes_to(lambda: tabs.all_inner_texts() == ["Queue", "Code"] and "tab=symbols" not in page.page.url)


def test_stages_open_where_there_is_something_to_see(visit: Visit) -> None:
    page = visit(DESK)
    for stage, model, shows in (
        ("partition", "llama-2", ".text-whole .text-part"),
        ("post-process", "llama-2", ".text-whole .text-part:not(.waits)"),
        ("pre-tokenize", "gpt-2", ".outbox .chip"),
        ("model", "rwkv-world", ".walked.seen"),
        ("model", "xlm-r", ".arcs .piece.at, .arcs .arc.at"),
    ):
        page.page.goto(f"{page.address}/?stage={stage}&m={model}&level=story")
        page.page.locator(f".st-key-stage {shows}").first.wait_for(timeout=20_000)
        page.page.locator(".st-key-stage .stepper").focus()
        page.page.keyboard.press("Home")
        page.page.locator(".st-key-stage .count b", has_text="0").wait_for()
        assert page.comes_to(lambda: "=0" in page.page.url), "the first step stays a key away, with an address"


@pytest.mark.parametrize("seed", range(6))
def test_the_address_and_the_screen_agree(visit: Visit, seed: int) -> None:
    page, chosen = visit(DESK), random.Random(seed)
    page.page.goto(f"{page.address}/?level=story")
    page.page.locator(".st-key-overview .ribbon [role=tab]").first.wait_for()
    done: list[str] = []
    for _ in range(9 if chosen_tier == "all" else 6):
        name = chosen.choice(
            ["stage"] * 3 + ["step"] * 2 + ["level", "tab", "example"] + ["back"] * 4 + ["forward", "reload"]
        )
        index = chosen.randrange(40)
        if act(page, name, index):
            done.append(f"{name} {index}")
            agrees(page, done)


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "tabs"),
    [
        pytest.param("compare", ("Side by side", "What if", "While typing"), marks=pytest.mark.quick),
        ("corpus", ("Languages", "Whole text", "Lengths")),
        ("train", ("Story", "Why", "WordPiece")),
        ("vocabulary", ("", "Charts", "Differences")),
    ],
)
def test_back_and_forward_walk_through_the_tabs(visit: Visit, path: str, tabs: tuple[str, ...]) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/{path}")
    radios = page.page.locator(".stMainBlockContainer [role=radio]")
    radios.first.wait_for()
    page.settle()

    def shown() -> list[str]:
        return page.page.locator(".stMainBlockContainer [role=radio][aria-checked=true]").all_inner_texts()

    seen = [(page.page.url, shown())]
    for tab in tabs[1:]:
        page.page.get_by_role("radio", name=tab, exact=True).first.click()
        assert page.comes_to(lambda tab=tab: tab in shown())
        page.settle()
        seen.append((page.page.url, shown()))
    for move, expected in [("back", seen[1]), ("back", seen[0]), ("forward", seen[1]), ("forward", seen[2])]:
        page.page.evaluate(f"history.{move}()")
        assert page.comes_to(lambda expected=expected: (page.page.url, shown()) == expected), (move, page.page.url)
        page.settle()
        assert (page.page.url, shown()) == expected
    page.page.reload()
    assert page.comes_to(lambda: shown() == seen[2][1])


def test_back_undoes_a_surprise_a_row_and_a_facet_and_no_key(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/vocabulary?m=gpt-2")
    about = page.page.locator(".vo-dossier header b")
    about.wait_for(timeout=30_000)
    first = about.inner_text()
    page.page.get_by_role("button", name="Surprise me").click()
    assert page.comes_to(lambda: about.inner_text() != first)
    surprise, entries = about.inner_text(), page.page.evaluate("history.length")
    page.page.locator(".vo-input").press_sequentially("tok", delay=150)
    assert page.comes_to(lambda: "q=tok" in page.page.url)
    found = page.page.locator(".vo-found")
    assert page.comes_to(lambda: re.match(r"\d{1,4} of", found.inner_text()) is not None), "the list of this search"
    assert page.page.evaluate("history.length") == entries
    page.page.locator(".vo-plane .vo-row").nth(2).click()
    row = page.page.locator(".vo-plane .vo-row.on .vo-id")
    assert page.comes_to(lambda: row.count() == 1 and about.inner_text() == row.inner_text() != surprise)
    page.page.locator(".vo-value").first.click()
    assert page.comes_to(lambda: "script=" in page.page.url)
    page.page.go_back()
    assert page.comes_to(lambda: page.page.locator(".vo-value[aria-pressed=true]").count() == 0)
    page.page.go_back()
    assert page.comes_to(lambda: about.inner_text() == surprise)
    page.page.go_back()
    assert page.comes_to(lambda: about.inner_text() == first)


def test_back_returns_to_the_language_clicked_and_from_a_lesson_to_the_list(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/corpus")
    say, picked = page.page.locator(".pr-say"), page.page.locator(".pr-side select")
    picked.wait_for()
    first, entries = say.inner_text(), page.page.evaluate("history.length")
    picked.select_option(label="Thai")
    assert page.comes_to(lambda: "Thai" in say.inner_text())
    assert page.page.evaluate("history.length") == entries + 1
    page.page.locator(".pr-dots").focus()
    page.page.keyboard.press("ArrowLeft")
    assert page.comes_to(lambda: "Thai" not in say.inner_text())
    assert page.page.evaluate("history.length") == entries + 1, "keys fill no history"
    page.page.go_back()
    assert page.comes_to(lambda: say.inner_text() == first)
    page.page.goto(f"{page.address}/learn")
    page.page.locator(".le-list a, .st-key-learn_lessons a").first.click()
    page.page.locator(".st-key-learn_card h1, .st-key-learn_card h2").first.wait_for()
    page.page.go_back()
    assert page.comes_to(lambda: page.page.locator(".st-key-learn_card").count() == 0)


def test_back_takes_the_size_of_a_training_with_its_algorithm(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/train")
    size = page.page.get_by_label("Tokens")
    size.wait_for()
    page.settle()
    own = size.input_value()
    page.page.get_by_role("radio", name="WordPiece").click()
    assert page.comes_to(lambda: size.input_value() != own)
    page.settle()
    page.page.go_back()
    assert page.comes_to(lambda: size.input_value() == own)
    page.settle()
    assert size.input_value() == own
    assert "size=" not in page.page.url
