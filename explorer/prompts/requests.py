"""A chat request on its way to a template: what each step of a server makes of which field.

A step changes a `Draft`; what it did is read off the draft before and after, so an account can't differ from the
steps. `servers` has the steps of each server.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert

from explorer.errors import InputError, shown
from explorer.prompts.messages import Path, dotted
from explorer.tables import Json, Record
from explorer.text.say import Text, worded


class Outcome(StrEnum):
    """What a step does to a field."""

    PARSED = "parsed"
    JOINED = "joined"
    SPLIT = "split"
    RENAMED = "renamed"
    DROPPED = "dropped"
    ADDED = "added"
    CHANGED = "changed"
    ORDERED = "reordered"
    MOVED = "moved"
    REFUSED = "refused"


class Step(NamedTuple):
    """One step. function, file: of the server's source. run: changes a copy of the draft; it raises Refused."""

    function: str
    file: str
    run: Callable[[Draft], None]


class Message(NamedTuple):
    """A message on its way. sources: the messages of the request that it comes from."""

    value: Record
    sources: tuple[int, ...]


@dataclass
class Draft:
    """A request on its way. top: what it has besides messages. template: the source that will read it."""

    messages: list[Message]
    top: Record
    template: str

    def each(self, change: Callable[[Record, Path], Record]) -> None:
        """Changes each message; change is given its path, too."""
        self.messages = [
            each._replace(value=change(each.value, ("messages", each.sources[0]))) for each in self.messages
        ]

    def replace(self, values: list[Record]) -> None:
        """Puts messages in place of as many, or of one more, whose first was joined to the next."""
        sources = [each.sources for each in self.messages]
        if len(values) < len(sources):
            sources[:2] = [sources[0] + each for each in sources[1:2]]
        self.messages = [*map(Message, values, sources)]

    def to_json(self) -> Record:
        """The request as it is now."""
        return {"messages": [each.value for each in self.messages], **self.top}


ABSENT = "\0absent"
"""The value of a field that isn't there."""


class Change(NamedTuple):
    """What a step made of a field. path: in the request as sent. sent, made: before and after it, maybe ABSENT."""

    path: Path
    outcome: Outcome
    sent: Any
    made: Any
    step: Step

    def record(self) -> Record:
        """The change as data of JSON; a field that isn't there has no value."""
        values = {name: value for name in ("sent", "made") if (value := getattr(self, name)) != ABSENT}
        names = {"path": dotted(self.path), "outcome": self.outcome.value}
        return {**names, **values, "function": self.step.function, "file": self.step.file}


class Refused(InputError):
    """A server doesn't take the request. path: of the field."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__("{0:t} {1:t}", dotted(path), why)
        self.path, self.why = path, worded(why)

    def __reduce__(self) -> tuple[object, ...]:
        return Refused, (self.path, self.why)


class Server(NamedTuple):
    """What a server does to a request.

    title: its name in a sentence. engine: who renders its template here, "" where nobody does. steps: before the
    engine. within: those that the engine does itself. fallback: for a template that fails. Each file is one of the
    repository.
    """

    name: str
    title: str
    version: str
    repository: str
    engine: str
    steps: tuple[Step, ...]
    within: tuple[Step, ...] = ()
    fallback: tuple[Step, ...] = ()


class Served(NamedTuple):
    """What a server made of a request. sent: what its engine is given. seen: what the template is given.

    Both are None if it refuses; the last change says why then.
    """

    server: Server
    changes: tuple[Change, ...]
    sent: Json | None = None
    seen: Json | None = None
    sources: tuple[tuple[int, ...], ...] = ()

    @property
    def refusal(self) -> str:
        """Why the server refuses the request, "" if it doesn't."""
        if self.seen is not None:
            return ""
        last = self.changes[-1]
        return Text("{0:t} {1:t} refuses {2:t}: it {3:t}", *self.server[1:3], dotted(last.path), last.made)

    def record(self) -> Record:
        """The account as data of JSON."""
        about = {"name": self.server.name, "version": self.server.version, "repository": self.server.repository}
        return {
            **about,
            "refusal": self.refusal,
            "changes": [each.record() for each in self.changes],
            "seen": self.seen,
        }


def serve(server: Server, request: Json, template: str, *, again: bool = False) -> Served:
    """What a server makes of a request for a template's source. again: after the template has failed.

    Raises InputError for what is no request in OpenAI's form.
    """
    check_shape(request)
    top = {name: value for name, value in request.items() if name != "messages"}
    draft = Draft([Message(value, (index,)) for index, value in enumerate(request["messages"])], top, template)
    changes: list[Change] = []
    sent: Json = request
    steps = server.steps + (server.fallback if again else ())
    for number, step in enumerate(steps + server.within):
        after = deepcopy(draft)
        try:
            step.run(after)
        except Refused as error:
            changes.append(Change(error.path, Outcome.REFUSED, value_at(request, error.path), error.why, step))
            return Served(server, tuple(changes))
        changes += (Change(*each, step) for each in differences(draft, after))
        draft = after
        sent = draft.to_json() if number < len(steps) else sent
    return Served(server, tuple(changes), sent, draft.to_json(), tuple(each.sources for each in draft.messages))


def value_at(value: Any, path: Path) -> Any:
    """The value at a path, ABSENT if there is none."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return value


class AnyFunction(Struct):
    """The function of a call, as every server takes it at most."""

    arguments: str | Record | None = None


class AnyCall(Struct):
    """A call of a tool."""

    function: AnyFunction


class AnyMessage(Struct):
    """A message."""

    role: str
    content: str | list[Any] | None = None
    tool_calls: list[Any] | None = None


def check_shape(request: Json) -> None:
    """Raises Refused at the first field that doesn't have the shape of OpenAI's chat request."""
    fits(request, Record, ())
    for index, message in enumerate(fits(request.get("messages"), list[Any], ("messages",))):
        fit_message(message, ("messages", index), AnyMessage, AnyCall)
    for index, tool in enumerate(fits(request.get("tools") or [], list[Any], ("tools",))):
        fits(tool, Record, ("tools", index))


def fit_message(message: Any, path: Path, shape: Any, call: Any) -> None:
    """Raises Refused for a message, or a call of a tool in it, that isn't of its shape."""
    fits(message, shape, path)
    for index, each in enumerate(message.get("tool_calls") or []):
        fits(each, call, (*path, "tool_calls", index))


def fits(value: Any, shape: Any, path: Path) -> Any:
    """The value, if it is of a shape. Raises Refused, which names the field."""
    try:
        convert(value, shape)
    except ValidationError as error:
        words, _, place = str(error).partition(" - at `$")
        path = *path, *re.findall(r"\w+", place)
        found = value_at({"": value}, ("", *re.findall(r"\w+", place)))
        raise Refused(path, Text("is {0:t}: {1:t}.", shown(found), words[:1].lower() + words[1:])) from None
    return value


Difference = tuple[Path, Outcome, Any, Any]


def differences(before: Draft, after: Draft) -> Iterator[Difference]:
    """What is different: path in the request, outcome, value before, value after."""
    counts, known = (Counter(each.sources for each in draft.messages) for draft in (after, before))
    latest = -1
    for message in after.messages:
        if message.sources[0] < latest:
            yield ("messages", message.sources[0]), Outcome.MOVED, message.sources[0], latest
        latest = max(latest, message.sources[0])
    for message in before.messages:
        path: Path = ("messages", message.sources[0])
        after_it = [each for each in after.messages if set(message.sources) <= set(each.sources)]
        if not after_it:
            yield path, Outcome.DROPPED, message.value, ABSENT
        elif counts[message.sources] > 1 == known[message.sources]:
            contents = [each.value.get("content") for each in after_it]
            yield (*path, "content"), Outcome.SPLIT, message.value.get("content"), contents
        elif counts[message.sources] < known[message.sources]:
            content = message.value.get("content"), after_it[0].value.get("content")
            yield (*path, "content"), Outcome.JOINED, *content
        elif counts[message.sources] == 1:
            yield from fields(path, message.value, after_it[0].value)
    yield from fields((), before.top, after.top)


def fields(path: Path, before: Any, after: Any) -> Iterator[Difference]:
    """What is different in two values of JSON."""
    if isinstance(before, dict) and isinstance(after, dict):
        new = [key for key in after if key not in before]
        for key in before:
            place = (*path, key)
            if key in after:
                yield from fields(place, before[key], after[key])
            elif name := next((each for each in new if after[each] == before[key]), None):
                new.remove(name)
                yield place, Outcome.RENAMED, before[key], name
            else:
                yield place, Outcome.DROPPED, before[key], ABSENT
        for key in new:
            yield (*path, key), Outcome.ADDED, ABSENT, after[key]
        if [key for key in before if key in after] != [key for key in after if key in before]:
            yield path, Outcome.ORDERED, [*before], [*after]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from fields((*path, index), *pair)
    elif type(before) is not type(after) or before != after:
        yield path, _outcome(before, after), before, after


def _outcome(before: Any, after: Any) -> Outcome:
    if isinstance(before, str) and isinstance(after, dict):
        return Outcome.PARSED if after == read_object(before) else Outcome.CHANGED
    return Outcome.JOINED if isinstance(before, list) and isinstance(after, str) else Outcome.CHANGED


def read_object(text: str) -> Any:
    """A text of JSON as data, None for what is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def reordered(value: Json, names: Sequence[str], **defaults: Any) -> Record:
    """The fields of an object that are known, in this order, with defaults for those that aren't there."""
    return {name: value.get(name, defaults.get(name)) for name in names if name in value or name in defaults}
