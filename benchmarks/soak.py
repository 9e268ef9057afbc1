"""An hour of visitors, and what they leave behind: `python -m benchmarks.soak [--visitors 60] [--minutes 60]`.

Each visitor does one thing for about a minute and leaves, and another comes: edits of a text or of a pattern, uploads,
links to every page, trainings, edits of a vocabulary, lessons, and corpus jobs. Printed every minute, and some
minutes after everybody has left: the memory of the server with its processes (what they share counts once), its open
files, its processes; how long edits took; and what went wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import quote

from websockets.exceptions import WebSocketException

from benchmarks.attacks import megabytes, memory
from benchmarks.served import children, free_port, served
from benchmarks.socket_session import Session
from explorer.learning.lessons.reading import ORDER
from tests.browser.conftest import ROOT
from tests.ui.small_files import tokenizer_json

STAY: Final = (20.0, 90.0)
"""Seconds a visitor stays."""
PAUSE: Final = (1.0, 5.0)
"""Seconds between two actions."""
PATIENCE: Final = 120.0
"""Seconds a visitor waits at most."""
REST: Final = 130.0
"""Seconds after the last visitor has left until what is left is measured: Streamlit keeps a session for two minutes,
for a browser that reconnects, and releases it when the next one comes."""
MODELS: Final = ("gpt-2", "llama-2", "bert-uncased", "rwkv-world", "xlm-r", "qwen2.5", "o200k_base")

LINKS: Final[Sequence[tuple[str, str]]] = (
    ("compare", "with=gpt-2&with=llama-3&text=HE'S 123"),
    ("compare", "with=qwen2.5&with=qwen2.5@llama.cpp&text=e\u0301&view=Where they part"),
    ("compare", "with=llama-2&view=What if"),
    ("train", "algorithm=BPE"), ("train", "algorithm=Unigram"), ("train", "algorithm=WordPiece"),
    ("vocabulary", "m=gpt-2&q=token"), ("vocabulary", "m=llama-2&by=regex&q=^.{5}$"), ("corpus", ""),
    *(("learn", f"lesson={key}&card={card}") for key in ORDER for card in (1, 3)),
)  # fmt: skip


class Soak:
    """What visitors do to one server, and what they noticed."""

    def __init__(self, address: str, seed: int) -> None:
        self.address, self.random = address, random.Random(seed)
        self.edits: list[float] = []
        self.faults: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.end = threading.Event()

    def visit(self, number: int) -> None:
        """Visitors, one after the other, until the end."""
        own = random.Random(number)
        while not self.end.is_set():
            role = own.choice(ROLES)
            try:
                role(self, own)
                self.done[role.__name__] += 1
            except (WebSocketException, OSError, KeyError) as error:  # a KeyError: what a page should have is missing
                self.faults[f"{role.__name__}: {type(error).__name__} {error}"[:100]] += 1
            self.end.wait(own.uniform(*PAUSE))

    def stay(self, own: random.Random, session: Session, act: Callable[[int], object]) -> None:
        """Acts again and again until the visitor leaves."""
        leave = time.monotonic() + own.uniform(*STAY)
        number = 0
        try:
            session.open(PATIENCE)
            while time.monotonic() < leave and not self.end.is_set():
                number += 1
                act(number)
                for said in session.said:
                    if said.startswith("EXCEPTION"):
                        self.faults[said] += 1
                self.end.wait(own.uniform(*PAUSE))
        finally:
            session.close()


def types(soak: Soak, own: random.Random) -> None:
    session = Session(soak.address, f"m={own.choice(MODELS)}&text=hello")
    word = own.randrange(10**6)
    soak.stay(
        own, session, lambda number: soak.edits.append(session.type(f"visitor {word} says {number}", seconds=PATIENCE))
    )


def tries_patterns(soak: Soak, own: random.Random) -> None:
    session = Session(
        soak.address, f"m=gpt-2&text={own.randrange(10**6)} words&pattern={quote('[a-z]+|.')}&stage=pre-tokenize"
    )
    soak.stay(own, session, lambda number: session.type(f"[a-{chr(98 + number % 24)}]+|.", "pattern", PATIENCE))


def uploads(soak: Soak, own: random.Random) -> None:
    session = Session(soak.address, "m=gpt-2&text=hello")

    def act(number: int) -> None:
        if number == 1:
            session.send_file("mine.json", tokenizer_json(), PATIENCE)
        else:
            session.type(f"abc ab {number}", seconds=PATIENCE)

    soak.stay(own, session, act)


def quoted(query: str) -> str:
    return "&".join(f"{name}={quote(value)}" for name, _, value in (each.partition("=") for each in query.split("&")))


def follows_links(soak: Soak, own: random.Random) -> None:
    for _ in range(own.randrange(2, 8)):
        page, query = own.choice(LINKS)
        session = Session(soak.address, quoted(query), page=page)
        try:
            session.open(PATIENCE)
        finally:
            session.close()
        soak.end.wait(own.uniform(*PAUSE))


def trains(soak: Soak, own: random.Random) -> None:
    words = " ".join(str(own.randrange(10**4)) for _ in range(300))
    session = Session(soak.address, f"algorithm={own.choice(('BPE', 'Unigram', 'WordPiece'))}&corpus={quote(words)}",
                      page="train")  # fmt: skip
    soak.stay(own, session, lambda number: session.run(PATIENCE))


def counts(soak: Soak, own: random.Random) -> None:
    session = Session(soak.address, page="corpus")
    text = "\n".join(f"line {own.randrange(10**6)} of this text" for _ in range(20_000)).encode()

    def act(number: int) -> None:
        if number == 1:
            session.press("Count my own text", PATIENCE)
            session.send_file("texts.txt", text, PATIENCE)
            session.press("Count", PATIENCE)
        else:
            session.run(PATIENCE)

    soak.stay(own, session, act)


def edits(soak: Soak, own: random.Random) -> None:
    session = Session(soak.address, "m=gpt-2&edit=true", page="vocabulary")

    def act(number: int) -> None:
        if number == 1:
            token = f'[[edit]]\nkind = "add-token"\ntext = "<tool{own.randrange(10**6)}>"\nspecial = true\n'
            data = f'format = "tokenizer-explorer edits 1"\n\n{token}'.encode()
            session.send_file("edits.toml", data, PATIENCE, "A file of edits")
        else:
            session.run(PATIENCE)

    soak.stay(own, session, act)


ROLES: Final = (
    types,
    types,
    types,
    types,
    tries_patterns,
    uploads,
    follows_links,
    follows_links,
    trains,
    counts,
    edits,
)


def warm_up(address: str) -> None:
    """Opens what visitors open, so that what the server keeps for everybody is there."""
    session = Session(address)
    for page, query in [*LINKS, *(("", f"m={model}&text=hello") for model in MODELS)]:
        session.path, session.query, session.page = page, quoted(query), ""
        session.open(PATIENCE)
    session.close()
    time.sleep(15)


def rest(address: str) -> None:
    """Waits until what visitors left is gone: a visitor comes and goes, with whom Streamlit's sessions are released."""
    time.sleep(REST)
    last = Session(address, "m=gpt-2&text=a")
    last.open(PATIENCE)
    last.close()
    time.sleep(15)


def state(pid: int, folder: Path) -> str:
    """What the server has now. folder: for its temporary files."""
    processes = children(pid)
    files = len(os.listdir(f"/proc/{pid}/fd"))
    threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
    folders = len(list(folder.iterdir()))
    own = megabytes(pid)
    return (
        f"{memory(pid):6} MB, of the server {own:5} {files:5} files {threads:4} threads {len(processes):3} processes "
        f"{folders:4} folders"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--visitors", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=60)
    given = parser.parse_args()
    with (
        TemporaryDirectory() as folder,
        TemporaryDirectory() as other,
        served(
            *(free_port(), ROOT, ("--open-first",), f"benchmarks.kinds {other}/kinds.json"), TMPDIR=folder
        ) as server,
    ):
        found = Path(other) / "kinds.json"
        server.wait()
        pid, own, address = server.pid, Path(folder), server.address.removeprefix("http://")
        time.sleep(20)
        print(f"started           {state(pid, own)}", flush=True)
        warm_up(address)
        found.with_suffix(".ask").touch()
        time.sleep(20)
        print(f"at rest, before   {state(pid, own)}  {found.read_text()}", flush=True)
        soak = Soak(address, 0)
        visitors = [threading.Thread(target=soak.visit, args=(number,)) for number in range(given.visitors)]
        for each in visitors:
            each.start()
        for minute in range(1, int(given.minutes) + 1):
            time.sleep(60)
            edits = soak.edits[:]
            del soak.edits[: len(edits)]
            waits = f"edits {median(edits):.2f} s, worst {max(edits):.2f}" if edits else ""
            print(f"minute {minute:3}        {state(pid, own)}  {waits}  {found.read_text()}", flush=True)
        soak.end.set()
        for each in visitors:
            each.join()
        computed, since = server.cpu, time.monotonic()
        rest(address)
        used, seconds = server.cpu - computed, time.monotonic() - since
        found.with_suffix(".ask").touch()
        time.sleep(30)
        print(f"at rest, after    {state(pid, own)}  {used:.1f} s of processor in {seconds:.0f} s", flush=True)
        print(found.read_text())
        print("done:", dict(soak.done))
        print("faults:", dict(soak.faults) or "none")


if __name__ == "__main__":
    main()
