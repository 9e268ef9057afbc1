"""Takes the screenshots of the documents: `python -m tests.browser.screenshot`, with the app running on port 8501."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright

from explorer.views.examples import QUESTIONS
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT
from tests.browser.jupyter import serving
from tests.browser.test_site import serving as site_serving

EXPECTED = urlencode({"view": "Expected ids", "text": "What is LoRA?", "of": "llama-2",
                      "expect": "1, 5618, 338, 4309, 4717, 29973"})  # fmt: skip


def main(address: str = "http://localhost:8501") -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        for path, drawn, name in (
            ("/?level=algorithm&step=14", ".st-key-stepper .count b:not(:empty)", "explore.png"),
            ("/compare?text=Tokenization%20costs%20more%20in%202026", ".st-key-rows .ids", "compare.png"),
            ("/prompt", ".pr-stage", "prompt.png"),
            ("/corpus", ".pr-name", "corpus.png"),
            ("/learn?lesson=bpe&card=2", ".st-key-learn_model .count b:not(:empty)", "learn.png"),
            (f"/compare?{EXPECTED}", ".st-key-rows .ids, .cell", "expected.png"),
        ):
            page.goto(f"{address}{path}")
            page.locator(drawn).first.wait_for()
            page.wait_for_timeout(3000)
            page.screenshot(path=str(ROOT / "docs" / name))
        page.goto(f"{address}/?step=14&level=story")
        page.locator(".st-key-stepper .count b:not(:empty)").first.wait_for()
        page.keyboard.press("f")
        page.wait_for_timeout(3000)
        page.screenshot(path=str(ROOT / "docs" / "lecture.png"))
        pages_of_the_site(browser, ROOT / "docs")
        notebook(browser, ROOT / "docs" / "notebook.png")
        browser.close()


def pages_of_the_site(browser: Browser, pictures: Path) -> None:
    """The index of the static site, and the level Story in one of its pages."""
    with TemporaryDirectory() as folder, site_serving(Path(folder)) as url:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(url)
        page.screenshot(path=str(pictures / "site.png"))
        page.get_by_role("link", name=QUESTIONS[0].label).click()
        page.goto(f"{page.url.partition('?')[0]}?stage=model&level=story&step=31")
        page.locator(".stepper .count b:not(:empty)").first.wait_for()
        page.wait_for_timeout(3000)
        page.locator(".of-stepper").screenshot(path=str(pictures / "stepper.png"))


def notebook(browser: Browser, path: Path) -> None:
    """A trace in JupyterLab."""
    with TemporaryDirectory() as folder, serving(Path(folder)) as lab:
        lab.write("lora.ipynb", "import explorer", "explorer.load('llama-2').trace('What is LoRA?').show(step=14)")
        page = browser.new_page(viewport={"width": 1280, "height": 1020}, color_scheme="light")
        lab.open(page, "lora.ipynb")
        lab.run(page)
        page.frame_locator("iframe[srcdoc]").locator(".stepper .count").wait_for(timeout=60_000)
        page.locator(".jp-Cell").first.evaluate("cell => cell.remove()")  # what makes the project importable here
        page.wait_for_timeout(3000)
        page.locator(".jp-NotebookPanel").screenshot(path=str(path))
        lab.end_kernels()


if __name__ == "__main__":
    main(*sys.argv[1:])
