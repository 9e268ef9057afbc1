"""Byte-level spelling: each byte of a piece becomes one printable character."""

from __future__ import annotations

from array import array

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import PreTokenizeEvent
from explorer.engine.regexes.pattern import Alternative
from explorer.engine.trace import Emit, silent
from explorer.engine.unicode.byte_map import PRINTABLE, printable


class ByteLevel:
    """Spells every byte of a piece as a printable character (`byte_map`); does not split.

    >>> piece, = ByteLevel().split(Segment.of(" é"), 0, silent)
    >>> piece.text, list(piece.starts)
    ('ĠÃ©', [0, 1, 1])
    """

    alternatives: tuple[Alternative, ...] = ()
    unicode = ""

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The one piece, respelled."""
        text, starts, ends = piece
        spelled = printable(text.encode())
        if emit is not silent:  # one event per byte costs time even if it is discarded
            for ch, start in zip(text, starts, strict=True):
                for index, byte in enumerate(ch.encode()):
                    emit(PreTokenizeEvent.BYTE, start, index, ord(PRINTABLE[byte]))
        if len(spelled) == len(text):
            return [Segment(spelled, starts, ends)]
        new_starts, new_ends = array("i"), array("i")
        for ch, start, end in zip(text, starts, ends, strict=True):
            size = 1 if ch < "\x80" else 2 if ch < "\u0800" else 3 if ch < "\U00010000" else 4
            new_starts.extend((start,) * size)
            new_ends.extend((end,) * size)
        return [Segment(spelled, new_starts, new_ends)]
