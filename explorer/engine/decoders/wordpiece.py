"""Decoding for WordPiece as llama.cpp does it (Hugging Face's way is one of `decoders/huggingface.py`).

It does not give the text back: lower case, accents and the kind of white space are gone, and so is every word that
became [UNK]. Spaces between words are guessed: the ▁ of a piece is written as one, and then those beside punctuation
are taken away again, in three passes over the whole text (`detokenize` with `clean_spaces`), so that `n't` is never
joined and `'s` sometimes.

As everywhere here the tokens that `add_special` added are dropped first. llama.cpp itself drops its [CLS] but not its
[SEP].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow, check_ids, just, without_added
from explorer.engine.trace import Emit
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary

SPECIAL = (PieceKind.CONTROL, PieceKind.UNKNOWN)


class WpmDecoder:
    """Ids to bytes as llama.cpp's `detokenize` for a WPM vocabulary.

    first, last: the ids that `add_special` adds. strip_space: a space that the first token begins with is taken away.

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
        """How one token is decoded and the bytes it gives."""
        piece, kind = self.vocabulary.pieces[id], self.vocabulary.kinds[id]
        if kind == PieceKind.NORMAL:
            return DecodeEvent.PIECE, piece.replace(SPACE_MARK.encode(), b" ")
        if kind in (*SPECIAL, PieceKind.USER_DEFINED):
            return DecodeEvent.SPELLED, piece
        return DecodeEvent.HIDDEN, b""

    def kept(self, ids: Sequence[int], inside: range, unparse_special: bool, emit: Emit) -> list[tuple[int, int]]:
        """The tokens that are written, as (position, id). inside: the positions that are not dropped."""
        kept = []
        for position, id in enumerate(ids):
            if position not in inside:
                emit(DecodeEvent.DROP, position, 0, id)
            elif self.vocabulary.kinds[id] in SPECIAL and not unparse_special:
                emit(DecodeEvent.HIDDEN, position, 0, id)
            else:
                kept.append((position, id))
        return kept

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry an id. Raises InputError for an id not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        inside = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        data = bytearray()
        owner: list[int] = []
        """per byte the position of the token it comes from"""
        for position, id in self.kept(ids, inside, unparse_special, emit):
            how, piece = self.written(id)
            emit(how, position, len(piece), id)
            if self.strip_space and position == inside.start and piece.startswith(b" "):
                piece = piece[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            data += piece
            owner += [position] * len(piece)
        left = list(range(len(data)))
        for extra in (before_mark, lone_apostrophe, contraction):
            left = passed(data, left, extra)
        size = [0] * len(ids)
        for position in owner:
            size[position] += 1
        parts = [bytearray() for _ in ids]
        for place in left:
            parts[owner[place]].append(data[place])
        for position, part in enumerate(parts):
            if len(part) != size[position]:
                emit(DecodeEvent.CLEANED, position, len(part), ids[position])
        return [bytes(part) for part in parts]


Extra = Callable[[bytes], tuple[bool, bool]]
"""Given the byte before, a byte and up to two after it: whether the one before goes, and the one after."""


def passed(data: bytearray, left: list[int], extra: Extra) -> list[int]:
    """One pass of the clean-up: the places of `data` that are left of those in `left`."""
    text = bytes(data[place] for place in left)
    done: list[int] = left[:1]
    at, gone = 1, False
    while at < len(text):
        # a space that went with the apostrophe before it counts for nothing any more
        before, after = (False, False) if gone else extra(text[at - 1 : at + 3])
        if before:
            done.pop()
        done.append(left[at])
        at += 2 if after else 1
        gone = after
    return done


def before_mark(near: bytes) -> tuple[bool, bool]:
    """` ?`, ` !`, ` .` and ` ,` lose their space."""
    return near[:1] == b" " and near[1:2] in (b"?", b"!", b".", b","), False


def lone_apostrophe(near: bytes) -> tuple[bool, bool]:
    """An apostrophe between spaces loses both."""
    both = near[:3] == b" ' "
    return both, both


def contraction(near: bytes) -> tuple[bool, bool]:
    """` 's`, ` 'm`, ` 're` and ` 've` lose their space; ` 't`, ` 'd` and ` 'll` do not."""
    return near[:3] in (b" 's", b" 'm") or near[:4] in (b" 're", b" 've"), False
