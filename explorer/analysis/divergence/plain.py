"""A stage's text in plain characters, so that two tokenizers can be compared however each spells it.

A space written ▁ and bytes written as printable characters are turned back. Each character keeps its span of the
original text and the number of the item it is in. Where a tokenizer spells spaces as ▁, a ▁ is a space unless the
original has a ▁ there; where it doesn't, a ▁ that a normalizer inserts is the character ▁.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token
from explorer.engine.normalizers.stage import ESCAPED_SPACE
from explorer.engine.unicode.byte_map import bytes_of


class Plain(NamedTuple):
    """A text in plain characters: of each the span of the original it stands for and the item it stands in."""

    text: str
    starts: list[int]
    ends: list[int]
    items: list[int]
    reached: list[int]
    """The largest start so far: ascending, so that it can be searched even where marks changed places."""

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
        """Characters with their spans and items; all in item 0 where `items` is None.

        >>> Plain.of_characters("ab", [0, 1], [1, 2]).reached
        [0, 1]
        """
        numbers = [0] * len(text) if items is None else list(items)
        return cls(text, list(starts), list(ends), numbers, list(accumulate(starts, max)), specials)

    def within(self, start: int, end: int) -> slice:
        """The characters that begin in [start, end), inserted ones at `start` among them."""
        return slice(bisect_left(self.reached, start), bisect_left(self.reached, end))

    def of(self, start: int, end: int) -> str:
        """Their text."""
        return self.text[self.within(start, end)]

    def place(self, at: int) -> int:
        """The first character that begins at `at` of the original or behind it."""
        return bisect_left(self.reached, at)

    def piece(self, place: int) -> slice:
        """The characters of the item that a character stands in; nothing outside the text."""
        if not 0 <= place < len(self.text):
            return slice(0, 0)
        number = self.items[place]
        return slice(bisect_left(self.items, number), bisect_right(self.items, number))

    def around(self, at: int) -> tuple[int, int]:
        """Where in the original the pieces begin and end that touch a place."""
        place = self.place(at)
        pieces = self.piece(place - 1), self.piece(place)
        starts = [start for piece in pieces for start in self.starts[piece]]
        ends = [end for piece in pieces for end in self.ends[piece]]
        return min([at, *starts]), max([at, *ends])

    def begins_piece(self, at: int) -> bool:
        """Whether the first character that begins at a place, or behind it, is the first of its piece."""
        place = self.place(at)
        return place == len(self.text) or self.piece(place).start == place

    def cuts_at(self, at: int) -> bool:
        """Whether a piece ends before a place and another begins behind it; at the ends of the text always."""
        place = self.place(at)
        return place in (0, len(self.text)) or self.items[place] != self.items[place - 1]


def plain(items: Items, original: str, printable: bool, escaped: bool, hidden: bytearray) -> Plain:
    """The segments among `items` as plain characters, without those whose original is hidden.

    printable: whether bytes are spelled as printable characters; escaped: whether spaces are spelled as ▁.
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
        segment = read(item) if printable else item
        text = segment.text
        if escaped and ESCAPED_SPACE in text:
            text = "".join(
                " " if ch == ESCAPED_SPACE and ESCAPED_SPACE not in original[start:end] else ch
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


def read(segment: Segment) -> Segment:
    """A segment spelled in printable characters as the text it spells; as it is, where it spells none."""
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
