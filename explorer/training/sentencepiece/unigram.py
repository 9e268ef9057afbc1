"""Unigram as sentencepiece 0.2.3 learns it.

Seeds are the characters and all valid pieces that repeat (`seeds`). Each round estimates the pieces' probabilities
(`unigram`) and prunes a quarter of the pieces, those whose loss is smallest, until at most 1.1 × `vocab_size` are left.
All characters stay; the best of the rest fill the vocabulary. Follows `unigram_model_trainer.cc`.

It prunes once more before it stops, and then drops the pieces that other pieces write with a better score, which could
never come out.

All numbers have 32 bits, and the words are shared out among `num_threads` threads whose counts are added up, so the
result depends on their number, here as there.

A seed counts if it is followed by more than one thing (`branching`), and scores its occurrences × its characters, as in
`MakeSeedSentencePieces`, which reads whole sentences, also across spaces: the pieces never hold one, but what follows a
piece may be one. It counts in bytes: what follows differs only if its first byte does; of equal scores the longer in
bytes wins, then the first in the order of code points.

Surprises that are kept: an unknown character is counted for piece 0, which is the most frequent character; the end of a
sentence is taken for a character that is cut off again, so what ends several sentences is counted twice.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from explorer.engine.part import Emit, silent
from explorer.errors import InputError
from explorer.training import unigram
from explorer.training.lattice import SENTENCEPIECE
from explorer.training.sentencepiece import sentences as shared
from explorer.training.sentencepiece.sentences import (
    UNKNOWN_CHARACTER,
    Fault,
    Pieces,
    Sentences,
    marked,
    read,
    single,
    special_pieces,
    split,
)
from explorer.training.sentencepiece.sentences import model as written
from explorer.training.training import Learned, Train, Training, UnigramTrain, UnigramTrainRow, asking, bits
from explorer.training.unigram import UnigramPieces, branching, pruned, required_scores, rounds

END = "\0"
"""Written behind each sentence."""

LASTING = frozenset({Fault.RESERVED, Fault.DIGITS, Fault.SCRIPTS})
"""Faults that a longer piece has as well."""


def seeds(sentences: Sequence[str], options: shared.Options, most: int, emit: Emit) -> UnigramPieces:
    """The first pieces with their scores. sentences: with marks for unknown characters. most: strings, at most."""
    letters = Counter(ch for sentence in sentences for ch in sentence if ch not in (UNKNOWN_CHARACTER, END))
    strings = list(repeated(sentences, options).items())
    sizes = array("f", (n * len(string) for string, n in strings))

    def by_bytes(at: int) -> tuple[float, int, str]:
        string, _ = strings[at]
        return -sizes[at], -len(string.encode()), string

    best = sorted(range(len(strings)), key=by_bytes)[:most]
    pieces = sorted(letters.items(), key=lambda each: (-each[1], each[0]))
    single = len(pieces)
    pieces += [strings[at] for at in best]
    covered = array("f", (n * (len(string) if at >= single else 1) for at, (string, n) in enumerate(pieces)))
    scores = log_shares(covered)
    for at, ((_, n), score) in enumerate(zip(pieces, scores, strict=True)):
        emit(UnigramTrain.SEED_LETTER if at < single else UnigramTrain.SEED, at, n, bits(score))
    return UnigramPieces(list(range(len(pieces))), [string for string, _ in pieces], scores)


def repeated(sentences: Iterable[str], options: shared.Options) -> dict[str, int]:
    """Valid pieces that repeat, in no particular order, and how often the original has them occur."""
    check = Pieces(options)
    text = "".join(f"{sentence}{END}" for sentence in sentences)
    lasting = LASTING | ({Fault.WHITE_SPACE} if options.split_by_whitespace else set())

    def grows(string: str) -> bool:
        return END not in string and check.fault(string) not in lasting

    counts: dict[str, int] = {}
    first_bytes = {ord(ch): chr(ch.encode()[0]) for ch in set(text)}
    longest = options.max_sentencepiece_length + 1  # with the end of a sentence
    for string, n in branching(text, longest, grows, text.translate(first_bytes)):
        piece = string.removesuffix(END)
        if len(piece) > 1 and not check.fault(piece):
            counts[piece] = counts.get(piece, 0) + n
    return counts


def log_shares(covered: array[float]) -> array[float]:
    """log of each one's share of the sum, in 32 bits."""
    if not covered:
        return array("f")
    total = array("d", [0.0])
    for n in covered:
        total[0] = total[0] + n
    total[0] = math.log(total[0])
    return array("f", (math.log(n) - total[0] for n in covered))


STEP = single(0.0001)
"""Between the scores of characters that are no piece any more."""


@dataclass(frozen=True)
class Options(shared.Options):
    """What a training can be given."""

    seed_sentencepiece_size: int = 1_000_000
    """Strings to begin with, at most; characters come in addition."""
    shrinking_factor: float = 0.75
    """The share of the pieces that a pruning keeps."""
    num_threads: int = 16
    """Threads of the original; what they counted is added up in order, which rounds otherwise for each number."""
    num_sub_iterations: int = 2
    """Estimates between two prunings."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_between(
            seed_sentencepiece_size=(1, 2**31 - 1), shrinking_factor=(0.5, 0.95), num_threads=(1, 1024),
            num_sub_iterations=(1, 10),
        )  # fmt: skip
        if self.auto_character_coverage:
            raise InputError("auto_character_coverage is not to be had for Unigram; leave it out")


def train(texts: Iterable[str], options: Options = Options()) -> Training[str]:  # immutable
    """Learns pieces with scores from texts.

    >>> learned = train(["ab ab abc c"], Options(vocab_size=9, hard_vocab_limit=False)).learned
    >>> learned.tokens, round(learned.scores[3], 2)
    (('<unk>', '<s>', '</s>', '▁ab', 'c', 'b', 'a', '▁'), -0.78)
    """
    return Training(partial(learn, list(texts), options), UnigramTrainRow)


def learn(texts: Sequence[str], options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    special = special_pieces(options)
    sentences = read(texts, options, special, in_rows(emit))
    if not sentences.required:
        raise InputError("no character becomes a piece; give it a line with a letter")
    model = seeds(list(marked(sentences.texts, sentences.required)), options, options.seed_sentencepiece_size, emit)
    symbols = tuple(model.texts)
    if not symbols:
        raise InputError("the corpus holds no character to learn from; give it a line with a letter")
    corpus = words_of(sentences, options)
    for at, (word, n) in enumerate(zip(corpus.words, corpus.times, strict=True)):
        emit(UnigramTrain.WORD, at, len(word), n)
    model = shrunk(model, corpus, options, emit)
    model = reachable(model, emit)
    pieces = final_pieces(model, sentences.required, options.vocab_size - len(special), emit)
    learned = written(pieces, special, options, symbols)
    numbers = dict(zip(model.texts, model.numbers, strict=True))
    for id, (token, score) in enumerate(zip(learned.tokens, learned.scores, strict=True)):
        if id not in special and token in numbers:
            emit(UnigramTrain.TOKEN, numbers[token], id, bits(score))
    return learned


def in_rows(emit: Emit) -> Emit:
    """The same sink for the events of reading, which has those of trainers that merge."""
    if emit is silent:
        return emit
    kinds = {kind: UnigramTrain[kind.name] for kind in Train if kind.name in UnigramTrain.__members__}

    def emit_known(kind: int, a: int, b: int, n: int) -> None:
        if kind in kinds:
            emit(kinds[Train(kind)], a, b, n)

    return emit_known


def words_of(sentences: Sentences, options: Options) -> unigram.Corpus:
    """What is learned from: distinct words, or each sentence."""
    if options.split_by_whitespace:
        words = split(sentences.texts, sentences.required, options)
        return unigram.Corpus(list(words), list(words.values()), options.num_threads)
    texts = list(marked(sentences.texts, sentences.required))
    return unigram.Corpus(texts, [1] * len(texts), options.num_threads)


def shrunk(model: UnigramPieces, corpus: unigram.Corpus, options: Options, emit: Emit) -> UnigramPieces:
    """The model after all rounds."""
    wanted = int(options.vocab_size * 1.1)
    factor = single(options.shrinking_factor)
    number = 0
    while True:
        model = rounds(model, corpus, options.num_sub_iterations, number, SENTENCEPIECE, emit)
        over = len(model.texts) <= wanted
        size = max(wanted, int(single(factor * single(len(model.texts)))))
        model = pruned(model, corpus, size, SENTENCEPIECE, loss_of, emit)
        if not model.texts:
            raise InputError("no piece is left that a word needs; give it more text")
        if over or len(model.texts) <= wanted:
            emit(UnigramTrain.STOP, len(model.texts), wanted, 0)
            return model
        number += 1


def loss_of(n: float, others: list[float], total: float) -> float:
    """What is lost without a piece (`unigram.pruned`)."""
    total = single(total)
    before = single(math.log(n) - single(math.log(total)))
    without = single(math.log(single(total + single(n * (len(others) - 1)))))
    instead = 0.0
    for other in others:
        instead = single(instead + (math.log(single(other + n)) - without))
    return single(single(n / total) * single(before - instead))


def reachable(model: UnigramPieces, emit: Emit) -> UnigramPieces:
    """The model without pieces that others write with a better score."""
    lattices = model.lattices(SENTENCEPIECE)
    kept = []
    for at, text in enumerate(asking(model.texts)):
        path, score = lattices.best(text, without=at)
        if path and score > model.scores[at]:
            emit(UnigramTrain.UNREACHABLE, model.numbers[at], 0, bits(score))
        else:
            kept.append(at)
    return model.only(kept)


def final_pieces(model: UnigramPieces, required: Mapping[str, int], room: int, emit: Emit) -> list[tuple[str, float]]:
    """The pieces of the vocabulary with their scores, the best first: all characters, then the best others."""
    scores = dict(zip(model.texts, model.scores, strict=True))
    by_count = sorted(required, key=lambda ch: (-required[ch], ch))
    pieces = required_scores(model, by_count, STEP, single, emit)
    numbers = dict(zip(model.texts, model.numbers, strict=True))
    for text, score in sorted(scores.items(), key=lambda each: (-each[1], each[0])):
        if text in pieces:
            continue
        if len(pieces) == room:
            emit(UnigramTrain.NO_ROOM, numbers[text], room, 0)
        else:
            pieces[text] = score
    return sorted(pieces.items(), key=lambda each: (-each[1], each[0]))
