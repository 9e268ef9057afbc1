"""Tabs of the Compare page with a long text: every frame shows the selected tab and no other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Response, WebSocket

from explorer.ui.compare.tabs import TABS, tab_key
from tests.browser.conftest import PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

LONG = "unbelievable A\u030angstrom 1234 " * 1_000
"""Long enough that every tab takes a while. The server still has the answers of earlier tests."""

SAMPLES = """
keys => new Promise(done => {
  const seen = [], ended = () => window.tabsEnded;
  const look = () => {
    const chosen = document.querySelector('.st-key-view button[aria-checked=true]')?.textContent;
    const shown = keys.filter(key => {
      const container = document.querySelector(`.st-key-${key}`);
      return container?.checkVisibility({visibilityProperty: true}) && container.getBoundingClientRect().height > 0;
    });
    const working = document.querySelector('.working');
    const said = working?.checkVisibility({visibilityProperty: true}) ? working.textContent : '';
    const rows = ['.st-key-asked', '.st-key-view'].map(each => document.querySelector(each));
    const heights = rows.map(row => row?.getBoundingClientRect().height);
    seen.push({chosen, shown, said, heights});
    if (ended()) done(seen); else requestAnimationFrame(look);
  };
  look();
})
"""
"""For every frame: the selected tab, the visible bodies, the progress line, and the heights of the tabs' row (without
a box on a phone) and of the tabs."""


def opened(page: Explorer, **query: str | list[str]) -> Explorer:
    page.page.goto(f"{page.address}/compare?{urlencode(query, doseq=True)}")
    page.page.locator(".st-key-rows .cell").first.wait_for()
    page.settle()
    return page


def sampled(page: Explorer, act: Callable[[], None]) -> list[dict[str, Any]]:
    """What every frame shows during an action, until the page is at rest."""
    page.page.evaluate("window.tabsEnded = false")
    samples = page.page.evaluate_handle(
        f"keys => ({{ seen: ({SAMPLES})(keys) }})", [tab_key(name) for name in TABS]
    )  # fmt: skip
    act()
    page.page.evaluate("window.busyAt = performance.now()")
    page.page.wait_for_function(
        """() => { const now = performance.now(), app = document.querySelector('[data-testid=stApp]');
        if (app.dataset.testScriptState !== 'notRunning') window.busyAt = now;
        return now - window.busyAt > 800; }""",
        timeout=120_000,
    )
    page.page.evaluate("window.tabsEnded = true")
    found: list[dict[str, Any]] = samples.evaluate("box => box.seen")
    return found


def click(page: Explorer, name: str) -> None:
    page.page.locator(".st-key-view button", has_text=name).click(no_wait_after=True)


@pytest.mark.rest
def test_every_frame_shows_the_body_of_the_selected_tab(visit: Visit) -> None:
    page = opened(visit())

    def switch_quickly() -> None:
        page.field.fill(LONG)
        page.field.press("Escape")  # a long text lies over the page while it is edited
        for name, rest in (("Where they part", 300), ("What if", 60), ("Languages", 500), ("Side by side", 30),
                           ("Where they part", 900), ("While typing", 200), ("Side by side", 700)):  # fmt: skip
            click(page, name)
            page.page.wait_for_timeout(rest)

    frames = sampled(page, switch_quickly)
    chosen = [frame["chosen"] for frame in frames]
    assert len(set(chosen)) == 5, "every tab was selected in some frame"
    for frame in frames:
        assert set(frame["shown"]) <= {tab_key(frame["chosen"])}, frame
    assert any(frame["said"].startswith("Working…") for frame in frames)
    last = {"chosen": "Side by side", "shown": [tab_key("Side by side")], "said": ""}
    assert last.items() <= frames[-1].items()
    assert page.page.locator(".st-key-rows .cell").first.is_visible()


@pytest.mark.parametrize("size", [None, PHONE], ids=["desk", "phone"])
def test_progress_is_reported_and_nothing_moves(visit: Visit, size: dict[str, int] | None) -> None:
    page = opened(visit() if size is None else visit(size))
    frames = sampled(page, lambda: page.field.fill(LONG + ("desk" if size is None else "phone")))
    said = {frame["said"] for frame in frames}
    # any step: a fast machine ends some before a frame is drawn; that each is reported, in order: test_compare_once
    assert any(re.fullmatch(r"Working… \S.+", each) for each in said), said
    page.field.press("Escape")
    later = sampled(page, lambda: click(page, "What if"))
    said = {frame["said"] for frame in later}
    assert any(each.startswith("Working… ") for each in said), said
    assert later[-1]["said"] == ""
    ((_, tabs),) = {tuple(frame["heights"]) for frame in frames + later}
    assert tabs > 0
    assert page.sideways() == 0


IN_ITS_ROW = """tab => {
  const [{ left, right }, row] = [tab.getBoundingClientRect(), tab.parentElement.getBoundingClientRect()];
  return left >= row.left && right <= row.right;
}"""


@pytest.mark.parametrize("place", ["corpus?part=For+a+paper", "compare?view=Languages", "train?ask=What+if"])
def test_the_selected_tab_is_in_view_on_a_phone(visit: Visit, place: str) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/{place}")
    name = place.rpartition("=")[2].replace("+", " ")
    tab = page.page.locator(".stButtonGroup [role=radio][aria-checked=true]", has_text=name)
    tab.wait_for()
    assert page.comes_to(lambda: tab.evaluate(IN_ITS_ROW))


@pytest.mark.rest
def test_another_part_of_a_long_text_is_drawn(visit: Visit) -> None:
    page = opened(visit())
    page.field.fill("".join(f"{number} " for number in range(2_000)))
    # its row by its name: rows are in the order of their token counts
    gpt2 = page.page.locator(".aligned-row", has=page.page.locator(".name", has_text="GPT-2"))
    row = page.page.locator(".st-key-rows .line").first.locator(gpt2).locator(".cell b")

    def begins(text: str) -> bool:
        return "".join(row.all_inner_texts()).replace("·", " ").startswith(text)

    assert page.comes_to(lambda: page.page.locator('[data-testid="stSlider"]').count() == 1)
    page.settle()
    assert page.comes_to(lambda: begins("0 1 2 3"))
    page.page.locator('[data-testid="stSlider"] [role="slider"], [data-testid="stSlider"] input').first.focus()
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
    page.settle()
    assert page.comes_to(
        lambda: "Characters 2,001 to 4,000" in page.page.locator('[data-testid="stAlert"]').inner_text()
    )
    assert page.comes_to(lambda: begins("27 528")), "whole tokens, from the one that reaches into the part"
    assert page.page.locator(".st-key-rows .cell").count() < 6 * 2_000


@pytest.mark.long
def test_the_code_of_a_component_is_fetched_once(visit: Visit) -> None:
    page = visit()
    fetched: Counter[str] = Counter()
    heard = bytearray()

    def answered(response: Response) -> None:
        if "/bidi-components/" in response.url:
            fetched[response.url] += 1

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: heard.extend(payload if isinstance(payload, bytes) else b""))

    page.page.on("response", answered)
    page.page.on("websocket", listen)
    page.open(text="one two")
    for letter in " three":
        page.page.keyboard.press("End")
        page.field.press(letter)
    page.settle()
    assert len(fetched) >= 4, "the field, the top, the stepper, the echo"
    assert set(fetched.values()) == {1}
    assert all(url.endswith(".js") for url in fetched)
    assert b"adoptStyles" not in heard, "messages contain no code"
    style = page.page.locator(".st-key-stepper .tx").first.evaluate(
        "node => [node.getRootNode().adoptedStyleSheets.length, getComputedStyle(node).getPropertyValue('--acc')]"
    )
    assert style[0] == 1
    assert style[1].strip(), "and it is styled"
