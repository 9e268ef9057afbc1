"""Measures how fast the Explore page answers: `python -m benchmarks.page`.

In one run, in a real Chromium against a server started for it: the time from starting the server to the first
meaningful paint, from a key press in the stepper to the painted step, whether any of 20 presses 33 ms apart is lost,
and from a key press in the text field to the painted chips of a text of 1,000 characters, with the cost of that key:
milliseconds of the server's processor and bytes received. A paint counts as done at the frame after the change.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from benchmarks.served import Server, Wire, served
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

PORT = 8677
PROSE = "The quick brown fox jumps over the lazy dog, and nobody knows why it did so again. "
SIZES = {"47 events": "What is LoRA?", "1,000 events": PROSE * 4, "7,000 events": PROSE * 24}

PRESS_TO_PAINT = """
async ({key, times}) => {
  const host = document.querySelector('.st-key-stepper');
  const find = root => { for (const e of root.querySelectorAll('*')) {
    if (e.classList.contains('count')) return e;
    const inner = e.shadowRoot && find(e.shadowRoot); if (inner) return inner; } };
  const count = find(host), root = count.closest('[tabindex]');
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const taken = [];
  for (let i = 0; i < times; i++) {
    await new Promise(done => setTimeout(done, 60 + 20 * Math.random()));
    const before = count.textContent, start = performance.now();
    root.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, composed: true}));
    while (count.textContent === before) await frame();
    await frame();
    taken.push(performance.now() - start);
  }
  return taken;
}
"""

CHIPS_CHANGED = """
() => new Promise(done => {
  const chips = () => { const e = document.querySelector('.st-key-board_tokens');
    const find = root => { for (const n of root.querySelectorAll('*')) {
      if (n.getAttribute('role') === 'listbox') return n;
      const inner = n.shadowRoot && find(n.shadowRoot); if (inner) return inner; } };
    return find(e)?.textContent; };
  const before = chips(), start = performance.now();
  const look = () => chips() !== before ? requestAnimationFrame(() => done(performance.now() - start))
    : requestAnimationFrame(look);
  requestAnimationFrame(look);
})
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--app", type=Path, default=ROOT, metavar="FOLDER", help="a checkout of the explorer")
    parser.add_argument("--keys", action="store_true", help="only the keys in the text field")
    given = parser.parse_args()
    start = time.perf_counter()
    with served(PORT, given.app) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        server.wait()
        up = time.perf_counter()
        page.goto(server.address)
        page.locator(".st-key-board_tokens [role=option]").first.wait_for()
        page.locator(".st-key-stepper .strip").wait_for()
        painted = time.perf_counter()
        print(f"cold start: server answers after {up - start:.2f} s, first page painted {painted - up:.2f} s later")
        visit(page, server, {})
        page.reload()
        start = time.perf_counter()
        page.reload()
        page.locator(".st-key-board_tokens [role=option]").first.wait_for()
        page.locator(".st-key-stepper .strip").wait_for()
        print(f"reload: chips and stepper painted after {time.perf_counter() - start:.2f} s")
        for name, text in () if given.keys else SIZES.items():
            steps(page, server, name, text)
        text_changes(page, server)
        browser.close()


def visit(page: Page, server: Server, query: dict[str, str]) -> None:
    page.goto(f"{server.address}/?{urlencode(query)}")
    page.locator(".st-key-stepper .strip").wait_for()
    page.wait_for_timeout(1500)


def steps(page: Page, server: Server, name: str, text: str) -> None:
    """Key press to painted step, and 20 presses 33 ms apart."""
    visit(page, server, {"text": text})
    total = int((page.locator(".st-key-stepper .count").text_content() or "").partition("/")[2].replace(",", ""))
    page.locator(".st-key-stepper .count").click()
    taken = page.evaluate(PRESS_TO_PAINT, {"key": "ArrowRight", "times": min(40, total - 5)})
    before = step(page)
    times = min(20, total - before)
    for _ in range(times):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(33)
    page.wait_for_timeout(300)
    arrived = f"{step(page) - before} of {times} presses 33 ms apart arrived"
    print(f"{name} ({total:,}): key press → paint {spread(taken)}; {arrived}")


def step(page: Page) -> int:
    text = (page.locator(".st-key-stepper .count").text_content() or "").removeprefix("step").partition("/")[0]
    return int(text.replace(",", ""))


def start_of_text(page: Page) -> None:
    """Focuses the text field, with the cursor before the first character."""
    page.locator("textarea").first.click()
    page.keyboard.press("Control+Home")


def text_changes(page: Page, server: Server) -> None:
    """A key in the text field to the painted chips, 1,000 characters; the field itself waits 60 ms for more keys."""
    wire = Wire(page)
    visit(page, server, {"text": (PROSE * 20)[:1000]})
    start_of_text(page)
    page.wait_for_timeout(700)
    taken = []
    cpu, received = server.cpu, wire.bytes
    for letter in "abcdefghijklmnop":
        changed = page.evaluate_handle(f"() => ({{ promise: ({CHIPS_CHANGED})() }})")
        page.keyboard.press(letter)
        taken.append(float(changed.evaluate("box => box.promise")))
        page.wait_for_timeout(700)
    print(f"1,000 characters: key → painted chips {spread(taken)}, 60 ms of it waiting for more keys; "
          f"{cost(server, wire, cpu, received, len(taken))}")  # fmt: skip


def cost(server: Server, wire: Wire, cpu: float, received: int, keys: int) -> str:
    """The cost of each key since these readings of the counters."""
    return f"{1000 * (server.cpu - cpu) / keys:.0f} ms of processor and {(wire.bytes - received) / keys / 1000:.0f} kB"


def spread(taken: Sequence[float]) -> str:
    ordered = sorted(taken)
    return f"median {statistics.median(ordered):.0f} ms, p95 {ordered[int(len(ordered) * 0.95) - 1]:.0f} ms"


if __name__ == "__main__":
    main()
