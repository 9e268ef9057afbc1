"""Which line and part of the template wrote a token."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from explorer.prompts.program import Operand
from explorer.prompts.prompt import Prompt
from explorer.prompts.rendering import Origin

LONGEST = 400
"""Characters of a statement that are shown."""


class Written(NamedTuple):
    """Where a text was written: a line, its statement in one line, and the part [start, end) of it that wrote it."""

    line: int
    statement: str
    start: int
    end: int


def statement_of(prompt: Prompt, operand: int) -> int:
    """The index of the statement that an operand stands in: the `write` around it, or itself."""
    return _statements(prompt.rendering.operands)[operand]


@lru_cache(maxsize=16)
def _statements(operands: tuple[Operand, ...]) -> list[int]:
    writes = [(each.start, each.end, index) for index, each in enumerate(operands) if each.kind == "write"]

    def around(index: int, operand: Operand) -> int:
        if operand.kind != "literal":
            return index
        inside = [(end - start, write) for start, end, write in writes if start <= operand.start < end]
        return min(inside)[1] if inside else index

    return [around(*each) for each in enumerate(operands)]


def written(prompt: Prompt, token: int) -> Written | None:
    """What wrote a token: of several stretches the last one that a message wrote, or the first."""
    origins = prompt.tokens[token].origins
    if not origins:
        return None
    origin = next((each for each in reversed(origins) if each.path), origins[0])
    source = prompt.rendering.source
    if origin.operand >= 0:
        operand = prompt.rendering.operands[origin.operand]
        statement = prompt.rendering.operands[statement_of(prompt, origin.operand)]
        return _shown(source, statement, operand.start, operand.end)
    found = copied_by(prompt, origin)
    if found is None:
        return None
    statement = prompt.rendering.operands[found]
    name = str(origin.path[-1]) if isinstance(origin.path[-1], str) else str(origin.path[-2:-1])
    part = _part(source[statement.start : statement.end], name)
    return _shown(source, statement, statement.start + part[0], statement.start + part[1])


def copied_by(prompt: Prompt, origin: Origin) -> int | None:
    """The statement that copied a text into the prompt: one around it that names the field, or the first that does."""
    operands, source = prompt.rendering.operands, prompt.rendering.source
    ran = list(dict.fromkeys(step.operand for step in prompt.rendering.steps if operands[step.operand].kind == "write"))
    at = prompt.rendering.origins.index(origin)
    around = [
        statement_of(prompt, each.operand)
        for each in (*prompt.rendering.origins[at + 1 : at + 4], *prompt.rendering.origins[max(0, at - 3) : at][::-1])
        if each.operand >= 0
    ]
    name = next((str(each) for each in reversed(origin.path) if isinstance(each, str)), "")

    def names(index: int) -> bool:
        return re.search(rf"\b{re.escape(name)}\b", source[operands[index].start : operands[index].end]) is not None

    return next((each for each in (*around, *ran) if each in ran and names(each)), next(iter(ran), None))


def _part(statement: str, name: str) -> tuple[int, int]:
    """Where an expression names a field, with what stands before it: `message['content']`."""
    found = re.search(rf"[\w.\[\]'\"]*\b{re.escape(name)}\b['\"\]]*", statement)
    return found.span() if found else (0, len(statement))


def _shown(source: str, statement: Operand, start: int, end: int) -> Written:
    """A part of a statement, with the tag around it. White space in a row becomes one space."""
    first, last = statement.start, statement.end
    if statement.kind == "write":
        first = source.rfind("{{", 0, first)
        last = source.find("}}", last) + 2
        first, last = (statement.start, statement.end) if first < 0 or last < 2 else (first, last)
    whole = source[first:last]
    before, part = squeezed(source[first:start]), squeezed(source[start:end])
    text = before + part + squeezed(source[end:last]) if len(whole) > 1 else whole
    return Written(_line(source, start), text[:LONGEST], min(len(before), LONGEST), min(len(before + part), LONGEST))


def squeezed(text: str) -> str:
    """A text in one line.

    >>> squeezed("{{- a\\n    + b }}")
    '{{- a + b }}'
    """
    return re.sub(r"\s*\n\s*", " ", text)


def _line(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1


def lines_of(prompt: Prompt) -> tuple[list[list[Any]], list[int]]:
    """The statements that wrote the tokens, each once, and for each token its number among them, -1 for none."""
    seen: dict[Written | None, int] = {None: -1}
    numbers = []
    for index in range(len(prompt.tokens)):
        found = written(prompt, index)
        numbers.append(seen.setdefault(found, len(seen) - 1))
    return [list(each) for each in seen if each is not None], numbers
