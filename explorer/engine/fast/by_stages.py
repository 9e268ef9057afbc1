"""The strategy that is always safe: the stages before the model run as they are, and the model sees only new pieces."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.fast.cache import PieceCache
from explorer.engine.fast.piece_encoder import PieceEncoder
from explorer.engine.items import Segment, Token
from explorer.engine.part import Options, Part, run_through


class ByStages:
    """Runs stages, then looks their pieces up.

    before: the stages before the model, a second partition possibly among them. encoder: of the pieces.
    """

    def __init__(self, before: Sequence[Part], encoder: PieceEncoder) -> None:
        self.before = tuple(before)
        self.cache = PieceCache(encoder)

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        items = run_through(self.before, [fragment], Options())
        if not any(isinstance(item, Token) for item in items):
            return self.cache.all_of([item.text for item in items if isinstance(item, Segment)])
        ids: list[int] = []
        for item in items:
            ids += (item.id,) if isinstance(item, Token) else self.cache.all_of([item.text])
        return ids


def texts_after(stages: Sequence[Part], fragment: Segment) -> list[str]:
    """The texts that stages make of a fragment, without alignment. The stages must not make tokens."""
    return [item.text for item in run_through(stages, [fragment], Options()) if isinstance(item, Segment)]
