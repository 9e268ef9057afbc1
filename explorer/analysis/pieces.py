"""What one side's pre-tokenizer did at a place where only one of two cuts: its pieces there, and what took them."""

from __future__ import annotations

from typing import NamedTuple

from explorer.analysis.changes import points, shortened
from explorer.analysis.events import TextEvents
from explorer.analysis.states import PRE_TOKENIZE, States
from explorer.engine.pretokenizers import PreTokenizeRow
from explorer.engine.words import Words, WordsRow


class Around(NamedTuple):
    """What a side did at a place: its stage, the pieces there as text, words that follow its name, and the event."""

    stage: int | None
    text: str
    does: str
    event: int | None


WORDS = {
    Words.WORD: "part of a word",
    Words.WHITE_SPACE: "white space",
    Words.PUNCTUATION: "punctuation",
    Words.SYMBOL: "a symbol",
    Words.HAN: "a Chinese character",
}
"""What a character is to a splitter into words."""


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
        before, after = self.plain.piece(place - 1), self.plain.piece(place)
        parts = [self.plain.text[each] for each in ((before,) if before == after else (before, after))]
        text = " | ".join(f"“{shortened(part)}”" for part in parts)
        if self.stage is None:
            return Around(None, text, "does not cut the text into pieces", None)
        if before == after:
            why, event = self.why(self.plain.starts[before.start], place)
            return Around(self.stage, text, f"takes {text} as one piece{why}", event)
        why, event = self.why(self.plain.starts[before.start], place)
        return Around(self.stage, text, f"cuts {text}{why}", event)

    def why(self, start: int, place: int) -> tuple[str, int | None]:
        """Why the piece that begins at `start` of the original is what it is; `place`: the character in question."""
        row = self.side.run.trace.stages[self.stage or 0].part.row
        if row is PreTokenizeRow:
            return self.alternative(start)
        if row is WordsRow:
            return self.word(place)
        return "", None

    def alternative(self, start: int) -> tuple[str, int | None]:
        """The alternative that took a piece."""
        event = self.events.find(start, start + 1)
        if event is None:
            return "", None
        stage = self.side.run.trace.stages[self.stage or 0]
        choice, alternatives = stage.events[event].choice, getattr(stage.part, "alternatives", ())
        if choice < 0:
            return ": no alternative takes it", event
        if choice >= len(alternatives):
            return "", event
        return f" by alternative {choice + 1}, {shortened(alternatives[choice].regex, 60)}", event

    def word(self, place: int) -> tuple[str, int | None]:
        """What the characters on both sides of a cut are to a splitter into words."""
        events = self.side.run.trace.stages[self.stage or 0].events
        before, behind = self.plain.starts[place - 1], self.plain.starts[place]
        for at in range(before, behind + 1):
            event = self.events.find(at, at + 1)
            if event is not None and events[event].kind != Words.WORD:
                kind = WORDS[Words(events[event].kind)]
                return f": {points(self.side.run.text[at : at + 1])} is {kind}", event
        return "", self.events.find(before, before + 1)
