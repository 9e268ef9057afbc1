"""Measures what Explore costs: `python -m benchmarks.edit`, or with `--against COMMIT` before and after in one table.

With GPT-2 and Llama 2 on a server started for it: what a change of a text of 60 and of 1,000 characters costs (seconds
of the server's processor, bytes on the wire), and in a real Chromium the time from the key to the painted chips,
from an arrow key to the painted step, the first page of a visitor whose browser has nothing cached, and how far that
page's parts jump while it is built. Checkouts take turns, each time with a server of its own; printed are medians.
`--languages` measures only what an edit costs the processor in each language, in turns on one server.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

from playwright.sync_api import sync_playwright

from benchmarks.in_browser import chips_after_keys, steps_after_arrows
from benchmarks.new_visitor import first_pages
from benchmarks.served import Server, free_port, served
from benchmarks.socket_session import Session
from explorer.languages import ENGLISH, languages
from tests.browser.conftest import CHROMIUM, FLAGS, ROOT

MODELS: Final = ("gpt-2", "llama-2")
SIZES: Final = (60, 1000)
PROSE: Final = "The quick brown fox jumps over the lazy dog, and nobody knows why it did so again. "
EDITS: Final = 20
STEPS_OF: Final = PROSE * 4
"""A text whose merges take more than a thousand steps."""

Figures = dict[str, list[float]]
"""What is measured → the values."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edit", description=__doc__)
    parser.add_argument("--against", metavar="COMMIT", help="an earlier commit, to compare with")
    parser.add_argument("--times", type=int, default=2, help="how often each checkout has its turn")
    parser.add_argument("--models", nargs="+", default=MODELS, metavar="MODEL", help="instead of GPT-2 and Llama 2")
    parser.add_argument("--no-browser", action="store_true", help="only what an edit costs the server and the wire")
    parser.add_argument("--languages", action="store_true", help="only what an edit costs in each language")
    given = parser.parse_args()
    if given.languages:
        languages_cost(given.times)
        return
    with checkouts(given.against) as folders:
        found: dict[str, Figures] = {name: defaultdict(list) for name in folders}
        for _ in range(given.times):
            for name, folder in folders.items():
                with served(free_port(), folder) as server:
                    server.wait()
                    costs(server, found[name], given.models)
                    if not given.no_browser:
                        waits(server, found[name], given.models)
    print(f"| {'':<52} | " + " | ".join(f"{name:>9}" for name in folders) + " |")
    print(f"|{'-' * 54}|" + "|".join("-" * 10 + ":" for _ in folders) + "|")
    for row in found["now"]:
        print(f"| {row:<52} | " + " | ".join(f"{median(found[name][row]):>9,.3g}" for name in folders) + " |")


@contextmanager
def checkouts(against: str | None) -> Iterator[dict[str, Path]]:
    """The folder of this checkout as "now"; before it, that of another commit."""
    if against is None:
        yield {"now": ROOT}
        return
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / "checkout"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "--force", str(there), against], check=True, capture_output=True)
        try:
            yield {against: there, "now": ROOT}
        finally:
            subprocess.run([*git, "remove", "--force", str(there)], check=True, capture_output=True)


def texts(models: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Each model and text that is measured, with what they are called."""
    for model in models:
        for size in SIZES:
            yield model, (PROSE * 20)[:size], f"{model}, {size:,} characters"


def costs(server: Server, found: Figures, models: Iterable[str]) -> None:
    """What edits cost the server and the wire; adds to `found`."""
    for model, text, name in texts(models):
        processor, wire = edits(server, model, text)
        found[f"{name}: processor, ms an edit"].append(processor)
        found[f"{name}: sent, kB an edit"].append(wire)


def languages_cost(times: int) -> None:
    """Prints the processor's milliseconds for an edit of 46 characters under GPT-2, in each language, in turns."""
    costs: Figures = defaultdict(list)
    with served(free_port()) as server:
        server.wait()
        sessions = {
            each: Session(server.address.removeprefix("http://"), f"m=gpt-2&lang={each}") for each in languages()
        }
        for session in sessions.values():
            session.open()
        for turn in range(times + 1):  # the first one warms up
            for place, (language, session) in enumerate(sessions.items()):
                before = server.cpu
                for count in range(EDITS):
                    # no text comes twice, and each language has all kinds of numbers
                    number = len(sessions) * count + (place + turn) % len(sessions)
                    session.type(f"{turn:03} {number:03} {PROSE}"[:46])
                if turn:
                    costs[language].append(1000 * (server.cpu - before) / EDITS)
    for language, found in costs.items():
        shares = [100 * own / base - 100 for own, base in zip(found, costs[ENGLISH], strict=True)]
        print(f"{language}: {median(found):.2f} ms an edit, {median(shares):+.1f} % against English (medians of turns)")


def waits(server: Server, found: Figures, models: Sequence[str]) -> None:
    """What a visitor waits for; adds to `found`."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for model, text, name in texts(models):
            found[f"{name}: key → chips, ms"] += chips_after_keys(browser, server, model, text)
        for model in models:
            steps, taken, arrived = steps_after_arrows(browser, server, model, STEPS_OF)
            found[f"{model}: arrow key → step, ms ({steps:,} steps)"] += taken
            found[f"{model}: of 20 presses 33 ms apart arrive"].append(arrived)
        browser.close()
    for model in models:
        seconds, jumps = first_pages(server, model)
        found[f"{model}: first page of a warm server, s"] += seconds
        found[f"{model}: layout shift of the first page"] += jumps


def edits(server: Server, model: str, text: str) -> tuple[float, float]:
    """Milliseconds of the server's processor, and kilobytes sent, for each of some changes of a text."""
    session = Session(server.address.removeprefix("http://"), f"m={model}")
    session.open()
    session.type(text)
    session.type(text + ".")
    processor, received = server.cpu, session.received
    for count in range(EDITS):
        session.type(f"{count}{text[2:]}")
    session.close()
    return 1000 * (server.cpu - processor) / EDITS, (session.received - received) / EDITS / 1000


if __name__ == "__main__":
    main()
