"""A chat request on its way to a template: what each step of a server makes of which field.

A step changes a `Draft`; what it did is read off the draft before and after, so an account can't differ from the
steps. `servers` has the steps of each server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from explorer.errors import InputError, shown
from explorer.prompts.messages import Path


class Outcome(StrEnum):
    """What a step does to a field."""

    PARSED = "parsed"
    JOINED = "joined"
    RENAMED = "renamed"
    DROPPED = "dropped"
    ADDED = "added"
    CHANGED = "changed"
    ORDERED = "reordered"
    REFUSED = "refused"


class Step(NamedTuple):
    """One step. function, file: of the server's source. run: changes a copy of the draft; it raises Refused."""

    function: str
    file: str
    run: Callable[[Draft], None]


class Message(NamedTuple):
    """A message on its way. sources: the messages of the request that it comes from."""

    value: dict[str, Any]
    sources: tuple[int, ...]


@dataclass
class Draft:
    """A request on its way. top: what it has besides messages. template: the source that will read it."""

    messages: list[Message]
    top: dict[str, Any]
    template: str

    def each(self, change: Callable[[dict[str, Any], Path], dict[str, Any]]) -> None:
        """Changes each message; change is given its path, too."""
        self.messages = [
            each._replace(value=change(each.value, ("messages", each.sources[0]))) for each in self.messages
        ]

    def replace(self, values: list[dict[str, Any]]) -> None:
        """Puts messages in place of as many, or of one more, whose first was joined to the next."""
        sources = [each.sources for each in self.messages]
        if len(values) < len(sources):
            sources[:2] = [sources[0] + each for each in sources[1:2]]
        self.messages = [*map(Message, values, sources)]

    def to_json(self) -> dict[str, Any]:
        """The request as it is now."""
        return {"messages": [each.value for each in self.messages], **self.top}


ABSENT: Final = "\0absent"
"""The value of a field that isn't there."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a step made of a field. path: in the request as sent. sent, made: before and after it, maybe ABSENT."""

    path: Path
    outcome: Outcome
    sent: Any
    made: Any
    step: Step

    def record(self) -> dict[str, Any]:
        """The change as data of JSON; a field that isn't there has no value."""
        values = {name: value for name in ("sent", "made") if (value := getattr(self, name)) != ABSENT}
        names = {"path": dotted(self.path), "outcome": self.outcome.value}
        return {**names, **values, "function": self.step.function, "file": self.step.file}


class Refused(InputError):
    """A server doesn't take the request. path: of the field."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{dotted(path)} {why}")
        self.path, self.why = path, why

    def __reduce__(self) -> tuple[object, ...]:
        return Refused, (self.path, self.why)


def dotted(path: Path) -> str:
    """A path as a reader of JSON writes it.

    >>> dotted(("messages", 2, "tool_calls", 0, "function", "arguments"))
    'messages[2].tool_calls[0].function.arguments'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


@dataclass(frozen=True)
class Server:
    """What a server does to a request.

    engine: who renders its template here, "" where nobody does. steps: before the engine. within: those that the
    engine does itself. Each file is one of the repository.
    """

    name: str
    version: str
    repository: str
    engine: str
    steps: tuple[Step, ...]
    within: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Served:
    """What a server made of a request. sent: what its engine is given. seen: what the template is given.

    Both are None if it refuses; the last change says why then.
    """

    server: Server
    changes: tuple[Change, ...]
    sent: Mapping[str, Any] | None = None
    seen: Mapping[str, Any] | None = None
    sources: tuple[tuple[int, ...], ...] = ()

    @property
    def refusal(self) -> str:
        """Why the server refuses the request, "" if it doesn't."""
        if self.seen is not None:
            return ""
        last = self.changes[-1]
        return f"{self.server.name} {self.server.version} refuses {dotted(last.path)}: it {last.made}."

    def record(self) -> dict[str, Any]:
        """The account as data of JSON."""
        about = {"name": self.server.name, "version": self.server.version, "repository": self.server.repository}
        return {
            **about,
            "refusal": self.refusal,
            "changes": [each.record() for each in self.changes],
            "seen": self.seen,
        }


def serve(server: Server, request: Mapping[str, Any], template: str) -> Served:
    """What a server makes of a request for a template's source.

    Raises InputError for what is no request in OpenAI's form.
    """
    check_shape(request)
    top = {name: value for name, value in request.items() if name != "messages"}
    draft = Draft([Message(value, (index,)) for index, value in enumerate(request["messages"])], top, template)
    changes: list[Change] = []
    sent: Mapping[str, Any] = request
    for number, step in enumerate(server.steps + server.within):
        after = deepcopy(draft)
        try:
            step.run(after)
        except Refused as error:
            changes.append(Change(error.path, Outcome.REFUSED, ABSENT, error.why, step))
            return Served(server, tuple(changes))
        changes += (Change(*each, step) for each in differences(draft, after))
        draft = after
        sent = draft.to_json() if number < len(server.steps) else sent
    return Served(server, tuple(changes), sent, draft.to_json(), tuple(each.sources for each in draft.messages))


OBJECT: Final = (dict, "an object")
LIST: Final = (list, "a list")
TEXT: Final = (str, "a text")
CONTENT: Final = (str | list | None, "a text, a list of parts or null")
ARGUMENTS: Final = (str | dict | None, "a text of JSON, or an object")


def check_shape(request: Mapping[str, Any]) -> None:
    """Raises Refused at the first field that doesn't have the shape of OpenAI's chat request."""
    for index, message in enumerate(_is(request.get("messages"), ("messages",), LIST)):
        path: Path = ("messages", index)
        _is(_is(message, path, OBJECT).get("role"), (*path, "role"), TEXT)
        _is(message.get("content"), (*path, "content"), CONTENT)
        for number, call in enumerate(_is(message.get("tool_calls") or [], (*path, "tool_calls"), LIST)):
            place = (*path, "tool_calls", number)
            function = _is(_is(call, place, OBJECT).get("function"), (*place, "function"), OBJECT)
            _is(function.get("arguments"), (*place, "function", "arguments"), ARGUMENTS)
    for index, tool in enumerate(_is(request.get("tools") or [], ("tools",), LIST)):
        _is(tool, ("tools", index), OBJECT)


def _is(value: Any, path: Path, shape: tuple[Any, str]) -> Any:
    kind, wanted = shape
    if not isinstance(value, kind):
        raise Refused(path, f"is {shown(value)}, not {wanted}.")
    return value


Difference = tuple[Path, Outcome, Any, Any]


def differences(before: Draft, after: Draft) -> Iterator[Difference]:
    """What is different: path in the request, outcome, value before, value after."""
    kept = {each.sources for each in after.messages}
    for message in before.messages:
        path: Path = ("messages", message.sources[0])
        after_it = [each for each in after.messages if set(message.sources) <= set(each.sources)]
        if not after_it:
            yield path, Outcome.DROPPED, message.value, ABSENT
        elif message.sources not in kept:
            content = message.value.get("content"), after_it[0].value.get("content")
            yield (*path, "content"), Outcome.JOINED, *content
        else:
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


def reordered(value: Mapping[str, Any], names: tuple[str, ...], **defaults: Any) -> dict[str, Any]:
    """The fields of an object that are known, in this order, with defaults for those that aren't there."""
    return {name: value.get(name, defaults.get(name)) for name in names if name in value or name in defaults}
