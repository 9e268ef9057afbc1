"""Engines: transformers and llama.cpp, where they part, what causes it, and on which other conversations they do."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from explorer.engine import budget
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.check import conversations
from explorer.prompts.engines import (
    VARIABLES,
    Comparer,
    Engines,
    Side,
    capabilities_of,
    cause,
    errors,
    headline,
    note,
    proof,
    reason,
    settings,
)
from explorer.prompts.formats import format_with
from explorer.prompts.messages import Call
from explorer.prompts.model_input import template_of
from explorer.prompts.run import WORDS, Operand, Step, TemplateStopped
from explorer.tables import Json, Record
from explorer.text.say import Text, plural
from explorer.views.examples import PROBES
from explorer.views.prompt.tokens import NOTHING, Badge, Cell, Scene, View, cells, squeezed

SECONDS = 3.0
"""Seconds of the processor for trying other conversations."""
BESIDE = 7
"""Tokens that are drawn on each side of the one where the engines part."""
LINES_BEFORE, LINES_AFTER = 2, 2
SAME = Text("the same")
LONGEST_LINE = 84
"""Characters of a template's line that are drawn."""

MOST_PROBED = 8
_PROBED: WeakKeyDictionary[Opened, dict[Any, list[str]]] = WeakKeyDictionary()
"""What became of them, by the template's source and special tokens: the messages on the page don't change it."""


def comparer(scene: Scene) -> Comparer | None:
    """What renders the scene's call with both engines; None without a template or a message, or if it was stopped."""
    if scene.call is None or not scene.call.messages or not scene.source:
        return None
    if format_with(scene.source) and not scene.tokenizer.chat.sources:
        return None  # there is no template to compare with
    if isinstance(scene.error, TemplateStopped):
        return None  # a run that doesn't end isn't tried again
    if scene.prompt:
        tokens = scene.prompt.special_tokens
    else:
        try:
            tokens = template_of(scene.tokenizer, scene.call, scene.template)[1]
        except InputError:
            tokens = dict(scene.tokenizer.chat.special_tokens)
    # a date may have changed since
    known = scene.prompt if scene.prompt and not scene.prompt.rendering.dates else None
    return Comparer(
        scene.tokenizer, scene.source, scene.call, tokens, scene.now or datetime.now(), scene.template, known
    )


def badge(scene: Scene) -> Badge:
    """The same, or where they part."""
    made = comparer(scene)
    if made is None:
        return NOTHING
    found = made.compared(causes=False)
    parts = None if found.token is None else Text("differ at token {0}", found.token + 1)
    return Badge(parts or verdict(found), int(not found.same), found.same)


def verdict(found: Engines) -> str:
    """The comparison in a word or two."""
    if found.token is not None:
        return Text("part")
    if found.same:
        return SAME if found.transformers.prompt else Text("both fail")
    return Text("fails in {0:t}", failing(found).engine)


def stage(scene: Scene) -> Json | None:
    """What the component draws: the sentence, the tokens of the turn that parts, the template's lines, the probes."""
    made = comparer(scene)
    if made is None:
        return {}
    found = made.compared()
    outcome = verdict(found)
    drawn: Record = {
        "verdict": outcome,
        "same": found.same,
        "say": headline(found),
        "reason": reason(found),
        "proof": proof(found, found.differences[0]) if found.differences else None,
        "also": [cause(found, each) for each in found.differences[1:]],
        "settings": settings(found),
        "note": note(found),
        "variables": dict(found.settings),
        "counts": [len(side.ids) for side in found.sides],
        "token": found.token,
        "engine": scene.engine,
        "errors": errors(found) if not all(side.prompt for side in found.sides) else None,
        "lines": [] if found.same or found.of_format else lines(found),
        "names": [side.engine for side in found.sides],
        "capabilities": [
            [Text(name.removeprefix("supports_").replace("_", " ")), has, Text(*WORDS["without"].get(name, [""]))]
            for name, has in capabilities_of(found).items()
        ],
        "conversations": len(conversations()),
        "probes": [[outcome, outcome == SAME, Text("this conversation"), None], *probes(made)],
    }
    if found.token is not None:
        drawn |= turn(found, found.token)
    return drawn


def failing(found: Engines) -> Side:
    """The side that fails."""
    return found.transformers if not found.transformers.prompt else found.llama_cpp


def probes(made: Comparer) -> list[list[Any]]:
    """Other conversations: what becomes of each, whether that is the same, its name, its call."""
    known = _PROBED.setdefault(made.tokenizer, {})
    key = made.source, tuple(sorted(made.special_tokens.items()))
    if key not in known:
        outcomes = tried(made)
        if len(known) >= MOST_PROBED:
            known.clear()
        known[key] = outcomes
    return [
        [outcome, outcome == SAME, Text(name), call]
        for outcome, (name, call) in zip(known[key], PROBES.items(), strict=True)
    ]


def tried(made: Comparer) -> list[str]:
    """What becomes of the other conversations; a dash for those that are no longer tried, because others took long."""
    outcomes: list[str] = []
    with suppress(budget.TooSlow), budget.within("trying other conversations", SECONDS):
        for call in PROBES.values():
            found = replace(made, call=Call.from_json(dict(call)), known=None).compared(causes=False)
            outcomes.append(verdict(found))
    return [*outcomes, *["–"] * (len(PROBES) - len(outcomes))]


def turn(found: Engines, token: int) -> Record:
    """The tokens around the one where the engines part, one row for each, and the rows before it, which are the same.

    Each cell has `mark`: "same", "here" for what only this engine has there, "after" behind it.
    """
    made = [cells(side.prompt) if side.prompt else [] for side in found.sides]
    longer = made[0] if token < len(made[0]) else made[1]
    row = longer[token]["row"]
    start = next(n for n, cell in enumerate(longer) if cell["row"] == row)
    start = max(start if start <= token else token, token - BESIDE)
    only = found.extra
    before = Counter(cell["row"] for cell in longer[:token] if cell["row"] != row)
    return {
        "row": row,
        "from": start,
        "folded": [list(each) for each in before.items()],
        "rows": [marked(each, start, token, only[side], only[1 - side]) for side, each in enumerate(made)],
    }


def marked(made: Sequence[Cell], start: int, token: int, own: int, theirs: int) -> list[Cell]:
    """A side's tokens, marked. own, theirs: tokens that only this side has there, or only the other one."""
    shown = []
    first = own or (0 if theirs else 1)
    for cell in made[start : token + BESIDE]:
        n = cell["n"]
        mark = "same" if n < token else "here" if n < token + first else "after"
        shown.append({**cell, "mark": mark})
    gap = [{"mark": "gap"}] * theirs if theirs else [{"mark": "gap"}] if token >= len(made) else []
    return [*shown[: token - start], *gap, *shown[token - start :]]


def lines(found: Engines) -> list[list[Any]]:
    """Lines of the template around the one where the engines part: number, text, what each engine did, whether here."""
    at = found.line
    source = next((side.prompt.rendering.source for side in found.sides if side.prompt), "")
    if not at or not source:
        return []
    done = [outcomes(side) for side in found.sides]
    ran = sorted({line for each in done for line in each} | {at})
    index = ran.index(at)
    shown = ran[max(0, index - LINES_BEFORE) : index + 1 + LINES_AFTER]
    return [
        [line, line_text(found, source, line), *(did(found, side, done[n], line) for n, side in enumerate(found.sides)),
         line == at]
        for line in shown
    ]  # fmt: skip


def outcomes(side: Side) -> dict[int, list[tuple[Operand, Step]]]:
    """By line, what a template did there."""
    done: dict[int, list[tuple[Operand, Step]]] = {}
    if side.prompt:
        rendering = side.prompt.rendering
        for step in rendering.steps:
            operand = rendering.operands[step.operand]
            done.setdefault(operand.line, []).append((operand, step))
    return done


def did(found: Engines, side: Side, done: Mapping[int, list[tuple[Operand, Step]]], line: int) -> str:
    """What an engine did on a line, in a word or two."""
    if not side.prompt:
        return Text("fails") if line == side.line else "–"
    decision, here = found.decision, line == found.line
    if here and decision and found.differences and (value := variable(found, side)):
        return value
    if here and decision:
        outcome = decision.outcomes[found.sides.index(side)]
        if isinstance(outcome, bool):
            return Text("yes" if outcome else "no")
        if outcome == "not run":
            return Text("not run")
    steps = done.get(line, [])
    if not steps:
        return Text("not run")
    spans = [(step.start, step.end) for _, step in steps if step.end > step.start >= 0]
    if spans:
        return plural(
            sum(any(start <= each.start < end for start, end in spans) for each in side.prompt.tokens), "token"
        )
    tests = [step for operand, step in steps if operand.kind == "test"]
    if tests:
        return Text("yes" if tests[-1].value else "no")
    turns = sum(operand.kind == "loop" and step.turn > 0 for operand, step in steps)
    return plural(turns, "turn") if turns else Text("run")


def variable(found: Engines, side: Side) -> str:
    """The value of the variable that llama.cpp sets, for each side; "" where that isn't the cause."""
    rules = found.differences[0].rules
    if len(rules) != 1 or rules[0] not in VARIABLES:
        return ""
    if side is found.transformers:
        return Text("not set")
    source = next(side.prompt.rendering.source for side in found.sides if side.prompt)
    given = VARIABLES[rules[0]](source)
    values = {value for name, value in given.items() if found.decision and name in text_at(found)}
    return str(values.pop()).lower() if len(values) == 1 else Text("set")


def text_at(found: Engines) -> str:
    """The source of the part of the template that decides."""
    side = next(side for side in found.sides if side.prompt)
    assert side.prompt is not None
    assert found.decision is not None
    return side.prompt.rendering.source[found.decision.operand.start : found.decision.operand.end]


def line_text(found: Engines, source: str, line: int) -> str:
    """A line of the template, or the part of it that decides where it is too long."""
    text = source.split("\n")[line - 1] if line <= source.count("\n") + 1 else ""
    if len(text) <= LONGEST_LINE:
        return text
    if found.decision and line == found.line:
        operand = found.decision.operand
        start = max(0, operand.start - 12)
        return f"… {squeezed(source[start : operand.end + 6])[: LONGEST_LINE - 4]} …"
    return text[: LONGEST_LINE - 2] + " …"


VIEW = View("engines", Text("Engines"), badge, stage)
