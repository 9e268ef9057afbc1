"""The events of trainers that merge pairs, whichever order they merge in.

One enumeration serves all of them, so one `replay` rebuilds the state of any. A trainer emits only the kinds that its
original has a decision for. Symbols are the numbers a trainer gives them: what each spells is in `Learned.symbols`.

Rows are kept in 64-bit integers (`training.Training.events`), because a count can be larger than 32 bits.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Train(IntEnum):
    """What a `TrainRow` says."""

    WORD = 0
    """Word `a` of the corpus has `b` characters (bytes, where symbols are bytes) and occurs `n` times."""
    SPECIAL = 1
    """Special token number `a` becomes symbol `b`."""
    SPECIAL_REPEATED = 2
    """Special token number `a` is the same as symbol `b`; it is skipped."""
    LETTER = 3
    """The character with code point `a` becomes symbol `b`; it occurs `n` times in the words."""
    LETTER_KNOWN = 4
    """The character with code point `a` is symbol `b` already, a special token; it occurs `n` times."""
    LETTER_DROPPED = 5
    """The character with code point `a` occurs `n` times and is left out: the alphabet has a limit."""
    LETTER_SKIPPED = 6
    """Word `a`: its character `b`, with code point `n`, is not in the alphabet. Its neighbors become adjacent."""
    AFFIXED = 7
    """The character with code point `a` is met for the first time with a prefix or suffix, in word `b`: symbol `n`."""
    SYMBOL = 8
    """Word `a` begins with, or continues at position `b` with, symbol `n`. Emitted in order, before any merge."""
    PAIR = 9
    """Before any merge, symbols `a` and `b` are adjacent `n` times; overlaps count ("aaa" holds two pairs)."""
    STALE = 10
    """The pair `a`, `b` came up with the count `n`, which is out of date; it is pushed again with its current count."""
    WINNER = 11
    """The pair `a`, `b` is the best one and occurs `n` times."""
    TIES = 12
    """`n` other pairs have the winner's count; the tie rule of the trainer decided."""
    RUNNER_UP = 13
    """The pair `a`, `b`, with count `n`, would be next. Emitted in order for the first few."""
    TOKEN = 14
    """The winner `a`, `b` becomes the new symbol `n`."""
    TOKEN_KNOWN = 15
    """What the winner `a`, `b` spells is symbol `n` already; no new symbol is needed."""
    REWRITE = 16
    """Word `a`: the symbols at positions `b` and `b` + 1 become one, and `n` symbols are left."""
    TOO_LONG = 17
    """The pair `a`, `b` would spell `n` characters, which is too long for a token: it is not counted."""
    COUNT = 18
    """After this merge the pair `a`, `b` has the count `n`. The winner itself is never given: none of it is left."""
    STOP_SIZE = 19
    """End: the vocabulary has `a` tokens, and `b` were asked for (sentencepiece: learned pieces)."""
    STOP_NO_PAIR = 20
    """End: no pair is left. The vocabulary has `a` tokens; `b` were asked for."""
    STOP_RARE = 21
    """End: the best pair `a`, `b` occurs `n` times, less often than a merge needs."""
    RESERVED = 22
    """The id `a` belongs to special piece number `b` and is given to no other."""
    TEXT_EMPTY = 23
    """Text `a` is empty, or nothing is left of it after normalization; it is skipped."""
    TEXT_TOO_LONG = 24
    """Text `a` has `n` bytes, more than the `b` that are read; it is skipped."""
    TEXT_MARKED = 25
    """Text `a` holds the character that marks unknown ones (▅); it is skipped."""
    TEXT_CUT = 26
    """Text `a` holds `n` special pieces; it is cut there, and they are not learned from."""
    LETTER_UNKNOWN = 27
    """The character with code point `a` occurs `n` times and becomes unknown: the rest is coverage enough."""
    INVALID = 28
    """The pair `a`, `b` spells no valid piece, for reason `n` of `sentencepiece.pieces.Fault`; it is never counted."""
    DUPLICATE = 29
    """The winner `a`, `b` spells what symbol `n` spells; it is dropped without a merge."""
    ACTIVE = 30
    """Of `a` pairs the `b` most frequent are looked at from now on; the least of them occurs `n` times."""
    REQUIRED = 31
    """The character symbol `a` becomes a piece of its own, after the merges; it occurs `n` times."""
    KEPT = 32
    """Of `a` merges the first `b` become pieces; with their characters and others they save `n` tokens."""
    FORBIDDEN = 33
    """The pair `a`, `b` is never to be merged, so it is not counted; it occurs `n` times, 0 if it has just arisen."""


class TrainRow(NamedTuple):
    """One decision of a trainer."""

    kind: int
    """A `Train`."""
    a: int
    """A symbol, a word or a code point: the kind says which."""
    b: int
    """A symbol, a word or a position."""
    n: int
    """A count or a symbol."""


RUNNERS_UP = 5
"""How many pairs after the winner are reported."""
