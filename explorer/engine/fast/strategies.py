"""Which way a fragment of text goes to its ids when nobody wants to know where they come from.

A fragment is what lies between special tokens. Each way cuts it into pieces that do not know of each other and
remembers the ids of each. Which way a tokenizer can go is found from its parts; where it cannot be proven that the
pieces do not know of each other, the stages run as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from explorer.engine.fast.at_spaces import at_spaces
from explorer.engine.fast.at_white_space import at_white_space
from explorer.engine.fast.by_pattern import by_pattern
from explorer.engine.fast.by_stages import ByStages
from explorer.engine.fast.cache import Memory
from explorer.engine.fast.piece_encoder import Pieces
from explorer.engine.items import Segment
from explorer.engine.part import Part


class Way(Protocol):
    """From a fragment to its ids; `memory` remembers its pieces."""

    @property
    def memory(self) -> Memory: ...

    def ids(self, fragment: Segment) -> list[int]: ...


def way_of(between: Sequence[Part], model: Part) -> Way:
    """The fastest way that the stages between partition and model, and the model, allow."""
    return (
        by_pattern(between, model)
        or at_white_space(between, model)
        or at_spaces(between, model)
        or ByStages(between, Pieces(model))
    )
