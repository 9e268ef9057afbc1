"""Measures Compare's tabs with a long text: `python -m benchmarks.tabs [--app FOLDER] [--size CHARACTERS]`.

The page's own four tokenizers, and two implementations of one model, on 100,000 × "a" in a real Chromium. Every tab is
opened twice: first after the text changed, then after all other tabs. Printed for each: milliseconds from the click to
the painted answer and to the end of the run, how long the previous tab's answer stayed visible, seconds of the server's
processor, kilobytes received. `--app` measures another checkout.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from benchmarks.served import Server, Wire, served
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

PORT = 8679
BODIES = {
    "Side by side": ".st-key-rows .chip",
    "Where they part": ".st-key-answer-parting_say .say",
    "Expected ids": ".st-key-expected-rows .al-say",
    "What if": ".st-key-flips .al-say",
    "While typing": ".st-key-typing-rows .al-say, [role=alert]",
    "Languages": ".pr-say",
}
"""A selector that matches only once a tab's answer is drawn."""

SETS = {
    "the page's own four": {},
    "two implementations": {"with": ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]},
}

WATCH = """
async ({tab, mine, theirs}) => {
  const seen = selector => {
    // components keep their content in shadow roots: find the host in the page, then look inside
    return selector.split(', ').some(one => {
      const [outer, inner] = one.split(' ');
      return [...document.querySelectorAll(outer)].some(host => {
        if (!host.checkVisibility({visibilityProperty: true})) return false;
        if (!inner) return true;
        const find = root => [...root.querySelectorAll('*')].some(
          node => node.matches(inner) || (node.shadowRoot && find(node.shadowRoot)));
        return find(host);
      });
    });
  };
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const state = () => document.querySelector('[data-testid=stApp]').dataset.testScriptState;
  const chosen = () => document.querySelector('.st-key-view button[aria-checked=true]')?.textContent === tab;
  let start = performance.now();
  const since = () => performance.now() - start;
  // a click arrives late; measure from when the new tab's name is selected
  while (!chosen()) { await frame(); start = performance.now(); }
  let painted = null, stale = 0, ended = 0;
  while (since() < 120000) {
    await frame();
    if (seen(theirs)) stale = since();
    if (painted === null && seen(mine) && !seen(theirs)) painted = since();
    if (state() !== 'notRunning') ended = since();
    if (painted !== null && since() - ended > 400 && since() > 700) break;
  }
  return {painted, stale, ended};
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tabs", description=__doc__)
    parser.add_argument("--app", type=Path, default=ROOT, metavar="FOLDER", help="a checkout of the explorer")
    parser.add_argument("--size", type=int, default=100_000)
    given = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, query in SETS.items():
            # a server for each set, so that no cached result helps the other
            with served(PORT, given.app) as server:
                server.wait()
                page = browser.new_page(viewport={"width": 1280, "height": 1000})
                print(f'{name}, {given.size:,} × "a"')
                print(f"{'tab':<18}{'':<9}{'painted':>9}{'ended':>9}{'stale':>9} ms{'server':>8} s{'wire':>9} kB")
                tabs(page, server, query, given.size)
                page.close()
        browser.close()


def tabs(page: Page, server: Server, query: dict[str, Any], size: int) -> None:
    wire = Wire(page)
    page.goto(f"{server.address}/compare?{urlencode({'expect': '1 1724', **query}, doseq=True)}")
    page.locator(".st-key-rows .chip").first.wait_for()
    quiet(page)
    row(
        "text comes",
        "",
        page,
        server,
        wire,
        lambda: page.locator("textarea").first.fill("a" * size),
        "Side by side",
        "",
    )
    order = [*list(BODIES)[1:], "Side by side"]
    before = "Side by side"
    for time in ("first", "again"):
        for tab in order:
            button = page.locator(".st-key-view button", has_text=tab)
            row(tab, time, page, server, wire, lambda button=button: button.click(no_wait_after=True), tab, before)  # type: ignore[misc]
            before = tab


def row(what: str, time: str, page: Page, server: Server, wire: Wire, act: Any, tab: str, before: str) -> None:
    """Does something, and prints its cost until the page is idle."""
    cpu, received = server.cpu, wire.bytes
    # both answers use the same element, so an old one can't be distinguished
    given = {"tab": tab, "mine": BODIES[tab], "theirs": BODIES.get(before, ".none")}
    watched = page.evaluate_handle(f"given => ({{ promise: ({WATCH})(given) }})", given)
    act()
    found = watched.evaluate("box => box.promise")
    quiet(page)
    painted = f"{found['painted']:.0f}" if found["painted"] is not None else "never"
    print(f"{what:<18}{time:<9}{painted:>9}{found['ended']:>9.0f}{found['stale']:>9.0f}   "
          f"{server.cpu - cpu:>8.2f}  {(wire.bytes - received) / 1000:>9.0f}", flush=True)  # fmt: skip


def quiet(page: Page) -> None:
    page.wait_for_timeout(300)
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=120_000)
    page.wait_for_timeout(300)


if __name__ == "__main__":
    main()
