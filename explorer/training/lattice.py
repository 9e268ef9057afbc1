"""All ways to write a word in pieces: how often each piece is expected, the best way, and the best two.

Every way is a path through a lattice: a node is a piece at its position, and a path's score is the sum of its pieces'
log probabilities. `Lattice` of sentencepiece and of tokenizers are the same algorithms in 32 and 64 bits: forward and
backward sums, Viterbi's best path, and an A* search for the second best. Results equal the original's to the bit
because each intermediate result is rounded where C++ rounds it: by storing it in an array of that width.

A character that is not a piece gets a node of its own that scores 10 less than the worst piece.

Time is (characters) × (pieces that begin or end at one) per word. A training that estimates the same words many times
looks up their substrings once: its pieces only ever become fewer (`Lattices.remember`).

Of equally good ways that one counts which the priority queue of each original finds first.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from operator import add
from typing import Literal, NamedTuple

from explorer.engine.budget import BLOCK
from explorer.engine.cpp_library import pop_binary, push_binary
from explorer.training.training import Learned, ask, asking
from explorer.vocabulary import PieceKind

Entry = tuple[float, float, int, "Entry | None"]
"""Its priority comes first."""


def push_quaternary(heap: list[Entry], entry: Entry) -> None:
    """Adds an entry (`QuaternaryHeap::push`): equals move down."""
    heap.append(entry)
    _rise_quaternary(heap, len(heap) - 1, entry)


def pop_quaternary(heap: list[Entry]) -> Entry:
    """Takes the entry with the highest priority (`QuaternaryHeap::pop`)."""
    last = heap.pop()
    if not heap:
        return last
    top = heap[0]
    hole, size = 0, len(heap)
    while 4 * hole + 1 < size:
        children = range(4 * hole + 1, min(4 * hole + 5, size))
        child = max(children, key=lambda position: heap[position][0])
        heap[hole] = heap[child]
        hole = child
    _rise_quaternary(heap, hole, last)
    return top


def _rise_quaternary(heap: list[Entry], hole: int, entry: Entry) -> None:
    """Moves parents that are not higher down and puts the entry where they end."""
    while hole and not entry[0] < heap[(hole - 1) // 4][0]:
        heap[hole] = heap[(hole - 1) // 4]
        hole = (hole - 1) // 4
    heap[hole] = entry


PENALTY = 10.0
"""What an unknown character scores below the worst piece."""

FAR = 50.0
"""Of two log probabilities this far apart, the smaller is dropped from their sum."""

NEAR = 49.0
"""Less far apart than that they are not dropped, however the sum is rounded."""

KEPT_HYPOTHESES = 20
"""How many of a search's hypotheses stay when there are too many: 10 for each path wanted."""


class Arithmetic(NamedTuple):
    """How an original computes.

    width: "f" rounds each result to 32 bits, "d" to 64. add: log(1 + exp(x)) for x ≤ 0. push, pop: of the queue of the
    search for the two best ways, in a list; the entry with the highest priority is popped first. most: hypotheses at
    once, `most_in_all` in all, before only the best are kept; after so many rounds (None: any number) the search gives
    up.
    """

    width: Literal["f", "d"]
    add: Callable[[float], float]
    push: Callable[[list[Entry], Entry], None]
    pop: Callable[[list[Entry]], Entry]
    most: int
    most_in_all: float = math.inf
    rounds: int | None = None


SENTENCEPIECE = Arithmetic(
    "f", lambda x: math.log1p(math.exp(x)), push_binary, pop_binary, 10_000, 100_000, 10
)  # fmt: skip
"""sentencepiece 0.2.3; its queue is libstdc++'s."""

HUGGING_FACE = Arithmetic("d", lambda x: math.log(math.exp(x) + 1.0), push_quaternary, pop_quaternary, 100_001)
"""tokenizers 0.23; its queue is dary_heap's."""


Known = dict[str, list[list[str]]]
"""By word and character, the pieces that begin there, shorter ones first."""

Node = tuple[int, int, int, float]
"""A piece in the lattice of a word: its first character, the one after its last, the piece and its score."""


class Lattices:
    """The lattices of words over one set of pieces.

    pieces: what each spells. scores: their log probabilities. unknown: the piece that a character that is none is
    counted for. known: the words that an earlier set remembered, of which this one is a part.

    >>> lattices = Lattices(["a", "b", "ab"], [-1.0, -2.0, -2.5], HUGGING_FACE, 0)
    >>> lattices.best("ab")[0], round(lattices.best("ab")[1], 1)
    ([(0, 2, 2, -2.5)], -2.5)
    """

    def __init__(
        self,
        pieces: Sequence[str],
        scores: Sequence[float],
        arithmetic: Arithmetic,
        unknown: int,
        known: Known | None = None,
    ) -> None:
        self.arithmetic = arithmetic
        self.pieces = pieces
        self.known: Known = {} if known is None else known
        self.ids = {piece: id for id, piece in enumerate(pieces)}
        self.scores = array(arithmetic.width, scores)
        self.longest = max(map(len, pieces), default=1)
        self.unknown = unknown
        self.lowest = min((score for score in self.scores if score == score), default=math.inf)  # NaN != NaN
        self.unknown_score = array(arithmetic.width, [self.lowest - PENALTY])[0]

    def nodes(self, word: str) -> list[list[Node]]:
        """The nodes of a word by their first character, shorter pieces first."""
        find, scores = self.ids.get, self.scores
        starting = self.known.get(word) or self.starting(word)
        by_begin: list[list[Node]] = []
        for begin, texts in enumerate(asking(starting)):
            here = [
                (begin, begin + len(text), piece, scores[piece]) for text in texts if (piece := find(text)) is not None
            ]
            if len(here) < len(texts):
                starting[begin] = [self.pieces[piece] for _, _, piece, _ in here]  # what is gone stays gone
            if not here or here[0][1] > begin + 1:
                here.append((begin, begin + 1, self.unknown, self.unknown_score))
            by_begin.append(here)
        return by_begin

    def starting(self, word: str) -> list[list[str]]:
        """By character of a word, the pieces that begin there, shorter ones first."""
        find, pieces, size, longest = self.ids.get, self.pieces, len(word), self.longest
        return [
            [
                pieces[piece]
                for end in range(begin + 1, min(size, begin + longest) + 1)
                if (piece := find(word[begin:end])) is not None
            ]
            for begin in asking(range(size))
        ]

    def remember(self, words: Iterable[str]) -> None:
        """Looks up the pieces in these words once, for this set of pieces and all that are parts of it."""
        self.known.update((word, self.starting(word)) for word in words)

    def expect(self, word: str, times: float, expected: array[float]) -> float:
        """Adds how often each piece is expected in a word that occurs so often; returns its log probability × times.

        A piece's share is the probability that a way to write the word, drawn by its probability, has the piece there.
        """
        ask()
        size, width = len(word), self.arithmetic.width
        by_begin = self.nodes(word)
        register = array(width, [0.0])
        forward = array(width, bytes(register.itemsize * (size + 1)))
        """log of the sum over all ways to write what comes before"""
        backward = array(width, forward)
        arriving: list[list[float]] = [[] for _ in range(size + 1)]
        """a sum for each piece that ends there"""
        through: list[float] = []
        """the same by piece"""
        for at, starting in enumerate(asking(by_begin)):
            if at:
                forward[at] = self._sum(arriving[at], register)
            before = forward[at]
            for _, end, _, score in starting:
                register[0] = score + before
                value = register[0]
                arriving[end].append(value)
                through.append(value)
        if size:
            forward[size] = self._sum(arriving[size], register)
        leaving: list[float] = []
        for at in asking(range(size - 1, -1, -1)):
            leaving.clear()
            for _, end, _, score in by_begin[at]:
                register[0] = score + backward[end]
                leaving.append(register[0])
            backward[at] = self._sum(leaving, register)
        whole = forward[size]
        register[0] = times
        times = register[0]
        nodes = [node for starting in by_begin for node in starting]
        around = array(width, map(add, through, [backward[node[1]] for node in nodes]))
        for node, share in zip(nodes, map(math.exp, array(width, [each - whole for each in around])), strict=True):
            expected[node[2]] += times * share
        register[0] = times * whole
        return register[0]

    def _sum(self, terms: list[float], register: array[float]) -> float:
        """log of the sum of exp of the terms, in order."""
        total = terms[0]
        if len(terms) == 1:
            return total
        add = self.arithmetic.add
        for at in range(1, len(terms)):
            term = terms[at]
            low, high = (term, total) if term < total else (total, term)
            register[0] = low - high
            apart = register[0]
            if apart < -NEAR:  # rare, and then the originals decide by a rounded sum
                register[0] = low + FAR
                if high > register[0]:
                    total = high
                    continue
            register[0] = high + add(apart)
            total = register[0]
        return total

    def best(self, word: str, without: int | None = None) -> tuple[list[Node], float]:
        """The best way to write a word and its score. without: a piece not to be used."""
        return _Search(self, word, without).best()

    def two_best(self, word: str) -> list[list[Node]]:
        """The best way to write a word and the next best, if there is one."""
        return _Search(self, word).two_best(self.arithmetic)


class _Search:
    """The best paths through one lattice. Node 0 is the beginning, node 1 the end."""

    def __init__(self, lattices: Lattices, word: str, without: int | None = None) -> None:
        size, width = len(word), lattices.arithmetic.width
        self.nodes: list[Node] = [(0, 0, -1, 0.0), (size, size, -1, 0.0)]
        self.by_end: list[list[int]] = [[0]] + [[] for _ in range(size)]
        starting: list[list[int]] = [[] for _ in range(size)] + [[1]]
        for nodes in lattices.nodes(word):
            for begin, end, piece, score in nodes:
                if piece == without and end - begin == size:
                    score = -math.inf
                starting[begin].append(len(self.nodes))
                self.by_end[end].append(len(self.nodes))
                self.nodes.append((begin, end, piece, score))
        self.register = register = array(width, [0.0])
        self.best_to = array(width, bytes(register.itemsize * len(self.nodes)))
        """the best sum up to and with each node"""
        self.before = [-1] * len(self.nodes)
        best_to = self.best_to
        ask()
        for at in asking(range(size + 1)):
            ending = self.by_end[at]
            for right in starting[at]:
                if len(ending) >= BLOCK:
                    ask()
                score = self.nodes[right][3]
                register[0] = best_to[ending[0]] + score
                chosen, top = ending[0], register[0]
                for left in ending[1:]:
                    register[0] = best_to[left] + score
                    if register[0] > top:
                        chosen, top = left, register[0]
                self.before[right], best_to[right] = chosen, top

    def best(self) -> tuple[list[Node], float]:
        path = []
        node = self.before[1]
        while node > 0:
            path.append(self.nodes[node])
            node = self.before[node]
        path.reverse()
        return path, self.best_to[1]

    def two_best(self, arithmetic: Arithmetic) -> list[list[Node]]:
        """A* from the end, with the best sums as what is still to come."""
        push, pop = arithmetic.push, arithmetic.pop
        register, nodes, best_to, by_end = self.register, self.nodes, self.best_to, self.by_end
        agenda: list[Entry] = []
        push(agenda, (best_to[1], 0.0, 1, None))
        paths: list[list[Node]] = []
        linked, most_linked, in_all, rounds = 1, arithmetic.most_in_all, 1, 0
        while agenda:
            entry = pop(agenda)
            _, below, node, _ = entry
            ask()
            if node == 0:
                paths.append(self.path(entry))
                if len(paths) == 2:
                    break
                continue
            ending = by_end[nodes[node][0]]
            for left in ending:
                register[0] = nodes[left][3] + below
                below_left = register[0]
                register[0] = best_to[left] + below
                push(agenda, (register[0], below_left, left, entry))
            linked += len(ending)
            in_all += len(ending)
            if arithmetic.rounds is not None and max(in_all, linked) >= 5 * arithmetic.most_in_all:
                return [self.best()[0]]
            if len(agenda) >= arithmetic.most or (len(agenda) > KEPT_HYPOTHESES and linked >= most_linked):
                if rounds == arithmetic.rounds:
                    return [self.best()[0]]
                rounds += 1
                best = [pop(agenda) for _ in range(min(len(agenda), KEPT_HYPOTHESES))]
                agenda = []
                for entry in best:
                    push(agenda, entry)
                linked = len(chained(best))
                most_linked = linked + arithmetic.most_in_all
        return paths

    def path(self, entry: Entry) -> list[Node]:
        """The nodes between beginning and end of a search that has arrived."""
        path: list[Node] = []
        following = entry[3]
        while following is not None and following[3] is not None:
            path.append(self.nodes[following[2]])
            following = following[3]
        return path


def chained(entries: list[Entry]) -> set[int]:
    """The hypotheses and all that they continue, by identity."""
    seen: set[int] = set()
    for entry in entries:
        link: Entry | None = entry
        while link is not None and id(link) not in seen:
            seen.add(id(link))
            link = link[3]
    return seen


class Piece(NamedTuple):
    """A piece in the lattice of a word. expected: how often, over all ways. used: how often in the best way."""

    text: str
    score: float
    expected: float
    used: int
    loss: float


class WordWays(NamedTuple):
    """ways: how many there are. best: the best one, and its score. pieces: the most expected first."""

    ways: int
    best: tuple[str, ...]
    score: float
    pieces: tuple[Piece, ...]


def word_ways(learned: Learned[str], word: str) -> WordWays:
    """The ways to write a word.

    >>> learned = Learned(("a", "b", "ab"), ("a", "b", "ab"), scores=(-1.0, -2.0, -2.5))
    >>> found = word_ways(learned, "ab")
    >>> found.ways, found.best, found.score
    (2, ('ab',), -2.5)
    >>> [(piece.text, round(piece.expected, 2), piece.loss) for piece in found.pieces]
    [('ab', 0.62, 0.5), ('a', 0.38, 0.0), ('b', 0.38, 0.0)]
    """
    kinds = learned.kinds or (PieceKind.NORMAL,) * len(learned.tokens)
    scored = zip(learned.tokens, learned.scores, kinds, strict=True)
    own = [
        (token, score)
        for id, (token, score, kind) in enumerate(scored)
        if kind == PieceKind.NORMAL and id not in learned.special
    ]
    texts, scores = [text for text, _ in own], [score for _, score in own]
    lattices = lattices_of(texts, scores)
    expected = array("d", bytes(8 * (len(texts) + 1)))
    lattices.expect(word, 1.0, expected)
    nodes = lattices.nodes(word)
    ways = [0] * len(word) + [1]
    for at in range(len(word) - 1, -1, -1):
        ways[at] = sum(ways[end] for _, end, _, _ in nodes[at])
    best, score = lattices.best(word)
    used = [piece for _, _, piece, _ in best]
    described = []
    for piece in {piece for starting in nodes for _, _, piece, _ in starting if piece < len(texts)}:
        loss = 0.0
        if piece in used:
            others = lattices_of(texts[:piece] + texts[piece + 1 :], scores[:piece] + scores[piece + 1 :])
            loss = score - others.best(word)[1]
        described.append(Piece(texts[piece], scores[piece], expected[piece], used.count(piece), loss))
    described.sort(key=lambda piece: (-piece.expected, piece.text))
    return WordWays(ways[0], tuple(word[start:end] for start, end, _, _ in best), score, tuple(described))


def lattices_of(texts: list[str], scores: list[float]) -> Lattices:
    """The lattices over these pieces; one more, which spells nothing, counts unknown characters."""
    return Lattices([*texts, ""], [*scores, math.nan], HUGGING_FACE, len(texts))
