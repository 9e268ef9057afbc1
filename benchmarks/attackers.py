"""What any visitor can send, for `benchmarks.attacks`: links, files, texts and values over the socket, requests.

An attack returns what the server said about it. It raises `NotAttackedError` where it could not be carried out, and
`BrokenError` where a defense it looks at did not hold.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote

from streamlit.proto.Common_pb2 import StringArray
from websockets.exceptions import InvalidStatus

from benchmarks.socket_session import Session
from explorer.training.trainers import ALGORITHMS, CUTS, OFFERED

LONGEST: Final = 60.0
"""The longest an attacker waits for an answer, in seconds."""

Attack = Callable[[str, Path], list[str]]
"""Given the server's address, without the protocol, and the checkout that it runs."""


FAULT: Final = "a fault of the program"
"""What a page says when its code failed."""


class NotAttackedError(Exception):
    """The attack did not happen."""


class BrokenError(Exception):
    """A defense did not hold."""


@contextmanager
def visitor(address: str, query: str = "m=gpt-2&text=a", page: str = "") -> Iterator[Session]:
    """A session whose first run has ended. page: its path, none for Explore."""
    session = Session(address, query, page=page)
    try:
        session.open(LONGEST)
        yield session
    finally:
        session.close()


def link(page: str = "", seconds: float = LONGEST, **query: str) -> Attack:
    """Opens a link, and leaves after so many seconds."""

    def attack(address: str, folder: Path) -> list[str]:
        session = Session(address, "&".join(f"{name}={quote(value)}" for name, value in query.items()), page=page)
        try:
            session.open(seconds)
            return session.said
        finally:
            session.close()

    return attack


def dropped(data: Callable[[], bytes], text: str = "a", name: str = "tokenizer.json") -> Attack:
    """Drops a file and types a text."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address) as session:
            session.send_file(name, data(), LONGEST)
            said = session.said
            session.type(text, seconds=LONGEST)
            return said + session.said

    return attack


def given(data: Callable[[], bytes], name: str, field: str, page: str, query: str = "") -> Attack:
    """Drops a file on a field of a page, by its label."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, query, page) as session:
            if field not in session.widgets:
                raise NotAttackedError(f"the page has no field {field!r}, but {', '.join(session.widgets)}")
            session.send_file(name, data(), LONGEST, field)
            return session.said

    return attack


def typed(text: str, field: str = "field", query: str = "m=gpt-2&text=a", page: str = "") -> Attack:
    """Sends a text that the field itself would refuse. page: its path, none for Explore."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, query, page) as session:
            if field not in session.fields:
                raise NotAttackedError(f"the page has no field {field!r}, but {', '.join(session.fields)}")
            session.type(text, field, LONGEST)
            return session.said

    return attack


SAMPLES: Final = (
    {"draws": "1000000000"}, {"draws": "1000000", "alpha": "0"}, {"draws": "-1"}, {"alpha": "nan"}, {"alpha": "inf"},
    {"alpha": "1e400"}, {"alpha": "1000.1"}, {"seed": "9" * 20}, {"seed": "-1"}, {"draws": "9" * 5_000},
    {"sample": "one", "draw": "1000000000"}, {"sample": "one", "draw": "0"}, {"sample": "one", "alpha": "nan"},
)  # fmt: skip
"""What the fields of Other ways would refuse, or what is too much."""


def samples_at_their_ends(address: str, folder: Path) -> list[str]:
    """Asks for draws that cannot be made, by link; each page must still draw."""
    for model in ("xlm-r", "gpt-2"):
        for each in SAMPLES:
            query = {"m": model, "text": "able " * 200, "sample": "many", **each}
            said = link(**query)(address, folder)
            if any(one.startswith("EXCEPTION") for one in said):
                raise BrokenError(f"{each}: {said}")
    return [f"{2 * len(SAMPLES)} links to draws are answered"]


def option(algorithm: str, corpus: str, name: str, **value: Any) -> Attack:
    """Trains with a value for an option that its field would refuse; each line of the corpus is a word."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, "", "train") as session:
            session.set("Algorithm", string_array_value=StringArray(data=[ALGORITHMS[algorithm]]))
            session.run(LONGEST)
            session.set("How words are cut", string_value=CUTS["none"])
            session.type(corpus, "Text to learn from", LONGEST)
            if name not in session.widgets:
                raise NotAttackedError(f"the page has no option {name!r}")
            session.set(name, **value)
            session.run(3 * LONGEST)
            return session.said

    return attack


CHAT: Final = {"messages": [{"role": "user", "content": "Hi"}]}


def templates(sources: Callable[[], list[str]], engine: str = "huggingface", seconds: float = 0) -> Attack:
    """Asks for a prompt with each of these templates in turn; each must end in an error, and the page still draw.

    seconds: within which one may be rendered instead: a fast machine is done with some before they are ended.
    """

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, f"m=qwen2.5&as={engine}", "prompt") as session:
            longest, rendered, wrong = 0.0, 0, []
            for source in sources():
                took = session.ask(CHAT, source, LONGEST)
                longest = max(longest, took)
                if not session.said and took < seconds:
                    rendered += 1
                elif len(session.said) != 1:
                    wrong.append(source[:60])
                if any(each.startswith("EXCEPTION") for each in session.said):
                    raise BrokenError(f"{source[:60]}: {session.said}")
            session.ask(CHAT, "{{ messages[0].content }}", LONGEST)
            if session.said:
                raise BrokenError(f"the session is broken: {session.said}")
            if wrong:
                raise BrokenError(f"no error: {wrong}")
            ended = len(sources()) - rendered
            return [f"{ended} templates end in an error, {rendered} are rendered, the longest after {longest:.1f} s"]

    return attack


def links_to_prompts(chats: Callable[[], list[str]], *engines: str) -> Attack:
    """Opens links whose messages are no call; each page must say so in one line, without a fault."""

    def attack(address: str, folder: Path) -> list[str]:
        opened = 0
        for engine in engines:
            for chat in chats():
                said = link("prompt", m="qwen2.5", **{"as": engine}, chat=chat)(address, folder)
                if len(said) != 1 or FAULT in said[0] or said[0].startswith("EXCEPTION"):
                    raise BrokenError(f"{chat[:60]}: {said}")
                opened += 1
        return [f"{opened} links are answered in one line each"]

    return attack


def requests_on_card(
    requests: Callable[[], list[str]],
    card: str = "sent",
    templates: Sequence[str] = ("{{ messages[0].content }}",),
    model: Callable[[], bytes] | None = None,
) -> Attack:
    """Opens a card of Prompt with each request and template; the page must draw, or say in a line what is wrong.

    templates: their sources, or those of formats. model: a tokenizer.json that the visitor drops first.
    """

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, f"m=qwen2.5&view={card}", "prompt") as session:
            if model:
                session.send_file("tokenizer.json", model(), LONGEST)
            longest, refused = 0.0, 0
            for template in templates:
                for request in requests():
                    # four questions, each up to its limit of the processor
                    longest = max(longest, session.ask(json.loads(request), template, 4 * LONGEST))
                    refused += bool(session.said)
                    if any(each.startswith("EXCEPTION") for each in session.said):
                        raise BrokenError(f"{request[:60]}: {session.said}")
                    if json.loads(session.asked["call"]) != json.loads(request):
                        raise BrokenError(f"{request[:60]}: the page is about another request")
                session.ask(CHAT, template, LONGEST)
                if session.said:  # what still ran for the last request may have ended its process
                    session.ask({**CHAT, "add_generation_prompt": False}, template, LONGEST)
                if session.said:
                    raise BrokenError(f"the session is broken: {session.said}")
            count = len(requests()) * len(templates)
            return [f"{count} requests are answered, {refused} by a refusal, the longest after {longest:.1f} s"]

    return attack


def checks(sources: Callable[[], list[str]]) -> Attack:
    """Has each template tried with all conversations, part by part, and asks for parts that there aren't.

    Each check must come to its end, or say in a line why not, and the page must still draw.
    """

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, "m=qwen2.5&view=check", "prompt") as session:
            longest, ended, refused = 0.0, 0, 0
            for source in sources():
                took = session.ask(CHAT, source, LONGEST)
                for part in (-1, 10**9, True, "x", [1], *range(1, session.stage[1].get("parts", 1))):
                    took += session.ask_part(part, LONGEST)
                longest = max(longest, took)
                if any(each.startswith("EXCEPTION") for each in session.said):
                    raise BrokenError(f"{source[:60]}: {session.said}")
                drawn = session.stage[1]
                ended += drawn.get("part", -1) + 1 == drawn.get("parts")
                refused += "problem" in drawn
            session.ask(CHAT, "{{ messages[0].content }}", LONGEST)
            if session.said or len(sources()) != ended + refused:
                raise BrokenError(f"{ended} and {refused} of {len(sources())}: {session.said}")
            return [f"{ended} checks end, {refused} are refused, the longest after {longest:.1f} s"]

    return attack


def unclaimed(address: str, folder: Path) -> list[str]:
    """Sends ten files of 100 MB that no page expects."""
    refused = 0
    with visitor(address) as session:
        for number in range(10):
            try:
                session.upload(f"{number}.bin", b"x" * 100_000_000, LONGEST)
            except (HTTPError, OSError):  # the server may close the connection before everything is sent
                refused += 1
    if not refused:
        raise BrokenError("all files are taken")
    return [f"{refused} of 10 files are refused"]


def foreign_name(address: str, folder: Path) -> list[str]:
    """Connects as a page would whose name resolves to this machine: Host and Origin agree."""
    try:
        Session(address, host="evil.example").close()
    except InvalidStatus as error:
        return [f"refused: {error.response.status_code}"]
    raise BrokenError("it is connected under a foreign name")


def foreign_pages(address: str, folder: Path) -> list[str]:
    """Connects as pages of other ports and other servers would."""
    host, _, port = address.partition(":")
    origins = [f"http://{name}:{other}" for name in ("localhost", "127.0.0.1", "0.0.0.0", "evil.example")
               for other in (1, int(port or 80) + 1)]  # fmt: skip
    for origin in [*origins, f"http://{host}", f"http://{address}@evil.example", "http://[", "null"]:
        try:
            Session(address, origin=origin).close()
        except InvalidStatus:
            continue
        raise BrokenError(f"a page of {origin} is connected")
    return [f"{len(origins) + 4} origins are refused"]


def forged_values(address: str, folder: Path) -> list[str]:
    """Sends every widget of Train values that it can't have; afterward the page must still draw."""
    values: list[dict[str, Any]] = [
        {"json_value": "[" * 100_000}, {"double_value": math.nan}, {"int_value": 2**62}, {"string_value": "x"},
        {"json_value": "[]"},
    ]  # fmt: skip
    with visitor(address, "", "train") as session:
        usual = sorted(session.widgets)
        for label in usual:
            for value in values:
                session.values.clear()
                session.set(label, **value)
                session.run(LONGEST)
        session.values.clear()
        session.run(LONGEST)
        if session.said:
            raise BrokenError(f"the session is broken: {session.said}")
        return [f"{len(usual)} widgets are as before"]


def largest_numbers(address: str, folder: Path) -> list[str]:
    """Trains with 10⁹ in every number of every trainer, one by one, and in all at once."""
    tried, refused = 0, 0
    for (name, _), offered in OFFERED.items():
        query = f"algorithm={ALGORITHMS[name]}&{name}-as={quote(offered.title)}"
        with visitor(address, query, "train") as first:
            numbers = list(first.numbers)
        for labels in [*([each] for each in numbers), numbers]:
            with visitor(address, query, "train") as session:  # a page keeps the values of its own
                for label in labels:
                    session.set(label, double_value=1e9)
                session.run(LONGEST)
                if any(each.startswith("EXCEPTION") for each in session.said):
                    raise BrokenError(f"{query}, {labels}: {session.said}")
                tried, refused = tried + 1, refused + bool(session.said)
    if not refused:
        raise NotAttackedError("no number arrives")
    return [f"{tried} trainings end, {refused} of them with an error"]
