"""Why, for models that split without the vocabulary and look every unit up: characters, words, whole pre-tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from explorer.engine.models.lookup import CharWord, CharWordEvent, WordLevel, WordLevelEvent, words
from explorer.stages.why import (
    Account,
    CutAccount,
    CutCause,
    Family,
    Made,
    OriginKind,
    SegmentEvents,
    TokenText,
    of_byte,
    of_bytes,
    unknown,
)
from explorer.text.say import Say
from explorer.vocabulary import PieceKind


class Units(Family):
    """The account of character and word models. A unit is a code point."""

    openings = frozenset({CharWordEvent.SEGMENT})

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each unit, several if it becomes bytes; a joined unknown unit extends the one before it."""
        tokens: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == CharWordEvent.JOINED:
                tokens[-1] = tokens[-1]._replace(end=row.end)
            elif row.kind not in (CharWordEvent.SEGMENT, CharWordEvent.UNUSED):
                tokens.append(Made(row.token, fragment.item, event, row.kind, row.start, row.end))
        return tokens

    def text(self, made: Made) -> str:
        """The text of a token's units."""
        return self.speller.text(self.fragment(made).segment.text[made.start : made.end])

    def size(self, made: Made) -> int:
        """The number of bytes of a token's units."""
        return len(self.fragment(made).segment.text[made.start : made.end].encode())

    def account(self, made: Made, token: TokenText) -> Account:
        """The look-up."""
        text = self.text(made)
        if made.kind == CharWordEvent.FOUND:
            return Account(OriginKind.LOOKED_UP, Say.of("{0:q} is a piece: token {1:i}.", text, token.id))
        if made.kind == CharWordEvent.CODE_POINT:
            says = Say.of("The code point of {0:q} is its id: token {1:i}.", text, token.id)
            return Account(OriginKind.LOOKED_UP, says)
        if made.kind not in (CharWordEvent.BYTE, CharWordEvent.BYTE_VALUE):
            return unknown(text, token)
        which, count = self.byte_number(made), self.size(made)
        says = of_byte(text, token.text, which, count, token.id)
        if made.kind == CharWordEvent.BYTE_VALUE:
            template = "Byte {0} of the {1} of {2:q} is {3:q}: its value gives token {4:i}."
            says = Say.of(template, which, count, text, token.text, token.id)
        return Account(OriginKind.BYTE, says)

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """A unit ends, or two bytes of one unit meet."""
        one, other = pair
        text = self.fragment(one).segment.text[one.start : other.end]
        shown = self.speller.text(text)
        joined = self.joined(text.encode(), shown)
        if (one.start, one.end) == (other.start, other.end):
            says = of_bytes(shown, self.size(one))
            if one.kind == CharWordEvent.BYTE_VALUE:
                template = "This model has a token for each byte: {0:q} becomes one token for each of its {1} bytes."
                says = Say.of(template, shown, self.size(one))
            return CutAccount(CutCause.BYTES, says, one.event, joined)
        if one.kind in (CharWordEvent.BYTE_VALUE, CharWordEvent.CODE_POINT):
            says = Say("Every character has ids of its own: nothing is looked up or merged.")
        elif cast(CharWord, self.stage.part).unit_ends is words:
            says = Say("A word begins at each ▁, whatever the vocabulary has.")
        else:
            says = Say("Every character is looked up by itself, whatever longer pieces the vocabulary has.")
        return CutAccount(CutCause.UNITS, says, other.event, joined)

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

    def account(self, made: Made, token: TokenText) -> Account:
        """The look-up."""
        text = self.speller.text(self.fragments[made.item].segment.text)
        if made.kind == WordLevelEvent.KNOWN:
            said = Say.of("{0:q} is a piece as a whole: token {1:i}.", text, token.id)
            return Account(OriginKind.LOOKED_UP, said)
        said = Say.of("{0:q} is not a piece: it becomes {1:q}. Its text is lost.", text, token.text)
        return Account(OriginKind.UNKNOWN, said, lost=text)

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """Never asked: a word is one token."""
        raise AssertionError("a word is one token")

    def units(self, made: Made) -> Sequence[bytes] | None:
        """None: no token may cross a word, so there are no other cuts."""
        return None

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether a word with this spelling becomes its token."""
        return b"".join(units) in cast(WordLevel, self.stage.part).ids
