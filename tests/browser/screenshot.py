"""Takes the screenshots of the documents: `python -m tests.browser.screenshot`, with the app running on port 8501."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, ROOT
from tests.browser.jupyter import serving


def main(address: str = "http://localhost:8501") -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        stepper = page.locator(".st-key-stepper")
        for path, target, drawn, name in (
            ("/?level=algorithm&step=14", page, ".st-key-stepper .count b:not(:empty)", "explore.png"),
            ("/compare?text=Tokenization%20costs%20more%20in%202026", page, ".st-key-rows .ids", "compare.png"),
            ("/?level=story&step=31", stepper, ".st-key-stepper .count b:not(:empty)", "stepper.png"),
            ("/prompt", page, ".pr-stage", "prompt.png"),
            ("/corpus", page, ".pr-name", "corpus.png"),
        ):
            page.goto(f"{address}{path}")
            page.locator(drawn).first.wait_for()
            page.wait_for_timeout(3000)
            target.screenshot(path=str(ROOT / "docs" / name))
        notebook(browser, ROOT / "docs" / "notebook.png")
        browser.close()


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
