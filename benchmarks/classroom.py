"""A class opens Explore at once: `python -m benchmarks.classroom [--people 50] [--seconds 60] [--processes 2]`.

Virtual visitors speak Streamlit's protocol over its WebSocket. They arrive within five seconds, over all bundled
models, and change their text every two to four seconds. Printed are how long first pages and edits take, what the
server spends, its peak of memory, and exceptions. The visitors run on the same machine and take a share of it.

With `--processes 2` the server is `explorer app --processes 2`. With `--kill` its first process is killed in the
middle: its visitors reconnect, as a browser does, with their cookie and their text, and are counted when an edit is
answered again. `--characters` sets how long their texts are. `--people 10 --arrive 0 --cold` is the first ten visitors
at once, each with another model, on a server that has opened none.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from websockets.exceptions import WebSocketException

import explorer
from benchmarks.behind_nginx import kill, served_behind_nginx
from benchmarks.served import Spender, children, free_port, served
from benchmarks.socket_session import Session
from tests.browser.conftest import ROOT

PAUSE: Final = (2.0, 4.0)
"""Seconds between two edits of a visitor."""
SENTENCE: Final = "The quick brown fox jumps over it, visitor {visitor} says {edit}"
"""About 60 characters, which no visitor shares with another: no answer comes from a cache."""
PROSE: Final = (ROOT / "vocabs" / "LICENSES.md").read_text("utf-8").replace("\n", " ")
"""Follows the sentence where texts are to be longer."""
PATIENCE: Final = 120.0
"""Seconds a visitor waits at most."""
AWAY: Final = (WebSocketException, OSError)
"""What a visitor meets whose process has died."""


@dataclass
class Measured:
    """What all visitors waited, in seconds, and what went wrong. reconnected: from the loss to an answered edit."""

    first_pages: list[float] = field(default_factory=list)
    edits: list[float] = field(default_factory=list)
    reconnected: list[float] = field(default_factory=list)
    lost: int = 0
    faults: list[str] = field(default_factory=list)


class Visitor(threading.Thread):
    """One visitor. end: when to leave, in seconds of `monotonic`."""

    def __init__(self, number: int, address: str, end: float, measured: Measured, given: argparse.Namespace) -> None:
        super().__init__(daemon=True)
        models = list(explorer.catalog())
        self.number, self.address, self.end, self.measured = number, address, end, measured
        self.characters, self.arrive = given.characters, given.arrive
        self.query, self.edit = f"m={models[number % len(models)]}", 0
        self.dice = random.Random(number)
        self.session: Session | None = None

    @property
    def process(self) -> str:
        """The process that answers, as the proxy's cookie names it."""
        return self.session.cookie.partition("explorer_process=")[2] if self.session is not None else ""

    def run(self) -> None:
        time.sleep(self.dice.uniform(0, self.arrive))
        try:
            began = time.monotonic()
            self.come()
            self.measured.first_pages.append(time.monotonic() - began)
            while time.monotonic() < self.end:
                time.sleep(self.dice.uniform(*PAUSE))
                self.type()
        except (TimeoutError, *AWAY) as error:
            self.measured.faults.append(f"visitor {self.number}: {type(error).__name__}: {error}")

    def come(self) -> None:
        """Opens the page: its HTML, whose answer may bring a proxy's cookie, then the socket."""
        with urllib.request.urlopen(f"http://{self.address}/", timeout=PATIENCE) as answer:
            cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0]
        self.session = Session(self.address, self.query, cookie)
        self.session.open(PATIENCE)

    def type(self) -> None:
        """Changes the text; reconnects if the connection is lost."""
        assert self.session is not None
        self.edit += 1
        text = SENTENCE.format(visitor=self.number, edit=self.edit)
        text += PROSE[: max(0, self.characters - len(text))]
        began = time.monotonic()
        try:
            taken = self.session.type(text, seconds=PATIENCE)
            self.measured.edits.append(taken)
        except TimeoutError:
            raise
        except AWAY:
            self.measured.lost += 1
            cookie, self.session = self.session.cookie, None
            self.session = Session(self.address, self.query, cookie)
            self.session.open(PATIENCE)
            self.session.type(text, seconds=PATIENCE)
            self.measured.reconnected.append(time.monotonic() - began)
        self.measured.faults += [f"visitor {self.number}: {line}" for line in self.session.said]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom", description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--characters", type=int, default=60)
    parser.add_argument("--arrive", type=float, default=5.0, help="seconds within which all visitors come")
    parser.add_argument("--cold", action="store_true", help="nothing is opened before the first visitor")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--kill", action="store_true", help="kill one of the processes in the middle")
    parser.add_argument("--app", type=Path, default=ROOT, metavar="FOLDER", help="another checkout of the explorer")
    given = parser.parse_args()
    if given.processes == 1:
        with served(free_port(), given.app, () if given.cold else ("--open-first",)) as server:
            server.wait()
            visitors, measured, spent = attended([server], server.address, given)
    else:
        with served_behind_nginx(given.processes) as front:
            servers = [front.servers[number] for number in sorted(front.servers)]
            visitors, measured, spent = attended(servers, front.address, given)
    if given.kill:
        left = {visitor.process for visitor in visitors}
        print(f"{measured.lost} visitors lost their process; {len(measured.reconnected)} go on with their text, "
              f"all on {len(left)} process; {said(measured.reconnected)}")  # fmt: skip
    print(f"{given.people} visitors, {len(measured.edits):,} edits, {given.processes} server process(es)")
    print(f"first pages    {said(measured.first_pages)}")
    print(f"edits          {said(measured.edits)}")
    print(spent)
    print(f"faults         {len(measured.faults)}", *measured.faults[:5], sep="\n  ")


def attended(
    servers: Sequence[Spender], address: str, given: argparse.Namespace
) -> tuple[list[Visitor], Measured, str]:
    """A lesson: the visitors, what they waited, and what the servers spent."""
    measured = Measured()
    before = sum(server.cpu for server in servers)
    began = time.monotonic()
    place, end = address.removeprefix("http://"), began + given.seconds
    visitors = [Visitor(number, place, end, measured, given) for number in range(given.people)]
    for visitor in visitors:
        visitor.start()
    killed = 0.0
    if given.kill:
        time.sleep(given.seconds / 2)
        killed = servers[0].cpu
        kill(servers[0])
    for visitor in visitors:
        visitor.join(given.seconds + 2 * PATIENCE)
    left = servers[given.kill :]
    spent = sum(server.cpu for server in left) + killed - before
    taken = time.monotonic() - began
    peak = [sum(map(peak_memory, (server.pid, *children(server.pid)))) for server in left]
    return visitors, measured, (
        f"processor      {spent:.1f} s in {taken:.0f} s, {1000 * spent / max(1, len(measured.edits)):.0f} ms for each "
        f"edit, first pages included; memory at most {max(peak) / 1e6:,.0f} MB a server, {sum(peak) / 1e6:,.0f} in all"
    )  # fmt: skip


def peak_memory(pid: int) -> int:
    """The most bytes a process had in memory."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next((1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)


def said(taken: Sequence[float]) -> str:
    """Median, 95 % and worst, in milliseconds."""
    if not taken:
        return "none"
    ordered = sorted(taken)
    middle, most, worst = median(ordered), ordered[int(len(ordered) * 0.95)], ordered[-1]
    return f"median {1000 * middle:,.0f} ms, 95 % {1000 * most:,.0f} ms, worst {1000 * worst:,.0f} ms"


if __name__ == "__main__":
    main()
