"""The decoder of RWKV World: a token is its bytes, joined and then read as UTF-8.

RWKV's own `decode` gives a single U+FFFD for the whole text if any of it is malformed, and fails on the end-of-text
token. Here only malformed runs are replaced, and the end-of-text token is written as it is spelled or skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow, check_ids
from explorer.engine.trace import Emit
from explorer.vocabulary import PieceKind, Vocabulary


class RwkvDecoder:
    """Decodes ids to the bytes of their pieces.

    >>> RwkvDecoder(Vocabulary.of([b"\\xe7\\x8c", b"\\xab"])).run([0, 1], True, True, lambda *row: None)
    [b'\\xe7\\x8c', b'\\xab']
    """

    row = DecodeRow

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def alone(self, id: int) -> bytes:
        """The piece."""
        return self.vocabulary.pieces[id]

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        parts = []
        for position, id in enumerate(ids):
            kind, part = DecodeEvent.RAW, self.vocabulary.pieces[id]
            if self.vocabulary.kinds[id] != PieceKind.NORMAL:
                kind, part = (DecodeEvent.SPELLED, part) if unparse_special else (DecodeEvent.HIDDEN, b"")
            emit(kind, position, len(part), id)
            parts.append(part)
        return parts
