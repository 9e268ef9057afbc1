"""Decodes WordPiece as llama.cpp does (Hugging Face's decoder is in `huggingface`).

It does not restore the text: case, accents, the kind of white space and every word that became [UNK] are lost. Spaces
between words are guessed: the ▁ of a piece becomes a space, and three passes over the whole text drop spaces next to
punctuation (`detokenize` with `clean_spaces`), so `n't` is never joined and `'s` sometimes is.

As in all decoders here, the tokens that `add_special` adds are dropped first. llama.cpp itself drops its [CLS] but not
its [SEP].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from explorer.engine.decoders.pieces import cleaned_up, with_spaces
from explorer.engine.decoders.rows import SPECIAL_KINDS, DecodeEvent, DecodeRow, check_ids, just, without_added
from explorer.engine.trace import Emit
from explorer.vocabulary import PieceKind, Vocabulary


@dataclass(eq=False)
class WpmDecoder:
    """Decodes ids to bytes as llama.cpp's `detokenize` for a WPM vocabulary.

    first, last: the ids that `add_special` adds. strip_space: strip the first token's leading space.

    >>> v = Vocabulary.of(["▁hat".encode(), b"s", "▁?".encode()])
    >>> WpmDecoder(v).run([0, 1, 2, 0], True, True, lambda *row: None)
    [b' hat', b's', b'?', b' hat']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    _: KW_ONLY
    first: int | None = None
    last: int | None = None
    strip_space: bool = False

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space."""
        return self.written(id)[1]

    def written(self, id: int) -> tuple[DecodeEvent, bytes]:
        """How one token is decoded: the kind of event and the bytes."""
        piece, kind = self.vocabulary.pieces[id], self.vocabulary.kinds[id]
        if kind == PieceKind.NORMAL:
            return DecodeEvent.PIECE, with_spaces(piece)
        if kind in (*SPECIAL_KINDS, PieceKind.USER_DEFINED):
            return DecodeEvent.SPELLED, piece
        return DecodeEvent.HIDDEN, b""

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        inside = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        kept = []
        for position, id in enumerate(ids):
            if position not in inside:
                emit(DecodeEvent.DROP, position, 0, id)
            elif self.vocabulary.kinds[id] in SPECIAL_KINDS and not unparse_special:
                emit(DecodeEvent.HIDDEN, position, 0, id)
            else:
                kept.append(position)
        parts = [b""] * len(ids)
        for position in kept:
            kind, piece = self.written(ids[position])
            emit(kind, position, len(piece), ids[position])
            if self.strip_space and position == inside.start and piece.startswith(b" "):
                piece = piece[1:]
                emit(DecodeEvent.SPACE, position, 1, ids[position])
            parts[position] = piece
        cleaned = cleaned_up(parts)
        for position, (before, after) in enumerate(zip(parts, cleaned, strict=True)):
            if before != after:
                emit(DecodeEvent.CLEANED, position, len(after), ids[position])
        return cleaned
