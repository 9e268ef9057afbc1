"""Differences of the stages that work on the list of tokens: post-processing, truncation and padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.events import added_event
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.result import Divergence, Half
from explorer.analysis.divergence.states import POST_PROCESS, States
from explorer.analysis.lengths import padding_difference, truncation_difference
from explorer.analysis.run import Run
from explorer.engine.items import ADDED, Token
from explorer.engine.post_processors.rows import PostProcessEvent, PostProcessRow
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
