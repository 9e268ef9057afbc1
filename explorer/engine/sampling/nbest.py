"""The n best paths through Unigram's lattice.

An A* search from the end: partial paths wait in a queue, sorted by what is certain (the scores of the pieces so far)
plus the best that the rest can have, which Viterbi knows exactly. Of partial paths that are equal, the order of the
queue decides, which is libstdc++'s heap in sentencepiece.

Follows `Lattice::NBest` of sentencepiece 0.2.3 with its limits: with 10,000 entries, or 100,000 partial paths, the
queue shrinks to its best; after ten times, or 500,000 paths, it gives up and has the best path alone. Leaves out its
limit of 30 seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from explorer.engine.budget import MODEL, ask
from explorer.engine.cpp_heap import pop_binary, push_binary
from explorer.engine.models.unigram import single
from explorer.engine.sampling.lattice import Edge, Lattice

MOST: Final = 512
"""The longest list that sentencepiece gives."""

LARGEST_QUEUE, SMALLEST_QUEUE, MOST_PATHS, MOST_EVER, MOST_SHRINKS = 10_000, 512, 100_000, 500_000, 10


class Partial(NamedTuple):
    """A path from some index to the end.

    total: its score with the best rest. score: its own. at: the index where it begins. edge: its first, None at
    the end. rest: what follows that.
    """

    total: float
    score: float
    at: int
    edge: Edge | None
    rest: Partial | None


class Found(NamedTuple):
    """A path with its score, as the original computes it."""

    path: tuple[Edge, ...]
    score: float


def n_best(lattice: Lattice, count: int, narrow: bool) -> list[Found]:
    """The best paths, the best first. narrow: scores are 32-bit floats."""
    cast: Callable[[float], float] = single if narrow else float
    best, by = _viterbi(lattice, cast)
    if count == 1:
        return [_best_path(lattice, best, by)]
    queue, found = [Partial(best[lattice.size], 0.0, lattice.size, None, None)], list[Found]()
    ever, alive, most, shrinks = 1, 1, MOST_PATHS, 0
    smallest = min(SMALLEST_QUEUE, 10 * count)
    while queue:
        ask(MODEL)
        top = pop_binary(queue)
        # one more step leads from the first piece to the beginning of the text, where the path is complete
        if top.at < 0:
            assert top.rest is not None
            found.append(Found(_edges(top.rest), top.total))
            if len(found) == count:
                break
            continue
        if top.at == 0:
            edges: list[Edge | None] = [None]
        else:
            edges = list(lattice.ending[top.at])
        for edge in edges:
            if edge is None:
                push_binary(queue, Partial(cast(0.0 + top.score), cast(0.0 + top.score), -1, None, top))
                continue
            # as the original: Viterbi's score of the edge includes the edge
            reached = cast(best[edge.start] + edge.score)
            push_binary(queue, Partial(cast(reached + top.score), cast(edge.score + top.score), edge.start, edge, top))
        ever += len(edges)
        alive += len(edges)
        if ever >= MOST_EVER or alive >= MOST_EVER:
            return [_best_path(lattice, best, by)]
        if len(queue) >= LARGEST_QUEUE or (len(queue) > smallest and alive >= most):
            if shrinks >= MOST_SHRINKS:
                return [_best_path(lattice, best, by)]
            shrinks += 1
            queue, alive = _shrunk(queue, min(len(queue), smallest))
            most = alive + MOST_PATHS
    return found


def _viterbi(lattice: Lattice, cast: Callable[[float], float]) -> tuple[list[float], list[Edge | None]]:
    """By index, the score of the best path to it, and its last edge."""
    best, by = [0.0] * (lattice.size + 1), list[Edge | None]([None]) * (lattice.size + 1)
    for index in range(1, lattice.size + 1):
        for edge in lattice.ending[index]:
            score = cast(best[edge.start] + edge.score)
            if by[index] is None or score > best[index]:
                best[index], by[index] = score, edge
    return best, by


def _best_path(lattice: Lattice, best: list[float], by: list[Edge | None]) -> Found:
    path, index = list[Edge](), lattice.size
    while (edge := by[index]) is not None:
        path.append(edge)
        index = edge.start
    return Found(tuple(reversed(path)), best[lattice.size])


def _edges(partial: Partial | None) -> tuple[Edge, ...]:
    path = []
    while partial is not None and partial.edge is not None:
        path.append(partial.edge)
        partial = partial.rest
    return tuple(path)


def _shrunk(queue: list[Partial], size: int) -> tuple[list[Partial], int]:
    """The best entries in a new queue, and how many partial paths they are made of."""
    kept, seen = list[Partial](), set[int]()
    for _ in range(size):
        entry = pop_binary(queue)
        push_binary(kept, entry)
        each: Partial | None = entry
        while each is not None and id(each) not in seen:
            seen.add(id(each))
            each = each.rest
    return kept, len(seen)
