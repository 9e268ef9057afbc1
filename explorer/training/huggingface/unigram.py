"""Unigram as Hugging Face's `UnigramTrainer` learns it (`models/unigram/trainer.rs` of tokenizers 0.23).

Seeds are the characters and all strings of 2 to `max_piece_length` characters that repeat in the distinct words and are
followed by more than one thing (the end of a word is one). In each round come two estimates (`unigram`), then a quarter
of the pieces is pruned, until at most 1.1 × `vocab_size` are left. The first of those, in the order of the last
pruning, fill the vocabulary after all characters.

Surprises that are kept: seeds are counted over distinct words, however frequent; an ending such as "ing" that is
followed by nothing but the end of a word is no seed. The loss of a piece divides by the number of all pieces where
sentencepiece has the number of pieces that replace it. The vocabulary is filled by the order of pruning and not by
score; if the characters alone fill it, all other pieces are added as well.

The original adds up in the order of a random hash map, so its scores differ in the last digits between two runs, and
characters that are no piece any more get their lowest scores in a random order. Here words and characters are taken by
first occurrence. Without text and with a size of 0 the original never ends; here no text is an error.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from explorer.engine.part import Emit
from explorer.errors import InputError
from explorer.training.lattice import HUGGING_FACE
from explorer.training.training import Learned, Training, UnigramTrain, UnigramTrainRow, bits
from explorer.training.unigram import Corpus, UnigramPieces, branching, pruned, required_scores, rounds
from explorer.training.words import Words, characters, check_alphabet, check_least, check_size, checked

UNKNOWN = "<UNK>"
"""The piece that stands for unknown characters while training."""

MOST_SEEDS = 1_000_000
"""Seeds, the characters among them."""

STEP = 0.0001
"""Between the scores of characters that are no piece any more."""


@dataclass(frozen=True)
class Options:
    """The options of `UnigramTrainer`, under its names and with its defaults."""

    vocab_size: int = 8_000
    """Tokens to learn, special tokens and characters among them."""
    special_tokens: tuple[str, ...] = ()
    """They get the first ids."""
    initial_alphabet: tuple[str, ...] = ()
    """Characters that become tokens even if no word has them."""
    unk_token: str | None = None
    """The token for unknown characters; it comes first if it is not among the special ones."""
    shrinking_factor: float = 0.75
    """The share of the pieces that a pruning keeps."""
    max_piece_length: int = 16
    """Characters of the longest piece."""
    n_sub_iterations: int = 2
    """Estimates between two prunings."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        if not 0.0 < self.shrinking_factor < 1.0:
            raise InputError(f"shrinking_factor is {self.shrinking_factor}; choose a number between 0 and 1")
        check_least(self, 1, "max_piece_length", "n_sub_iterations")
        check_alphabet(self.initial_alphabet)


def train(words: Words, options: Options = Options()) -> Training[str]:
    """Learns a vocabulary with scores.

    >>> learned = train({"ab": 9, "abc": 5, "c": 4}, Options(vocab_size=5)).learned
    >>> learned.tokens, [round(score, 2) for score in learned.scores]
    (('ab', 'c', 'a', 'b'), [-0.9, -1.1, -2.27, -2.27])
    """
    return Training(partial(learn, checked(words), options), UnigramTrainRow)


def learn(words: Words, options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    if not words:
        raise InputError("the corpus holds no text to learn from; give it a line with a letter")
    required = dict.fromkeys(ch for word in words for ch in word) | dict.fromkeys(options.initial_alphabet)
    if len(required) > options.vocab_size:
        raise InputError(
            f"vocab_size is {options.vocab_size}, and the words have {len(required)} different characters, which all "
            f"become tokens; choose {len(required)} or more"
        )
    for at, (word, n) in enumerate(words.items()):
        emit(UnigramTrain.WORD, at, len(word), n)
    model = seeds(words, options, emit)
    symbols = tuple(model.texts)
    corpus = Corpus(tuple(words), tuple(words.values()))
    wanted = options.vocab_size * 11 // 10
    number = 0
    while True:
        model = rounds(model, corpus, options.n_sub_iterations, number, HUGGING_FACE, emit)
        if len(model.texts) <= wanted:
            emit(UnigramTrain.STOP, len(model.texts), wanted, 0)
            break
        left = len(model.texts)
        model = pruned(
            model, corpus, max(wanted, int(left * options.shrinking_factor)), HUGGING_FACE,
            loss_of(left, float(sum(corpus.times))), emit, keeps_split=True,
        )  # fmt: skip
        number += 1
    return finished(model, required, options, symbols, emit)


def seeds(words: Words, options: Options, emit: Emit) -> UnigramPieces:
    """The pieces that training begins with: characters, then strings; each by what it covers."""
    letters = characters(words)
    letters.pop("\0", None)
    text = "".join(f"{word}\0" for word in words)
    strings = branching(text, options.max_piece_length, lambda string: "\0" not in string)
    covered = [(n * len(string), string) for string, n in strings if "\0" not in string]
    covered.sort(reverse=True)
    single = sorted(((n, ch) for ch, n in letters.items()), reverse=True)
    all_seeds = single + covered[: max(MOST_SEEDS - len(single), 1)]
    total = sum(map(float, (n for n, _ in all_seeds)))
    scores = [math.log(n) - math.log(total) for n, _ in all_seeds]
    for at, ((n, string), score) in enumerate(zip(all_seeds, scores, strict=True), 1):
        kind = UnigramTrain.SEED_LETTER if at <= len(single) else UnigramTrain.SEED
        emit(kind, at, n // len(string), bits(score))
    texts = [UNKNOWN, *(string for _, string in all_seeds)]
    return UnigramPieces(list(range(len(texts))), texts, [math.nan, *scores], dummies=1)


def loss_of(size: int, words: float) -> Callable[[float, list[float], float], float]:
    """What is lost without a piece (`unigram.pruned`). size: of the model, in pieces. words: of the corpus."""

    def loss(n: float, others: list[float], total: float) -> float:
        without = math.log(total + n * (size - 1))
        instead = sum(math.log(other + n) - without for other in others)
        return n / words * (math.log(n) - math.log(total) - instead)

    return loss


def finished(
    model: UnigramPieces, required: Mapping[str, None], options: Options, symbols: tuple[str, ...], emit: Emit
) -> Learned[str]:
    """The vocabulary: characters first, then pieces as they come, sorted by score."""
    position = {text: at for at, text in enumerate(model.texts)}
    pieces = required_scores(model, required, STEP, float, emit)
    special = list(options.special_tokens)
    if options.unk_token is not None and options.unk_token not in special:
        special.insert(0, options.unk_token)
    room = options.vocab_size - len(special)
    full = False
    for at in range(1, len(model.texts)):
        text = model.texts[at]
        if full:
            emit(UnigramTrain.NO_ROOM, model.numbers[at], options.vocab_size, 0)
        elif text not in pieces and text != UNKNOWN:
            pieces[text] = model.scores[at]
            full = len(pieces) == room
    ordered = sorted(pieces.items(), key=lambda each: -each[1])
    tokens = [*special, *(text for text, _ in ordered)]
    scores = [0.0] * len(special) + [score for _, score in ordered]
    for id in range(len(special), len(tokens)):
        if tokens[id] in position:
            emit(UnigramTrain.TOKEN, model.numbers[position[tokens[id]]], id, bits(scores[id]))
    return Learned(symbols, tuple(tokens), scores=tuple(scores), special=tuple(range(len(special))))
