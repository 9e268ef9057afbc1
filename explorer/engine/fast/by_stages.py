"""The way that is always open: the stages before the model run as they are, and the model is asked for what is new."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.fast.cache import Memory
from explorer.engine.fast.piece_encoder import Pieces
from explorer.engine.items import Segment, Token
from explorer.engine.options import Options
from explorer.engine.part import Part, run_through


class ByStages:
    """before: the stages before the model. A second partition may be among them. pieces: asks the model."""

    def __init__(self, before: Sequence[Part], pieces: Pieces) -> None:
        self.before = tuple(before)
        self.memory = Memory(pieces)

    def ids(self, fragment: Segment) -> list[int]:
        items = run_through(self.before, [fragment], Options())
        if not any(isinstance(item, Token) for item in items):
            return self.memory.all_of([item.text for item in items if isinstance(item, Segment)])
        ids: list[int] = []
        for item in items:
            ids += (item.id,) if isinstance(item, Token) else self.memory.all_of([item.text])
        return ids


def texts_after(stages: Sequence[Part], fragment: Segment) -> list[str]:
    """What stages that make nothing but text make of a fragment, without its alignment."""
    return [item.text for item in run_through(stages, [fragment], Options()) if isinstance(item, Segment)]
