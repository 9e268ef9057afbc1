"""Classes that join by four letters: what a teacher and phones are told, and what nobody may do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from explorer.cli.processes import LETTERS, site
from explorer.ui.serving import classes
from explorer.ui.serving.classes import Classes, is_address

QUESTION = {"card": "token 6", "asks": 7}


class Room:
    """The classes of a process, with a clock of its own."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.classes = Classes(self.passed, lambda: self.now)
        self.passes: list[str] = []

    async def passed(self, scope: Any, receive: Any, send: Any) -> None:
        self.passes.append(scope["path"])

    def ask(self, code: str, address: str = "192.0.2.1", **given: Any) -> tuple[int, dict[str, Any]]:
        return self.classes.answer(code, given, address)

    def good(self, code: str, **given: Any) -> dict[str, Any]:
        status, answer = self.ask(code, **given)
        assert status == 200
        return answer

    def lesson(self, phones: int) -> tuple[str, str, list[str]]:
        """A class at a question: its letters, the teacher's key, the phones' keys."""
        begun = self.good("K")
        code, lead = begun["code"], begun["key"]
        keys = [self.good(code)["key"] for _ in range(phones)]
        self.good(code, key=lead, set=QUESTION)
        return code, lead, keys


def choose(room: Room, code: str, key: str, choice: object, turn: object = None, **more: Any) -> dict[str, Any]:
    turn = room.good(code, key=key)["turn"] if turn is None else turn
    return room.good(code, key=key, choice=choice, turn=turn, **{**QUESTION, **more})


def test_the_teacher_sees_where_phones_are_and_what_they_choose() -> None:
    room = Room()
    code, lead, keys = room.lesson(4)
    assert re.fullmatch(f"K[{LETTERS}]{{3}}", code)
    for key, choice in zip(keys, (2, 0, 2, None), strict=True):
        choose(room, code, key, choice)
    room.good(code, key=keys[3], card="token 5")
    board = room.good(code, key=lead)
    assert (board["here"], board["answered"], board["bars"]) == (4, 3, {2: 2, 0: 1})
    assert board["at"] == {"token 6": 3, "token 5": 1}
    choose(room, code, keys[0], 1)  # it changes its mind
    assert room.good(code, key=lead)["bars"] == {1: 1, 0: 1, 2: 1}
    assert "bars" not in room.good(code, key=keys[0])
    assert "at" not in room.good(code, key=keys[0])


def test_a_question_is_closed_shown_and_asked_again() -> None:
    room = Room()
    code, lead, (key,) = room.lesson(1)
    choose(room, code, key, 1)
    room.good(code, key=lead, set={"open": False})
    choose(room, code, key, 2)
    assert room.good(code, key=lead)["bars"] == {1: 1}
    room.good(code, key=lead, set={"open": True, "shown": True})
    choose(room, code, key, 2)
    assert room.good(code, key=lead)["bars"] == {1: 1}
    before = room.good(code, key=key)["turn"]
    again = room.good(code, key=lead, set={"again": True})
    assert (again["bars"], again["before"], again["open"], again["shown"]) == ({}, {1: 1}, True, False)
    choose(room, code, key, 3, turn=before)  # a late answer to what was asked before
    assert room.good(code, key=lead)["bars"] == {}
    choose(room, code, key, 3)
    assert room.good(code, key=lead)["bars"] == {3: 1}
    # the next card takes answers, too, and knows nothing of this one
    board = room.good(code, key=lead, set={"card": "token 7", "asks": 9})
    assert (board["bars"], board["before"], board["open"], board["shown"]) == ({}, {}, True, False)


def test_a_class_sees_the_page_that_its_teacher_shows_until_the_next_card() -> None:
    room = Room()
    code, lead, (key,) = room.lesson(1)
    room.good(code, key=lead, set={"look": "compare?text=a%20b&with=gpt-2"})
    assert room.good(code, key=key)["look"] == "compare?text=a%20b&with=gpt-2"
    room.good(code, key=lead, set={"look": "//evil.example.org"})
    assert room.good(code, key=key)["look"] == "compare?text=a%20b&with=gpt-2"
    room.good(code, key=lead, set={"card": "token 7"})
    assert room.good(code, key=key)["look"] == ""


def test_an_address_is_a_page_of_this_server() -> None:
    assert all(map(is_address, ("", "?text=a", "vocabulary?token=5", "learn?lesson=bytes&card=2")))
    for each in ("//a.org", "https://a.org", "javascript:alert(1)", "a/b", "..", "?a\\b", "?a#b", "?a b", None, 5,
                 "x" * 4_000, "?" + "x" * 4_000, "data:text/html,a", "/compare"):  # fmt: skip
        assert not is_address(each), each


def test_at_their_own_pace_few_answers_are_not_shown() -> None:
    room = Room()
    code, lead, keys = room.lesson(3)
    room.good(code, key=lead, set={"together": False})
    for key in keys[:2]:
        choose(room, code, key, 1)
    board = room.good(code, key=lead)
    assert (board["answered"], board["bars"]) == (2, {})
    choose(room, code, keys[2], 1)
    assert room.good(code, key=lead)["bars"] == {1: 3}
    # what another card asks is kept for the counts at the end
    choose(room, code, keys[0], 2, card="bytes 2", asks=5)
    counts = room.good(code, key=lead, counts=True)["counts"]
    assert sorted(counts) == [("bytes 2", 5, 2, 1), ("token 6", 7, 1, 3)]


def test_a_phone_leads_nothing_and_learns_nothing_of_others() -> None:
    room = Room()
    code, lead, (key, other) = room.lesson(2)
    state = room.good(code, key=key, set={"shown": True, "look": "compare"}, end=True, counts=True)
    assert (state["shown"], state["look"]) == (False, "")
    assert not {"key", "counts", "bars", "before", "at"} & state.keys()
    assert other not in json.dumps(state)
    assert lead not in json.dumps(state)
    assert room.ask(code, key=lead)[0] == 200  # it goes on


def test_false_answers_count_for_nothing() -> None:
    room = Room()
    code, lead, (key,) = room.lesson(1)
    for choice in (-1, 9, 10**30, True, "1", 1.5, [1], {"a": 1}, None):
        choose(room, code, key, choice)
    for more in ({"card": "token 5"}, {"card": "../x 1"}, {"card": 5}, {"asks": 8}, {"asks": -1}, {"asks": "7"}):
        choose(room, code, key, 1, **more)
    for turn in ("1", -1, 10**30):
        choose(room, code, key, 1, turn=turn)
    assert room.good(code, key=lead)["bars"] == {}
    # one phone has one answer
    for _ in range(50):
        choose(room, code, key, 1)
    assert room.good(code, key=lead)["bars"] == {1: 1}
    # and no more than so many in all
    room.good(code, key=lead, set={"together": False})
    for asks in range(10, 200):
        choose(room, code, key, 1, card="bytes 2", asks=asks)
    assert len(room.good(code, key=lead, counts=True)["counts"]) == classes.MOST_ANSWERS


def test_letters_are_not_found_by_trying() -> None:
    room = Room()
    code, lead, (key,) = room.lesson(1)
    wrong = [room.ask("ABCD" if code != "ABCD" else "ABCE", address="198.51.100.7")[0] for _ in range(200)]
    assert wrong.count(404) == classes.TRIES
    assert set(wrong[classes.TRIES :]) == {429}
    assert room.ask(code, address="198.51.100.7")[0] == 429  # right letters say nothing either
    assert room.ask(code)[0] == 200  # others get in
    assert room.ask(code, address="198.51.100.7", key=key)[0] == 200  # who is in, stays in
    # in the longest class, an address tries far fewer than there are
    tries = classes.TRIES + classes.LONGEST / classes.TRY_SECONDS
    assert tries * classes.MOST_CLASSES < len(LETTERS) ** 4 / 5
    room.now += classes.TRY_SECONDS * 2
    assert room.ask(code, address="198.51.100.7")[0] == 200
    # who tries is forgotten where there are many
    for number in range(classes.MOST_ADDRESSES + 50):
        room.ask("ABCD" if code != "ABCD" else "ABCE", address=f"a{number}")
    assert len(room.classes.tries.spent) == classes.MOST_ADDRESSES
    assert room.good(code, key=lead)


def test_classes_and_phones_are_bounded_and_make_room() -> None:
    room = Room()
    begun = [room.ask("K", address=f"192.0.2.{number // classes.MOST_BEGUN}") for number in range(30)]
    assert [status for status, _ in begun] == [200] * classes.MOST_CLASSES + [503] * (30 - classes.MOST_CLASSES)
    other = Room()
    one = [other.ask("K")[0] for _ in range(classes.MOST_BEGUN + 1)]
    assert one == [200] * classes.MOST_BEGUN + [503]
    code, lead = begun[0][1]["code"], begun[0][1]["key"]
    phones = [room.ask(code) for _ in range(classes.MOST_PHONES + 5)]
    assert sum(status == 200 for status, _ in phones) == classes.MOST_PHONES
    room.now += classes.AWAY + 1
    room.good(code, key=phones[0][1]["key"])
    assert room.good(code, key=lead)["here"] == 1
    assert room.ask(code)[0] == 200  # those that left made room
    room.good(code, key=lead, set={"locked": True})
    assert room.ask(code)[0] == 403
    room.now += classes.LEFT + 1
    assert room.ask("K")[0] == 200  # nobody leads the others any more
    assert len(room.classes.classes) == 1


def test_a_class_ends_with_its_teacher_or_after_three_hours() -> None:
    room = Room()
    code, lead, (key,) = room.lesson(1)
    room.good(code, key=lead, end=True)
    assert room.ask(code, key=key)[0] == 404
    code, lead, (key,) = room.lesson(1)
    while room.now < 1_000 + classes.LONGEST - 600:
        room.now += 600
        room.good(code, key=lead)
    room.now += 601
    assert room.ask(code, key=lead)[0] == 404
    assert room.classes.classes == {}


def request(room: Room, path: str, body: bytes, method: str = "POST") -> tuple[int, Mapping[str, Any]]:
    sent: list[dict[str, Any]] = []
    parts = [body[at : at + 1_000] for at in range(0, len(body), 1_000)] or [b""]

    async def receive() -> dict[str, Any]:
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "client": ("192.0.2.1", 5)}
    with suppress(StopIteration):  # it waits for nothing; a browser test may have a loop that runs
        room.classes(scope, receive, send).send(None)
    if not sent:
        return 0, {}
    assert (b"cache-control", b"no-store") in sent[0]["headers"]
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_requests_are_answered_and_all_others_pass() -> None:
    room = Room()
    status, begun = request(room, "/below/_class/K", b"{}")
    assert status == 200
    code = begun["code"]
    assert request(room, f"/_class/{code}", json.dumps({"key": begun["key"]}).encode())[1]["here"] == 0
    for body in (b"", b"\xff", b"[" * 7_000, b"null", b'{"key": 5}', b'{"key": "\\ud800"}', b'{"set": 5}'):
        assert request(room, f"/_class/{code}", body)[0] == 200, body  # it gets in as a phone
    assert request(room, f"/_class/{code}", b" " * 100_000)[0] == 413
    for path in ("/_class/", "/_class/KO", "/_class/k", "/_class/ABCDE", "/_class/ABCI", "/_classes/K", "/"):
        assert request(room, path, b"{}") == (0, {})
    assert request(room, f"/_class/{code}", b"", method="GET") == (0, {})
    assert len(room.passes) == 8


def test_the_first_letter_of_a_class_names_its_process(tmp_path: Path) -> None:
    for count in (1, 2, 5, 24, 30):
        lines = [line.split() for line in site(range(9_000, 9_000 + count)).splitlines() if "~/_class/" in line]
        letters = [letter for expression, _ in lines for letter in expression[len("~/_class/[") : -1]]
        assert sorted(letters) == sorted(LETTERS)
        assert [name for _, name in lines] == [f"explorer_{number};" for number in range(1, min(count, 24) + 1)]
