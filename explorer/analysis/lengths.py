"""Where two runs part because one cuts its tokens off, or fills them up: truncation and padding.

Both stages work on whole lists of tokens, so nothing is asked of single places: what was cut off is one difference,
what was filled up another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.run import Run
from explorer.engine.items import Token
from explorer.engine.post_processors.lengths import Padding, Truncation
from explorer.engine.tokenizer import Stage
from explorer.text.quantities import plural
from explorer.text.visible import shortened

TRUNCATE: Final = Truncation.name
PAD: Final = Padding.name


class Side(NamedTuple):
    """What one run does. stage: the index of its stage, None where it has none. tokens: cut off, or filled in."""

    stage: int | None
    tokens: tuple[Token, ...]
    does: str


class Apart(NamedTuple):
    """A difference: the stage, where in the text, and what each side does."""

    stage: str
    region: Span
    sides: tuple[Side, Side]


def cut_apart(left: Run, right: Run) -> Apart | None:
    """What only one side cuts off, or both differently; None where they cut off the same."""
    sides = cut(left), cut(right)
    if [token[1:] for token in sides[0].tokens] == [token[1:] for token in sides[1].tokens]:
        return None
    places = [place for side in sides for token in side.tokens for place in token[1:]]
    return Apart(TRUNCATE, Span(min(places), max(places)), sides)


def cut_off(run: Run) -> frozenset[Token]:
    """The tokens that are no part of the ids any more."""
    return frozenset(cut(run).tokens)


def cut(run: Run) -> Side:
    """What a run cuts off."""
    number, stage = stage_of(run, TRUNCATE)
    tokens = [] if stage is None else [item for row in stage.events for item in stage.before[row.start : row.end]]
    found = tuple(item for item in tokens if isinstance(item, Token))
    if stage is None or not found:
        return Side(number, (), "cuts nothing off")
    assert isinstance(stage.part, Truncation)
    end = "beginning" if stage.part.left else "end"
    count = plural(len(found), "token")
    return Side(number, found, f"cuts {count} off at the {end}, to have {stage.part.longest} in all")


def filled_apart(left: Run, right: Run) -> Apart | None:
    """What only one side is filled up with, or both differently; None where it is the same."""
    sides = filled(left), filled(right)
    if [token.id for token in sides[0].tokens] == [token.id for token in sides[1].tokens]:
        return None
    in_front = all(isinstance(part, Padding) and part.left for run in (left, right) for part in pads(run))
    at = 0 if in_front else len(left.text)
    return Apart(PAD, Span(at, at), sides)


def filled(run: Run) -> Side:
    """What a run is filled up with."""
    number, stage = stage_of(run, PAD)
    rows = [] if stage is None else list(stage.events)
    if stage is None or not rows:
        return Side(number, (), "fills nothing up")
    assert isinstance(stage.part, Padding)
    tokens = tuple(item for row in rows for item in stage.after[row.start : row.end] if isinstance(item, Token))
    spelled = shortened(run.tokenizer.vocabulary.spelling(stage.part.token))
    where = "in front" if stage.part.left else "behind"
    return Side(number, tokens, f"puts {len(tokens):,} × “{spelled}” ({stage.part.token}) {where}")


def pads(run: Run) -> Sequence[object]:
    """The stages that fill up."""
    return [stage.part for stage in run.trace.stages if stage.name == PAD]


def stage_of(run: Run, name: str) -> tuple[int | None, Stage | None]:
    """The stage of a name with its index."""
    return next(((number, stage) for number, stage in enumerate(run.trace.stages) if stage.name == name), (None, None))
