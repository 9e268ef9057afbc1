"""Differences between two runs in truncation and padding.

Both stages work on whole lists of tokens, so there is at most one difference each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.run import Run
from explorer.engine.items import Token
from explorer.engine.post_processors.lengths import Padding, Truncation
from explorer.engine.results import Stage
from explorer.text.quantities import plural
from explorer.text.visible import shortened

TRUNCATE: Final = Truncation.name
PAD: Final = Padding.name


class LengthChange(NamedTuple):
    """What one run does. stage: the index of its stage, None if it has none. tokens: the ones removed or added."""

    stage: int | None
    tokens: tuple[Token, ...]
    does: str


class LengthDifference(NamedTuple):
    """A difference: the stage, the span of the text, and what each side does."""

    stage: str
    region: Span
    sides: tuple[LengthChange, LengthChange]


def truncation_difference(left: Run, right: Run) -> LengthDifference | None:
    """The difference in truncation; None if both truncate the same tokens."""
    sides = truncation(left), truncation(right)
    if [token[1:] for token in sides[0].tokens] == [token[1:] for token in sides[1].tokens]:
        return None
    edges = [edge for side in sides for token in side.tokens for edge in token[1:]]
    return LengthDifference(TRUNCATE, Span(min(edges), max(edges)), sides)


def truncated_tokens(run: Run) -> frozenset[Token]:
    """The tokens that truncation removed."""
    return frozenset(truncation(run).tokens)


def truncation(run: Run) -> LengthChange:
    """What a run truncates."""
    number, stage = stage_of(run, TRUNCATE)
    tokens = [] if stage is None else [item for row in stage.events for item in stage.before[row.start : row.end]]
    found = tuple(item for item in tokens if isinstance(item, Token))
    if stage is None or not found:
        return LengthChange(number, (), "truncates nothing")
    assert isinstance(stage.part, Truncation)
    end = "beginning" if stage.part.left else "end"
    count = plural(len(found), "token")
    return LengthChange(number, found, f"truncates {count} at the {end}, leaving {stage.part.longest}")


def padding_difference(left: Run, right: Run) -> LengthDifference | None:
    """The difference in padding; None if both pad the same."""
    sides = padding(left), padding(right)
    if [token.id for token in sides[0].tokens] == [token.id for token in sides[1].tokens]:
        return None
    in_front = all(isinstance(part, Padding) and part.left for run in (left, right) for part in padding_parts(run))
    at = 0 if in_front else len(left.text)
    return LengthDifference(PAD, Span(at, at), sides)


def padding(run: Run) -> LengthChange:
    """How a run pads."""
    number, stage = stage_of(run, PAD)
    rows = [] if stage is None else list(stage.events)
    if stage is None or not rows:
        return LengthChange(number, (), "adds no padding")
    assert isinstance(stage.part, Padding)
    tokens = tuple(item for row in rows for item in stage.after[row.start : row.end] if isinstance(item, Token))
    spelled = shortened(run.tokenizer.vocabulary.spelling(stage.part.token))
    where = "start" if stage.part.left else "end"
    return LengthChange(number, tokens, f"adds {len(tokens):,} × “{spelled}” ({stage.part.token}) at the {where}")


def padding_parts(run: Run) -> Sequence[object]:
    """The parts of a run's padding stages."""
    return [stage.part for stage in run.trace.stages if stage.name == PAD]


def stage_of(run: Run, name: str) -> tuple[int | None, Stage | None]:
    """A run's stage with this name, and its index; None if it has none."""
    return next(((number, stage) for number, stage in enumerate(run.trace.stages) if stage.name == name), (None, None))
