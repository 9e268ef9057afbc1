"""Decoding where a token is its bytes and nothing else: all joined, then read as UTF-8. RWKV World.

RWKV's own `decode` gives a single U+FFFD for the whole text when anything in it is no UTF-8, and fails on the end of
text. Here only what is broken is replaced, and the end of text is written as it is spelled or left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow, check_ids
from explorer.engine.trace import Emit
from explorer.vocabulary import PieceKind, Vocabulary


class RawDecoder:
    """Ids to bytes, one entry an id.

    >>> RawDecoder(Vocabulary.of([b"\\xe7\\x8c", b"\\xab"])).run([0, 1], True, True, lambda *row: None)
    [b'\\xe7\\x8c', b'\\xab']
    """

    row = DecodeRow

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def alone(self, id: int) -> bytes:
        """The piece."""
        return self.vocabulary.pieces[id]

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        parts = []
        for position, id in enumerate(ids):
            kind, part = DecodeEvent.RAW, self.vocabulary.pieces[id]
            if self.vocabulary.kinds[id] != PieceKind.NORMAL:
                kind, part = (DecodeEvent.SPELLED, part) if unparse_special else (DecodeEvent.HIDDEN, b"")
            emit(kind, position, len(part), id)
            parts.append(part)
        return parts
