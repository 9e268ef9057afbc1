"""A stage's text in plain characters, so that two tokenizers can be compared however each spells it.

A space written ▁ and bytes written as printable characters are turned back. Each character keeps its span of the
original text and the index of its item. Where a tokenizer spells spaces as ▁, a ▁ is a space unless the original has a
▁ there; where it doesn't, a ▁ that a normalizer inserts is the character ▁.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token
from explorer.engine.unicode.byte_map import bytes_of
from explorer.vocabulary import SPACE_MARK


class Plain(NamedTuple):
    """A text in plain characters: for each the span of the original it comes from and the index of its item."""

    text: str
    starts: list[int]
    ends: list[int]
    items: list[int]
    reached: list[int]
    """The largest start so far: ascending, so it can be searched even where marks were reordered."""

    specials: tuple[int, ...] = ()
    """Where the special tokens begin whose characters are left out, ascending."""

    @classmethod
    def of_characters(
        cls,
        text: str,
        starts: Sequence[int],
        ends: Sequence[int],
        items: Sequence[int] | None = None,
        specials: tuple[int, ...] = (),
    ) -> Plain:
        """Characters with their spans and items; all in item 0 if `items` is None.

        >>> Plain.of_characters("ab", [0, 1], [1, 2]).reached
        [0, 1]
        """
        numbers = [0] * len(text) if items is None else list(items)
        return cls(text, list(starts), list(ends), numbers, list(accumulate(starts, max)), specials)

    def within(self, start: int, end: int) -> slice:
        """The characters that begin in [start, end) of the original, those inserted at `start` included."""
        return slice(bisect_left(self.reached, start), bisect_left(self.reached, end))

    def of(self, start: int, end: int) -> str:
        """The text of the characters that begin in [start, end) of the original."""
        return self.text[self.within(start, end)]

    def index_at(self, position: int) -> int:
        """The first character that begins at a position of the original or after it."""
        return bisect_left(self.reached, position)

    def piece(self, index: int) -> slice:
        """The characters of the item that a character is in; empty outside the text."""
        if not 0 <= index < len(self.text):
            return slice(0, 0)
        number = self.items[index]
        return slice(bisect_left(self.items, number), bisect_right(self.items, number))

    def pieces_at(self, position: int) -> tuple[int, int]:
        """The span of the original covered by the pieces that touch a position."""
        index = self.index_at(position)
        pieces = self.piece(index - 1), self.piece(index)
        starts = [start for piece in pieces for start in self.starts[piece]]
        ends = [end for piece in pieces for end in self.ends[piece]]
        return min([position, *starts]), max([position, *ends])

    def begins_piece(self, position: int) -> bool:
        """Whether the first character at a position or after it is the first of its piece."""
        index = self.index_at(position)
        return index == len(self.text) or self.piece(index).start == index

    def cuts_at(self, position: int) -> bool:
        """Whether one piece ends before a position and another begins after it; always true at the ends of the text."""
        index = self.index_at(position)
        return index in (0, len(self.text)) or self.items[index] != self.items[index - 1]


def plain(items: Items, original: str, printable: bool, escaped: bool, hidden: bytearray) -> Plain:
    """The segments among `items` as plain characters, without those whose original character is hidden.

    printable: whether bytes are spelled as printable characters. escaped: whether spaces are spelled as ▁. hidden: per
    character of the original, 1 if it belongs to a special token.
    """
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    numbers: list[int] = []
    hides = any(hidden)
    specials = tuple(item.start for item in items if isinstance(item, Token))
    for number, item in enumerate(items):
        if not isinstance(item, Segment):
            continue
        segment = unspelled(item) if printable else item
        text = segment.text
        if escaped and SPACE_MARK in text:
            text = "".join(
                " " if ch == SPACE_MARK and SPACE_MARK not in original[start:end] else ch
                for ch, start, end in zip(*segment, strict=True)
            )
        if hides:
            kept = [at for at, start in enumerate(segment.starts) if start == segment.ends[at] or not hidden[start]]
            text = "".join(text[at] for at in kept)
            starts += [segment.starts[at] for at in kept]
            ends += [segment.ends[at] for at in kept]
        else:
            starts += segment.starts
            ends += segment.ends
        texts.append(text)
        numbers += [number] * len(text)
    return Plain.of_characters("".join(texts), starts, ends, numbers, specials)


def unspelled(segment: Segment) -> Segment:
    """A segment spelled in printable characters as the text they spell; unchanged if they spell none."""
    data = bytes_of(segment.text)
    try:
        text = data.decode() if data is not None else segment.text
    except UnicodeDecodeError:
        text = segment.text
    if len(text) == len(segment.text):
        return segment._replace(text=text)
    starts, ends, at = [], [], 0
    for ch in text:
        after = at + len(ch.encode())
        starts.append(segment.starts[at])
        ends.append(segment.ends[after - 1])
        at = after
    return Segment(text, starts, ends)
