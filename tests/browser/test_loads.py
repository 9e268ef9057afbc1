"""Each page, loaded again and again on a slow processor: it ends the same each time, and nothing on it waits.

What is drawn as waiting comes from two sides, the browser's question and Python's answer, in either order. A page that
is right nine times of ten passes every other test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Explorer
from tests.browser.test_components_node import NODE, in_node
from tests.tiers import chosen_tier

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]

PAGES = {
    "prompt": ".pr-rows .pr-token",
    "prompt?m=llama-3": ".pr-rows .pr-token",
    "": ".st-key-stepper .count b",
    "compare": ".aligned .lines .line",
    "vocabulary?q=the": ".vo-plane .vo-row",
    "train": ".stepper .count b",
    "learn?lesson=bpe": ".stepper .count b",
    "corpus": ".pr-name",
}
"""What shows that a page is drawn, by address."""
TIMES = 20 if chosen_tier == "all" else 10
SLOWER = 2
RESTS_MS = 800
"""After this long without an answer, every component draws that it waits."""

SHOWN = """() => {
  const words = [], faded = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words.push(node.data.trim());
    if (node.nodeType !== Node.ELEMENT_NODE || ["STYLE", "SCRIPT"].includes(node.tagName)) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden") return;
    const { opacity, filter } = style;
    if (Number(opacity) < 1 || filter !== "none") faded.push(`${node.tagName} ${node.className} ${opacity} ${filter}`);
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child);
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return { words: words.filter(Boolean).join(" "), faded };
}"""
"""What the page shows: its words, and what is faint or gray."""


def loads(visit: Visit, path: str, drawn: str, times: int) -> list[dict[str, Any]]:
    """What the page shows at the end of each of so many loads."""
    page = visit()
    slow = page.page.context.new_cdp_session(page.page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    shown = []
    for _ in range(times):
        page.page.goto(f"{page.address}/{path}")
        page.page.locator(drawn).first.wait_for(timeout=60_000)
        page.settle()
        page.page.wait_for_timeout(RESTS_MS)
        shown.append(page.page.evaluate(SHOWN))
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return shown


def test_the_prompt_has_its_colors_at_each_load(visit: Visit) -> None:
    assert not [each for each in loads(visit, "prompt", PAGES["prompt"], 2) if "grayscale" in json.dumps(each["faded"])]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=pytest.mark.long if "prompt" in path else pytest.mark.rest) for path in PAGES]
)
def test_a_page_ends_the_same_at_each_load(visit: Visit, path: str) -> None:
    assert len({json.dumps(each) for each in loads(visit, path, PAGES[path], TIMES)}) == 1


GRAY = ".pr-rows.waiting, .vo-list[data-waits], .wy-panel.waits, .bd-panel.waits"


def test_a_question_that_asks_the_same_again_is_not_waited_for(visit: Visit) -> None:
    page = visit()
    page.page.goto(f"{page.address}/prompt")
    page.page.locator(".pr-rows .pr-token").first.wait_for()
    page.settle()
    page.page.evaluate("location.hash = 'again'")  # as Back does, with nothing else in the address
    page.page.wait_for_timeout(RESTS_MS)
    assert page.page.locator(GRAY).count() == 0


def test_ways_that_are_asked_for_and_taken_back_are_not_waited_for(visit: Visit) -> None:
    page = visit()
    page.page.goto(f"{page.address}/?sample=many&draws=100")
    page.page.locator(".wy-list li").first.wait_for()
    page.settle()
    draws = page.page.locator(".wy-foot select").first
    draws.evaluate("""node => { for (const value of ["1000", "100"]) {
      node.value = value;
      node.dispatchEvent(new Event("change"));
    } }""")  # faster than they are reported
    page.settle()
    page.page.wait_for_timeout(RESTS_MS)
    assert page.page.locator(GRAY).count() == 0


def test_a_view_that_python_does_not_know_gives_the_focus_back(visit: Visit) -> None:
    page = visit()
    page.page.goto(f"{page.address}/prompt")
    page.page.locator(".pr-rows .pr-token").first.wait_for()
    page.settle()
    page.page.evaluate("history.pushState(null, '', '?view=nothing')")
    page.page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    page.settle()
    assert page.comes_to(lambda: page.page.locator(".pr-cards .stage[aria-selected=true]").count() == 1)


@pytest.mark.skipif(NODE is None, reason="needs Node (Debian package nodejs)")
def test_waiting_is_what_is_asked_and_not_answered_in_any_order(tmp_path: Path) -> None:
    orders = [
        [["answers", "a"], ["asks", "a"]],
        [["asks", "a"], ["answers", "a"]],
        [["answers", "a"], ["asks", "b"], ["asks", "a"]],
        [["answers", "a"]],
        [["asks", "a"]],
        [["asks", "b"], ["answers", "a"]],
        [["asks", "a"], ["answers", "a"], ["answers", "b"]],
    ]
    waits = "given.map((calls) => { let on; const wait = awaiting(0, (is) => (on = is)); "
    waits += "for (const [what, id] of calls) wait[what](id); return on; })"
    assert in_node("explorer_live_text", waits, orders, tmp_path) == [False, False, False, False, True, True, True]
