"""Why, for WordPiece.

It tries windows at each position, longest first, until one is a piece. Its unit is what the original measures windows
in: a character for Hugging Face, for llama.cpp a byte, those of the ▁ that it puts in front of a word included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from explorer.engine.models.wordpiece import LongestMatch, WordPieceEvent, WordPieceRow, Wpm
from explorer.stages.why import (
    Account,
    CutAccount,
    CutCause,
    Family,
    Made,
    OriginKind,
    OtherCuts,
    SegmentEvents,
    TokenText,
    WhyStep,
    other_cuts,
)
from explorer.text.say import Say
from explorer.vocabulary import SPACE_MARK


class WordPieces(Family):
    """The account of WordPiece."""

    openings = frozenset({WordPieceEvent.WORD})

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each hit, or one for a word that pieces cannot spell."""
        found: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == WordPieceEvent.HIT:
                found.append(Made(row.token, fragment.item, event, row.kind, row.start, row.end))
            elif row.kind in (WordPieceEvent.DISCARD, WordPieceEvent.TOO_LONG):
                found = [Made(row.token, fragment.item, event, row.kind, 0, self.size(fragment))]
        return found

    @property
    def model(self) -> LongestMatch:
        """The model."""
        return cast(LongestMatch, self.stage.part)

    def size(self, fragment: SegmentEvents) -> int:
        """The number of units of a word."""
        row: WordPieceRow = self.events[fragment.first]
        return row.end

    def window(self, fragment: SegmentEvents, start: int, end: int) -> bytes:
        """A window as it is looked up."""
        text = fragment.segment.text
        if isinstance(self.model, Wpm):
            return (SPACE_MARK + text).encode()[start:end]
        return (self.model.prefix if start else b"") + text[start:end].encode()

    def shown(self, fragment: SegmentEvents, start: int, end: int) -> str:
        """A window for people."""
        return self.speller.symbol(self.window(fragment, start, end))

    def attempts(self, fragment: SegmentEvents, start: int, beyond: int = 0) -> list[WhyStep]:
        """The attempts at a position, those of windows that end after `beyond`."""
        steps = []
        for event, row in self.rows(fragment):
            if row.start != start or row.kind not in (WordPieceEvent.MISS, WordPieceEvent.HIT) or row.end <= beyond:
                continue
            text = self.shown(fragment, row.start, row.end)
            hit = row.kind == WordPieceEvent.HIT
            note = Say.of("the longest piece: token {0:i}", row.token) if hit else Say("no such piece")
            steps.append(self.step(event, (text,), text if hit else "", note, good=hit))
        return steps

    def account(self, made: Made, token: TokenText) -> Account:
        """The attempts until the hit; for an unknown word, those that failed."""
        fragment = self.fragment(made)
        word = self.speller.text(fragment.segment.text)
        if made.kind == WordPieceEvent.TOO_LONG:
            row = self.events[made.event]
            said = Say.of("{0:q} has {1} characters, and words of more than {2} are not tried: it becomes {3:q}.",
                          word, row.start, row.end, token.text)  # fmt: skip
            return Account(OriginKind.UNKNOWN, said, lost=word)
        if made.kind == WordPieceEvent.DISCARD:
            at = self.events[made.event].start
            rest = self.shown(fragment, at, made.end)
            found = [step for start in self.starts(fragment, at) for step in self.attempts(fragment, start)]
            said = Say.of("No piece begins {0:q}, so the whole word {1:q} becomes {2:q}, and its text is lost.",
                          rest, word, token.text)  # fmt: skip
            return Account(OriginKind.UNKNOWN, said, found, lost=word)
        steps = self.attempts(fragment, made.start)
        longer = len(steps) - 1
        if not longer:
            said = Say.of("{0:q} is a piece and the whole rest of the word: token {1:i}.", token.text, token.id)
        else:
            said = Say.of(
                "{0:q} is the longest piece at the start of the remaining word: token {1:i}.", token.text, token.id
            )
            more = "One longer candidate is not a piece." if longer == 1 else "{0} longer candidates are not pieces."
            said = said.then(Say.of(more, longer))
        if self.skipped(fragment, made.start):
            said = said.then(Say("Candidates longer than every piece are not tried."))
        return Account(OriginKind.LONGEST_MATCH, said, steps)

    def skipped(self, fragment: SegmentEvents, start: int) -> bool:
        """Whether the windows at a position begin with a shorter one than the rest of the word."""
        ends = [
            row.end
            for _, row in self.rows(fragment)
            if row.start == start and row.kind in (WordPieceEvent.MISS, WordPieceEvent.HIT)
        ]
        return max(ends, default=0) < self.size(fragment)

    def starts(self, fragment: SegmentEvents, last: int) -> list[int]:
        """The positions at which a word was matched, up to the one where nothing matched."""
        return [*[row.start for _, row in self.rows(fragment) if row.kind == WordPieceEvent.HIT], last]

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """The attempts that would have crossed the seam, and the hit that ends at it."""
        one, other = pair
        fragment = self.fragment(one)
        joined = self.joined(self.window(fragment, one.start, other.end))
        steps = self.attempts(fragment, one.start, one.end - 1)
        steps += [step for step in self.attempts(fragment, other.start) if step.good]
        said = Say.of("The longest match from here is {0:q}.", left.text)
        others = self.cuts(fragment, one.start, other.end, joined.text)
        return CutAccount(CutCause.LONGEST_MATCH, said, one.event, joined, steps, others)

    def cuts(self, fragment: SegmentEvents, start: int, end: int, text: str) -> OtherCuts | None:
        """The cuts of the units [start, end) of a word."""
        ids = self.model.ids
        return other_cuts(text, end - start, lambda a, b: self.window(fragment, start + a, start + b) in ids)

    def units(self, made: Made) -> Sequence[bytes] | None:
        """None: a piece is spelled differently at the start of a word and within it, so words have no common units."""
        return None

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether the model has a piece of this spelling."""
        return b"".join(units) in self.model.ids
