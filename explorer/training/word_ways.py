"""All ways to write one word with the pieces of a trained Unigram model: what each piece is expected, and its loss.

The same sums as in training (`lattice`, in 64 bits), with the scores that came out. The loss of a piece is what the
word's best way would cost without it; a character without a piece is unknown and scores 10 less than the worst piece.
"""

from __future__ import annotations

import math
from array import array
from typing import NamedTuple

from explorer.training.lattice import HUGGING_FACE, Lattices
from explorer.training.training import Learned
from explorer.vocabulary import PieceKind


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
    found = []
    for piece in {piece for starting in nodes for _, _, piece, _ in starting if piece < len(texts)}:
        loss = 0.0
        if piece in used:
            others = lattices_of(texts[:piece] + texts[piece + 1 :], scores[:piece] + scores[piece + 1 :])
            loss = score - others.best(word)[1]
        found.append(Piece(texts[piece], scores[piece], expected[piece], used.count(piece), loss))
    found.sort(key=lambda piece: (-piece.expected, piece.text))
    return WordWays(ways[0], tuple(word[start:end] for start, end, _, _ in best), score, tuple(found))


def lattices_of(texts: list[str], scores: list[float]) -> Lattices:
    """The lattices over these pieces; one more, which spells nothing, counts unknown characters."""
    return Lattices([*texts, ""], [*scores, math.nan], HUGGING_FACE, len(texts))
