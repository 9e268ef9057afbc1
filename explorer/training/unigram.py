"""Learning a Unigram model: what sentencepiece and Hugging Face do alike.

A Unigram model gives each piece a probability; a way to write a word has the product of its pieces'. Training begins
with far too many pieces, the strings that occur more than once (`branching`), and shrinks them, in rounds:

- expect: count how often each piece is expected, over all ways to write each word, by their probabilities (E step);
- maximize: give each piece its share of these counts, and drop those expected less than half a time (M step);
- prune: drop the pieces whose absence costs least. The cost is estimated from the best ways to write the words, and
  from the way each piece itself would be written without it (`Alternative`).

Both steps follow `unigram_model_trainer.cc` of sentencepiece and `trainer.rs` of tokenizers. The loss, the order of the
steps and what the final vocabulary is made of differ, and are in `huggingface/unigram.py` and
`sentencepiece/unigram.py`.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import NamedTuple

from explorer.engine.part import Emit
from explorer.errors import InputError
from explorer.training.lattice import Arithmetic, Known, Lattices
from explorer.training.training import UnigramTrain, ask, asking, bits

LEAST_EXPECTED = 0.5
"""A piece that is expected less often is dropped."""


@dataclass
class UnigramPieces:
    """The pieces at one moment.

    numbers: in the order of the seeds. texts: what they spell. scores: their log probabilities. dummies: so many pieces
    at the beginning stand for unknown characters; they are never dropped. known: what `Lattices` remember of the words.
    """

    numbers: list[int]
    texts: list[str]
    scores: Sequence[float]
    dummies: int = 0
    known: Known = field(default_factory=dict)

    def lattices(self, arithmetic: Arithmetic) -> Lattices:
        """Ways to write words with these pieces."""
        return Lattices(self.texts, self.scores, arithmetic, 0, self.known)

    def only(self, kept: Sequence[int]) -> UnigramPieces:
        """The model with these pieces, by position, in this order."""
        return UnigramPieces(
            [self.numbers[at] for at in kept],
            [self.texts[at] for at in kept],
            [self.scores[at] for at in kept],
            self.dummies,
            self.known,
        )


class Corpus(NamedTuple):
    """Words to learn from. threads: the original shares the words out among them, and adds up what each counted."""

    words: Sequence[str]
    times: Sequence[int]
    threads: int = 1

    def shares(self) -> list[list[tuple[str, int]]]:
        """The words of each thread, and how often they occur."""
        pairs = list(zip(self.words, self.times, strict=True))
        return [pairs[thread :: self.threads] for thread in range(self.threads)]


def expect(model: UnigramPieces, corpus: Corpus, arithmetic: Arithmetic, emit: Emit) -> array[float]:
    """How often each piece is expected."""
    lattices = model.lattices(arithmetic)
    if not model.known:
        lattices.remember(asking(corpus.words))
    nothing = bytes(array(arithmetic.width).itemsize * len(model.texts))
    total, likelihood = array(arithmetic.width, nothing), 0.0
    for thread, share in enumerate(corpus.shares()):
        expected = total if thread == 0 else array(arithmetic.width, nothing)
        for word, times in asking(share):
            likelihood += lattices.expect(word, times, expected)
        if thread and share:
            total = array(arithmetic.width, map(add, total, expected))
    if math.isnan(likelihood):  # only a dummy's own spelling has no score
        raise InputError(f"the text holds {model.texts[0]}, and the original stops there as well; take it out")
    emit(UnigramTrain.LIKELIHOOD, 0, len(model.texts) - model.dummies, bits(likelihood / (sum(corpus.times) or 1)))
    return total


def maximize(model: UnigramPieces, expected: Sequence[float], arithmetic: Arithmetic, emit: Emit) -> UnigramPieces:
    """The model whose scores follow from these counts."""
    register = array(arithmetic.width, [0.0])
    kept = []
    for at, n in enumerate(expected):
        if at < model.dummies:
            kept.append(at)
        elif n < LEAST_EXPECTED:
            emit(UnigramTrain.RARE, model.numbers[at], 0, bits(n))
        else:
            emit(UnigramTrain.EXPECTED, model.numbers[at], 0, bits(n))
            register[0] = register[0] + n
            kept.append(at)
    if len(kept) == model.dummies:
        raise InputError(
            f"no piece is left: each is expected less than {LEAST_EXPECTED} times in this corpus; give it more text"
        )
    register[0] = digamma(register[0])
    whole = register[0]
    model = model.only(kept)
    scores = [math.nan if place < model.dummies else digamma(expected[at]) - whole for place, at in enumerate(kept)]
    model.scores = array(arithmetic.width, scores)
    for number, score in zip(model.numbers[model.dummies :], model.scores[model.dummies :], strict=True):
        emit(UnigramTrain.SCORE, number, 0, bits(score))
    return model


def rounds(
    model: UnigramPieces, corpus: Corpus, steps: int, number: int, arithmetic: Arithmetic, emit: Emit
) -> UnigramPieces:
    """So many times both steps. number: of the round."""
    emit(UnigramTrain.ROUND, number, len(model.texts) - model.dummies, 0)
    for _ in range(steps):
        ask()
        model = maximize(model, expect(model, corpus, arithmetic, emit), arithmetic, emit)
    return model


class Alternative(NamedTuple):
    """How a piece is written in other pieces.

    pieces: their positions, empty if there is no other way, or if that way is the better one. better: it is.
    """

    pieces: tuple[int, ...]
    better: int = 0
    """Of how many pieces a better way consists, 0 without one."""


def alternatives(model: UnigramPieces, lattices: Lattices) -> list[Alternative]:
    """For each piece, how it would be written without it."""
    ways = [Alternative(())] * model.dummies
    for text in asking(model.texts[model.dummies :]):
        best, *others = lattices.two_best(text)
        if not others:
            ways.append(Alternative(()))
        elif len(best) > 1:
            ways.append(Alternative((), len(best)))
        else:
            ways.append(Alternative(tuple(piece for _, _, piece, _ in others[0])))
    return ways


def used(model: UnigramPieces, lattices: Lattices, corpus: Corpus, arithmetic: Arithmetic) -> array[float]:
    """How often each piece occurs in the best ways to write the words, added up by thread."""
    nothing = bytes(array(arithmetic.width).itemsize * len(model.texts))
    by_thread = array(arithmetic.width, nothing)
    for share in corpus.shares():
        mine = array(arithmetic.width, nothing)
        for word, times in asking(share):
            for _, _, piece, _ in lattices.best(word)[0]:
                mine[piece] += times
        if share:
            by_thread = array(arithmetic.width, map(add, by_thread, mine))
        ask()
    return by_thread


def pruned(
    model: UnigramPieces,
    corpus: Corpus,
    size: int,
    arithmetic: Arithmetic,
    loss_of: Callable[[float, list[float], float], float],
    emit: Emit,
    *,
    keeps_split: bool = False,
) -> UnigramPieces:
    """The model with at most `size` pieces, unless more have to stay; of equal losses the first piece stays.

    loss_of: what is lost without a piece, from its uses, those of the pieces it is written with instead, and the sum of
    all uses. keeps_split: whether a piece that is written better with others, but used, stays.
    """
    lattices = model.lattices(arithmetic)
    uses = used(model, lattices, corpus, arithmetic)
    total = sum(uses)
    kept = list(range(model.dummies))
    losses: list[tuple[int, float]] = []
    for at, other in enumerate(alternatives(model, lattices)):
        if at < model.dummies:
            continue
        number, n = model.numbers[at], uses[at]
        emit(UnigramTrain.USED, number, 0, bits(n))
        if not n and (other.better or other.pieces or not keeps_split):
            emit(UnigramTrain.UNUSED, number, 0, 0)
        elif other.better and not keeps_split:
            emit(UnigramTrain.SPLIT, number, other.better, 0)
        elif not other.pieces:
            emit(UnigramTrain.SPLIT_KEPT if other.better else UnigramTrain.ONLY_WAY, number, other.better, 0)
            kept.append(at)
        else:
            losses.append((at, loss_of(n, [uses[piece] for piece in other.pieces], total)))
            emit(UnigramTrain.LOSS, number, len(other.pieces), bits(losses[-1][1]))
    full = False
    for rank, (at, _) in enumerate(sorted(losses, key=lambda loss: -loss[1]), 1):
        full = full or len(kept) == size  # more than `size` may have to stay: then nothing is ever full
        emit(UnigramTrain.PRUNED if full else UnigramTrain.KEPT, model.numbers[at], rank, 0)
        if not full:
            kept.append(at)
    return model.only(kept)


def required_scores(
    model: UnigramPieces, required: Iterable[str], step: float, rounded: Callable[[float], float], emit: Emit
) -> dict[str, float]:
    """The characters that have to be pieces, with their scores; those that are none anymore get the lowest, a step
    apart. rounded: as the original computes.
    """
    scores = dict(zip(model.texts[model.dummies :], model.scores[model.dummies :], strict=True))
    lowest, penalty = min(scores.values(), default=math.inf), 0.0
    pieces: dict[str, float] = {}
    for ch in required:
        if ch in scores:
            pieces[ch] = scores[ch]
        else:
            pieces[ch] = rounded(lowest + penalty)
            emit(UnigramTrain.REQUIRED, ord(ch), 0, bits(pieces[ch]))
            penalty = rounded(penalty + step)
    return pieces


def digamma(x: float) -> float:
    """The derivative of log Γ, by the expansion that both originals use.

    >>> round(digamma(1.0), 6)
    -0.577216
    """
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 1.0 / 2.0
    x1 = 1.0 / x
    x2 = x1 * x1
    x4 = x2 * x2
    result += (
        math.log(x) + (1.0 / 24.0) * x2 - (7.0 / 960.0) * x4 + (31.0 / 8064.0) * x4 * x2 - (127.0 / 30720.0) * x4 * x4
    )
    return result


def branching(
    text: str, longest: int, grows: Callable[[str], bool], following: str | None = None
) -> Iterator[tuple[str, int]]:
    """Each such string of 2 to `longest` characters, and how often it occurs.

    grows: whether a string can be the beginning of one that is wanted. following: what a position
    looks like to those before it, a character for each of the text; the text itself where it is not given.

    >>> list(branching("abcab.ab", 3, lambda string: True))
    [('ab', 3)]
    >>> list(branching("abcab.ab", 3, lambda string: True, "........"))
    [('ab', 3)]
    """
    after = (text if following is None else following) + "\U0010ffff"
    pairs: defaultdict[str, list[int]] = defaultdict(list)
    for at in asking(range(len(text) - 1)):
        pairs[text[at : at + 2]].append(at)
    repeated = {pair: positions for pair, positions in pairs.items() if len(positions) > 1}
    for length in range(2, longest + 1):
        if not repeated:
            return
        longer: dict[str, list[int]] = {}
        for string, positions in repeated.items():
            ask()
            if len({after[at + length] for at in positions}) > 1:
                yield string, len(positions)
            if length == longest or not grows(string):
                continue
            if positions[-1] + length == len(text):
                positions.pop()
            grouped: defaultdict[str, list[int]] = defaultdict(list)
            for at in positions:
                grouped[text[at + length]].append(at)
            longer.update((string + ch, where) for ch, where in grouped.items() if len(where) > 1)
        repeated = longer
