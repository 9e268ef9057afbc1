"""What differs between the text stages of two runs: characters, special tokens, and cuts of the pre-tokenizers.

Everything here is found once, before any id is looked at. Whether a difference matters for the ids is decided in
`comparer`, and why it exists in `special_causes` and `text_causes`.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, cached_property
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.matching import Spot, boundaries, match
from explorer.analysis.divergence.spans import adjacent_joined, overlap, touching
from explorer.analysis.divergence.states import NORMALIZE, PARTITION, PRE_TOKENIZE, TEXT_STAGES, States
from explorer.engine.items import Token


class UnmatchedSpecial(NamedTuple):
    """A special token that only one side finds at this span, and which side."""

    start: int
    end: int
    side: int
    token: Token


class TextDifferences:
    """The differences between two runs before the model, by stage.

    spots: by stage, the stretches whose characters differ. moved: stretches of equal characters with different spans.
    specials: the special tokens that only one side finds. boundaries: positions where only one side cuts.
    """

    def __init__(self, left: States, right: States) -> None:
        self.sides = (left, right)
        self.text = left.run.text
        matchings = {name: match(left.plain[name], right.plain[name], self.text) for name in TEXT_STAGES}
        self.spots = {name: matching.spots for name, matching in matchings.items()}
        self.moved = matchings[PRE_TOKENIZE].moved
        spans = [{(token.start, token.end) for token in side.specials} for side in self.sides]
        self.specials = sorted(
            UnmatchedSpecial(token.start, token.end, number, token)
            for number, side in enumerate(self.sides)
            for token in side.specials
            if (token.start, token.end) not in spans[1 - number]
        )
        self._specials_by_side = [[each for each in self.specials if each.side == side] for side in (0, 1)]
        self.boundaries = boundaries(left.before_model, right.before_model, self.spots[PRE_TOKENIZE])
        spots = self.spots
        self._stretches = cache(lambda stage: adjacent_joined(spots[stage]))

    @cached_property
    def special_ends(self) -> frozenset[int]:
        """Where special tokens end, on either side."""
        return frozenset(token.end for side in self.sides for token in side.specials)

    def is_moved(self, position: int) -> bool:
        """Whether a position lies inside a stretch of equal characters with different spans."""
        near = bisect_left(self.moved, position, key=lambda span: span.end)
        return near < len(self.moved) and self.moved[near].start < position < self.moved[near].end

    def specials_touching(self, start: int, end: int) -> list[UnmatchedSpecial]:
        """The special tokens of one side only that overlap or touch [start, end], in order."""
        return sorted(each for side in self._specials_by_side for each in touching(side, start, end))

    def special_touching(self, start: int, end: int) -> UnmatchedSpecial | None:
        """The first of them."""
        return next(iter(self.specials_touching(start, end)), None)

    def stretch(self, stage: str, spot: Spot) -> Span:
        """The run of adjacent spots of a stage that contains this one."""
        stretches = self._stretches(stage)
        return stretches[bisect_left(stretches, spot.end, key=lambda each: each.end)]

    def first_stage(self, spot: Spot) -> tuple[str, Spot]:
        """The stage at which a difference seen before the model appears first, and its spot there."""
        stage = PRE_TOKENIZE
        for earlier in (NORMALIZE, PARTITION):
            found = [each for each in touching(self.spots[earlier], spot.start, spot.end) if overlap(each, spot)]
            if not found:
                break
            stage, spot = earlier, found[0]
        return stage, spot

    def belongs(self, spot: Spot, region: Span) -> bool:
        """Whether a spot lies in a region. An insertion belongs to the region after it; at the end, to the last one."""
        if spot.start == spot.end:
            return region.start <= spot.start < region.end or spot.start == region.end == len(self.text)
        return spot.start < region.end and region.start < spot.end
