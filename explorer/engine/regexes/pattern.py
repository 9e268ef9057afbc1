"""A pattern is an ordered list of alternatives, each with one plain sentence. The known patterns are elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

FindSpans: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]
"""Finds the matches [start, end) in a text, from the left, empty ones included."""


class Alternative(NamedTuple):
    """One alternative of a pattern.

    regex: verbatim. says: what it matches, in one sentence. engine: the spelling for the `regex` module, empty for the
    same. rewritten: the model's own spelling, if the program that runs it has rewritten it and matches less.
    """

    regex: str
    says: str
    engine: str = ""
    rewritten: str = ""

    @property
    def runs(self) -> str:
        """The expression that is compiled."""
        return self.engine or self.regex


class Pattern(NamedTuple):
    """A pattern: its name, its source and its alternatives in order.

    nested_sets: it is in the syntax of the `regex` module's version 1, where sets may contain sets.
    """

    name: str
    source: str
    alternatives: tuple[Alternative, ...]
    nested_sets: bool = False

    @property
    def regex(self) -> str:
        """The whole pattern, as in its source."""
        return "|".join(alternative.regex for alternative in self.alternatives)


def cut(regex: str) -> list[str]:
    """The alternatives of a regular expression: the parts between its top-level `|`."""
    parts, depth, in_class, start, at = [], 0, False, 0, 0
    while at < len(regex):
        ch = regex[at]
        if ch == "\\":
            at += 1
        elif in_class:
            in_class = ch != "]"
        elif ch == "[":
            in_class = True
            # a ] that comes first, or directly after ^, is a literal
            at += regex[at + 1 : at + 2] == "^"
            at += regex[at + 1 : at + 2] == "]"
        elif ch in "()":
            depth += 1 if ch == "(" else -1
        elif ch == "|" and not depth:
            parts.append(regex[start:at])
            start = at + 1
        at += 1
    return [*parts, regex[start:]]


def runs(characters: Iterable[str]) -> list[list[int]]:
    """Characters as ranges of code points: first and last of each.

    >>> runs("xabc")
    [[97, 99], [120, 120]]
    """
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges
