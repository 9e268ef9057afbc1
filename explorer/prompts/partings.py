"""What several servers make of one request: where their prompts part, and which field causes it.

A cause is proved: with the other server's value of this field alone, the prompts part later, or not at all.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any, NamedTuple

from explorer.analysis.ownership import common
from explorer.engine import budget
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.findings import line_at
from explorer.prompts.messages import Call, Path, dotted
from explorer.prompts.model_input import LLAMA_CPP, Prompt, as_call, prompt, rendered, template_of
from explorer.prompts.requests import ABSENT, Outcome, Served, fields, serve, value_at
from explorer.prompts.run import as_sent
from explorer.prompts.servers import server_named
from explorer.text.say import Say, paragraph, plain

SECONDS = 2.0
"""Seconds of the processor that looking for causes may take."""


class ServerSide(NamedTuple):
    """What one server makes of a request. prompt: None where it refuses it, or nobody renders it; error says why."""

    served: Served
    prompt: Prompt | None = None
    error: str = ""

    @property
    def name(self) -> str:
        """The server's."""
        return self.served.server.name


class Cause(NamedTuple):
    """A field whose value parts two prompts. path: in what the templates are given. functions: that changed it."""

    path: Path
    values: tuple[Any, Any]
    functions: tuple[str, ...]


class Parting(NamedTuple):
    """Where two servers' prompts part. token: the first that differs, None if none does. line: of the template."""

    sides: tuple[ServerSide, ServerSide]
    token: int | None = None
    line: int = 0
    causes: tuple[Cause, ...] = ()

    @property
    def sentence(self) -> Say:
        """Where and why, in words."""
        names = [side.served.server.title for side in self.sides]
        if failed := [side for side in self.sides if side.prompt is None]:
            return paragraph([Say("{0:t}", side.error) for side in failed])
        if self.token is None:
            return Say("{0:t} and {1:t} make the same prompt.", *names)
        said = [Say("{0:t} and {1:t} differ at token {2}.", *names, self.token + 1)]
        said += [Say("Line {0:i} writes what differs.", self.line)] if self.line else []
        for cause in self.causes:
            values = ["–" if value == ABSENT else as_sent(value) for value in cause.values]
            said.append(
                Say(
                    "{0:t} is {1:t} in {2:t} and {3:t} in {4:t} ({5:t}).",
                    dotted(cause.path),
                    values[0],
                    names[0],
                    values[1],
                    names[1],
                    ", ".join(cause.functions),
                )
            )
        return said[0].then(*said[1:], *([] if self.causes else [Say("No single field causes it.")]))

    def record(self) -> dict[str, Any]:
        """The parting as data of JSON."""
        causes = [
            {
                "path": dotted(each.path),
                "values": [None if value == ABSENT else value for value in each.values],
                "functions": each.functions,
            }
            for each in self.causes
        ]
        said = {"token": self.token, "line": self.line or None, "causes": causes, "sentence": plain(self.sentence)}
        return {"servers": [side.name for side in self.sides], **said}


def server_sides(
    tokenizer: Opened,
    messages: Any,
    servers: Sequence[str],
    template: str = "",
    *,
    source: str | None = None,
    now: datetime | None = None,
) -> tuple[ServerSide, ...]:
    """What each server makes of a request. Raises InputError for what is no request, and without a template."""
    call = as_call(messages)
    written, _ = template_of(tokenizer, call, template, source)
    sides = []
    for name in servers:
        try:
            made = prompt(tokenizer, call, template, source=source, server=name, now=now)
            assert made.served is not None
            made.tokens  # noqa: B018 - encoding may fail, too
            sides.append(ServerSide(made.served, made))
        except InputError as error:
            sides.append(ServerSide(serve(server_named(name), call.to_json(), written), None, str(error)))
    return tuple(sides)


def part(one: ServerSide, other: ServerSide) -> Parting:
    """Where the prompts of two servers part."""
    first, second = one.prompt, other.prompt
    if first is None or second is None or first.ids == second.ids:
        return Parting((one, other))
    token, at = common(first.ids, second.ids), common(first.text, second.text)
    longer = first if at < len(first.text) else second
    line = line_at(longer, at) if at < len(longer.text) else 0
    # llama.cpp's engine changes what it is given; what is swapped goes to the other one
    swapped = first.engine == LLAMA_CPP
    causes: list[Cause] = []
    try:
        with budget.within("comparing two servers", SECONDS):
            causes += _causes(*((other, one) if swapped else (one, other)))
    except budget.TooSlow:
        pass
    if swapped:
        causes = [each._replace(values=each.values[::-1]) for each in causes]
    return Parting((one, other), token, line, tuple(causes))


def _causes(one: ServerSide, other: ServerSide) -> Iterator[Cause]:
    """The fields whose value of the other side lets the prompts part later."""
    prompt, wanted = one.prompt, other.prompt
    seen, theirs = one.served.seen, other.served.seen
    if prompt is None or wanted is None or seen is None or theirs is None:
        return
    at = common(prompt.text, wanted.text)
    leaves = list(fields((), dict(seen), dict(theirs)))
    whole = dict.fromkeys(path[:2] for path, *_ in leaves)
    found: list[Path] = []
    for path, outcome, before, after in (*leaves, *((path, Outcome.CHANGED, None, None) for path in whole)):
        if found and path in whole:
            return  # whole messages only where no field alone causes it
        if any(each[: len(path)] == path for each in found):
            continue
        budget.ask("comparing two servers")
        value = deepcopy(dict(seen))
        _put(value, path, value_at(theirs, path))
        if outcome is Outcome.RENAMED:
            _put(value, (*path[:-1], after), before)
        try:
            call = Call.from_json(value)
            source = prompt.rendering.source
            made = rendered(prompt.tokenizer, prompt.engine, source, call, prompt.special_tokens, now=prompt.now)
        except InputError:
            continue
        if made.text == wanted.text or common(made.text, wanted.text) > at:
            functions = (
                change.step.function
                for side in (one, other)
                for change in side.served.changes
                if change.path[: len(path)] == as_requested(path, side.served)
            )
            found.append(path)
            yield Cause(path, (value_at(seen, path), value_at(theirs, path)), tuple(dict.fromkeys(functions)))


def as_requested(path: Path, served: Served) -> Path:
    """The path in a request of what a template is given."""
    if path[:1] != ("messages",) or len(path) < 2 or not isinstance(index := path[1], int):
        return path
    return ("messages", served.sources[index][0], *path[2:]) if index < len(served.sources) else path


def _put(value: Any, path: Path, item: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    if item == ABSENT:
        value.pop(path[-1], None)
    else:
        value[path[-1]] = item


def partings_of(sides: Sequence[ServerSide]) -> list[Parting]:
    """Where each server but the first parts from the first."""
    return [part(sides[0], other) for other in sides[1:]]


def sides_record(sides: Sequence[ServerSide], partings: Sequence[Parting]) -> dict[str, Any]:
    """The servers as data of JSON, and where each parts from the first."""
    return {
        "servers": [
            {
                **side.served.record(),
                "error": side.error,
                "text": side.prompt and side.prompt.text,
                "ids": side.prompt and side.prompt.ids,
            }
            for side in sides
        ],
        "partings": [each.record() for each in partings],
    }
