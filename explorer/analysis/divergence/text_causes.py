"""Causes in the stages before the model: characters that became something else, and cuts of the pre-tokenizers.

A later difference may have an earlier cause. A special token ends the text before it, and what a character became may
decide where a pre-tokenizer cuts. So for a cut, or an inserted space, an earlier cause is searched in the pieces that
touch it, and `experiments` decides whether it is the cause.
"""

from __future__ import annotations

from typing import Final

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.cause import Cause
from explorer.analysis.divergence.changes import FORMED, Forms, change, difference, joins, seen_forms
from explorer.analysis.divergence.experiments import Experiments
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.matching import Boundary, Spot
from explorer.analysis.divergence.pre_tokens import PreTokens
from explorer.analysis.divergence.spans import overlap, touching
from explorer.analysis.divergence.special_causes import SpecialCauses
from explorer.analysis.divergence.states import NORMALIZE, PARTITION, PRE_TOKENIZE, TEXT, text_after
from explorer.analysis.divergence.text_differences import TextDifferences
from explorer.errors import InputError
from explorer.text.visible import shortened
from explorer.vocabulary import SPACE_MARK

MOST_JOINED: Final = 16
"""The most characters before and after a difference that are named with it."""


class TextCauses:
    """Why two runs differ in a character or a cut before the model."""

    def __init__(self, differences: TextDifferences, experiments: Experiments, specials: SpecialCauses) -> None:
        self.differences, self.experiments, self.specials = differences, experiments, specials
        self.text, self.sides = differences.text, differences.sides
        self.runs = (self.sides[0].run, self.sides[1].run)
        self._seen_forms: dict[tuple[str, int], Forms] = {}
        self._pre_tokens = (PreTokens(self.sides[0]), PreTokens(self.sides[1]))

    def of_spot(self, spot: Spot) -> Cause:
        """Characters that differ before the model, explained at the first stage where they differ."""
        return self.at_stage(*self.differences.first_stage(spot))

    def at_stage(self, stage: str, spot: Spot) -> Cause:
        """A spot of one stage, with its kind."""
        if stage == PARTITION and self.runs[0].read != self.runs[1].read:
            texts = spot.left, spot.right
            does = (f"reads “{shortened(spot.left)}”", f"reads “{shortened(spot.right)}”")
            span = Span(spot.start, spot.end)
            return Cause(TEXT, DifferenceKind.ESCAPES, span, (None, None), texts, does, is_plain=True)
        swallowed = self.specials.of_white_space(spot)
        if swallowed is not None:
            return swallowed
        if stage != PARTITION:
            special = self.differences.special_touching(*self.differences.stretch(stage, spot))
            if special is not None and not self.experiments.still_differs(stage, special.side, spot):
                return self.specials.of_token(special)
        return self._prefix_space(stage, spot) or self._change(stage, spot)

    def _prefix_space(self, stage: str, spot: Spot) -> Cause | None:
        """One side inserts a space before the same characters."""
        left, right = spot.left, spot.right
        shorter, longer = sorted((left, right), key=len)
        was = self.text[spot.start : spot.end]
        # before a ▁ of the text, an inserted space can't be told from it
        if longer not in (f" {shorter}", f"{SPACE_MARK}{shorter}" if was == shorter else None):
            return None
        begins = self._is_prefix(spot)
        if spot.start < spot.end and not begins:
            return None
        kind, what, verb = (
            (DifferenceKind.PREFIX_SPACE, "prefix space", "adds")
            if begins
            else (DifferenceKind.INSERTED, "space", "inserts")
        )
        longest = max(len(left), len(right))
        does = [f"{verb} {'a' if len(text) == longest else 'no'} {what}" for text in (left, right)]
        return self._made(stage, kind, spot, (does[0], does[1]))

    def _change(self, stage: str, spot: Spot) -> Cause:
        """Each side does something else with the same characters.

        Where a form involves more characters than differ, such as a letter whose mark is the same on both sides, all of
        them are named: a mark that is composed with its letter is not removed.
        """
        forms = self._forms(stage, 0), self._forms(stage, 1)
        whole = self._whole(stage, spot)
        if whole != spot and (
            self._is_formed(spot.left, whole.left, spot, whole, forms[0])
            or self._is_formed(spot.right, whole.right, spot, whole, forms[1])
        ):
            spot = whole
        kind, first, second = difference(self.text[spot.start : spot.end], spot.left, spot.right, forms)
        return self._made(stage, kind, spot, (first, second))

    def _is_formed(self, now: str, all_now: str, spot: Spot, whole: Spot, forms: Forms) -> bool:
        """Whether a side converts the whole to a Unicode form, which its part alone doesn't show."""
        part = change(self.text[spot.start : spot.end], now, forms)
        made = change(self.text[whole.start : whole.end], all_now, forms)
        return made is not None and made.kind in FORMED and (part is None or part.kind not in FORMED)

    def _forms(self, stage: str, side: int) -> Forms:
        """What a side is seen to do with text up to a stage."""
        if (stage, side) not in self._seen_forms:
            try:
                found = seen_forms(lambda text: text_after(self.sides[side], stage, text))
            except InputError:  # its parts take no probe
                found = Forms()
            self._seen_forms[stage, side] = found
        return self._seen_forms[stage, side]

    def _whole(self, stage: str, spot: Spot) -> Spot:
        """The spot with the characters around it that a Unicode form may join with it, up to `MOST_JOINED`."""
        text, (start, end) = self.text, (spot.start, spot.end)
        if start == end:
            return spot
        while end < min(len(text), spot.end + MOST_JOINED) and joins(text[start:end], text[end]):
            end += 1
        while start > max(0, spot.start - MOST_JOINED) and joins(text[start - 1], text[start:end]):
            start -= 1
        if (start, end) == (spot.start, spot.end):
            return spot
        texts = []
        for side in self.sides:
            made = side.plain[stage].of(start, end)
            # what is inserted in front is another difference
            texts.append(made if text[start].isspace() else made.lstrip(" "))
        return spot._replace(start=start, end=end, left=texts[0], right=texts[1])

    def _made(self, stage: str, kind: DifferenceKind, spot: Spot, does: tuple[str, str]) -> Cause:
        stages = self.sides[0].last[stage], self.sides[1].last[stage]
        return Cause(stage, kind, Span(spot.start, spot.end), stages, (spot.left, spot.right), does, is_plain=True)

    def _is_prefix(self, spot: Spot) -> bool:
        """Whether an inserted space is at the start of the text or after a special token, and reaches the model."""
        was = self.text[spot.start : spot.end]
        if was[:1].isspace() and was != min(spot.left, spot.right, key=len):
            return False  # the original has white space here: both write it as a space, and one drops it
        before_model = touching(self.differences.spots[PRE_TOKENIZE], spot.start, spot.end)
        lasts = any(overlap(spot, each) for each in before_model)
        return lasts and (spot.start == 0 or spot.start in self.differences.special_ends)

    # --- cuts -------------------------------------------------------------------------------------------------------

    def of_cut(self, cut: Boundary) -> Cause:
        """A position where only one pre-tokenizer cuts; or the earlier difference in the same pieces that causes it."""
        start, end = self._pieces_at(cut.at)
        special = self.differences.special_touching(start, end)
        if special is not None and not self.experiments.still_cuts(special.side, cut, PARTITION):
            return self.specials.of_token(special)
        for stage in (PARTITION, NORMALIZE):
            spot = self._spot_at_cut(stage, cut, start, end)
            if spot is not None and not self.experiments.still_cuts(1, cut, stage):
                return self.at_stage(stage, spot)
        left, right = (each.at(cut.at) for each in self._pre_tokens)
        return Cause(
            PRE_TOKENIZE, DifferenceKind.PRE_TOKEN, Span(cut.at, cut.at), (left.stage, right.stage),
            (left.text, right.text), (left.does, right.does), (left.event, right.event),
        )  # fmt: skip

    def _spot_at_cut(self, stage: str, cut: Boundary, start: int, end: int) -> Spot | None:
        """A difference of an earlier stage in [start, end]: at the cut, or else one that reaches the model."""
        spots = self.differences.spots
        near = touching(spots[stage], start, end)
        if stage == PARTITION:  # those at special tokens have been tried
            near = [spot for spot in near if self.differences.special_touching(spot.start, spot.end) is None]
        lasting = (spot for spot in near if spot in touching(spots[PRE_TOKENIZE], spot.start, spot.end))
        return next(iter(touching(near, cut.at, cut.at)), None) or next(lasting, None)

    def _pieces_at(self, position: int) -> tuple[int, int]:
        """The span of both sides' pieces that touch a position; the position alone where one side cuts no pieces."""
        start = end = position
        if all(side.last[PRE_TOKENIZE] is not None for side in self.sides):
            for side in self.sides:
                low, high = side.before_model.pieces_at(position)
                start, end = min(start, low), max(end, high)
        return start, end
