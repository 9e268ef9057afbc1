"""A training: every decision of a trainer as a row, and what was learned.

A trainer is a function of words, options and a sink for events (`engine/part.py`). It runs when its result is asked
for: without a sink for what was learned, with one for the events. Both runs are the same code, so the second gives what
was learned, too.

One enumeration serves all trainers that merge pairs, whichever order they merge in, so one `replay` rebuilds the state
of any; another serves the trainers of Unigram models. A trainer emits only the kinds that its original has a decision
for. Symbols are the numbers a trainer gives them: what each spells is in `Learned.symbols`. Rows are kept in 64-bit
integers, because a count can be larger than 32 bits.

What a page draws at a step, and what the tests hold against a recount of the corpus, is the state of a training after
each event (`State`, `UnigramState`), from the events alone.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, partial
from struct import Struct
from typing import Any, Generic, NamedTuple, TypeVar

from explorer.engine import budget
from explorer.engine.part import AnyEvents, Emit, Events, silent
from explorer.vocabulary import PieceKind


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
    REQUIRED = 30
    """The character symbol `a` becomes a piece of its own, after the merges; it occurs `n` times."""
    KEPT = 31
    """Of `a` merges the first `b` become pieces; with their characters and others they save `n` tokens."""
    FORBIDDEN = 32
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


# The events of trainers of Unigram models.
#
# Pieces are numbered in the order of the seeds, and keep their number: `Learned.symbols` says what each spells. Scores,
# losses and expected counts are numbers with a fraction: a row holds the 64 bits of one (`bits`, `real`).

DOUBLE = Struct("<d")
INTEGER = Struct("<q")


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
    """The character with code point `a` is no longer a piece, and has to be one: it gets the score `n`."""
    TOKEN = 25
    """Piece `a` becomes the token `b`, with the score `n`."""
    NO_ROOM = 26
    """Piece `a` is left out: the vocabulary has its `b` tokens."""


class UnigramTrainRow(TrainRow):
    """One decision, a `UnigramTrain`. b: a number of pieces, an id or a rank. n: may be the bits of a fraction."""


def bits(number: float) -> int:
    """The 64 bits of a number, as a row holds them.

    >>> real(bits(-2.5))
    -2.5
    """
    whole: int = INTEGER.unpack(DOUBLE.pack(number))[0]
    return whole


def real(row_bits: int) -> float:
    """The number with these bits."""
    fraction: float = DOUBLE.unpack(INTEGER.pack(row_bits))[0]
    return fraction


TRAINER = "the trainer"
"""What errors call it."""

ask = partial(budget.ask, TRAINER)
"""Raises TooSlow if the time is up."""
asking = partial(budget.asking, stage=TRAINER)
"""Yields the elements, and asks regularly if there are many."""
turns = partial(budget.turns, stage=TRAINER)
"""An endless iterator for a loop over something of this size."""

Spelling = TypeVar("Spelling", str, bytes)


def is_over(size: int, wanted: int, queue: Sequence[object], emit: Emit) -> bool:
    """Whether a training ends: it has the tokens or merges it wants, or no pair is left. Emits which.

    Asked before each merge, so it also asks the budget: a merge reads all words that hold a pair.
    """
    ask()
    if size >= wanted:
        emit(Train.STOP_SIZE, size, wanted, 0)
    elif not queue:
        emit(Train.STOP_NO_PAIR, size, wanted, 0)
    else:
        return False
    return True


@dataclass(frozen=True)
class Learned(Generic[Spelling]):
    """What a trainer makes of a corpus.

    symbols: what each symbol of the events spells, by its number.
    tokens: the vocabulary by id. Where a trainer numbers its symbols as it makes them, these are the symbols.
    merges: the pairs that were merged, in order, as symbols (left, right, made).
    scores, kinds: of each token, where the original writes them. special: ids of the special tokens.
    """

    symbols: tuple[Spelling, ...]
    tokens: tuple[Spelling, ...]
    merges: tuple[tuple[int, int, int], ...] = ()
    scores: tuple[float, ...] = ()
    special: tuple[int, ...] = ()
    kinds: tuple[PieceKind, ...] = ()

    @cached_property
    def ids(self) -> dict[Spelling, int]:
        return {token: id for id, token in enumerate(self.tokens)}

    @property
    def pairs(self) -> list[tuple[Spelling, Spelling]]:
        """What the two sides of each merge spell, in order."""
        return [(self.symbols[left], self.symbols[right]) for left, right, _ in self.merges]


class Training(Generic[Spelling]):
    """A training, which runs when its result is asked for the first time. For both, ask for the events first.

    learn: the trainer with its words and options; it is called with a sink for the events, and may raise InputError.
    row: the type of the events.

    >>> from explorer.training.huggingface import bpe
    >>> training = bpe.train({"ab": 3}, bpe.Options(vocab_size=3))
    >>> training.learned.tokens, training.events[-1].n
    (('a', 'b', 'ab'), 0)
    """

    def __init__(self, learn: Callable[[Emit], Learned[Spelling]], row: Callable[..., Any] = TrainRow) -> None:
        self.learn: Callable[[Emit], Learned[Spelling]] = learn
        self.row = row

    @cached_property
    def learned(self) -> Learned[Spelling]:
        """What was learned. Raises InputError for words or options that the trainer refuses."""
        return self.learn(silent)

    @cached_property
    def events(self) -> AnyEvents:
        """Every decision, in order. Raises InputError as `learned` does."""
        events: AnyEvents = Events(self.row, array("q"))
        budget.count_events(events.filled)
        learned = self.learn(events.emit)
        self.__dict__.setdefault("learned", learned)
        return events


Merges = list[tuple[int, int, int]]
"""As (left, right, made)."""


@dataclass
class State:
    """What a trainer that merges pairs knows at one moment.

    words: each in its symbols. times: how often each occurs. counts: of the pairs that were not merged yet; one that no
    longer occurs has 0. merges: as (left, right, made).

    >>> from explorer.training.huggingface import bpe
    >>> state = State()
    >>> for row in bpe.train({"aba": 3}, bpe.Options(vocab_size=3)).events:
    ...     state.apply(row)
    >>> state.words, state.counts, state.merges
    ([[2, 0]], {(1, 0): 0, (2, 0): 3}, [(0, 1, 2)])
    """

    words: list[list[int]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)
    merges: Merges = field(default_factory=list)

    def apply(self, row: TrainRow) -> None:
        """Makes one decision."""
        kind, a, b, n = row
        if kind == Train.WORD:
            self.words.append([])
            self.times.append(n)
        elif kind == Train.SYMBOL:
            self.words[a].append(n)
        elif kind == Train.WINNER:
            self.counts.pop((a, b), None)
        elif kind in (Train.TOKEN, Train.TOKEN_KNOWN):
            self.merges.append((a, b, n))
        elif kind == Train.REWRITE:
            self.words[a][b : b + 2] = [self.merges[-1][2]]
        elif kind in (Train.PAIR, Train.COUNT):
            self.counts[a, b] = n


DROPPED = frozenset(
    {
        UnigramTrain.RARE,
        UnigramTrain.UNUSED,
        UnigramTrain.SPLIT,
        UnigramTrain.PRUNED,
        UnigramTrain.UNREACHABLE,
        UnigramTrain.NO_ROOM,
    }
)
"""The events that drop a piece."""


@dataclass
class UnigramState:
    """What a trainer of a Unigram model knows at one moment.

    scores: of the pieces that are left, by number. expected, losses: of the pieces, from the last time they were
    computed.

    >>> from explorer.training.huggingface import unigram
    >>> state = UnigramState()
    >>> for row in unigram.train({"ab": 9, "abc": 5, "c": 4}, unigram.Options(vocab_size=5)).events:
    ...     state.apply(row)
    >>> {piece: round(score, 2) for piece, score in state.scores.items()}
    {1: -2.27, 2: -2.27, 3: -1.1, 4: -0.9}
    """

    scores: dict[int, float] = field(default_factory=dict)
    expected: dict[int, float] = field(default_factory=dict)
    losses: dict[int, float] = field(default_factory=dict)

    def apply(self, row: UnigramTrainRow) -> None:
        """Makes one decision."""
        kind, a, _, n = row
        if kind in (UnigramTrain.SEED_LETTER, UnigramTrain.SEED, UnigramTrain.SCORE):
            self.scores[a] = real(n)
        elif kind in DROPPED:
            self.scores.pop(a, None)
        elif kind == UnigramTrain.EXPECTED:
            self.expected[a] = real(n)
        elif kind == UnigramTrain.LOSS:
            self.losses[a] = real(n)
