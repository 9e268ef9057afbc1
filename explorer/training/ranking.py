"""Ties and runners-up of each merge, for the trace only.

A trainer's heap knows its best pair and nothing about the others. With a sink that keeps events the counts of all pairs
are kept beside it, so that ties and runners-up can be reported; without one nothing is done. Time is that of looking at
all pairs once for each merge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest, nsmallest
from typing import Any

from explorer.engine.trace import Emit, silent
from explorer.training.rows import RUNNERS_UP, Train
from explorer.training.symbols import ids


class Ranking:
    """The pairs that can still win, with their counts.

    counts: of all pairs at the start. priority: pairs are compared by it, the highest first; by default their count.
    order: pairs of equal priority are compared by it, the lowest first. zeros: a pair that no longer occurs can win.
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        emit: Emit,
        order: Callable[[str], Any] = lambda pair: pair,
        priority: Callable[[str], float] | None = None,
        *,
        zeros: bool = False,
    ) -> None:
        self.emit, self.order, self.zeros = emit, order, zeros
        self.watched = emit is not silent
        self.counts: dict[str, int] = {}
        self.all: dict[str, int] = {}
        """the pairs that are known but not looked at, and others"""
        self.by_worth = priority is not None
        self.priority = priority or self.counts.__getitem__
        if self.watched:
            self.counts.update(counts)
            for pair, n in counts.items():
                emit(Train.PAIR, *ids(pair), n)

    def report(self, pair: str, n: int) -> None:
        """Emits the winner, how many tie with it, and who comes next."""
        if not self.watched:
            return
        emit, order, priority = self.emit, self.order, self.priority
        emit(Train.WINNER, *ids(pair), n)
        self.counts[pair] = n
        best = priority(pair)
        del self.counts[pair]
        self.all.pop(pair, None)
        values = {each: priority(each) for each in self.counts} if self.by_worth else self.counts
        ties = [each for each, value in values.items() if value == best]
        emit(Train.TIES, *ids(pair), len(ties))
        if len(ties) >= RUNNERS_UP:
            following = nsmallest(RUNNERS_UP, ties, key=order)
        else:
            # the order costs more than the priority, so only those that can be among the first are put in order
            least = min(nlargest(RUNNERS_UP, values.values()), default=0)
            first = [each for each, value in values.items() if value >= least]
            following = nsmallest(RUNNERS_UP, first, key=lambda each: (-values[each], order(each)))
        for each in following:
            emit(Train.RUNNER_UP, *ids(each), self.counts[each])

    def restrict(self, pairs: Sequence[str]) -> None:
        """Only these pairs can win, until others are named; a pair that is not known yet can win as well."""
        if self.watched:
            self.all.update(self.counts)
            self.counts.clear()
            self.counts.update((pair, self.all[pair]) for pair in pairs)

    def update(self, pair: str, n: int) -> None:
        """A count has changed. Emits it."""
        if not self.watched:
            return
        self.emit(Train.COUNT, *ids(pair), n)
        if pair in self.all and pair not in self.counts:
            self.all[pair] = n
        elif n > 0 or self.zeros:
            self.counts[pair] = n
        else:
            self.counts.pop(pair, None)
