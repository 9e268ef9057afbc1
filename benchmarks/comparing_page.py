"""Measures how fast Compare answers a change of the text: `python -m benchmarks.comparing_page [--app FOLDER]`.

Six tokenizers on 2,000 characters, then the page's own four on a sentence, in a real Chromium, for each question of the
page: the time from a key press in the text field to the first frame with the changed answer, and what the key costs the
server and the network. The field sends a key by itself at once; what takes long is the page's run in Python and the
drawing. Languages reads no text of the page, so nothing is typed there. For long texts see `benchmarks.tabs`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

import explorer
from benchmarks.comparing import NAMES, PROSE, SIZE
from benchmarks.in_browser import start_of_text
from benchmarks.served import Server, Wire, served
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

PORT = 8677
QUESTIONS = ("Side by side", "Where they part")
SENTENCE = "The price of 1234567 tokens, unaffable in Zürich."
IDS = "1, 450, 8666, 310, 29871, 29896"

ANSWERED = """
selector => new Promise(done => {
  const host = document.querySelector(selector);
  const roots = [...host.querySelectorAll('*')].map(node => node.shadowRoot).filter(Boolean);
  const start = performance.now();
  const watch = new MutationObserver(() => {
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  });
  setTimeout(() => done(NaN), 20000);
  for (const root of roots) watch.observe(root, {childList: true, subtree: true, characterData: true});
})
"""
"""Milliseconds until a component within an element has redrawn itself and is painted."""

FIELDS = {
    "Side by side": ".st-key-rows",
    "Where they part": ".st-key-side_stepper_0, .st-key-side_stepper_1",
    "Expected ids": ".st-key-expected-rows",
    "What if": ".st-key-flips",
    "While typing": ".st-key-typing-rows",
}
"""What redraws itself for each question; of two tokenizers, only one may have the stage where they part."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparing_page", description=__doc__)
    parser.add_argument("--app", type=Path, default=ROOT, metavar="FOLDER", help="a checkout of the explorer")
    given = parser.parse_args()
    with served(PORT, given.app) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        server.wait()
        text = (PROSE * 30)[: SIZE - 20]
        # two that differ in the model, so that there are two steppers to draw
        six = {"with": specs(), "base": specs()[1], "right": specs()[2]}
        for question in QUESTIONS:
            answers(page, server, question, f"six tokenizers, {SIZE:,} characters", {"text": text, **six})
        for question in FIELDS:
            about = f"four tokenizers, {len(SENTENCE)} characters"
            answers(page, server, question, about, {"text": SENTENCE, "expect": IDS})
        browser.close()


def answers(page: Page, server: Server, question: str, about: str, query: dict[str, object]) -> None:
    """Presses keys at the beginning of the text, one at a time, each after the previous answer."""
    asked = {"view": question, **query}
    wire = Wire(page)
    page.goto(f"{server.address}/compare?{urlencode(asked, doseq=True)}")
    page.locator(FIELDS[question]).first.wait_for()
    page.wait_for_timeout(6000)
    start_of_text(page)
    page.wait_for_timeout(1200)
    taken = []
    cpu, received = server.cpu, wire.bytes
    for letter in "abcdefghijklmnop":
        changed = page.evaluate_handle(f"selector => ({{ promise: ({ANSWERED})(selector) }})", FIELDS[question])
        page.keyboard.press(letter)
        taken.append(float(changed.evaluate("box => box.promise")))
        page.wait_for_timeout(1200)
    print(f"{question}, {about}: key → painted answer {spread(taken)};"
          f" {cost(server, wire, cpu, received, len(taken))}")  # fmt: skip


def cost(server: Server, wire: Wire, cpu: float, received: int, keys: int) -> str:
    """The cost of each key since these readings of the counters."""
    return f"{1000 * (server.cpu - cpu) / keys:.0f} ms of processor and {(wire.bytes - received) / keys / 1000:.0f} kB"


def spread(taken: Sequence[float]) -> str:
    ordered = sorted(taken)
    return f"median {statistics.median(ordered):.0f} ms, p95 {ordered[int(len(ordered) * 0.95) - 1]:.0f} ms"


def specs() -> list[str]:
    """The names that the page uses: with the implementation if there are several."""
    models = [explorer.catalog()[name] for name in NAMES]
    return [
        model.name if len(model.implementations) == 1 else f"{model.name}@{model.implementations[0]}"
        for model in models
    ]


if __name__ == "__main__":
    main()
