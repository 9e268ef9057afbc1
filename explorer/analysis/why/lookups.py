"""Why, for models that split without the vocabulary and look every unit up: characters, words, whole pre-tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from explorer.analysis.why.answers import Cut, CutCause, OriginKind, TokenOrigin, TokenText
from explorer.analysis.why.family import Family, Made, SegmentEvents
from explorer.engine.models.char_word import CharWord, CharWordEvent, words
from explorer.engine.models.word_level import WordLevel, WordLevelEvent
from explorer.text.say import Say
from explorer.vocabulary import PieceKind


class Units(Family):
    """The account of character and word models. A unit is a code point."""

    openings = frozenset({CharWordEvent.SEGMENT})

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each unit, several if it becomes bytes; a joined unknown unit extends the one before it."""
        found: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == CharWordEvent.JOINED:
                found[-1] = found[-1]._replace(end=row.end)
            elif row.kind not in (CharWordEvent.SEGMENT, CharWordEvent.UNUSED):
                found.append(Made(row.token, fragment.item, event, row.kind, row.start, row.end))
        return found

    def text(self, made: Made) -> str:
        """The text of a token's units."""
        return self.speller.text(self.fragment(made).segment.text[made.start : made.end])

    def size(self, made: Made) -> int:
        """The number of bytes of a token's units."""
        return len(self.fragment(made).segment.text[made.start : made.end].encode())

    def origin(self, made: Made, token: TokenText) -> TokenOrigin:
        """The look-up."""
        text = self.text(made)
        if made.kind == CharWordEvent.FOUND:
            said = Say.of("{0:q} is a piece: token {1:t}.", text, str(token.id))
            return TokenOrigin(token, OriginKind.LOOKED_UP, said, self.number, made.event)
        if made.kind == CharWordEvent.BYTE:
            which = self.byte_number(made)
            said = Say.of("{0:q} is not a piece. Its byte {1:t}, {2} of {3}, becomes token {4:t}.",
                          text, token.text, which, self.size(made), str(token.id))  # fmt: skip
            return TokenOrigin(token, OriginKind.BYTE, said, self.number, made.event)
        if made.kind == CharWordEvent.CODE_POINT:
            said = Say.of("The code point of {0:q} is its id: token {1:t}.", text, str(token.id))
            return TokenOrigin(token, OriginKind.LOOKED_UP, said, self.number, made.event)
        if made.kind == CharWordEvent.BYTE_VALUE:
            said = Say.of("Byte {0} of the {1} of {2:q} is {3:q}: its value gives token {4:t}.",
                          self.byte_number(made), self.size(made), text, token.text, str(token.id))  # fmt: skip
            return TokenOrigin(token, OriginKind.BYTE, said, self.number, made.event)
        said = Say.of("{0:q} is not a piece, and there are no byte tokens: it becomes {1:q}. Its text is lost.",
                      text, token.text)  # fmt: skip
        return TokenOrigin(token, OriginKind.UNKNOWN, said, self.number, made.event, lost=text)

    def byte_number(self, made: Made) -> int:
        """Which byte of its unit a token is, from 1."""
        first = made.event
        while self.events[first - 1].kind == made.kind and self.events[first - 1].start == made.start:
            first -= 1
        return made.event - first + 1

    def cut(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> Cut:
        """A unit ends, or two bytes of one unit meet."""
        one, other = pair
        text = self.fragment(one).segment.text[one.start : other.end]
        shown = self.speller.text(text)
        joined = self.joined(text.encode(), shown)
        if (one.start, one.end) == (other.start, other.end):
            why = (
                "This model has a token for each byte" if one.kind == CharWordEvent.BYTE_VALUE else "It is not a piece"
            )
            said = Say.of("{2:t}: {0:q} becomes one token for each of its {1} bytes.",
                          shown, self.size(one), why)  # fmt: skip
            return Cut(left, right, CutCause.BYTES, said, self.number, one.event, joined)
        part = cast(CharWord, self.stage.part)
        said = Say("A word begins at each ▁, whatever the vocabulary has.") if part.unit_ends is words else Say(
            "Every character is looked up by itself, whatever longer pieces the vocabulary has."
        )  # fmt: skip
        if one.kind in (CharWordEvent.BYTE_VALUE, CharWordEvent.CODE_POINT):
            said = Say("Every character has ids of its own: nothing is looked up or merged.")
        return Cut(left, right, CutCause.UNITS, said, self.number, other.event, joined)

    def units(self, made: Made) -> Sequence[bytes] | None:
        """None: no token may cross a unit, so there are no other cuts."""
        return None

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether a unit with this spelling becomes its token."""
        token = self.vocabulary.ids.get(b"".join(units))
        return token is not None and self.vocabulary.kinds[token] in (PieceKind.NORMAL, PieceKind.USER_DEFINED)


class Words(Family):
    """The account of WordLevel: every pre-token is one token."""

    openings = frozenset(WordLevelEvent)

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """The one token of a word."""
        row = self.events[fragment.first]
        return [Made(row.token, fragment.item, fragment.first, row.kind, 0, row.size)]

    def origin(self, made: Made, token: TokenText) -> TokenOrigin:
        """The look-up."""
        text = self.speller.text(self.fragments[made.item].segment.text)
        if made.kind == WordLevelEvent.KNOWN:
            said = Say.of("{0:q} is a piece as a whole: token {1:t}.", text, str(token.id))
            return TokenOrigin(token, OriginKind.LOOKED_UP, said, self.number, made.event)
        said = Say.of("{0:q} is not a piece: it becomes {1:q}. Its text is lost.", text, token.text)
        return TokenOrigin(token, OriginKind.UNKNOWN, said, self.number, made.event, lost=text)

    def cut(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> Cut:
        """Never asked: a word is one token."""
        raise AssertionError("a word is one token")

    def units(self, made: Made) -> Sequence[bytes] | None:
        """None: no token may cross a word, so there are no other cuts."""
        return None

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether a word with this spelling becomes its token."""
        return b"".join(units) in cast(WordLevel, self.stage.part).ids
