"""Takes the screenshots of the README: `python -m tests.browser.screenshot`, with the app running on port 8501."""

from __future__ import annotations

import sys

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, ROOT


def main(address: str = "http://localhost:8501") -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        page.goto(f"{address}/?step=30&sel=4-7")
        page.locator(".st-key-stepper .count").wait_for()
        page.locator(".st-key-escapes label").wait_for()
        page.wait_for_timeout(2000)
        page.screenshot(path=str(ROOT / "docs" / "explore.png"))
        page.set_viewport_size({"width": 1280, "height": 1500})
        page.locator(".st-key-stepper").screenshot(path=str(ROOT / "docs" / "stepper.png"))
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
