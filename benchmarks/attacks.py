"""Attacks the app while five others type: `python -m benchmarks.attacks`, or `python -m benchmarks.attacks NAME…`.

Each attack runs against its own server and uses what any visitor can send: a link, a dropped file, a text over the
socket. Before, during and after it, five sessions change their text once a second. Printed are their median and worst
wait, the memory of the server and its processes, and what did not hold: an attack fails if it costs others or the
server more than WORST, GROWTH and BUSY, and if it did not happen. `--other FOLDER` measures another checkout.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

from websockets.exceptions import ConnectionClosed

from benchmarks.attack_list import ATTACKS, SIX
from benchmarks.attackers import BrokenError, visitor
from benchmarks.hub_attacks import OnHub
from benchmarks.served import Server, children, free_port, served
from benchmarks.socket_session import Session
from tests.browser.conftest import ROOT

OTHERS: Final = 5
QUIET: Final = 15.0
"""Seconds measured before an attack, and after it."""
WORST: Final = 1.0
"""Seconds that another may wait during an attack, or twice what a busy machine makes them wait anyway."""
GROWTH: Final = 300
"""Megabytes by which the server itself may grow."""
BUSY: Final = 0.5
"""Processors that may be busy LEFT seconds after the attacker has left."""
LEFT: Final = 30.0
OPENED: Final = "text=a%20b&with=" + "&with=".join(SIX)
"""What a visitor has opened before: bundled vocabularies, which all share and keep."""
FAULT: Final = "fault of the program"
"""What a page says about an exception that nobody catches."""


class Others:
    """Five sessions that type. waits: the seconds each change took."""

    def __init__(self, address: str) -> None:
        self.sessions = [Session(address, "m=gpt-2&text=hello") for _ in range(OTHERS)]
        self.waits: list[float] = []
        self.going = True
        for session in self.sessions:
            session.open()
        self.threads = [threading.Thread(target=self.types, args=(session,)) for session in self.sessions]
        for thread in self.threads:
            thread.start()

    def types(self, session: Session) -> None:
        count = 0
        while self.going:
            count += 1
            try:
                self.waits.append(session.type(f"hello world {count % 60}", seconds=120))
            except (TimeoutError, OSError) as error:
                self.waits.append(120.0)
                print(f"    another session: {type(error).__name__}")
                return
            time.sleep(1)

    def measured(self, seconds: float) -> list[float]:
        """The waits of the next `seconds`."""
        before = len(self.waits)
        time.sleep(seconds)
        return self.waits[before:]

    def end(self) -> None:
        self.going = False
        for thread, session in zip(self.threads, self.sessions, strict=True):
            thread.join()
            session.close()


def memory(pid: int) -> int:
    """Megabytes of a process and its descendants; what they share counts once."""
    return sum(megabytes(each) for each in (pid, *children(pid)))


def megabytes(pid: int) -> int:
    """Those of one process; 0 if it has just ended."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/smaps_rollup").read_text().partition("Pss:")[2].split()[0]) // 1_000
    return 0


def shown(waits: list[float]) -> str:
    return f"{median(waits):6.2f} {max(waits):6.2f}" if waits else "     –      –"


class Memory:
    """Megabytes now, most, and of the server alone."""

    def __init__(self, pid: int) -> None:
        self.pid, self.before = pid, memory(pid)
        self.most, self.own_before = self.before, megabytes(pid)
        self.own_most = self.own_before

    def look(self) -> int:
        """Measures; returns megabytes of all processes."""
        now, own = memory(self.pid), megabytes(self.pid)
        self.most, self.own_most = max(self.most, now), max(self.own_most, own)
        return now


@contextmanager
def server_for(name: str, folder: Path) -> Iterator[Server]:
    """The server for an attack, with the endpoint of the Hub that it is to ask, if the attack has one."""
    attack = ATTACKS[name]
    with ExitStack() as stack:
        given = stack.enter_context(attack.environment()) if isinstance(attack, OnHub) else {}
        yield stack.enter_context(served(free_port(), folder, ["--hub=on"] if given else [], **given))


def attacked(name: str, folder: Path) -> dict[str, Any]:
    """Measures one attack on a server of its own, and prints a line. broken: what did not hold."""
    with server_for(name, folder) as server:
        server.wait()
        address = server.address.removeprefix("http://")
        with visitor(address, OPENED, page="compare"):
            pass
        others = Others(address)
        others.measured(5)
        quiet, used = others.measured(QUIET), Memory(server.pid)
        said: list[str] = []
        failed, broken = "", []
        started, at = time.monotonic(), len(others.waits)

        def run() -> None:
            nonlocal failed
            try:
                said.extend(ATTACKS[name](address, folder))
            except (OSError, ConnectionClosed) as error:  # a closed connection is an answer, too; so is none in time
                failed = type(error).__name__
            except BrokenError as error:
                broken.append(str(error))
            except Exception as error:
                broken.append(f"it did not happen: {type(error).__name__}: {error}")

        attacker = threading.Thread(target=run)
        attacker.start()
        while attacker.is_alive():
            time.sleep(0.1)
            used.look()
        left = time.monotonic()
        time.sleep(1)
        during = others.waits[at:]
        after = others.measured(QUIET)
        kept = used.look()
        others.end()
        time.sleep(max(0.0, left + LEFT - time.monotonic()))
        before, began = server.cpu, time.monotonic()
        time.sleep(3)
        busy = (server.cpu - before) / (time.monotonic() - began)
    if max(during, default=0.0) > max(WORST, 2 * max(quiet)):
        broken.append(f"others wait {max(during):.1f} s")
    if used.own_most - used.own_before > GROWTH:
        broken.append(f"the server grows by {used.own_most - used.own_before} MB")
    if busy > BUSY:
        broken.append(f"{busy:.1f} processors are busy {LEFT:.0f} s later")
    if any(FAULT in each for each in said):
        broken.append("an exception nobody catches")
    answer = failed or (said[0].strip()[:120] if said else "")
    print(
        f"{name:<38} {shown(quiet)}  {shown(during)}  {shown(after)}  {left - started:6.1f}  "
        f"{used.before:5} {used.most:5} {kept:5}  {'FAILED: ' + '; '.join(broken) if broken else 'held'}  {answer}",
        flush=True,
    )
    return {
        "name": name,
        "quiet": quiet,
        "during": during,
        "after": after,
        "memory": [used.before, used.most, kept],
        "busy": busy,
        "broken": broken,
        "said": said,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(ATTACKS)}; all of them by default")
    parser.add_argument("--other", type=Path, default=ROOT, metavar="FOLDER", help="another checkout of the project")
    parser.add_argument("--json", type=Path, help="write all waits there")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in ATTACKS]
    if unknown:
        parser.error(f"no attack is called {unknown[0]!r}")
    print(f"{'':<38} {'quiet':^13}  {'during':^13}  {'after':^13}  {'taken':>6}  {'MB before, most, after':<17}")
    print(f"{'attack':<38} {'median  worst':^13}  {'median  worst':^13}  {'median  worst':^13}  seconds")
    found = [attacked(name, asked.other) for name in asked.names or ATTACKS]
    if asked.json:
        asked.json.write_text(json.dumps(found))
    failures = sum(bool(each["broken"]) for each in found)
    print(f"{len(found) - failures} of {len(found)} attacks are held")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
