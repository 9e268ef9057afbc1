"""Whether an earlier stage explains a later difference, decided by running the later stages again.

One side's later stages run on the text as the other side's earlier stage left it (`states.continued`). What still
differs is not due to the earlier stage.
"""

from __future__ import annotations

from explorer.analysis.divergence.matching import Boundary, Spot, boundaries, match
from explorer.analysis.divergence.plain import Plain
from explorer.analysis.divergence.spans import overlap, touching
from explorer.analysis.divergence.states import PARTITION, PRE_TOKENIZE, continued
from explorer.analysis.divergence.text_differences import TextDifferences


class Experiments:
    """The experiments on two runs. Each runs once; its result is kept."""

    def __init__(self, differences: TextDifferences) -> None:
        self.text, self.sides = differences.text, differences.sides
        self._continued: dict[tuple[int, str], dict[str, Plain]] = {}
        self._spots: dict[tuple[str, int], list[Spot]] = {}
        self._cuts: dict[tuple[int, str], frozenset[tuple[int, bool]]] = {}

    def still_differs(self, stage: str, side: int, spot: Spot) -> bool:
        """Whether a stage still differs at a spot when `side` runs on the special tokens that the other side found."""
        key = stage, side
        if key not in self._spots:
            pair = self._after_exchange(side, PARTITION)[stage], self.sides[1 - side].plain[stage]
            self._spots[key] = match(*(pair if side == 0 else pair[::-1]), self.text).spots
        return any(overlap(spot, each) for each in touching(self._spots[key], spot.start, spot.end))

    def still_cuts(self, side: int, cut: Boundary, stage: str) -> bool:
        """Whether only one side cuts at a position even when `side` runs on the other side's output of a stage."""
        key = side, stage
        if key not in self._cuts:
            pair = self._after_exchange(side, stage)[PRE_TOKENIZE], self.sides[1 - side].before_model
            one, other = pair if side == 0 else pair[::-1]
            found = boundaries(one, other, match(one, other, self.text).spots)
            self._cuts[key] = frozenset((each.at, each.left) for each in found)
        return cut[:2] in self._cuts[key]

    def _after_exchange(self, side: int, stage: str) -> dict[str, Plain]:
        """The texts of a side that continues with the other side's output of a stage."""
        key = side, stage
        if key not in self._continued:
            self._continued[key] = continued(self.sides[side], self.sides[1 - side], stage)
        return self._continued[key]
