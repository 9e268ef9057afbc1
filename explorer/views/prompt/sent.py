"""Sent: what five servers make of the request, field by field; the tokens of each; where two part, and why.

Five prompts take a while, so they are made while the view is in focus alone.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.finding import Kind
from explorer.prompts.findings import line_at
from explorer.prompts.messages import Path, dotted
from explorer.prompts.partings import Parting, ServerSide, as_requested, part, server_sides
from explorer.prompts.requests import ABSENT, Difference, Draft, Message, Outcome, differences, value_at
from explorer.prompts.run import WORDS, as_sent
from explorer.prompts.servers import SERVERS
from explorer.prompts.templates import MARKS
from explorer.tables import Json, Record
from explorer.text.say import Say, Text
from explorer.views.prompt.tokens import NOTHING, Badge, Scene, View, cells, template_line

LOST = (Outcome.DROPPED, Outcome.REFUSED, Kind.AGAIN, Kind.DROPPED)
MOST_ROWS, MOST_CELLS = 40, 600
_KNOWN: WeakKeyDictionary[Opened, tuple[Any, tuple[ServerSide, ...]]] = WeakKeyDictionary()
"""The sides of the last scene of a tokenizer: its card asks what its stage has made."""


def key_of(scene: Scene) -> Any:
    return json.dumps(scene.request and scene.request.to_json()), scene.source, scene.template, scene.now


def sides_of(scene: Scene) -> tuple[ServerSide, ...]:
    """What each server makes of the call. Raises InputError for what is no request."""
    key = key_of(scene)
    if (known := _KNOWN.get(scene.tokenizer)) and known[0] == key:
        return known[1]
    source = None if scene.template.startswith(MARKS) else scene.source
    made = server_sides(scene.tokenizer, scene.request, [*SERVERS], scene.template, source=source, now=scene.now)
    _KNOWN[scene.tokenizer] = key, made
    return made


def prompts_of(sides: tuple[ServerSide, ...]) -> list[list[ServerSide]]:
    """The servers, those together whose prompts have the same ids; without those that have none."""
    groups: dict[tuple[int, ...], list[ServerSide]] = {}
    for side in sides:
        if side.prompt is not None:
            groups.setdefault(tuple(side.prompt.ids), []).append(side)
    return [*groups.values()]


def badge(scene: Scene) -> Badge:
    """How many prompts, once the view was in focus."""
    if not scene.has_run:
        return NOTHING
    known = _KNOWN.get(scene.tokenizer)
    if known is None or known[0] != key_of(scene):
        return Badge(Text("{0} servers", len(SERVERS)), 0, True)
    count = len(prompts_of(known[1]))
    refusals = sum(bool(side.served.refusal) for side in known[1])
    return Badge(
        Text("{0} prompt", count, many="{0} prompts"), max(0, count - 1) + refusals, count < 2 and not refusals
    )


def stage(scene: Scene) -> Json | None:
    """What the component draws: a row for each field that a server changes, a prompt for each text, the partings."""
    if not scene.has_run:
        return None
    try:
        sides = sides_of(scene)
    except InputError as error:
        return {"problem": Say("{0:t}", str(error))}
    prompts = prompts_of(sides)
    letters = {side.name: chr(ord("A") + at) for at, group in enumerate(prompts) for side in group}
    first = next((side for side in sides if side.prompt), sides[0])
    partings = {side.name: part(first, side) for side in sides if side.prompt}
    return {
        "say": Say("{0} servers make {1} different prompts of this request.", len(letters), len(prompts))
        if len(prompts) > 1
        else Say("The servers whose template runs here make the same prompt."),
        "same": len(prompts) < 2,
        "servers": [
            {
                "name": side.name,
                "title": side.served.server.title,
                "version": side.served.server.version,
                "letter": letters.get(side.name, ""),
                "count": len(side.prompt.ids) if side.prompt else None,
                "error": side.error,
                "parting": parting(partings[side.name]) if side.prompt and side is not first else None,
            }
            for side in sides
        ],
        "rows": rows(scene, sides, {letters[group[0].name]: group[0] for group in prompts}),
        "prompts": {letters[group[0].name]: drawn(partings[group[0].name]) for group in prompts},
    }


def drawn(place: Parting) -> list[Record]:
    """The tokens of the second server's prompt; the first that differs from the first server's is marked."""
    prompt = place.sides[1].prompt
    assert prompt is not None
    return [cell | ({"mark": "here"} if cell["n"] == place.token else {}) for cell in cells(prompt)[:MOST_CELLS]]


def parting(place: Parting) -> Record:
    """Where a server parts from the first one, with the template's line."""
    prompt = place.sides[0].prompt
    text = template_line(prompt.rendering.source, place.line) if prompt else ""
    return {"say": place.sentence, "line": place.line, "text": text}


def field_of(side: ServerSide, path: Path) -> Record | None:
    """Where a prompt has a field of the request, as [first, last) of its tokens, and the line that writes it."""
    prompt, size = side.prompt, len(path)
    spans = [
        (each.start, each.end)
        for each in (prompt.rendering.origins if prompt else ())
        if each.path and as_requested(each.path, side.served)[:size] == path
    ]
    if prompt is None or not spans:
        return None
    line, (first, last) = line_at(prompt, spans[0][0]), prompt.tokens_in(spans[0][0], max(end for _, end in spans))
    return {"tokens": [first, last], "line": line, "text": template_line(prompt.rendering.source, line)}


def rows(scene: Scene, sides: tuple[ServerSide, ...], prompts: Mapping[str, ServerSide]) -> list[Record]:
    """The fields that a server changes or whose text is lost.

    path, value, and for each server the outcome, its word, a value, why; fields: by the letter of each prompt, where it
    has it.
    """
    request = scene.request.to_json() if scene.request else {}
    table: dict[Path, dict[str, Record]] = {}
    for side in sides:
        for path, outcome, before, made in net(request, side):
            if outcome is not Outcome.ORDERED:
                by = [each.step for each in side.served.changes if each.path == path]
                why = ", ".join(dict.fromkeys(f"{each.function} ({each.file})" for each in by))
                table.setdefault(path, {})[side.name] = cell(outcome, made, why, before)
        for path, word in lost(side):
            table.setdefault(path, {})[side.name] = cell(word, ABSENT)
    order = sorted(table, key=lambda path: [f"{key:06}" if isinstance(key, int) else key for key in path])[:MOST_ROWS]
    return [
        {
            "path": dotted(path),
            "sent": shown(value_at(request, path)),
            "cells": [table[path].get(side.name) or untouched(value_at(request, path)) for side in sides],
            "fields": {letter: field_of(side, path) for letter, side in prompts.items()},
        }
        for path in order
    ]


def net(request: Json, side: ServerSide) -> Iterator[Difference]:
    """What is different between a request and what a server's template is given, or why the server refuses it."""
    served = side.served
    if served.seen is None:
        last = served.changes[-1]
        yield last.path, last.outcome, last.sent, last.made
        return
    before, after = (
        Draft([*map(Message, each["messages"], sources)], {key: each[key] for key in each if key != "messages"}, "")
        for each, sources in (
            (request, [(at,) for at in range(len(request["messages"]))]),
            (served.seen, served.sources),
        )
    )
    yield from differences(before, after)


def cell(outcome: str, made: Any, why: str = "", sent: Any = "") -> Record:
    tone = "lost" if outcome in LOST and sent is not None else ""
    return {
        "outcome": outcome,
        "word": Text(*WORDS["outcomes"][outcome]),
        "tone": tone,
        "made": made if isinstance(made, Text) else shown(made),
        "why": why,
    }


def untouched(sent: Any) -> Record:
    return {"word": "–" if sent == ABSENT else Text("as sent"), "tone": "same", "made": "", "why": ""}


def shown(value: Any) -> str:
    return "" if value == ABSENT else as_sent(value)


def lost(side: ServerSide) -> Iterator[tuple[Path, str]]:
    """The fields of the request whose text the prompt lacks, or has as JSON of JSON."""
    for each in side.prompt.findings if side.prompt else ():
        kind = Kind.DROPPED if each.kind is Kind.SYSTEM else each.kind
        if kind in (Kind.DROPPED, Kind.AGAIN) and each.message is not None:
            yield as_requested(each.path or ("messages", each.message), side.served), kind


VIEW = View("sent", Text("Sent"), badge, stage)
