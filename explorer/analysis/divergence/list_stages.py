"""Differences of the stages that work on the list of tokens: post-processing, truncation and padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.events import added_event
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.result import Divergence, Half
from explorer.analysis.divergence.states import POST_PROCESS, States
from explorer.analysis.run import Run
from explorer.engine.items import ADDED, Token
from explorer.engine.post_processors.lengths import Padding, Truncation
from explorer.engine.post_processors.rows import PostProcessEvent, PostProcessRow
from explorer.engine.results import Stage
from explorer.text.quantities import plural
from explorer.text.visible import shortened

Sides = tuple[States, States]


def added_tokens(sides: Sides, size: int) -> tuple[Divergence | None, Divergence | None]:
    """What post-processing adds before and after a text of `size` characters, where it differs."""
    (left_front, left_back), (right_front, right_back) = (_added_by(side.run) for side in sides)
    if _ids([*left_front, *left_back]) == _ids([*right_front, *right_back]):
        return None, None
    return (
        _at_end(sides, (left_front, right_front), 0, "at the start"),
        _at_end(sides, (left_back, right_back), size, "at the end"),
    )


def _added_by(run: Run) -> tuple[list[Token], list[Token]]:
    """The tokens that post-processing adds before and after the text."""
    stage = next((each for each in run.trace.stages if each.name == POST_PROCESS), run.trace.stages[-1])
    tokens = [item for item in stage.after if isinstance(item, Token)]
    rows = stage.events if stage.part.row is PostProcessRow else ()
    # the events say on which side a token goes: an empty text has no tokens between front and back
    last = {row.position for row in rows if row.kind == PostProcessEvent.LAST}
    added = [index for index, token in enumerate(tokens) if token.start == ADDED]
    return [tokens[index] for index in added if index not in last], [tokens[index] for index in added if index in last]


def _at_end(sides: Sides, tokens: tuple[Sequence[Token], Sequence[Token]], at: int, where: str) -> Divergence | None:
    """The tokens added at one end of the text, where they differ."""
    if _ids(tokens[0]) == _ids(tokens[1]):
        return None
    halves, clauses = [], []
    for side, own in zip(sides, tokens, strict=True):
        shown = [shortened(side.spelling.vocabulary.spelling(token.id)) for token in own]
        named = ", ".join(f"“{text}” ({token.id})" for text, token in zip(shown, own, strict=True))
        does = f"adds {named} {where}" if own else f"adds nothing {where}"
        stages = side.run.trace.stages
        number = next((index for index, stage in enumerate(stages) if stage.name == POST_PROCESS), None)
        event = added_event(side, own[0].id) if own and number is not None else None
        halves.append(Half(number, " ".join(shown), does, tuple(own), event))
        clauses.append(f"{side.run.subject} {does}")
    span = Span(at, at)
    sentence = f"{POST_PROCESS}: {clauses[0]}; {clauses[1]}."
    return Divergence(POST_PROCESS, DifferenceKind.ADDED_TOKENS, span, span, halves[0], halves[1], sentence)


def _ids(tokens: Sequence[Token]) -> list[int]:
    return [token.id for token in tokens]


def lengths(left: Run, right: Run) -> Iterator[Divergence]:
    """What truncation and padding do, where it differs."""
    pairs = (
        (truncation_difference(left, right), DifferenceKind.TRUNCATED),
        (padding_difference(left, right), DifferenceKind.PADDED),
    )
    for found, kind in pairs:
        if found is not None:
            halves = [Half(side.stage, "", side.does, side.tokens, 0 if side.tokens else None) for side in found.sides]
            clauses = [f"{run.subject} {side.does}" for run, side in zip((left, right), found.sides, strict=True)]
            sentence = f"{found.stage}: {clauses[0]}; {clauses[1]}."
            yield Divergence(found.stage, kind, found.region, found.region, halves[0], halves[1], sentence)


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
