"""Unigram's lattice for sampling: paths drawn at random, and the n best.

Every piece is an edge between two indices of the text. Forward sums say how much weight all paths to an index have;
then a path is drawn from the end, at each index the edge that ends there, by its share. The exponent alpha scales all
scores: 1 draws by the model's probabilities, 0 makes all paths alike, a large one leaves the best path.

Follows `Lattice::Sample` of sentencepiece's `unigram_model.cc`, in 32-bit floats, and `sample` in `lattice.rs` of
Hugging Face's tokenizers, in 64 bits. These are not the same distribution: Hugging Face scales the sum so far by alpha
again at each index, `alpha * (score + sum)`, so for an alpha other than 1 a path's chance is not its share of the
weight.

The n best paths are found by an A* search from the end: partial paths wait in a queue, sorted by what is certain (the
scores of the pieces so far) plus the best that the rest can have, which Viterbi knows exactly. Of partial paths that
are equal, the order of the queue decides, which is libstdc++'s heap in sentencepiece. Follows `Lattice::NBest` of
sentencepiece 0.2.3 with its limits: with 10,000 entries, or 100,000 partial paths, the queue shrinks to its best; after
ten times, or 500,000 paths, it gives up and has the best path alone. Leaves out its limit of 30 seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp, isfinite, log1p
from typing import NamedTuple

from explorer.engine.budget import MODEL, ask, asking
from explorer.engine.cpp_library import Generator, pop_binary, push_binary
from explorer.engine.models.unigram import Unigram, single
from explorer.engine.part import Segment, missing
from explorer.vocabulary import PieceKind


class Edge(NamedTuple):
    """A piece on [start, end) code points. token: its id. score: its score in this lattice."""

    start: int
    end: int
    token: int
    score: float


class Choice(NamedTuple):
    """An edge that was drawn.

    number: the random number; nan where there was nothing to choose. options: the edges that end there, with their
    chances. chosen: the index among them.
    """

    number: float
    options: tuple[tuple[Edge, float], ...]
    chosen: int


class Rule(NamedTuple):
    """How an original samples. again: whether the sum so far is scaled by alpha once more. cast: rounds to its floats,
    of 32 or 64 bits."""

    again: bool
    cast: Callable[[float], float]


SENTENCEPIECE = Rule(again=False, cast=single)
HUGGING_FACE = Rule(again=True, cast=float)

FAR = 50.0
"""Of two logarithms further apart than this, only the larger one counts."""


class Lattice:
    """All pieces of a segment.

    ending: by index, the edges that end there, by where they begin. Raises InputError for a character that needs an
    unknown token where there is none.
    """

    def __init__(self, model: Unigram, segment: Segment) -> None:
        text, rules = segment.text, model.rules
        ids, kinds, vocabulary = model.ids, model.vocabulary.kinds, model.vocabulary
        self.size = len(text)
        self.ending: list[list[Edge]] = [[] for _ in range(len(text) + 1)]
        for start in asking(range(len(text)), MODEL):
            alone = False
            for length in model.lengths.get(text[start], ()):
                end = start + length
                if end > self.size:
                    break
                token = ids.get(text[start:end].encode())
                if token is None or not model.usable[kinds[token]] or kinds[token] in rules.passed_over:
                    continue
                if rules.bonus is not None and kinds[token] == PieceKind.USER_DEFINED:
                    score = single(rules.bonus * (length - 1))
                else:
                    score = vocabulary.scores[token]
                alone = alone or length == 1
                self.ending[end].append(Edge(start, end, token, score))
            if not alone:
                if model.unknown is None:
                    raise missing(text[start], segment.starts[start])
                self.ending[start + 1].append(Edge(start, start + 1, model.unknown, rules.unknown_score))

    def sums(self, alpha: float, rule: Rule) -> list[float]:
        """By index, the logarithm of the weight of all paths to it, as an original computes it."""
        cast = rule.cast
        sums = [0.0] * (self.size + 1)
        for index in asking(range(1, self.size + 1), MODEL):
            total = 0.0
            for number, edge in enumerate(self.ending[index]):
                before = sums[edge.start]
                term = alpha * (edge.score + before) if rule.again else cast(cast(alpha * edge.score) + before)
                total = cast(_log_sum(total, term, cast) if number else term)
            sums[index] = total
        return sums

    def sample(
        self, alpha: float, rule: Rule, generator: Generator, sums: Sequence[float] | None = None
    ) -> tuple[list[Edge], list[Choice]]:
        """A path, in order, and its choices, from the end. sums: those of this alpha and rule, if they are known."""
        sums = self.sums(alpha, rule) if sums is None else sums
        path: list[Edge] = []
        choices: list[Choice] = []
        index = self.size
        while index:
            edges = self.ending[index]
            weights = self.weights(index, alpha, sums, rule.cast)
            chosen, number = generator.discrete(weights)
            total = sum(weights)
            chances = tuple((edge, weight / total) for edge, weight in zip(edges, weights, strict=True))
            choices.append(Choice(number, chances, chosen))
            path.append(edges[chosen])
            index = edges[chosen].start
        path.reverse()
        return path, choices

    def weights(
        self, index: int, alpha: float, sums: Sequence[float], cast: Callable[[float], float] = float
    ) -> list[float]:
        """The weights of the edges that end at an index; at least one is positive."""
        found = []
        for edge in self.ending[index]:
            power = cast(cast(sums[edge.start] + cast(alpha * edge.score)) - sums[index])
            found.append(cast(exp(min(power, 700.0))))
        found = [weight if isfinite(weight) and weight > 0 else 0.0 for weight in found]
        if not any(found):
            found[0] = 1.0
        return found

    @property
    def ways(self) -> int:
        """The number of paths."""
        counts = [1] + [0] * self.size
        for index in range(1, self.size + 1):
            counts[index] = sum(counts[edge.start] for edge in self.ending[index])
        return counts[-1]

    def chance(self, path: Sequence[Edge], alpha: float, rule: Rule, sums: Sequence[float]) -> float:
        """The probability that a path is drawn. sums: of `rule` without rounding (`exact_sums`)."""
        chance = 1.0
        for edge in path:
            weights = self.weights(edge.end, alpha, sums)
            chance *= weights[self.ending[edge.end].index(edge)] / sum(weights)
        return chance

    def exact_sums(self, alpha: float, rule: Rule) -> list[float]:
        """`sums` in 64 bits."""
        return self.sums(alpha, rule._replace(cast=float))

    def paths(self) -> Iterator[tuple[Edge, ...]]:
        """All paths."""
        done: list[tuple[int, tuple[Edge, ...]]] = [(self.size, ())]
        while done:
            index, path = done.pop()
            if not index:
                yield path
            done += ((edge.start, (edge, *path)) for edge in self.ending[index])


def _log_sum(one: float, other: float, cast: Callable[[float], float]) -> float:
    """log(exp(one) + exp(other))."""
    low, high = min(one, other), max(one, other)
    return high if high > cast(low + FAR) else high + log1p(exp(cast(low - high)))


MOST = 512
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
