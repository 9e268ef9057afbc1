"""What one side's pre-tokenizer did at a position where only one of two cuts: its pieces there, and what took them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from explorer.analysis.divergence.events import TextEvents
from explorer.analysis.divergence.states import PRE_TOKENIZE, States
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeRow
from explorer.text.visible import shortened


class PreTokensAt(NamedTuple):
    """What a side did at a position: its stage, the pieces as text, a clause that follows its name, and the event."""

    stage: int | None
    text: str
    does: str
    event: int | None


class PreTokens:
    """The pieces that one side's pre-tokenizer cuts."""

    def __init__(self, side: States) -> None:
        self.side = side
        self.plain = side.before_model
        self.stage = side.last[PRE_TOKENIZE]
        self.events = TextEvents(side, self.stage or 0)

    def at(self, position: int) -> PreTokensAt:
        """The pieces that touch a position of the original."""
        index = self.plain.index_at(position)
        pieces = list(dict.fromkeys((self._bounds(index - 1), self._bounds(index))))
        text = " | ".join(f"“{shortened(self.plain.text[start:end])}”" for start, end in pieces)
        if self.stage is None:
            return PreTokensAt(None, text, "does not cut the text", None)
        why, event = self._why(index, pieces)
        how = f"takes {text} as one pre-token" if len(pieces) == 1 else f"cuts {text}"
        return PreTokensAt(self.stage, text, how + why, event)

    def _bounds(self, index: int) -> tuple[int, int]:
        """Where the piece of a character begins and ends, in plain characters."""
        piece = self.plain.piece(index)
        return piece.start, piece.stop

    def _why(self, index: int, pieces: Sequence[tuple[int, int]]) -> tuple[str, int | None]:
        """Why the pre-tokenizer cut the pieces at a character so, as a clause that follows them, and the event."""
        row = self.side.run.trace.stages[self.stage or 0].part.row
        event = self.events.find(self.plain.starts[pieces[0][0]], self.plain.starts[pieces[0][0]] + 1)
        if row is not PreTokenizeRow:
            return "", event
        taken = self.alternative(event)
        if taken:
            return f" by {taken}", event
        # the first piece is what was left between two matches: the next match made the cut
        for at in range(self.plain.ends[index - 1], self.plain.starts[index] + 1) if len(pieces) > 1 else ():
            after = self.events.find(at, at + 1)
            taken = self.alternative(after)
            if taken:
                return f" before what {taken}, takes", after
        return "", event

    def alternative(self, event: int | None) -> str:
        """The alternative of the pattern that took a piece, according to an event; empty if none did."""
        stage = self.side.run.trace.stages[self.stage or 0]
        alternatives = stage.part.alternatives if isinstance(stage.part, PreTokenization) else ()
        choice = -1 if event is None else stage.events[event].choice
        return f"alternative {choice + 1}, {shortened(alternatives[choice].regex, 60)}" if choice >= 0 else ""
