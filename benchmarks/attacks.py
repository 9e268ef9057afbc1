"""Attacks the app while five others type: `python -m benchmarks.attacks`, or `python -m benchmarks.attacks NAME…`.

Each attack runs against its own server and uses what any visitor can send: a link, a dropped file, a text over the
socket. Before, during and after it, five sessions change their text once a second. Printed are their median and worst
wait, and the server's memory. `--other FOLDER` measures another checkout for comparison.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote

from websockets.exceptions import ConnectionClosed

from benchmarks.served import children, served
from benchmarks.socket_session import Session
from tests.browser.conftest import ROOT
from tests.hostile.test_long_lists import alternating
from tests.ui.small_files import tokenizer_json

PORT: Final = 8597
OTHERS: Final = 5
QUIET: Final = 15.0
"""Seconds measured before an attack, and after it."""
LONGEST: Final = 60.0
"""The longest an attacker waits for an answer, in seconds."""


def link(**query: str) -> Callable[[str], list[str]]:
    """Opens a link."""

    def attack(address: str) -> list[str]:
        session = Session(address, "&".join(f"{name}={quote(value)}" for name, value in query.items()))
        try:
            session.open(LONGEST)
            return session.said
        finally:
            session.close()

    return attack


def dropped(data: Callable[[], bytes], text: str = "a", name: str = "tokenizer.json") -> Callable[[str], list[str]]:
    """Drops a file and types a text."""

    def attack(address: str) -> list[str]:
        session = Session(address, "m=gpt-2&text=a")
        try:
            session.open(LONGEST)
            session.send_file(name, data(), LONGEST)
            said = session.said
            session.type(text, seconds=LONGEST)
            return said + session.said
        finally:
            session.close()

    return attack


def typed(text: str, field: str = "field") -> Callable[[str], list[str]]:
    """Sends a text that the field itself would refuse."""

    def attack(address: str) -> list[str]:
        session = Session(address, "m=gpt-2&text=a")
        try:
            session.open(LONGEST)
            session.type(text, field, LONGEST)
            return session.said
        finally:
            session.close()

    return attack


def unclaimed(address: str) -> list[str]:
    """Sends ten files of 100 MB that no page expects."""
    session = Session(address, "m=gpt-2&text=a")
    refused = 0
    try:
        session.open(LONGEST)
        for number in range(10):
            try:
                session.upload(f"{number}.bin", b"x" * 100_000_000, LONGEST)
            except (HTTPError, OSError):  # the server may close the connection before everything is sent
                refused += 1
        return [f"{refused} of 10 files are refused"]
    finally:
        session.close()


def slow_patterns(address: str) -> list[str]:
    """Sixty visitors with patterns that take as long as they may, while one with a simple pattern types.

    Says how long that one waited for each of ten answers, and for a dropped file.
    """
    slow = f"m=gpt-2&text={'a' * 32 + '!!' * 900}&pattern={quote('(a|aa|aaa)+[!b]+c|(?:a|aa)+?!+d|.')}"
    attackers = [Session(address, slow) for _ in range(60)]
    threads = [threading.Thread(target=run_to_an_end, args=(each,)) for each in attackers]
    for thread in threads:
        thread.start()
    time.sleep(5)
    honest = Session(address, f"m=gpt-2&text=hello&pattern={quote(chr(92) + 'w+|.')}")
    try:
        waits = [honest.open(LONGEST), *(honest.type(f"hello world {number}", seconds=LONGEST) for number in range(10))]
        dropping = Session(address, "m=gpt-2&text=a")
        dropping.open(LONGEST)
        dropped = dropping.send_file("tokenizer.json", tokenizer_json(), LONGEST)
        dropping.close()
        busy = sum(thread.is_alive() for thread in threads)
        return [f"a pattern: median {median(waits):.2f} s, worst {max(waits):.2f} s; a file: {dropped:.2f} s; "
                f"{busy} attackers compute"]  # fmt: skip
    finally:
        for each in [honest, *attackers]:
            each.close()
        for thread in threads:
            thread.join()


def run_to_an_end(session: Session) -> None:
    with suppress(TimeoutError, OSError, ConnectionClosed):
        session.open(LONGEST)


def split(regex: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def added(tokens: list[str]) -> bytes:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return tokenizer_json(added_tokens=[{"id": 6 + id, "content": each} | flags for id, each in enumerate(tokens)])


def unigram(pieces: list[str]) -> bytes:
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([each, -1.0] for each in pieces)]}
    return tokenizer_json(model=model, added_tokens=[], pre_tokenizer=None)


def two_splits() -> bytes:
    lines, slow = split(r"\n"), split("(a|aa)+!")
    return tokenizer_json(pre_tokenizer={"type": "Sequence", "pretokenizers": [lines, slow]})


ATTACKS: Final[Mapping[str, Callable[[str], list[str]]]] = {
    "literal in a link": link(m="gpt-2", text="a" * 5_100, pattern="b" * 4_990),
    "literal of 20,000 over the socket": typed("b" * 20_000, "pattern"),
    "literal in a file": dropped(lambda: tokenizer_json(pre_tokenizer=split("b" * 4_990)), "a" * 5_100),
    "recursion in a link": link(m="gpt-2", text="a" * 1_900, pattern="(?R)|a"),
    "repeats of repeats in a link": link(m="gpt-2", text="a", pattern="(?:" * 22 + "a" + "+)+" * 22),
    "3,000 alternating Replaces": dropped(lambda: tokenizer_json(normalizer=alternating(3_000))),
    "490 alternating Replaces": dropped(lambda: tokenizer_json(normalizer=alternating(490)), "ab" * 50_000),
    "Split that runs away on 3,200 lines": dropped(two_splits, ("a" * 30 + "\n") * 3_200),
    "added tokens a…a!": dropped(lambda: added(["a" * size + "!" for size in range(2, 3_000)]), "a" * 100_000),
    "Unigram pieces a…a": dropped(lambda: unigram(["a" * size for size in range(1, 3_000)]), "a" * 100_000),
    "100,000 characters": typed("ab " * 33_000),
    "1,000,000 characters over the socket": typed("ab " * 333_333),
    "ten unclaimed files of 100 MB": unclaimed,
    "sixty slow patterns": slow_patterns,
    "half a surrogate pair": typed("a\ud800"),
    "a file of 100 MB": dropped(lambda: b"x" * 100_000_000, name="vocab.txt"),
}


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
    """Megabytes of the server and its descendants; what they share counts once."""
    size = 0
    for each in (pid, *children(pid)):
        with suppress(OSError):  # it has just ended
            size += int(Path(f"/proc/{each}/smaps_rollup").read_text().partition("Pss:")[2].split()[0])
    return size // 1_000


def shown(waits: list[float]) -> str:
    return f"{median(waits):6.2f} {max(waits):6.2f}" if waits else "     –      –"


def attacked(name: str, folder: Path) -> dict[str, Any]:
    """Measures one attack on a server of its own, and prints a line."""
    with served(PORT, folder) as server:
        server.wait()
        address = server.address.removeprefix("http://")
        others = Others(address)
        others.measured(5)
        quiet, initial = others.measured(QUIET), memory(server.process.pid)
        said: list[str] = []
        failed = ""
        started, at = time.monotonic(), len(others.waits)

        def run() -> None:
            nonlocal failed
            try:
                said.extend(ATTACKS[name](address))
            except Exception as error:  # a closed connection is an answer, too
                failed = type(error).__name__

        attacker = threading.Thread(target=run)
        attacker.start()
        most = initial
        while attacker.is_alive():
            time.sleep(0.1)
            most = max(most, memory(server.process.pid))
        taken = time.monotonic() - started
        time.sleep(1)
        during = others.waits[at:]
        after = others.measured(QUIET)
        kept = memory(server.process.pid)
        others.end()
    print(
        f"{name:<38} {shown(quiet)}  {shown(during)}  {shown(after)}  {taken:6.1f}  {initial:5} {most:5} {kept:5}  "
        f"{failed or (said[0].strip()[:120] if said else '')}",
        flush=True,
    )
    return {
        "name": name,
        "quiet": quiet,
        "during": during,
        "after": after,
        "memory": [initial, most, kept],
        "said": said,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(ATTACKS)}; all of them by default")
    parser.add_argument("--other", type=Path, default=ROOT, metavar="FOLDER", help="another checkout of the project")
    parser.add_argument("--json", type=Path, help="write all waits there")
    asked = parser.parse_args()
    print(f"{'':<38} {'quiet':^13}  {'during':^13}  {'after':^13}  {'taken':>6}  {'MB before, most, after':<17}")
    print(f"{'attack':<38} {'median  worst':^13}  {'median  worst':^13}  {'median  worst':^13}  seconds")
    found = [attacked(name, asked.other) for name in asked.names or ATTACKS]
    if asked.json:
        asked.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
