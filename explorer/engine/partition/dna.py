"""DNA within a text: between `<dna>` and `</dna>` every six letters are a token, whatever the model.

Follows `llm_tokenizer_hybriddna_session` in llama.cpp's `src/llama-vocab.cpp`. ASCII letters are uppercased, a short
last group is padded with A, and a group that is not a token becomes `<oov>`. In the vocabulary a DNA token ends with a
mark (U+E000), so that `CCCCCC` of DNA differs from `CCCCCC` of ordinary text. A `<dna>` without `</dna>` extends to the
end of the text.

Groups are counted in bytes, as in the original: a character of several bytes may be in two groups, neither of which is
a token.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from explorer.engine.part import BySegment, Emit, Item, Segment, Token
from explorer.text.input import character_of_each_byte
from explorer.vocabulary import Vocabulary

OPEN, CLOSE, UNKNOWN = b"<dna>", b"</dna>", b"<oov>"
MARK = "\ue000".encode()
"""Follows the letters of a DNA token in the vocabulary; decoding drops it."""
LETTERS = 6
UPPER = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")


class DnaEvent(IntEnum):
    """What a `DnaRow` says."""

    TAG = 0
    """`<dna>` or `</dna>` at [start, end)."""
    GROUP = 1
    """The letters at [start, end) are a token."""
    FILLED = 2
    """The letters at [start, end) are a token when padded with A."""
    UNKNOWN = 3
    """The letters at [start, end) are not a token: they become the unknown token."""
    TEXT = 4
    """[start, end) stays text."""


class DnaRow(NamedTuple):
    """One decision about DNA."""

    kind: int
    """A `DnaEvent`."""
    start: int
    """First code point of the original text."""
    end: int
    """One after the last."""
    token: int
    """The id, -1 for TEXT."""


class DnaGroups(BySegment):
    """The stage. It changes nothing if the vocabulary lacks one of the three tokens it needs.

    >>> from explorer.engine.part import Options
    >>> v = Vocabulary.of([b"<dna>", b"</dna>", b"<oov>", "ACGTAA\\ue000".encode()])
    >>> items = DnaGroups(v).run([Segment.of("x<dna>acgt</dna>")], Options(), lambda *row: None)
    >>> [item.id if isinstance(item, Token) else item.text for item in items]
    ['x', 0, 3, 1]
    """

    name = "dna"
    what = "the search for DNA"
    row = DnaRow
    kinds = DnaEvent

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.ids = vocabulary.ids
        self.needed = [self.ids.get(each) for each in (OPEN, CLOSE, UNKNOWN)]

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Item]:
        """Text, and the tokens of the DNA in it."""
        if None in self.needed:
            return [segment]
        text, starts, ends = segment
        items: list[Item] = []
        opening, closing = OPEN.decode(), CLOSE.decode()
        at = 0

        def token(kind: DnaEvent, id: int | None, start: int, end: int) -> None:
            assert id is not None, "the stage does nothing without its tokens"
            emit(kind, starts[start], ends[end - 1], id)
            items.append(Token(id, starts[start], ends[end - 1]))

        while at < len(text):
            start = text.find(opening, at)
            stop = start if start >= 0 else len(text)
            if stop > at:
                emit(DnaEvent.TEXT, starts[at], ends[stop - 1], -1)
                items.append(segment.slice(at, stop))
            if start < 0:
                break
            at = start + len(opening)
            token(DnaEvent.TAG, self.needed[0], start, at)
            end = text.find(closing, at)
            stop = end if end >= 0 else len(text)
            data = text[at:stop].encode()
            of = character_of_each_byte(data)
            letters = data.translate(UPPER)
            for first in range(0, len(letters), LETTERS):
                group = letters[first : first + LETTERS]
                id = self.ids.get(group.ljust(LETTERS, b"A") + MARK)
                kind = DnaEvent.UNKNOWN if id is None else DnaEvent.GROUP if len(group) == LETTERS else DnaEvent.FILLED
                token(kind, self.needed[2] if id is None else id, at + of[first], at + of[first + len(group) - 1] + 1)
            if end < 0:
                break
            at = end + len(closing)
            token(DnaEvent.TAG, self.needed[1], end, at)
        return items
