"""WordPiece, as everybody else asks about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, cast

from explorer.engine.items import Segment
from explorer.engine.models.wordpiece import LongestMatch, WordPieceEvent, WordPieceRow
from explorer.engine.part import Model
from explorer.engine.results import Stage
from explorer.stages.longest_match.question import longest_match
from explorer.stages.longest_match.story import wordpiece_script
from explorer.stages.longest_match.why import WordPieces
from explorer.stages.results import Count
from explorer.stages.spelling import Speller
from explorer.stages.stage import DRAWN, Drawing, ModelKind, Output, kinds_of, of_stage
from explorer.text.say import Say, plural


def count(stage: Stage) -> Count:
    """Pieces that were found."""
    return plural(kinds_of(stage).count(WordPieceEvent.HIT), "match", "matches"), True


def clause(model: Model) -> str:
    """What the model does."""
    return f"takes the longest piece that fits, by {cast(LongestMatch, model).unit}s,"


def outputs(stage: Stage) -> list[Output]:
    """Each hit, or for a word that became the unknown token, the event that gave it up: its hits are discarded."""
    found: list[Output] = []
    for event, kind in enumerate(kinds_of(stage)):
        if kind == WordPieceEvent.DISCARD:
            discarded = stage.events[event].end
            del found[len(found) - discarded :]
        if kind in (WordPieceEvent.HIT, WordPieceEvent.DISCARD, WordPieceEvent.TOO_LONG):
            found.append(Output(event, kind))
    return found


def refusal(stage: Stage, kinds: Collection[int]) -> Say | None:
    """A word with too many characters."""
    if WordPieceEvent.TOO_LONG not in kinds:
        return None
    limit = next(row.end for row in stage.events if row.kind == WordPieceEvent.TOO_LONG)
    return Say.of("doesn't try words of more than {0:i} characters", limit)


def drawing(stage: Stage, word: Segment, rows: Sequence[tuple[int, WordPieceRow]], speller: Speller) -> Drawing | None:
    """What was looked up in a word, longest first: [start, end, id], an id of -1 for what is no piece."""
    tries = [
        [row.start, row.end, row.token if row.kind == WordPieceEvent.HIT else -1]
        for _, row in rows
        if row.kind in (WordPieceEvent.MISS, WordPieceEvent.HIT)
    ]
    return {"kind": "attempts", "leaves": list(word.text[:DRAWN]), "tries": tries} if len(tries) > 1 else None


LONGEST_MATCH: Final = ModelKind(
    title="Longest match",
    purpose="Each word is split from the left: the longest piece that fits, then the longest that fits the rest.",
    name="Longest match",
    script=of_stage(wordpiece_script),
    count=count,
    account=WordPieces,
    clause=clause,
    outputs=outputs,
    starts_differ=True,
    refusal=refusal,
    questions={"longest-match": longest_match},
    drawing=drawing,
)
