"""What one side's pre-tokenizer did at a place where only one of two cuts: its pieces there, and what took them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from explorer.analysis.divergence.changes import shortened
from explorer.analysis.divergence.events import TextEvents
from explorer.analysis.divergence.states import PRE_TOKENIZE, States
from explorer.engine.pre_tokenizers.stage import PreTokenizeRow


class Around(NamedTuple):
    """What a side did at a place: its stage, the pieces there as text, words that follow its name, and the event."""

    stage: int | None
    text: str
    does: str
    event: int | None


class Pieces:
    """The pieces of one side."""

    def __init__(self, side: States) -> None:
        self.side = side
        self.plain = side.before_model
        self.stage = side.last[PRE_TOKENIZE]
        self.events = TextEvents(side, self.stage or 0)

    def around(self, at: int) -> Around:
        """The pieces at a place of the original."""
        place = self.plain.place(at)
        pieces = list(dict.fromkeys((self.bounds(place - 1), self.bounds(place))))
        text = " | ".join(f"“{shortened(self.plain.text[start:end])}”" for start, end in pieces)
        if self.stage is None:
            return Around(None, text, "does not cut the text into pieces", None)
        why, event = self.why(place, pieces)
        how = f"takes {text} as one piece" if len(pieces) == 1 else f"cuts {text}"
        return Around(self.stage, text, how + why, event)

    def bounds(self, place: int) -> tuple[int, int]:
        """Where the piece of a character begins and ends, in plain characters."""
        piece = self.plain.piece(place)
        return piece.start, piece.stop

    def why(self, place: int, pieces: Sequence[tuple[int, int]]) -> tuple[str, int | None]:
        """Why the pieces at a character are what they are, in words that follow them, and the event that says so."""
        row = self.side.run.trace.stages[self.stage or 0].part.row
        event = self.events.find(self.plain.starts[pieces[0][0]], self.plain.starts[pieces[0][0]] + 1)
        if row is not PreTokenizeRow:
            return "", event
        taken = self.alternative(event)
        if taken:
            return f" by {taken}", event
        # the first piece is what was left between two matches: the match behind it is what cut
        for at in range(self.plain.ends[place - 1], self.plain.starts[place] + 1) if len(pieces) > 1 else ():
            after = self.events.find(at, at + 1)
            taken = self.alternative(after)
            if taken:
                return f" in front of what {taken}, takes", after
        return "", event

    def alternative(self, event: int | None) -> str:
        """The alternative that an event says took a piece; nothing where none did."""
        stage = self.side.run.trace.stages[self.stage or 0]
        alternatives = getattr(stage.part, "alternatives", ())
        choice = -1 if event is None else stage.events[event].choice
        return f"alternative {choice + 1}, {shortened(alternatives[choice].regex, 60)}" if choice >= 0 else ""
