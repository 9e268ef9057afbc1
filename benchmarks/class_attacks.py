"""What a hostile phone can do to a class, for `benchmarks.attacks`: try letters, flood, answer falsely."""

from __future__ import annotations

import http.client
import json
import threading
import time
from itertools import cycle, product
from pathlib import Path
from typing import Any, Final

from benchmarks.attackers import LONGEST, BrokenError, NotAttackedError
from explorer.ui.serving import classes

SECONDS: Final = 15.0
THREADS: Final = 8


class Line:
    """Asks about classes, over one connection, which the server closes after five seconds without a request."""

    def __init__(self, address: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=LONGEST)

    def ask(self, code: str, body: bytes | None = None, **given: Any) -> tuple[int, dict[str, Any]]:
        """Status and answer. body: what is sent in place of JSON."""
        data = json.dumps(given).encode() if body is None else body
        try:
            answer = self.answer(code, data)
        except OSError:
            self.connection.close()
            answer = self.answer(code, data)
        found = answer.read()
        return answer.status, json.loads(found) if answer.status == 200 else {}

    def answer(self, code: str, data: bytes) -> http.client.HTTPResponse:
        self.connection.request("POST", f"/_class/{code}", data, {"Content-Type": "application/json"})
        return self.connection.getresponse()


class Room:
    """A class with a few honest phones."""

    def __init__(self, address: str) -> None:
        self.line = Line(address)
        status, begun = self.line.ask("K")
        if status != 200:
            raise NotAttackedError(f"no class begins: {status}")
        self.code, self.key = begun["code"], begun["key"]
        self.phones = [self.line.ask(self.code)[1]["key"] for _ in range(3)]
        self.lead(set={"card": "token 6", "asks": 5})

    def lead(self, **given: Any) -> dict[str, Any]:
        status, board = self.line.ask(self.code, key=self.key, **given)
        if status != 200:
            raise BrokenError(f"the teacher is answered {status}")
        return board

    def check(self) -> dict[str, Any]:
        """Whether phones still answer and the teacher sees it."""
        for phone in self.phones:
            turn = self.line.ask(self.code, key=phone)[1].get("turn")
            self.line.ask(self.code, key=phone, card="token 6", asks=5, choice=1, turn=turn)
        board = self.lead()
        if board["bars"].get("1", 0) < len(self.phones):
            raise BrokenError(f"honest answers are lost: {board['bars']}")
        return board


def at_once(address: str, attack: Any) -> int:
    """Runs an attack in threads, each with a line of its own, for some seconds; returns how often."""
    end, counts = time.monotonic() + SECONDS, [0] * THREADS

    def run(number: int) -> None:
        line = Line(address)
        while time.monotonic() < end:
            attack(line)
            counts[number] += 1

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts)


def tried_letters(address: str, folder: Path) -> list[str]:
    """Tries letters as fast as it can, from one address."""
    room, statuses = Room(address), []
    codes = map("".join, cycle(product("K", *[classes.LETTERS] * 3)))
    tried = at_once(address, lambda line: statuses.append(line.ask(next(codes))[0]))
    known = sum(status != 429 for status in statuses)
    if known > classes.TRIES + SECONDS / classes.TRY_SECONDS + THREADS:
        raise BrokenError(f"{known} of {tried} letters were answered")
    room.check()
    return [f"{tried} letters tried, {known} answered"]


def flooded(address: str, folder: Path) -> list[str]:
    """Joins with more phones than a class has, and asks as fast as it can with all of them."""
    room = Room(address)
    keys = [answer["key"] for _ in range(400) if (answer := room.line.ask(room.code)[1])]
    if len(keys) > classes.MOST_PHONES:
        raise BrokenError(f"{len(keys)} phones are in")
    asked = at_once(address, lambda line: line.ask(room.code, key=keys[-1], card="token 6", asks=5, choice=0, turn=1))
    began = [room.line.ask("A")[0] for _ in range(40)]
    if began.count(200) >= classes.MOST_BEGUN:
        raise BrokenError(f"{began.count(200) + 1} classes from one address")
    board = room.check()
    return [f"{len(keys)} phones, {asked} requests; {board['here']} here"]


def false_answers(address: str, folder: Path) -> list[str]:
    """Answers what nobody asked, leads without being the teacher, sends what is no request."""
    room = Room(address)
    key = room.line.ask(room.code)[1]["key"]
    nonsense = [b"", b"\xff" * 100, b"[" * 7_000, b'{"a":' * 1_500, b"9" * 7_000, b'{"choice": NaN}', b"x" * 100_000]
    given: list[dict[str, Any]] = [
        {"choice": 10**400}, {"choice": -1}, {"choice": [1]}, {"card": "x" * 7_000}, {"card": "token 99"},
        {"asks": 2**40}, {"set": {"shown": True, "look": "//evil.example.org"}}, {"end": True}, {"counts": True},
    ]  # fmt: skip

    def attack(line: Line) -> None:
        for body in nonsense:
            if line.ask(room.code, body)[0] >= 500:
                raise BrokenError("a request breaks the server")
        for each in given:
            line.ask(room.code, **{"key": key, "card": "token 6", "asks": 5, "choice": 2, "turn": 0, **each})

    many = at_once(address, attack)
    board = room.check()
    if board["look"] or board["shown"] or board["bars"].get("2"):
        raise BrokenError(f"a phone changed the class: {board}")
    return [f"{many * (len(nonsense) + len(given))} requests; bars {board['bars']}"]
