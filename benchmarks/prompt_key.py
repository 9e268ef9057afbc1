"""A key press on Prompt, painted: `python -m benchmarks.prompt_key`, with `--against COMMIT` an earlier one in turns.

A letter is typed at the end of the first message of Prompt's example, with Qwen 2.5 and its own template. Measured in a
real Chromium is the time from the key to the frame in which the tokens are others, painted. Checkouts take turns, each
time with a server of its own; printed are the least, the median and the most.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from benchmarks.edit import checkouts
from benchmarks.in_browser import VIEW, VISITED, painted_after_keys
from benchmarks.served import Server, free_port, served
from tests.browser.conftest import CHROMIUM, FLAGS

LETTERS = "abcdefghij"
CHANGED = """
() => new Promise(done => {
  let before = '';
  const tokens = root => { let text = '';
    for (const n of root.querySelectorAll('*')) {
      if (n.classList.contains('pr-token')) text += n.textContent + ' ';
      if (n.shadowRoot) text += tokens(n.shadowRoot);
    }
    return text;
  };
  const stage = () => {
    const host = document.querySelector('.st-key-prompt-stage');
    return host ? tokens(host) : before;
  };
  before = stage();
  let start;
  addEventListener('keydown', event => { start = event.timeStamp; }, {capture: true, once: true});
  const painted = new MessageChannel();
  painted.port1.onmessage = () => done(performance.now() - start);
  const look = () => { if (start !== undefined && stage() !== before) painted.port2.postMessage('');
    else requestAnimationFrame(look); };
  requestAnimationFrame(look);
})
"""


def keys(browser: Browser, server: Server) -> list[float]:
    """Milliseconds from each key to the painted tokens."""
    page = browser.new_page(viewport=VIEW)
    page.add_init_script(VISITED)
    page.goto(f"{server.address}/prompt?m=qwen2.5")
    field = page.locator("textarea.pr-area").first
    field.wait_for(state="attached", timeout=120_000)
    page.wait_for_timeout(4_000)
    field.focus()
    page.keyboard.press("Control+End")
    page.wait_for_timeout(1_000)
    taken = painted_after_keys(page, LETTERS, CHANGED, 1_000)
    page.close()
    return taken


def main() -> None:
    """Measures, and prints a line for each checkout."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompt_key", description=__doc__)
    parser.add_argument("--against", metavar="COMMIT", help="an earlier commit, to compare with")
    parser.add_argument("--times", type=int, default=2, help="how often each checkout has its turn")
    given = parser.parse_args()
    found = defaultdict[str, list[float]](list)
    with checkouts(given.against) as folders:
        for _ in range(given.times):
            for name, folder in folders.items():
                with served(free_port(), folder) as server, sync_playwright() as playwright:
                    server.wait()
                    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
                    found[name] += keys(browser, server)
                    browser.close()
    for name, taken in found.items():
        print(f"{name:<12} {min(taken):6.0f} {median(taken):6.0f} {max(taken):6.0f} ms, {len(taken)} keys")


if __name__ == "__main__":
    main()
