"""A pattern: an ordered list of alternatives, each with one plain sentence. Which patterns there are is elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

FindSpans: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]
"""Finds the matches [start, end) in a text, from the left, empty ones included."""


class Alternative(NamedTuple):
    """One alternative of a pattern.

    regex: verbatim. says: what it takes, in one sentence. engine: how the `regex` module spells it, empty: the same.
    rewritten: the model's own spelling, where the program that runs it has rewritten it and takes less.
    """

    regex: str
    says: str
    engine: str = ""
    rewritten: str = ""

    @property
    def runs(self) -> str:
        """What is compiled."""
        return self.engine or self.regex


class Pattern(NamedTuple):
    """A pattern with its name, where it is written and its alternatives in order.

    nested_sets: its sets are spelled as the `regex` module's version 1 has them, with sets within sets.
    """

    name: str
    source: str
    alternatives: tuple[Alternative, ...]
    nested_sets: bool = False

    @property
    def regex(self) -> str:
        """The whole pattern as its source has it."""
        return "|".join(alternative.regex for alternative in self.alternatives)


def cut(regex: str) -> list[str]:
    """The alternatives of a regular expression: its parts between top-level `|`."""
    parts, depth, in_class, start, at = [], 0, False, 0, 0
    while at < len(regex):
        ch = regex[at]
        if ch == "\\":
            at += 1
        elif in_class:
            in_class = ch != "]"
        elif ch == "[":
            in_class = True
            # a ] that comes first, after ^ or not, stands for itself
            at += regex[at + 1 : at + 2] == "^"
            at += regex[at + 1 : at + 2] == "]"
        elif ch in "()":
            depth += 1 if ch == "(" else -1
        elif ch == "|" and not depth:
            parts.append(regex[start:at])
            start = at + 1
        at += 1
    return [*parts, regex[start:]]
