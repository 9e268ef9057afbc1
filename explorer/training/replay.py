"""The state of a training after each event, from the events alone.

What a page draws at a step, and what the tests hold against a recount of the corpus: the words in their symbols, the
pairs with their counts, the merges so far.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from explorer.training.rows import Train, TrainRow


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


def replayed(events: Iterable[TrainRow]) -> State:
    """The state after all events."""
    state = State()
    for row in events:
        state.apply(row)
    return state
