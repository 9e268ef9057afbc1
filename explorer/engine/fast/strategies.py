"""Selects the strategy that turns fragments of text into ids when nobody asks for spans.

A fragment is the text between special tokens. Each strategy splits it into independent pieces and caches the ids of
each. A tokenizer's parts determine which strategies are safe; where independence cannot be proved, the stages run as
they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from explorer.engine.fast.at_white_space import at_white_space
from explorer.engine.fast.by_pattern import by_pattern
from explorer.engine.fast.cache import PieceCache
from explorer.engine.fast.piece_encoder import ByStages, PieceEncoder
from explorer.engine.fast.spaces import at_spaces
from explorer.engine.items import Segment
from explorer.engine.part import Part


class Strategy(Protocol):
    """Turns a fragment into its ids, piece by piece."""

    @property
    def cache(self) -> PieceCache:
        """The ids of the pieces met so far."""

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""


def strategy_for(between: Sequence[Part], model: Part) -> Strategy:
    """The fastest safe strategy. between: the stages after the partition and before the model."""
    return (
        by_pattern(between, model)
        or at_white_space(between, model)
        or at_spaces(between, model)
        or ByStages(between, PieceEncoder(model))
    )
