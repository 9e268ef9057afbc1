"""Decodes WordPiece as llama.cpp does (Hugging Face's decoder is in `huggingface`).

It does not restore the text: case, accents, the kind of white space and every word that became [UNK] are lost. Spaces
between words are guessed: the ▁ of a piece becomes a space, and three passes over the whole text drop spaces next to
punctuation (`detokenize` with `clean_spaces`), so `n't` is never joined and `'s` sometimes is.

As in all decoders here, the tokens that `add_special` adds are dropped first. llama.cpp itself drops its [CLS] but not
its [SEP].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from explorer.engine.decoders.rows import SPECIAL_KINDS, DecodeEvent, DecodeRow, check_ids, just, without_added
from explorer.engine.trace import Emit
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary


class WpmDecoder:
    """Decodes ids to bytes as llama.cpp's `detokenize` for a WPM vocabulary.

    first, last: the ids that `add_special` adds. strip_space: strip the first token's leading space.

    >>> v = Vocabulary.of(["▁hat".encode(), b"s", "▁?".encode()])
    >>> WpmDecoder(v).run([0, 1, 2, 0], True, True, lambda *row: None)
    [b' hat', b's', b'?', b' hat']
    """

    row = DecodeRow

    def __init__(
        self, vocabulary: Vocabulary, *, first: int | None = None, last: int | None = None, strip_space: bool = False
    ) -> None:
        self.vocabulary, self.first, self.last, self.strip_space = vocabulary, first, last, strip_space

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space."""
        return self.written(id)[1]

    def written(self, id: int) -> tuple[DecodeEvent, bytes]:
        """How one token is decoded: the kind of event and the bytes."""
        piece, kind = self.vocabulary.pieces[id], self.vocabulary.kinds[id]
        if kind == PieceKind.NORMAL:
            return DecodeEvent.PIECE, piece.replace(SPACE_MARK.encode(), b" ")
        if kind in (*SPECIAL_KINDS, PieceKind.USER_DEFINED):
            return DecodeEvent.SPELLED, piece
        return DecodeEvent.HIDDEN, b""

    def kept(self, ids: Sequence[int], inside: range, unparse_special: bool, emit: Emit) -> list[tuple[int, int]]:
        """The tokens that are not skipped, as (position, id). inside: the positions without added tokens."""
        kept = []
        for position, id in enumerate(ids):
            if position not in inside:
                emit(DecodeEvent.DROP, position, 0, id)
            elif self.vocabulary.kinds[id] in SPECIAL_KINDS and not unparse_special:
                emit(DecodeEvent.HIDDEN, position, 0, id)
            else:
                kept.append((position, id))
        return kept

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        inside = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        data = bytearray()
        owner: list[int] = []
        """for each byte, the position of its token"""
        for position, id in self.kept(ids, inside, unparse_special, emit):
            how, piece = self.written(id)
            emit(how, position, len(piece), id)
            if self.strip_space and position == inside.start and piece.startswith(b" "):
                piece = piece[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            data += piece
            owner += [position] * len(piece)
        left = list(range(len(data)))
        for drops_space in (_before_mark, _lone_apostrophe, _contraction):
            left = _cleanup_pass(data, left, drops_space)
        size = [0] * len(ids)
        for position in owner:
            size[position] += 1
        parts = [bytearray() for _ in ids]
        for offset in left:
            parts[owner[offset]].append(data[offset])
        for position, part in enumerate(parts):
            if len(part) != size[position]:
                emit(DecodeEvent.CLEANED, position, len(part), ids[position])
        return [bytes(part) for part in parts]


DropsSpace = Callable[[bytes], tuple[bool, bool]]
"""Given the byte before, a byte and up to two after it: whether the one before and the one after are dropped."""


def _cleanup_pass(data: bytearray, left: list[int], drops_space: DropsSpace) -> list[int]:
    """One pass of the clean-up: the offsets in `data` that remain of those in `left`."""
    text = bytes(data[offset] for offset in left)
    done: list[int] = left[:1]
    at, gone = 1, False
    while at < len(text):
        # a space that was dropped with the apostrophe before it does not count
        before, after = (False, False) if gone else drops_space(text[at - 1 : at + 3])
        if before:
            done.pop()
        done.append(left[at])
        at += 2 if after else 1
        gone = after
    return done


def _before_mark(near: bytes) -> tuple[bool, bool]:
    """` ?`, ` !`, ` .` and ` ,` lose their space."""
    return near[:1] == b" " and near[1:2] in (b"?", b"!", b".", b","), False


def _lone_apostrophe(near: bytes) -> tuple[bool, bool]:
    """An apostrophe between spaces loses both."""
    both = near[:3] == b" ' "
    return both, both


def _contraction(near: bytes) -> tuple[bool, bool]:
    """` 's`, ` 'm`, ` 're` and ` 've` lose their space; ` 't`, ` 'd` and ` 'll` do not."""
    return near[:3] in (b" 's", b" 'm") or near[:4] in (b" 're", b" 've"), False
