"""The byte level: each byte of a piece is spelled as one printable character."""

from __future__ import annotations

from array import array

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import PreTokenize
from explorer.engine.regexes.pattern import Alternative
from explorer.engine.trace import Emit, silent
from explorer.engine.unicode.byte_map import PRINTABLE, printable


class ByteLevel:
    """Spells every byte of a piece as a printable character (`byte_map`); cuts nothing.

    >>> piece, = ByteLevel().split(Segment.of(" é"), 0, silent)
    >>> piece.text, list(piece.starts)
    ('ĠÃ©', [0, 1, 1])
    """

    alternatives: tuple[Alternative, ...] = ()

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        text, starts, ends = piece
        spelled = printable(text.encode())
        if emit is not silent:  # nobody would hear it, and it is every byte
            for ch, start in zip(text, starts, strict=True):
                for number, byte in enumerate(ch.encode()):
                    emit(PreTokenize.BYTE, start, number, ord(PRINTABLE[byte]))
        if len(spelled) == len(text):
            return [Segment(spelled, starts, ends)]
        new_starts, new_ends = array("i"), array("i")
        for ch, start, end in zip(text, starts, ends, strict=True):
            size = 1 if ch < "\x80" else 2 if ch < "\u0800" else 3 if ch < "\U00010000" else 4
            new_starts.extend((start,) * size)
            new_ends.extend((end,) * size)
        return [Segment(spelled, new_starts, new_ends)]
