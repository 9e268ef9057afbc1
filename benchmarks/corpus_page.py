"""A corpus dropped on the page, while a class uses the server: `python -m benchmarks.corpus_page [SIZE]`.

A visitor in a real browser drops SIZE (20M) of text on Corpus, starts the count, stops it on the way, lets it go on and
sees the result; each is timed. At first nobody else is there, then thirty virtual visitors change their text on Explore
(`benchmarks.classroom`), first without and then beside the job.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.classroom import attended, said
from benchmarks.served import Server, free_port, served
from benchmarks.speed.corpora import documents
from explorer.cli.corpus import size
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

SESSIONS, SECONDS = 30, 40.0
SHOWN = "name => [...document.querySelectorAll('input')].some(field => field.value === name)"
"""Whether the result of a name is the chosen one."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus_page", description=__doc__)
    parser.add_argument("size", nargs="?", type=size, default=20_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(free_port(), ROOT, ("--open-first",)) as server:
        text = Path(folder, "dropped.txt")
        text.write_text("\n".join(documents("files", given.size)), "utf-8")
        server.wait()
        print("the page alone:", *counted(server, text), sep="\n  ")
        print(f"{SESSIONS} visitors, no job: edits {edits(server)}")
        with ThreadPoolExecutor(1) as other:
            beside = other.submit(counted, server, text)
            print(f"{SESSIONS} visitors beside the job: edits {edits(server)}")
            print("the page beside them:", *beside.result(), sep="\n  ")


def edits(server: Server) -> str:
    """How long the edits of a class take."""
    _, measured, _ = attended([server], server.address, SESSIONS, SECONDS)
    return said(measured.edits) + "".join(f"\n  {fault}" for fault in measured.faults)


def counted(server: Server, text: Path) -> list[str]:
    """What a visitor sees who drops a text and has it counted, a line each."""
    lines = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.goto(f"{server.address}/corpus")
        page.get_by_text("Count a text of your own").click()
        began = time.monotonic()
        page.locator(".st-key-corpus_texts input[type=file]").set_input_files(text)
        page.get_by_text(text.name).first.wait_for()
        page.get_by_role("button", name="Count", exact=True).click()
        stop = page.get_by_role("button", name="Stop", exact=True)
        stop.wait_for()
        lines.append(f"dropped, sent and started after {time.monotonic() - began:.1f} s")
        lines.append(f"progress: {progress(page, at_least=20)}")
        asked = time.monotonic()
        stop.click()
        page.get_by_text("stopped").wait_for()
        lines.append(f"stopped within {time.monotonic() - asked:.1f} s, {progress(page)}")
        asked = time.monotonic()
        page.get_by_role("button", name="Go on", exact=True).click()
        stop.wait_for()
        stop.wait_for(state="detached")
        page.wait_for_function(
            "name => [...document.querySelectorAll('input')].some(e => e.value === name)", arg=text.name
        )
        lines.append(f"gone on with, the result is there after {time.monotonic() - asked:.1f} s")
        browser.close()
    return lines


def progress(page: Page, at_least: int = 0) -> str:
    """What the progress says, as soon as it has come so far, in percent. Exits if the job is done before."""
    line = page.locator('[data-testid="stProgress"]')
    while True:
        if not line.count():
            raise SystemExit("the job was done before it could be stopped: give a larger SIZE")
        words = line.inner_text().strip()
        if (share := re.match(r"(\d+) %|(\d+)%", words)) and int(share[1] or share[2]) >= at_least:
            return words
        time.sleep(0.1)


if __name__ == "__main__":
    main()
