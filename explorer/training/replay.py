"""The state of a training after each event, from the events alone.

What a page draws at a step, and what the tests hold against a recount of the corpus: the words in their symbols, the
pairs with their counts, the merges so far; of a Unigram training the pieces that are left and their scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from explorer.training.training import Train, TrainRow, UnigramTrain, UnigramTrainRow, real


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
    merges: list[tuple[int, int, int]] = field(default_factory=list)

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


DROPPED: Final = frozenset(
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

    scores: of the pieces that are left, by number. floors: of the characters that were dropped and have to be pieces.
    expected, losses: of the pieces, from the last time they were computed. tokens: as (id, score), by piece.

    >>> from explorer.training.huggingface import unigram
    >>> state = UnigramState()
    >>> for row in unigram.train({"ab": 9, "abc": 5, "c": 4}, unigram.Options(vocab_size=5)).events:
    ...     state.apply(row)
    >>> {piece: round(score, 2) for piece, score in state.scores.items()}, len(state.floors)
    ({1: -2.27, 2: -2.27, 3: -1.1, 4: -0.9}, 0)
    """

    scores: dict[int, float] = field(default_factory=dict)
    floors: dict[str, float] = field(default_factory=dict)
    expected: dict[int, float] = field(default_factory=dict)
    losses: dict[int, float] = field(default_factory=dict)
    tokens: dict[int, tuple[int, float]] = field(default_factory=dict)

    def apply(self, row: UnigramTrainRow) -> None:
        """Makes one decision."""
        kind, a, b, n = row
        if kind in (UnigramTrain.SEED_LETTER, UnigramTrain.SEED, UnigramTrain.SCORE):
            self.scores[a] = real(n)
        elif kind in DROPPED:
            self.scores.pop(a, None)
        elif kind == UnigramTrain.EXPECTED:
            self.expected[a] = real(n)
        elif kind == UnigramTrain.LOSS:
            self.losses[a] = real(n)
        elif kind == UnigramTrain.REQUIRED:
            self.floors[chr(a)] = real(n)
        elif kind == UnigramTrain.TOKEN:
            self.tokens[a] = b, real(n)
