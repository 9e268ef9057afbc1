"""BPE as sentencepiece 0.2.3 learns it (0.2.2 learns the same; versions before look at the most frequent pairs only).

The most frequent pair of adjacent symbols becomes a piece, then the most frequent of what is there now. Of equally
frequent pairs the shortest wins, then the first in the order of code points. A pair whose text is no valid piece is
never looked at. Follows `bpe_model_trainer.cc`.

Only the size stops it: a pair that no longer occurs anywhere still becomes a piece when nothing better is left. So
"abab" learns ab, ▁ab, ▁abab, and then pieces such as ba that no text will ever be cut into. The characters follow after
all merges, the most frequent first. Scores are minus the position in that order, so a model is its own list of merges.

Pairs wait in a heap whose entries may be out of date. Time is (words that hold the winner) × (their length) and a heap
operation for each pair they gain or lose, summed over the merges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Protocol

from explorer.engine.limits.budget import asking, turns
from explorer.engine.trace import Emit
from explorer.training.rows import Train
from explorer.training.sentencepiece.coverage import chosen, letter_counts
from explorer.training.sentencepiece.model import model
from explorer.training.sentencepiece.options import Options, special_pieces
from explorer.training.sentencepiece.pieces import Pieces
from explorer.training.sentencepiece.sentences import Corpus, load
from explorer.training.symbols import Allowed, Ranking, Step, ids, pairs_of
from explorer.training.training import TRAINER, Learned, Training
from explorer.vocabulary import PieceKind


def train(texts: Iterable[str], options: Options = Options()) -> Training[str]:  # noqa: B008  # immutable
    """Learns pieces from texts (`sentences.lines_given` or `lines_read`).

    >>> learned = train(["abab"], Options(vocab_size=12)).learned
    >>> learned.tokens
    ('<unk>', '<s>', '</s>', 'ab', '▁ab', '▁abab', 'ba', '▁a', 'aba', 'a', 'b', '▁')
    """
    return Training(partial(learn, list(texts), options))


def learn(texts: Sequence[str], options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    special = special_pieces(options)
    corpus = load(texts, options, special, emit)
    size = options.vocab_size - len(special) - len(corpus.required)
    if not options.auto_character_coverage:
        merges = merged(corpus, Pieces(options), size, emit)
        return finished(corpus, merges, special, options, emit)
    letters = letter_counts(corpus.texts, corpus.words, corpus.times)
    won: list[int] = []
    merges = merged(corpus, Pieces(options), size, emit, won=won)
    spelled = [corpus.texts[made] for _, _, made in merges]
    pieces = chosen(list(zip(spelled, won, strict=True)), letters, size, emit)
    return model(scored(pieces), special, options, corpus.texts, merges)


def finished(
    corpus: Corpus,
    merges: Sequence[tuple[int, int, int]],
    special: Mapping[int, tuple[str, PieceKind]],
    options: Options,
    emit: Emit,
) -> Learned[str]:
    """The model of merges and characters."""
    pieces = [corpus.texts[made] for _, _, made in merges] + required_pieces(corpus, emit)
    return model(scored(pieces), special, options, corpus.texts, merges)


def scored(pieces: Sequence[str]) -> list[tuple[str, float]]:
    """The pieces with their scores: minus the position."""
    return [(text, -float(position)) for position, text in enumerate(pieces)]


def required_pieces(corpus: Corpus, emit: Emit) -> list[str]:
    """The characters, the most frequent first."""
    ordered = sorted(corpus.required.items(), key=lambda each: (-each[1], each[0]))
    numbers = {text: number for number, text in enumerate(corpus.texts)}
    for text, n in ordered:
        emit(Train.REQUIRED, numbers[text], 0, n)
    return [text for text, _ in ordered]


class Choice(Protocol):
    """Which pairs are looked at, where that is not all of them."""

    def add(self, pairs: Iterable[str]) -> None:
        """These pairs have arisen, in this order."""

    def remove(self, pair: str) -> None:
        """This pair can no longer win."""

    def add_symbol(self, pair: str) -> None:
        """This pair becomes the next symbol."""

    def chosen(self, number: int, counts: Mapping[str, int]) -> list[str] | None:
        """The pairs that are looked at from now on, None where they stay the same. number: of the next merge."""


def merged(
    corpus: Corpus,
    pieces: Pieces,
    size: int,
    emit: Emit,
    choice: Choice | None = None,
    won: list[int] | None = None,
) -> list[tuple[int, int, int]]:
    """The merges, as (left, right, made). Words are rewritten, and the texts of symbols added, in place.

    won: takes the count of each winner.
    """
    texts, words, times = corpus.texts, corpus.words, corpus.times

    def order(pair: str) -> tuple[int, str]:
        text = texts[ord(pair[0])] + texts[ord(pair[1])]
        return len(text), text

    def valid(pair: str) -> bool:
        fault = pieces.fault(texts[ord(pair[0])] + texts[ord(pair[1])])
        if fault:
            emit(Train.INVALID, *ids(pair), fault)
        return not fault

    allowed = Allowed(valid)
    counts, where = pairs_of(words, times)
    counts = {pair: n for pair, n in counts.items() if allowed[pair]}
    queue = [(-n, *order(pair), pair) for pair, n in counts.items()]
    heapify(queue)
    if choice is not None:
        choice.add(counts)
    ranking = Ranking(counts, emit, order, zeros=True)
    taken: dict[str, int] = {}
    """the symbol of each piece"""
    merges: list[tuple[int, int, int]] = []
    for _ in turns(sum(map(len, words)), TRAINER):
        if len(merges) >= size:
            emit(Train.STOP_SIZE, len(merges), size, 0)
            break
        if choice is not None and (looked_at := choice.chosen(len(merges), counts)) is not None:
            queue = [(-counts[pair], *order(pair), pair) for pair in looked_at]
            heapify(queue)
            ranking.restrict(looked_at)
        if not queue:
            emit(Train.STOP_NO_PAIR, len(merges), size, 0)
            break
        negative, length, text, pair = heappop(queue)
        n = counts[pair]
        left, right = ids(pair)
        if n != -negative:
            emit(Train.STALE, left, right, -negative)
            heappush(queue, (-n, length, text, pair))
            continue
        ranking.report(pair, n)
        if text in taken:
            emit(Train.DUPLICATE, left, right, taken[text])
            if choice is not None:
                choice.remove(pair)
            continue
        made = taken[text] = len(texts)
        texts.append(text)
        merges.append((left, right, made))
        if won is not None:
            won.append(n)
        emit(Train.TOKEN, left, right, made)
        if choice is not None:
            choice.add_symbol(pair)

        step = Step(pair, chr(made), emit, allowed)
        for at in asking(where.pop(pair), TRAINER):
            words[at] = step.merge(words[at], at, times[at])
        where.update(step.gained)
        for changed, by in step.changes.items():
            if changed != pair and allowed[changed]:
                counts[changed] = counts.get(changed, 0) + by
                ranking.update(changed, counts[changed])
        for gained in step.gained:
            heappush(queue, (-counts[gained], *order(gained), gained))
        if choice is not None:
            choice.add(step.gained)
            choice.remove(pair)
    return merges
