"""Classes that join by four letters: which card a class is at, how many are there, how many chose what.

A class lives in the memory of one process. It ends when its teacher ends it, after `LONGEST` seconds, when nobody
leads it, or with the process. Pages ask by HTTP beside Streamlit (`components/classroom/line.js`): a phone every two
seconds, the teacher twice a second. A rerun of a session for the same costs twenty times as much. Behind a proxy, the
first letter of a class names its process (`cli/nginx.conf`); the browser that begins one draws that letter.

A phone is a random key and its answers: no name, no address, no session. A hash of an address is kept while it gives
wrong letters, so that trying all letters takes longer than a class lasts, and of whoever began a class. What a phone
says is a claim of somebody in the room: the teacher sees how many are there, and can let nobody else in. Leaves out
lessons of a teacher's own, which the phones don't have.
"""

import json
import re
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.cli.processes import LETTERS
from explorer.learning.lessons.reading import MOST_CARDS, lesson_named
from explorer.tables import Json, Record
from explorer.ui.components.every_page import json_in, number_in, table_in, text_in, whole

REQUEST = re.compile(rf"/_class/([{LETTERS}](?:[{LETTERS}]{{3}})?)$")
"""The path of a request: the first letter of a new class, or all four."""
ADDRESS = re.compile(r"[a-z]{0,20}(\?[^\s#\\]*)?")
"""A page of the explorer with its parameters, relative to the others."""
LONGEST_ADDRESS = 3_000
"""Characters of it."""
LONGEST_REQUEST = 8_000
"""Bytes of a request."""
MOST_CLASSES = 20
MOST_BEGUN = 5
"""Of these, from one address."""
MOST_PHONES = 300
"""Of a class."""
MOST_ANSWERS = 60
"""Of a phone."""
MOST_CHOICES = 9
MOST_COUNTED = 500
"""Choices in the counts of a class."""
LONGEST = 3 * 3600.0
"""Seconds that a class lasts."""
LEFT = 1800.0
"""Seconds after which a class that nobody leads ends."""
AWAY = 20.0
"""Seconds after which a phone that says nothing isn't there."""
FEWEST = 3
"""Answers below which a class at its own pace shows none: one could be known."""
TRIES = 30
"""Wrong letters in a row from one address."""
TRY_SECONDS = 5.0
"""Seconds until such an address may try once more."""
MOST_ADDRESSES = 10_000
"""Addresses remembered for it."""

Question = tuple[str, int]
"""A card, as "bytes 3", and a number that differs with what it asks."""


@dataclass
class Phone:
    """A phone of a class. seen: when it last said something."""

    seen: float
    card: str = ""
    answers: dict[Question, int] = field(default_factory=dict)


@dataclass
class Classroom:
    """A class. key: the teacher's. owner: a hash of the address that began it.

    card, asks: where the teacher is. look: the address that all are to see instead.

    together: whether phones follow the teacher's card. open, shown: whether the question takes answers, and whether its
    answer is shown. locked: whether nobody else gets in. turn: how often it was asked; before: the answers last time.
    """

    key: str
    owner: int
    began: float
    seen: float
    card: str = ""
    asks: int = 0
    look: str = ""
    together: bool = True
    open: bool = True
    shown: bool = False
    locked: bool = False
    turn: int = 0
    before: dict[int, int] = field(default_factory=dict)
    phones: dict[str, Phone] = field(default_factory=dict)

    def change(self, given: Json) -> None:
        """Takes what the teacher changes, which may be anything."""
        for name in ("together", "open", "shown", "locked"):
            if isinstance(given.get(name), bool):
                setattr(self, name, given[name])
        if is_address(given.get("look")):
            self.look = given["look"]
        card, asks = card_in(given.get("card")), number_in(given.get("asks"), most=1 << 32) or 0
        if card and (card, asks) != (self.card, self.asks):
            self.card, self.asks, self.look = card, asks, ""
            self.open, self.shown, self.before = True, False, {}
            self.turn += 1
        elif given.get("again") is True:
            self.before, self.open, self.shown = self.bars(), True, False
            self.turn += 1
            for phone in self.phones.values():
                phone.answers.pop((self.card, self.asks), None)

    def take(self, phone: Phone, given: Json) -> None:
        """Takes where a phone is, and its answer, as long as the question takes one."""
        phone.card = card_in(given.get("card")) or phone.card
        choice, asks = number_in(given.get("choice"), most=MOST_CHOICES), number_in(given.get("asks"), most=1 << 32)
        if choice is None or not asks:
            return
        question = phone.card, asks
        is_here = question == (self.card, self.asks)
        late = not self.open or self.shown or given.get("turn") != self.turn
        if (is_here and late) or (self.together and not is_here):
            return
        if question in phone.answers or len(phone.answers) < MOST_ANSWERS:
            phone.answers[question] = choice

    def bars(self) -> dict[int, int]:
        """How many chose what of the teacher's question."""
        given = Counter(phone.answers.get((self.card, self.asks)) for phone in self.phones.values())
        del given[None]
        return {each: count for each, count in given.items() if each is not None}

    def here(self, now: float) -> list[Phone]:
        """The phones that are there."""
        return [phone for phone in self.phones.values() if now - phone.seen < AWAY]

    def state(self, now: float) -> Record:
        """What everybody sees."""
        shown = ("card", "asks", "look", "together", "open", "shown", "turn")
        counts = {"here": len(self.here(now)), "answered": sum(self.bars().values())}
        return {name: getattr(self, name) for name in shown} | counts

    def board(self, now: float) -> Record:
        """What the teacher sees."""
        bars, at = self.bars(), Counter(phone.card for phone in self.here(now) if phone.card)
        few = not self.together and sum(bars.values()) < FEWEST
        own = {"bars": {} if few else bars, "before": self.before, "at": at, "locked": self.locked}
        return self.state(now) | own | {"seconds": int(now - self.began)}

    def counts(self) -> list[tuple[str, int, int, int]]:
        """Card, what it asks, choice, and how many chose it."""
        every = Counter((*key, choice) for phone in self.phones.values() for key, choice in phone.answers.items())
        return [(*key, count) for key, count in sorted(every.most_common(MOST_COUNTED))]


def is_address(given: object) -> bool:
    """Whether this is a page of the explorer.

    >>> [is_address(each) for each in ("compare?text=a", "?text=a", "//evil.org", "https://evil.org", "../x", 1)]
    [True, True, False, False, False, False]
    """
    return isinstance(given, str) and len(given) <= LONGEST_ADDRESS and ADDRESS.fullmatch(given) is not None


def card_in(given: object) -> str:
    """A card of the program's lessons; "" for anything else.

    >>> card_in("bytes 2"), card_in("bytes 99"), card_in("../bytes 1"), card_in(None)
    ('bytes 2', '', '', '')
    """
    key, _, number = text_in(given, 80).rpartition(" ")
    return f"{key} {number}" if lesson_named(key) is not None and 0 < (whole(number, 2) or 0) <= MOST_CARDS else ""


class Tries:
    """Wrong letters by address: at most `TRIES` at once, one more every `TRY_SECONDS`."""

    def __init__(self) -> None:
        self.spent: dict[int, tuple[float, float]] = {}
        """by the hash of an address: how many tries were spent, and when"""

    def left(self, address: int, now: float) -> float:
        """How many tries an address has."""
        spent, at = self.spent.get(address, (0.0, now))
        return TRIES - max(0.0, spent - (now - at) / TRY_SECONDS)

    def wrong(self, address: int, now: float) -> None:
        """Notes a try; the address that tried longest ago is forgotten where there are too many."""
        spent = TRIES - self.left(address, now) + 1
        self.spent.pop(address, None)
        self.spent[address] = spent, now
        if len(self.spent) > MOST_ADDRESSES:
            del self.spent[next(iter(self.spent))]


class Classes:
    """ASGI middleware that answers for the classes of this process. clock: seconds."""

    def __init__(self, app: ASGIApp, clock: Any = time.monotonic) -> None:
        self.app, self.clock = app, clock
        self.classes: dict[str, Classroom] = {}
        self.tries = Tries()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        requested = scope["type"] == "http" and scope["method"] == "POST" and REQUEST.search(scope["path"])
        if not requested:
            await self.app(scope, receive, send)
            return
        body, more = b"", True
        while more and len(body) <= LONGEST_REQUEST:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        given = json_in(body.decode("utf-8", "replace"), LONGEST_REQUEST)
        status, answer = (413, {}) if more else self.answer(requested[1], given, network(scope.get("client")))
        response = Response(json.dumps(answer), status, {"cache-control": "no-store"}, "application/json")
        await response(scope, receive, send)

    def answer(self, code: str, given: Json, address: str) -> tuple[int, Record]:
        """Status and answer for a request, which may be anything."""
        now = self.clock()
        for name, each in list(self.classes.items()):
            if now - each.began > LONGEST or now - each.seen > LEFT:
                del self.classes[name]
        if len(code) == 1:
            return self.begin(code, hash(address), now)
        known, key = self.classes.get(code), text_in(given.get("key"), 40)
        if known is not None and secrets.compare_digest(key.encode("utf-8", "replace"), known.key.encode()):
            return self.lead(code, known, given, now)
        if known is not None and (phone := known.phones.get(key)) is not None:
            phone.seen = now
            known.take(phone, given)
            return 200, known.state(now)
        if self.tries.left(hash(address), now) < 1:
            return 429, {}
        if known is None:
            self.tries.wrong(hash(address), now)
            return 404, {}
        return self.join(known, now)

    def begin(self, letter: str, owner: int, now: float) -> tuple[int, Record]:
        """Begins a class whose letters nobody has."""
        own = sum(each.owner == owner for each in self.classes.values())
        if own >= MOST_BEGUN or len(self.classes) >= MOST_CLASSES:
            return 503, {}
        code = letter
        while len(code) == 1 or code in self.classes:
            code = letter + "".join(secrets.choice(LETTERS) for _ in range(3))
        known = self.classes[code] = Classroom(secrets.token_urlsafe(16), owner, now, now)
        return 200, {"code": code, "key": known.key, **known.board(now)}

    def lead(self, code: str, known: Classroom, given: Json, now: float) -> tuple[int, Record]:
        """What the teacher asks for."""
        known.seen = now
        known.change(table_in(given.get("set")))
        if given.get("end") is True:
            del self.classes[code]
        return 200, known.board(now) | ({"counts": known.counts()} if given.get("counts") is True else {})

    def join(self, known: Classroom, now: float) -> tuple[int, Record]:
        """Lets a phone in. One that left without an answer makes room."""
        if len(known.phones) >= MOST_PHONES:
            for key, phone in list(known.phones.items()):
                if now - phone.seen >= AWAY and not phone.answers:
                    del known.phones[key]
        if known.locked or len(known.phones) >= MOST_PHONES:
            return 403, {}
        key = secrets.token_urlsafe(16)
        known.phones[key] = Phone(now)
        return 200, {"key": key, **known.state(now)}


def network(client: tuple[str, int] | None) -> str:
    """What tells one visitor's connection from another's; of IPv6 the first half, which one visitor has all of.

    >>> network(("2001:db8::1", 5)) == network(("2001:db8::2", 5)), network(("192.0.2.1", 5)), network(None)
    (True, '192.0.2.1', '')
    """
    host = client[0] if client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host[:60]
    return host if address.version == 4 else address.exploded[:19]
