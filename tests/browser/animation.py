"""Makes the animation of the README: `python -m tests.browser.animation`, with the app running on port 8501.

It shows what a first visit shows: the merges one by one, then the answer to "Why cut Lo | RA?". Each picture is the
real page at a step, so the file is the same whatever the speed of the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

SIZE = {"width": 1280, "height": 800}
SCALE = 1.5
"""Pixels for each CSS pixel: the page is read at half its size, on dense screens."""
MERGE, BEGIN, END, WHY = 550, 1300, 1900, 4200
"""Milliseconds that a picture stays."""
LARGEST = 2_000_000


def pictures(page: Page) -> Iterator[tuple[bytes, int]]:
    """The pictures, each with its time."""
    count = page.locator(".st-key-stepper .count b")
    page.evaluate("document.activeElement?.blur()")
    yield page.screenshot(), BEGIN
    merges = page.locator(".st-key-stepper .joint")
    for _ in range(merges.count()):
        before = count.inner_text()
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_function("([node, before]) => node.textContent !== before", arg=[count.element_handle(), before])
        page.wait_for_timeout(500)
        yield page.screenshot(), MERGE
    page.keyboard.press("End")
    page.wait_for_timeout(500)
    yield page.screenshot(), END
    page.get_by_role("button", name="Why cut Lo").click()
    page.locator(".st-key-overview .why").wait_for()
    page.mouse.move(1, 1)
    page.wait_for_timeout(700)
    yield page.screenshot(), WHY


def main(address: str = "http://localhost:8501") -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme="light", reduced_motion="reduce")  # type: ignore[arg-type]
        # the merges are stepped here, not played by the page
        page.add_init_script("localStorage.setItem('explorer-visited', 'yes')")
        page.goto(f"{address}/?level=story")
        page.locator(".st-key-stepper .count b:not(:empty)").wait_for()
        page.wait_for_timeout(2500)
        taken = list(pictures(page))
        browser.close()
    first, *others = [Image.open(BytesIO(data)).convert("RGB") for data, _ in taken]
    path = ROOT / "docs" / "first-visit.webp"
    first.save(path, save_all=True, append_images=others, duration=[time for _, time in taken], loop=0, lossless=True,
               quality=90, method=6, minimize_size=True)  # fmt: skip
    print(f"{path}: {len(taken)} pictures, {path.stat().st_size:,} bytes")
    assert path.stat().st_size < LARGEST, "too large for a README"


if __name__ == "__main__":
    main(*sys.argv[1:])
