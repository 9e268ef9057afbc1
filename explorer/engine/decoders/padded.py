"""Decodes padded ids: the padding is dropped along with the tokens that `add_special` adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow
from explorer.engine.part import Decoder
from explorer.engine.trace import Emit


@dataclass(eq=False)
class PaddedDecoder:
    """A decoder that first drops the run of padding tokens at one end.

    token: the id of the padding token. left: whether the padding is at the beginning.

    >>> from explorer.engine.decoders.pieces import RwkvDecoder
    >>> from explorer.vocabulary import Vocabulary
    >>> PaddedDecoder(RwkvDecoder(Vocabulary.of([b"a", b"_"])), 1).run([1, 0, 1, 1], True, True, lambda *row: None)
    [b'_', b'a', b'', b'']
    """

    row = DecodeRow

    decoder: Decoder
    token: int
    left: bool = False

    def alone(self, id: int) -> bytes:
        """What the inner decoder gives."""
        return self.decoder.alone(id)

    def kept(self, ids: Sequence[int], remove_special: bool) -> range:
        """The positions without the padding."""
        front, back = 0, len(ids)
        if remove_special and self.left:
            while front < back and ids[front] == self.token:
                front += 1
        elif remove_special:
            while back and ids[back - 1] == self.token:
                back -= 1
        return range(front, back)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        kept = self.kept(ids, remove_special)
        front, back = kept.start, kept.stop

        def emit_shifted(kind: int, position: int, size: int, token: int) -> None:
            emit(kind, position + front, size, token)

        for position in (*range(front), *range(back, len(ids))):
            emit(DecodeEvent.DROP, position, 0, self.token)
        parts = self.decoder.run(ids[front:back], remove_special, unparse_special, emit_shifted)
        return [b""] * front + parts + [b""] * (len(ids) - back)
