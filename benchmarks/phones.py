"""A class of phones on a server that others use: `python -m benchmarks.phones [--phones 60] [--people 50]`.

Phones join by four letters. Each has a session on Learn, follows the teacher's card, asks every two seconds and answers
each question once; the teacher asks twice a second and turns a card every 15 seconds. Others change texts on Explore as
in `benchmarks.classroom`. Printed are what an edit of theirs takes without the class and with it, the time from an
answer on a phone to the teacher's bars, and how long a phone is behind the teacher's card. All run on the same machine
and take a share of it.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from typing import Any, Final

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.class_attacks import Line
from benchmarks.classroom import PATIENCE, Measured, Visitor, said
from benchmarks.served import free_port, served
from benchmarks.socket_session import Session
from tests.browser.conftest import ROOT

CARD_SECONDS: Final = 15.0
PHONE_SECONDS: Final = 2.0
TEACHER_SECONDS: Final = 0.5
LESSON: Final = "token"
CARDS: Final = 7
CHOICES: Final = 4


class Asking(Line):
    """A line whose requests are all answered."""

    def told(self, code: str, **given: Any) -> dict[str, Any]:
        """The answer. Raises OSError for any other status than 200."""
        status, answer = self.ask(code, **given)
        if status != 200:
            raise OSError(f"{status} for {code}")
        return answer


class Reader(Session):
    """A session on Learn that turns to a card as its browser does."""

    row = "", ""

    def look(self, element: Any, fragment: str) -> None:
        super().look(element, fragment)
        if element.WhichOneof("type") == "bidi_component":
            part = element.bidi_component
            if part.component_name.endswith("explorer_lesson") and '"view":"row"' in part.json.replace(" ", ""):
                self.row = part.id, fragment

    def turn(self, card: int) -> float:
        """Goes to a card; returns the seconds until it is drawn."""
        id, fragment = self.row
        place = {"lesson": LESSON, "card": card, "seed": None, "link": "", "quiz": {}, "clock": time.time()}
        self.values[id] = WidgetState(id=id, json_value=json.dumps({"place": place}))
        return self.run(PATIENCE, fragment)


class Phone(threading.Thread):
    """A phone. answers: of all phones, when each was given. behind: seconds from the teacher's turn to the card."""

    def __init__(self, address: str, code: str, end: float, turned: list[float], answers: list[float],
                 behind: list[float], faults: list[str], number: int) -> None:  # fmt: skip
        super().__init__(daemon=True)
        self.address, self.code, self.end, self.turned = address, code, end, turned
        self.answers, self.behind, self.faults, self.dice = answers, behind, faults, random.Random(number)

    def run(self) -> None:
        try:
            self.follow()
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")

    def follow(self) -> None:
        time.sleep(self.dice.uniform(0, 5))
        line, session = Asking(self.address), Reader(self.address, f"lesson={LESSON}", page="learn")
        session.open(PATIENCE)
        state = line.told(self.code)
        key, card, waits = state["key"], "", 0.0
        choice: int | None = None
        while time.monotonic() < self.end:
            if state["card"] and state["card"] != card:
                card, choice, waits = state["card"], None, time.monotonic() + self.dice.uniform(1, 9)
                session.turn(int(card.rpartition(" ")[2]))
                self.behind.append(time.monotonic() - self.turned[-1])
            if choice is None and card and time.monotonic() > waits:
                choice = self.dice.randrange(CHOICES)
                self.answers.append(time.monotonic())
            state = line.told(self.code, key=key, card=card, asks=state["asks"], choice=choice, turn=state["turn"])
            due = PHONE_SECONDS * self.dice.uniform(0.9, 1.1)
            time.sleep(min(due, max(0.0, waits - time.monotonic())) if choice is None and card else due)
        session.close()


def teach(address: str, code: str, key: str, end: float, turned: list[float], answers: list[float]) -> list[float]:
    """Leads the class; returns the seconds from each answer to the board that first counts it."""
    line, late, card = Asking(address), [], 0
    while time.monotonic() < end:
        asked: dict[str, Any] = {}
        if not turned or time.monotonic() - turned[-1] > CARD_SECONDS:
            card = card % CARDS + 1
            asked = {"card": f"{LESSON} {card}", "asks": len(turned) + 1}
            seen = 0
            answers.clear()
            turned.append(time.monotonic())
        board = line.told(code, key=key, set=asked)
        now = time.monotonic()
        late += [now - given for given in sorted(answers)[seen : board["answered"]]]
        seen = max(seen, board["answered"])
        time.sleep(TEACHER_SECONDS)
    return late


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phones", description=__doc__)
    parser.add_argument("--phones", type=int, default=60)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    with served(free_port(), ROOT, ("--open-first",)) as server:
        server.wait()
        address = server.address.removeprefix("http://")
        for phones in (0, given.phones):
            end = time.monotonic() + given.seconds
            faults: list[str] = []
            measured, began, spent = Measured(), time.monotonic(), server.cpu
            visitors = [Visitor(number, address, end, measured, 60) for number in range(given.people)]
            for visitor in visitors:
                visitor.start()
            turned: list[float] = []
            answers: list[float] = []
            behind: list[float] = []
            late: list[float] = []
            if phones:
                begun = Asking(address).told("K")
                shared = address, begun["code"], end, turned, answers, behind, faults
                room = [Phone(*shared, number) for number in range(phones)]
                for phone in room:
                    phone.start()
                time.sleep(8)
                late = teach(address, begun["code"], begun["key"], end, turned, answers)
                for phone in room:
                    phone.join(PATIENCE)
            for visitor in visitors:
                visitor.join(2 * PATIENCE)
            share = (server.cpu - spent) / (time.monotonic() - began)
            print(f"{given.people} others, {phones} phones: {share:.2f} processors")
            print(f"  edits of others       {said(measured.edits)}")
            if phones:
                print(f"  answer to bars        {said(late)} ({len(late)} answers)")
                print(f"  phone behind the card {said(behind)} ({len(turned)} cards)")
            problems = [*faults, *measured.faults]
            print(f"  faults                {len(problems)}", *problems[:5], sep="\n    ")


if __name__ == "__main__":
    main()
