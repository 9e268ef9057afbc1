"""Byte-level spelling: each byte of a piece becomes one printable character."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import chain, repeat

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import BYTE, Splitter
from explorer.engine.trace import Emit, silent
from explorer.engine.unicode.byte_map import printable


class ByteLevel(Splitter):
    """Spells every byte of a piece as a printable character (`byte_map`); does not split.

    >>> piece, = ByteLevel().split(Segment.of(" é"), 0, silent)
    >>> piece.text, list(piece.starts)
    ('ĠÃ©', [0, 1, 1])
    """

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The one piece, respelled."""
        text, starts, ends = piece
        spelled = printable(text.encode())
        numbers: Iterable[int] = repeat(0)
        if len(spelled) > len(text):
            new_starts, new_ends = array("i"), array("i")
            for ch, start, end in zip(text, starts, ends, strict=True):
                size = 1 if ch < "\x80" else 2 if ch < "\u0800" else 3 if ch < "\U00010000" else 4
                new_starts.extend((start,) * size)
                new_ends.extend((end,) * size)
            starts, ends = new_starts, new_ends
            numbers = chain.from_iterable(map(range, map(len, map(str.encode, text))))
        if emit is not silent:  # one event per byte costs time even if it is discarded
            for ch, start, number in zip(spelled, starts, numbers, strict=False):
                emit(BYTE, start, number, ord(ch))
        return [Segment(spelled, starts, ends)]
