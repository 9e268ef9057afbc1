"""What many connections can do, for `benchmarks.attacks`: compute all at once, come again and again, only stay."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final
from urllib.parse import quote

from websockets.exceptions import ConnectionClosed

from benchmarks.attackers import CHAT, LONGEST, BrokenError, NotAttackedError, visitor
from benchmarks.served import children, computed, server_on
from benchmarks.socket_session import Session
from tests.hostile.test_long_lists import alternating
from tests.ui.small_files import tokenizer_json

SLOW: Final = f"m=gpt-2&text={'a' * 32 + '!!' * 900}&pattern={quote('(a|aa|aaa)+[!b]+c|(?:a|aa)+?!+d|.')}"
"""A pattern that takes as long as it may."""
SIMPLE: Final = f"m=gpt-2&text=hello&pattern={quote(chr(92) + 'w+|.')}"
AGAIN: Final = 45.0
"""Seconds in which attackers leave and come again."""
IDLE: Final = 200
"""Sessions that only stay."""
KEPT: Final = 128
"""Sessions that Streamlit keeps for two minutes at most, each with three files, for browsers that come back."""


def slow_patterns(address: str, folder: Path) -> list[str]:
    """Sixty visitors with patterns that take as long as they may, while one with a simple pattern types.

    Says how long that one waited for each of ten answers, and for a dropped file.
    """
    attackers = [Session(address, SLOW) for _ in range(60)]
    threads = [threading.Thread(target=run_to_an_end, args=(each,)) for each in attackers]
    for thread in threads:
        thread.start()
    time.sleep(5)
    honest = Session(address, SIMPLE)
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


LOOPS: Final = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"


def endless_templates(address: str, folder: Path, endless: str = LOOPS) -> list[str]:
    """Ten visitors whose templates run as long as they may, again and again, while one asks for a prompt.

    Says how long that one waited for each of ten answers.
    """
    attackers = [Session(address, "m=qwen2.5&as=huggingface", page="prompt") for _ in range(10)]
    going = True

    def attack(session: Session) -> None:
        with suppress(TimeoutError, OSError, ConnectionClosed):
            session.open(LONGEST)
            count = 0
            while going:
                count += 1
                session.ask(CHAT, f"{endless}{count}", LONGEST)

    threads = [threading.Thread(target=attack, args=(each,)) for each in attackers]
    for thread in threads:
        thread.start()
    time.sleep(5)
    honest = Session(address, "m=qwen2.5&as=huggingface", page="prompt")
    try:
        honest.open(LONGEST)
        source = "{{ messages[0].content }}"
        waits = [honest.ask(CHAT, f"{source}{number}", LONGEST) for number in range(10)]
        if honest.said:
            raise BrokenError(f"another visitor's prompt fails: {honest.said}")
        return [f"a prompt: first {waits[0]:.2f} s, median {median(waits):.2f} s, worst {max(waits):.2f} s"]
    finally:
        going = False
        for thread in threads:
            thread.join()
        for each in [honest, *attackers]:
            each.close()


def run_to_an_end(session: Session) -> None:
    with suppress(TimeoutError, OSError, ConnectionClosed):
        session.open(LONGEST)


def reconnecting(address: str, folder: Path) -> list[str]:
    """Ten connections compute a slow pattern, leave after two seconds and come again; a simple pattern is typed."""
    until, came = time.monotonic() + AGAIN, 0

    def again() -> None:
        nonlocal came
        while time.monotonic() < until:
            with suppress(OSError, ConnectionClosed):
                session = Session(address, SLOW)
                came += 1
                try:
                    with suppress(TimeoutError):
                        session.open(2.0)
                finally:
                    session.close()

    threads = [threading.Thread(target=again) for _ in range(10)]
    honest = Session(address, SIMPLE)
    honest.open(LONGEST)
    for thread in threads:
        thread.start()
    waits: list[float] = []
    while time.monotonic() < until:
        waits.append(honest.type(f"hello world {len(waits)}", seconds=LONGEST))
        time.sleep(1)
    for thread in threads:
        thread.join()
    honest.close()
    return [f"{came} connections; a pattern: median {median(waits):.2f} s, worst {max(waits):.2f} s"]


def idle(address: str, folder: Path) -> list[str]:
    """Two hundred sessions that come, four at a time, and stay for half a minute."""
    server = server_on(address)
    before = open_files(server)
    sessions: list[Session] = []

    def come() -> None:
        for _ in range(IDLE // 4):
            sessions.append(Session(address, "m=gpt-2&text=a"))
            sessions[-1].open(LONGEST)

    threads = [threading.Thread(target=come) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(30)
    there = open_files(server)
    for each in sessions:
        each.close()
    if len(sessions) < IDLE:
        raise BrokenError(f"{len(sessions)} of {IDLE} sessions are let in")
    time.sleep(10)
    left = open_files(server)
    if left > before + 3 * KEPT + IDLE // 10:
        raise BrokenError(f"open files: {before} before, {left} after")
    return [f"open files: {before} before, {there} with {IDLE} sessions, {left} after"]


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def overtaken(address: str, folder: Path) -> list[str]:
    """Ten runs in a second of a file that computes for seconds: the last one is answered, and the others end."""
    data, text = tokenizer_json(normalizer=alternating(30)), "ab" * 49_000
    server = server_on(address)
    with visitor(address) as session:
        session.send_file("tokenizer.json", data, LONGEST)
        began = computed_by_all(server)
        session.type(text, seconds=LONGEST)
        alone = computed_by_all(server) - began
        for number in range(10):
            session.put(f"{number}{text}")
            session.request(session.fragments["field"])
            time.sleep(0.1)
        session.finish(LONGEST)
        all_ten = computed_by_all(server) - began - alone
        if alone < 1:
            raise NotAttackedError(f"the file takes {alone:.1f} s, which is not heavy")
        if all_ten > 3 * alone + 2:
            raise BrokenError(f"one run computes {alone:.1f} s, ten {all_ten:.1f} s")
        return [f"one run computes {alone:.1f} s, ten {all_ten:.1f} s"]


def computed_by_all(pid: int) -> float:
    """Seconds of processor time of a server and its processes, others' edits included."""
    return sum(map(computed, (pid, *children(pid))))
