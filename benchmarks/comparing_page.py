"""How fast the Compare page answers a change of the text: `python -m benchmarks.comparing_page`.

Six tokenizers on 2,000 characters in a real Chromium, for each question of the page: from a key in the text field to
the first frame in which the answer has changed (the field itself waits 60 ms for more keys), and of that the run of
the page in Python, measured by Streamlit's own message that the run is over.
"""

from __future__ import annotations

import subprocess
import sys
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from benchmarks.comparing import NAMES, PROSE, SIZE
from benchmarks.page import ADDRESS, PORT, spread, wait_for_server
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

QUESTIONS = ("Side by side", "Where they part")

ANSWERED = """
place => new Promise(done => {
  const host = document.querySelector(place);
  const roots = [...host.querySelectorAll('*')].map(node => node.shadowRoot).filter(Boolean);
  const start = performance.now();
  const watch = new MutationObserver(() => {
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  });
  for (const root of roots) watch.observe(root, {childList: true, subtree: true, characterData: true});
})
"""
"""Milliseconds until a component in a place of the page has drawn itself anew, and that is painted."""

FIELDS = {"Side by side": ".st-key-rows", "Where they part": ".st-key-answer-parting_say"}


def main() -> None:
    server = subprocess.Popen(
        [sys.executable, *"-m streamlit run app.py --server.fileWatcherType none --server.port".split(), str(PORT)],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            wait_for_server()
            for question in QUESTIONS:
                answers(page, question)
            browser.close()
    finally:
        server.terminate()
        server.wait(10)


def answers(page: Page, question: str) -> None:
    """Keys at the beginning of the text, one at a time, each answered before the next."""
    text = (PROSE * 30)[: SIZE - 20]
    page.goto(f"{ADDRESS}/compare?{urlencode({'view': question, 'text': text, 'with': specs()}, doseq=True)}")
    page.locator(FIELDS[question]).wait_for()
    page.wait_for_timeout(6000)
    field = page.locator("textarea").first
    field.click()
    page.keyboard.press("Control+Home")
    taken = []
    for letter in "abcdefghijklmnop":
        changed = page.evaluate_handle(f"place => ({{ promise: ({ANSWERED})(place) }})", FIELDS[question])
        page.keyboard.press(letter)
        taken.append(float(changed.evaluate("box => box.promise")))
        page.wait_for_timeout(1200)
    print(f"{question}, six tokenizers, {SIZE:,} characters: key → painted answer {spread(taken)}, 60 ms of it waiting")


def specs() -> list[str]:
    """The names that the page gives them: with the implementation where there are several."""
    from explorer.ui.compare_input import known

    every = known()
    return [name if name in every else next(each for each in every if each.startswith(f"{name}@")) for name in NAMES]


if __name__ == "__main__":
    main()
