"""The questions about patterns: those of a tokenizer, and what differs between two."""

from __future__ import annotations

from typing import NamedTuple

from explorer.analysis.pattern_difference import (
    PatternDifference,
    Side,
    difference_of_sides,
    known_pattern,
    known_side,
    name_of_side,
    sides_of,
)
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question


class PatternChoice(NamedTuple):
    """A known pattern, by its name; or one of those of a tokenizer, by its number from 0."""

    name: str = ""
    spec: TokenizerSpec | None = None
    number: int = 0

    def side(self) -> Side:
        """The pattern as it runs. Raises InputError."""
        return (
            known_side(known_pattern(self.name)) if self.spec is None else sides_of(tokenizer(self.spec))[self.number]
        )


@question
def patterns_of(spec: TokenizerSpec) -> tuple[str, ...]:
    """The names of a tokenizer's patterns, in the order they are applied; "" for one that has none."""
    return tuple(name_of_side(side) or "" for side in sides_of(tokenizer(spec)))


@question
def pattern_difference(left: PatternChoice, right: PatternChoice) -> PatternDifference:
    """The difference of two patterns. Raises InputError."""
    return difference_of_sides(left.side(), right.side())
