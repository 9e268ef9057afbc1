"""Which line and part of the template wrote a token."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from explorer.prompts.prompt import Prompt
from explorer.prompts.run import Operand

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


class Writes:
    """The statements that wrote to a prompt, in order, with where each text stands."""

    def __init__(self, prompt: Prompt) -> None:
        """Those of a prompt."""
        self.prompt = prompt
        self.steps = [step for step in prompt.rendering.steps if step.start >= 0 and step.end > step.start]
        self.starts = [step.start for step in self.steps]
        self.known: dict[tuple[int, int, int], Written] = {}
        """by statement and part"""

    def of_token(self, token: int) -> Written | None:
        """What wrote a token: of several stretches the last one that was copied, or the first."""
        rendering, origins = self.prompt.rendering, self.prompt.tokens[token].origins
        if not origins:
            return None
        origin = next((each for each in reversed(origins) if each.path), origins[0])
        if origin.operand >= 0:
            operand = rendering.operands[origin.operand]
            statement = rendering.operands[statement_of(self.prompt, origin.operand)]
            return self.shown(statement, operand)
        found = self.copied_at(max(origin.start, self.prompt.tokens[token].start))
        return None if found is None else self.shown(*found)

    def shown(self, statement: Operand, part: Operand) -> Written:
        """A part of a statement, which many tokens may share."""
        key = statement.start, part.start, part.end
        if key not in self.known:
            self.known[key] = _shown(self.prompt.rendering.source, statement, part.start, part.end)
        return self.known[key]

    def copied_at(self, position: int) -> tuple[Operand, Operand] | None:
        """The statement that copied the text at a position into the prompt, and the part of it that did."""
        operands = self.prompt.rendering.operands
        at = bisect_right(self.starts, position) - 1
        if at < 0 or position >= self.steps[at].end:
            return None
        step = self.steps[at]
        ends = accumulate((part.length for part in step.parts), initial=step.start)
        for part, (start, end) in zip(step.parts, pairwise(ends), strict=True):
            if start <= position < end:
                return operands[step.operand], operands[part.operand]
        return operands[step.operand], operands[step.operand]


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


def lines_of(prompt: Prompt, tokens: Iterable[int]) -> tuple[list[list[Any]], dict[int, int]]:
    """The statements that wrote some tokens, each once, and for each token its number among them, -1 for none."""
    writes = Writes(prompt)
    seen: dict[Written | None, int] = {None: -1}
    numbers = {index: seen.setdefault(writes.of_token(index), len(seen) - 1) for index in tokens}
    return [list(each) for each in seen if each is not None], numbers
