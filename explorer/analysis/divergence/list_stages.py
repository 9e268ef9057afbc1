"""Differences of the stages that work on the list of tokens: post-processing, truncation and padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.result import DifferenceKind, Divergence, Side
from explorer.analysis.divergence.states import PAD, POST_PROCESS, TRUNCATE, States, added_event
from explorer.analysis.run import Run
from explorer.engine.items import ADDED, Token
from explorer.engine.post_processors.lengths import Padding, Truncation
from explorer.engine.results import Stage
from explorer.stages.post_processors.why import positions_after
from explorer.text.say import Say, plural
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
    # the events say on which side a token goes: an empty text has no tokens between front and back
    last = positions_after(stage)
    added = [index for index, token in enumerate(tokens) if token.start == ADDED]
    return [tokens[index] for index in added if index not in last], [tokens[index] for index in added if index in last]


def _at_end(sides: Sides, tokens: tuple[Sequence[Token], Sequence[Token]], at: int, where: str) -> Divergence | None:
    """The tokens added at one end of the text, where they differ."""
    if _ids(tokens[0]) == _ids(tokens[1]):
        return None
    halves = []
    for side, own in zip(sides, tokens, strict=True):
        shown = [shortened(side.spelling.vocabulary.spelling(token.id)) for token in own]
        named = ", ".join(f"“{text}” ({token.id})" for text, token in zip(shown, own, strict=True))
        stages = side.run.trace.stages
        number = next((index for index, stage in enumerate(stages) if stage.name == POST_PROCESS), None)
        event = added_event(side, own[0].id) if own and number is not None else None
        says = Say.of("adds {0:t} {1:t}", named or "nothing", where)
        halves.append(Side(number, " ".join(shown), says, event, tuple(own)))
    return Divergence.at(POST_PROCESS, DifferenceKind.ADDED_TOKENS, Span(at, at), halves)


def _ids(tokens: Sequence[Token]) -> list[int]:
    return [token.id for token in tokens]


def lengths(left: Run, right: Run) -> Iterator[Divergence]:
    """What truncation and padding do, where it differs. Both work on whole lists, so each differs once at most."""
    sides = truncation(left), truncation(right)
    cut = [[token[1:] for token in side.tokens] for side in sides]
    if cut[0] != cut[1]:
        edges = [edge for spans in cut for span in spans for edge in span]
        yield Divergence.at(TRUNCATE, DifferenceKind.TRUNCATED, Span(min(edges), max(edges)), sides)
    sides = padding(left), padding(right)
    if _ids(sides[0].tokens) != _ids(sides[1].tokens):
        in_front = all(isinstance(part, Padding) and part.left for run in (left, right) for part in padding_parts(run))
        at = 0 if in_front else len(left.text)
        yield Divergence.at(PAD, DifferenceKind.PADDED, Span(at, at), sides)


def truncated_tokens(run: Run) -> frozenset[Token]:
    """The tokens that truncation removed."""
    return frozenset(truncation(run).tokens)


def truncation(run: Run) -> Side:
    """What a run truncates."""
    number, stage = stage_of(run, TRUNCATE)
    tokens = [] if stage is None else [item for row in stage.events for item in stage.before[row.start : row.end]]
    found = tuple(item for item in tokens if isinstance(item, Token))
    if stage is None or not found:
        return Side(number, "", Say("truncates nothing"), None)
    assert isinstance(stage.part, Truncation)
    end = "beginning" if stage.part.left else "end"
    says = Say.of("truncates {0:t} at the {1:t}, leaving {2:i}", plural(len(found), "token"), end, stage.part.longest)
    return Side(number, "", says, 0, found)


def padding(run: Run) -> Side:
    """How a run pads."""
    number, stage = stage_of(run, PAD)
    rows = [] if stage is None else list(stage.events)
    if stage is None or not rows:
        return Side(number, "", Say("adds no padding"), None)
    assert isinstance(stage.part, Padding)
    tokens = tuple(item for row in rows for item in stage.after[row.start : row.end] if isinstance(item, Token))
    spelled = shortened(run.tokenizer.vocabulary.spelling(stage.part.token))
    where = "start" if stage.part.left else "end"
    says = Say.of("adds {0} × {1:q} ({2:i}) at the {3:t}", len(tokens), spelled, stage.part.token, where)
    return Side(number, "", says, 0 if tokens else None, tokens)


def padding_parts(run: Run) -> Sequence[object]:
    """The parts of a run's padding stages."""
    return [stage.part for stage in run.trace.stages if stage.name == PAD]


def stage_of(run: Run, name: str) -> tuple[int | None, Stage | None]:
    """A run's stage with this name, and its index; None if it has none."""
    return next(((number, stage) for number, stage in enumerate(run.trace.stages) if stage.name == name), (None, None))
