"""Random use of a live Explore in Chromium: `python -m benchmarks.live_soak SITE [--minutes 10]`.

SITE is what `explorer site --live` wrote; the browser may ask nobody else. Types, chooses tokenizers, stages, levels,
steps, asks why, compares, reads ids, goes back. Each minute it prints what the page holds after a collection, and the
memory of the browser's processes, which has the engine's. Exits with 1 for any message in the console; each is printed
with its place, and the actions before it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

WORDS = (
    *"What is LoRA? naïve 🤗 नमस्ते 日本語 def f(x): 3.14 </s> <|endoftext|> it's مرحبا ﬁ e\u0301 strawberry".split(),
    "\t",
    "\n",
    "  ",
)
MODELS = ("llama-2", "gpt-2", "bert-uncased", "mistral-v1", "llama-3", "rwkv")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def megabytes(marker: str) -> int:
    """The resident memory of all processes whose command line has a marker."""
    pages = 0
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and marker in (process / "cmdline").read_text("utf-8", "replace"):
                pages += int((process / "statm").read_text().split()[1])
        except OSError:
            continue
    return pages * 4096 // 1_000_000


def act(page: Page, drawn: random.Random) -> str:
    """One thing that a visitor does."""
    kind = drawn.choice("type type type key key model stage level why compare switch ids back".split())
    page.evaluate("document.activeElement?.blur()")
    if kind == "type":
        page.locator("textarea").fill(" ".join(drawn.choices(WORDS, k=drawn.randrange(1, 30))))
    elif kind == "key":
        for _ in range(5):
            page.keyboard.press(drawn.choice(["ArrowRight", "ArrowLeft", "Home", "End"]))
    elif kind == "model":
        page.get_by_role("combobox", name="Tokenizer").select_option(drawn.choice(MODELS))
    elif kind in ("stage", "level"):
        tabs = page.get_by_role("tab" if kind == "stage" else "radio").all()
        if tabs:
            drawn.choice(tabs).click(timeout=2_000)
    elif kind == "why":
        tokens = page.locator(".token").all()[:10]
        if tokens:
            drawn.choice(tokens).click(timeout=2_000)
            page.wait_for_timeout(300)
            page.keyboard.press("Escape")
    elif kind == "compare":
        page.get_by_label("Compare").set_checked(drawn.random() < 0.3)
    elif kind == "switch":
        page.locator("summary", has_text="Settings").click()
        page.get_by_label("Add BOS/EOS").set_checked(drawn.random() < 0.5)
        page.locator("summary", has_text="Settings").click()
    elif kind == "ids":
        page.locator("textarea").fill(str([drawn.randrange(1000) for _ in range(drawn.randrange(1, 9))]))
    elif drawn.random() < 0.3:
        page.evaluate("history.back()")
    return kind


def held(session: CDPSession) -> float:
    """The page's own heap after a collection, in MB."""
    session.send("HeapProfiler.collectGarbage")
    found = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in found if each["name"] == "JSHeapUsedSize") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    drawn, faults, done, late = random.Random(given.seed), list[str](), 0, 0
    kinds, reported = list[str](), 0
    handler = partial(Quiet, directory=str(given.site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as host, sync_playwright() as player:
        threading.Thread(target=host.serve_forever, daemon=True).start()
        own = f"http://127.0.0.1:{host.server_port}"
        marker = f"--user-agent=live-soak-{host.server_port}"
        browser = player.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", marker])
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.on("console", lambda said: faults.append(f"{said.text} {said.location}"))
        page.on("pageerror", lambda error: faults.append(error.stack or str(error)))
        context.on(
            "request", lambda each: None if re.match(rf"{own}|data:|blob:", each.url) else faults.append(each.url)
        )
        session = context.new_cdp_session(page)
        session.send("Performance.enable")
        page.goto(f"{own}/explore.html")
        page.locator("html[data-live]").wait_for(state="attached", timeout=300_000)
        start = last = time.monotonic()
        print(f"{'minute':>6} {'actions':>8} {'heap, MB':>9} {'all, MB':>8}")
        while True:
            now = time.monotonic()
            if now - last >= 60 or last == start:
                print(f"{(now - start) / 60:6.1f} {done:8} {held(session):9.1f} {megabytes(marker):8}", flush=True)
                last = now
            if now - start > given.minutes * 60:
                break
            for fault in faults[reported:]:
                print(f"after {done} actions, the last {' '.join(kinds[-5:])}: {fault}", flush=True)
            reported = len(faults)
            try:
                kinds.append(act(page, drawn))
            except Exception:  # what it wanted to click went away, or is hidden
                late += 1
            done += 1
            page.wait_for_timeout(drawn.randrange(50, 600))
        host.shutdown()
        browser.close()
    print(f"{done} actions, {late} of them on what was not there; {len(faults)} messages")
    print(*dict.fromkeys(faults), sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
