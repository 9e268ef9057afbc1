"""Causes in the partition stage: a special token that one side lacks, or that swallows white space on one side only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.changes import points
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.matching import Spot
from explorer.analysis.divergence.result import Divergence, Side
from explorer.analysis.divergence.spans import Covering, Covers
from explorer.analysis.divergence.states import PARTITION, States
from explorer.analysis.divergence.text_differences import TextDifferences, UnmatchedSpecial
from explorer.engine.items import Token
from explorer.engine.partition.rows import PartitionEvent, PartitionRow
from explorer.text.say import Say
from explorer.text.visible import shortened


class _Stripping(NamedTuple):
    """Who swallowed white space: the side, its stage and the token."""

    side: int
    stage: int
    token: int


class SpecialCauses:
    """Causes that lie in special and added tokens."""

    def __init__(self, differences: TextDifferences) -> None:
        self.text, self.sides = differences.text, differences.sides
        self._stripped: dict[tuple[int, int], Covers] = {}

    def of_token(self, special: UnmatchedSpecial) -> Divergence:
        """A special token that one side finds and the other does not."""
        holder, other = self.sides[special.side], self.sides[1 - special.side]
        id, spelling = special.token.id, holder.spelling.vocabulary.spelling(special.token.id)
        after = bisect_right(other.specials, special.start, key=lambda token: token.end)
        overlapping = [token for token in other.specials[after : after + 1] if token.start < special.end]
        if overlapping and other.spelling.vocabulary.spelling(overlapping[0].id) == spelling:
            return self._same_token(special, overlapping[0])
        written = self.text[special.start : special.end]
        word = special_or_added(holder, id)
        takes = Say.of(
            "takes {0:q} for the {1:t} token {2:i} ({3:t})", shortened(written), word, id, shortened(spelling)
        )
        if overlapping:
            shown = other.spelling.vocabulary.spelling(overlapping[0].id)
            instead = Say.of("takes {0:q} for one", shortened(shown))
        else:
            instead = Say.of("leaves {0:q} as text", shortened(written))
        stage = self._found_at[special.side][special.token]
        sides = Side(stage, shortened(spelling), takes), Side(other.last[PARTITION], shortened(written), instead)
        span = Span(special.start, special.end)
        return Divergence.at(PARTITION, DifferenceKind.SPECIAL_TOKEN, span, sides[:: 1 - 2 * special.side], id)

    def _same_token(self, special: UnmatchedSpecial, other: Token) -> Divergence:
        """Both sides find the token, and on one side it covers adjacent white space, too."""
        longer = special.end - special.start > other.end - other.start
        side = special.side if longer else 1 - special.side
        front = Span(*sorted((special.start, other.start)))
        span = front if front.start < front.end else Span(*sorted((special.end, other.end)))
        found_at = self._found_at[special.side][special.token]
        stages = (found_at, self.sides[1 - special.side].last[PARTITION])[:: 1 - 2 * special.side]
        texts = ("", self.text[slice(*span)])[:: 1 - 2 * side]
        # both sides spell the token alike; the id is that of the side that has this span alone
        return self._swallowed(stages, texts, span, self._swallows(special.side, special.token.id, span, side),
                               special.token.id)  # fmt: skip

    def of_white_space(self, spot: Spot) -> Divergence | None:
        """Characters that a special token swallowed on one side; None where none did, and where a side inserts some."""
        if spot.start == spot.end:
            return None
        stripping = self._stripping(spot)
        if stripping is None:
            return None
        side, stage, token = stripping
        span = Span(spot.start, spot.end)
        stages = (stage, self.sides[1 - side].last[PARTITION])[:: 1 - 2 * side]
        return self._swallowed(stages, (spot.left, spot.right), span, self._swallows(side, token, span, side))

    def _swallowed(
        self, stages: Iterable[int | None], texts: Iterable[str], span: Span, says: Iterable[Say],
        token: int | None = None,
    ) -> Divergence:  # fmt: skip
        """White space that a token swallows on one side."""
        sides = (Side(*side, is_plain=True) for side in zip(stages, texts, says, strict=True))
        return Divergence.at(PARTITION, DifferenceKind.SWALLOWED, span, sides, token)

    def _swallows(self, holder: int, token: int, span: Span, side: int) -> tuple[Say, ...]:
        """What each side does where `side` lets a token, an id of `holder`, swallow a span."""
        spelling = self.sides[holder].spelling.vocabulary.spelling(token)
        word = special_or_added(self.sides[holder], token)
        done = Say.of("lets the {0:t} token {1:q} swallow {2:t}", word, shortened(spelling),
                      points(self.text[slice(*span)]))  # fmt: skip
        return (done, Say("leaves it"))[:: 1 - 2 * side]

    @cached_property
    def _found_at(self) -> tuple[dict[Token, int], dict[Token, int]]:
        """For each side, the stage that took each special token out of the text."""
        found: tuple[dict[Token, int], dict[Token, int]] = ({}, {})
        for side, stages in zip(self.sides, found, strict=True):
            for index, stage in enumerate(side.run.trace.stages[: side.model]):
                for item in stage.after:
                    if isinstance(item, Token):
                        stages.setdefault(item, index)
        return found

    def _stripping(self, spot: Spot) -> _Stripping | None:
        """Who swallowed the white space of a spot."""
        for number, side in enumerate(self.sides):
            if (spot.left, spot.right)[number]:
                continue
            for index, stage in enumerate(side.run.trace.stages[: side.model]):
                if stage.part.row is not PartitionRow:
                    continue
                at = side.run.in_read(spot.start)
                event = self._stripped_at(number, index).first(at, at + 1)
                if event is not None:
                    return _Stripping(number, index, stage.events[event].token)
        return None

    def _stripped_at(self, side: int, stage: int) -> Covers:
        """The white space that special tokens swallowed at a stage."""
        key = side, stage
        if key not in self._stripped:
            events = enumerate(self.sides[side].run.trace.stages[stage].events)
            self._stripped[key] = Covers(
                Covering(row.start, row.end, event) for event, row in events if row.kind == PartitionEvent.STRIPPED
            )
        return self._stripped[key]


def special_or_added(side: States, id: int) -> str:
    """The word for a token that is searched for in the text."""
    return "special" if side.spelling.vocabulary.is_special(id) else "added"
