"""What must hold of every trainer that merges pairs, at every step: its events against a recount of the corpus."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from explorer.engine.part import Events, silent
from explorer.training.training import RUNNERS_UP, State, Train, Training, TrainRow

Worth = Callable[[State, tuple[int, int]], tuple[Any, Any]]
"""What a pair is worth, the highest first, and what equals are compared by, the lowest first."""

STOPS = (Train.STOP_SIZE, Train.STOP_NO_PAIR, Train.STOP_RARE)


def replayed(events: Iterable[TrainRow]) -> State:
    """The state after all events."""
    state = State()
    for row in events:
        state.apply(row)
    return state


def pairs_in(state: State) -> Counter[tuple[int, int]]:
    """How often each pair occurs in the words, counted from scratch."""
    found: Counter[tuple[int, int]] = Counter()
    for word, times in zip(state.words, state.times, strict=True):
        for pair in pairwise(word):
            found[pair] += times
    return found


def check_events(training: Training[Any], priority: Worth, *, uncounted: bool = False, zeros: bool = False) -> State:
    """The events of a training tell one true story. Returns the state at their end.

    uncounted: there are pairs in the words that the trainer does not count, because they are too long or no pieces.
    zeros: pairs that no longer occur can win.
    """
    again: Events[TrainRow] = Events(TrainRow, array("q"))
    assert training.learn(again.emit) == training.learn(silent)
    assert again == training.events
    state = State()
    rows = list(training.events)
    begun = False
    for at, row in enumerate(rows):
        kind = row.kind
        if kind == Train.WINNER or kind in STOPS:
            counted, real = +Counter(state.counts), pairs_in(state)
            assert counted == real or (uncounted and counted <= real and all(n == real[p] for p, n in counted.items()))
            begun = True
        assert not (begun and kind in (Train.WORD, Train.SYMBOL, Train.PAIR))
        if kind == Train.WINNER:
            live = [pair for pair, n in state.counts.items() if n > 0 or zeros]
            ranked = sorted(live, key=lambda pair: _key(priority, state, pair))
            assert (row.a, row.b) == ranked[0]
            assert row.n == state.counts[ranked[0]]
            best = priority(state, ranked[0])[0]
            ties = rows[at + 1]
            assert ties == (
                Train.TIES,
                row.a,
                row.b,
                sum(priority(state, pair)[0] == best for pair in ranked) - 1,
            )
            following = [(each.a, each.b, each.n) for each in rows[at + 2 : at + 2 + RUNNERS_UP]
                         if each.kind == Train.RUNNER_UP]  # fmt: skip
            assert following == [(*pair, state.counts[pair]) for pair in ranked[1 : 1 + RUNNERS_UP]]
        if kind == Train.REWRITE:
            left, right, _ = state.merges[-1]
            assert state.words[row.a][row.b : row.b + 2] == [left, right]
            state.apply(row)
            assert len(state.words[row.a]) == row.n
            continue
        state.apply(row)
    (stop,) = [at for at, row in enumerate(rows) if row.kind in STOPS]
    assert all(row.kind == Train.REQUIRED for row in rows[stop + 1 :])
    assert tuple(state.merges) == training.learned.merges
    return state


def _key(priority: Worth, state: State, pair: tuple[int, int]) -> tuple[Any, Any]:
    value, order = priority(state, pair)
    return -value, order


def text_of(training: Training[Any], state: State) -> list[Any]:
    """What each word spells, from its symbols."""
    symbols = training.learned.symbols
    empty = symbols[0][:0] if symbols else ""
    return [empty.join(symbols[symbol] for symbol in word) for word in state.words]
