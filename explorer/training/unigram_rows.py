"""The events of trainers of Unigram models.

Pieces are numbered in the order of the seeds, and keep their number: `Learned.symbols` says what each spells. Scores,
losses and expected counts are numbers with a fraction: a row holds the 64 bits of one (`bits`, `real`).
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

DOUBLE: Final = Struct("<d")
INTEGER: Final = Struct("<q")


class UnigramTrain(IntEnum):
    """What a `UnigramTrainRow` says."""

    WORD = 0
    """Word `a` of the corpus has `b` characters and occurs `n` times."""
    TEXT_EMPTY = 1
    """Text `a` is empty, or nothing is left of it after normalization; it is skipped."""
    TEXT_TOO_LONG = 2
    """Text `a` has `n` bytes, more than the `b` that are read; it is skipped."""
    TEXT_MARKED = 3
    """Text `a` holds the character that marks unknown ones (▅); it is skipped."""
    TEXT_CUT = 4
    """Text `a` holds `n` special pieces; it is cut there, and they are not learned from."""
    LETTER_UNKNOWN = 5
    """The character with code point `a` occurs `n` times and becomes unknown: the rest is coverage enough."""
    RESERVED = 6
    """The id `a` belongs to special piece number `b` and is given to no other."""
    SEED_LETTER = 7
    """The character that is piece `a` occurs `b` times; its first score is `n`."""
    SEED = 8
    """Piece `a` occurs `b` times, followed by more than one thing; its first score is `n`."""
    ROUND = 9
    """Round `a` of estimates begins with `b` pieces."""
    LIKELIHOOD = 10
    """With `b` pieces, an occurrence of a word has the log probability `n` on average."""
    EXPECTED = 11
    """Piece `a` is expected `n` times in the corpus, over all ways to write it."""
    RARE = 12
    """Piece `a` is expected `n` times, less than half a time: it is dropped."""
    SCORE = 13
    """Piece `a` has the score `n` from now on."""
    USED = 14
    """Piece `a` occurs `n` times in the best ways to write all words."""
    ONLY_WAY = 15
    """Piece `a` cannot be written with other pieces, so it is kept."""
    UNUSED = 16
    """Piece `a` is dropped: no best way to write a word has it."""
    SPLIT = 17
    """Piece `a` is dropped: the best way to write it is with `b` other pieces."""
    SPLIT_KEPT = 18
    """The best way to write piece `a` is with `b` others, and it is used all the same: Hugging Face keeps it."""
    LOSS = 19
    """Without piece `a` the words would be written with `b` others in its place, at a loss of `n`."""
    KEPT = 20
    """Piece `a` has one of the largest losses, rank `b`, and is kept."""
    PRUNED = 21
    """Piece `a` is dropped: of the losses its own has rank `b`, and so many do not fit."""
    STOP = 22
    """`a` pieces are left, no more than `b`: no more rounds."""
    UNREACHABLE = 23
    """Piece `a` is dropped: other pieces write it with the score `n`, better than its own, so it never comes out."""
    REQUIRED = 24
    """The character with code point `a` is no piece any more, and has to be one: it gets the score `n`."""
    TOKEN = 25
    """Piece `a` becomes the token `b`, with the score `n`."""
    NO_ROOM = 26
    """Piece `a` is left out: the vocabulary has its `b` tokens."""


class UnigramTrainRow(NamedTuple):
    """One decision."""

    kind: int
    """A `UnigramTrain`."""
    a: int
    """A piece, a word, a text or a code point: the kind says which."""
    b: int
    """A number of pieces, an id or a rank."""
    n: int
    """A count, or the bits of a number with a fraction."""


def bits(number: float) -> int:
    """The 64 bits of a number, as a row holds them.

    >>> real(bits(-2.5))
    -2.5
    """
    found: int = INTEGER.unpack(DOUBLE.pack(number))[0]
    return found


def real(row_bits: int) -> float:
    """The number with these bits."""
    found: float = DOUBLE.unpack(INTEGER.pack(row_bits))[0]
    return found
