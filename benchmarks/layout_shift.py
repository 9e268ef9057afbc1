"""Measures how far pages jump while they load: `python -m benchmarks.layout_shift [--app FOLDER]`.

For each page, on a desk and on a phone, the browser's own score (cumulative layout shift) until the page has rested:
under 0.1 is good. A first visit each time, since what the browser keeps makes a load calmer.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from benchmarks.in_browser import VISITED
from benchmarks.served import served
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

PORT: Final = 8679
GOOD: Final = 0.1
SIZES: Final = {"desk": (1280, 800), "phone": (390, 844)}
REST: Final = 6000
"""Milliseconds until everything on a page has come."""
LOADS: Final = (
    "/compare",
    "/compare?view=Where they part",
    "/learn",
    "/learn?lesson=bytes",
    "/",
    "/prompt",
    "/compare?view=Expected ids&expect=1,2",
    "/compare?view=What if",
    "/compare?view=While typing",
    "/compare?view=Languages",
    "/train",
    "/vocabulary",
    "/learn?lesson=queue&card=3",
    "/learn?quiz=2&seed=5&m=gpt-2",
    "/corpus",
)
SHIFTS: Final = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) window.shifted += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layout_shift", description=__doc__)
    parser.add_argument("--app", type=Path, default=ROOT, metavar="FOLDER", help="a checkout of the explorer")
    given = parser.parse_args()
    with served(PORT, given.app) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        server.wait()
        for path in LOADS:
            scores = {name: shift(browser, server.address + path, *size) for name, size in SIZES.items()}
            print(f"{path:<40}" + "  ".join(f"{name} {score:.3f}" for name, score in scores.items()), flush=True)
        browser.close()


def shift(browser: Browser, url: str, width: int, height: int) -> float:
    """The score of one load of a page by a new visitor."""
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=width < height)
    context.add_init_script(VISITED)
    context.add_init_script(SHIFTS)
    page = context.new_page()
    page.goto(url)
    page.wait_for_timeout(REST)
    score = float(page.evaluate("window.shifted"))
    context.close()
    return score


if __name__ == "__main__":
    main()
