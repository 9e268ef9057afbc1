"""The question about two patterns: what differs between them."""

from __future__ import annotations

from explorer.analysis.pattern_difference import PatternDifference, difference, known_pattern
from explorer.answers.questions import question


@question()
def pattern_difference(left: str, right: str) -> PatternDifference:
    """The difference of two known patterns, by name. Raises InputError."""
    return difference(known_pattern(left), known_pattern(right))
