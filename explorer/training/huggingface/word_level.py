"""WordLevel as Hugging Face's `WordLevelTrainer` learns it: the most frequent words, of equals by code points.

Follows `models/wordlevel/trainer.rs` of tokenizers 0.23. Kept from it: special tokens come first and count toward
`vocab_size`, and one that is listed twice, or is a word as well, takes up an id each time; the last one is in force.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from itertools import groupby
from operator import itemgetter

from explorer.engine.part import Emit
from explorer.training.training import Learned, Training, TrainRow, asking
from explorer.training.words import Words, check_least, check_size, checked


class TakeWord(IntEnum):
    """What a `TakeWordRow` says."""

    WORD = 0
    """Word `a` of the corpus has `b` characters and occurs `n` times."""
    SPECIAL = 1
    """Special token number `a` takes the id `b`."""
    TAKEN = 2
    """Word `a` takes the id `b`; it occurs `n` times."""
    TIES = 3
    """Word `a` and the `b` - 1 after it occur `n` times each; they are sorted by code points."""
    RARE = 4
    """Word `a` is left out: it occurs `n` times, and `b` are needed."""
    NO_ROOM = 5
    """Word `a`, which occurs `n` times, is left out: the vocabulary has its `b` tokens."""
    SPECIAL_NO_ROOM = 6
    """Special token number `a` is left out: the vocabulary has its `b` tokens."""


class TakeWordRow(TrainRow):
    """One decision, a `TakeWord`. a: a word in the order of first occurrence, or a special token."""


@dataclass(frozen=True)
class Options:
    """The options of `WordLevelTrainer`, under its names and with its defaults."""

    vocab_size: int = 30_000
    """Tokens to learn, special tokens among them."""
    min_frequency: int = 0
    """How often a word has to occur."""
    special_tokens: tuple[str, ...] = ()
    """They get the first ids."""

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        check_least(self, 0, "min_frequency")


def train(words: Words, options: Options = Options()) -> Training[str]:
    """Takes the most frequent words.

    >>> train({"b": 1, "a": 1, "the": 9}, Options(vocab_size=2)).learned.tokens
    ('the', 'a')
    """
    return Training(partial(learn, checked(words), options), TakeWordRow)


def learn(words: Words, options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    numbers = {word: number for number, word in enumerate(words)}
    for word, n in asking(list(words.items())):
        emit(TakeWord.WORD, numbers[word], len(word), n)
    tokens: list[str] = []
    size = options.vocab_size
    for number, special in enumerate(options.special_tokens):
        if len(tokens) < size:
            emit(TakeWord.SPECIAL, number, len(tokens), 0)
            tokens.append(special)
        else:
            emit(TakeWord.SPECIAL_NO_ROOM, number, size, 0)
    ordered = sorted(words.items(), key=lambda each: (-each[1], each[0]))
    for n, group in groupby(ordered, key=itemgetter(1)):
        equals = [word for word, _ in group]
        if len(equals) > 1:
            emit(TakeWord.TIES, numbers[equals[0]], len(equals), n)
        for word in asking(equals):
            if n < options.min_frequency:
                emit(TakeWord.RARE, numbers[word], options.min_frequency, n)
            elif len(tokens) >= size:
                emit(TakeWord.NO_ROOM, numbers[word], size, n)
            else:
                emit(TakeWord.TAKEN, numbers[word], len(tokens), n)
                tokens.append(word)
    texts = tuple(tokens)
    specials = {text: id for id, text in enumerate(texts) if text in options.special_tokens}
    return Learned(texts, texts, special=tuple(specials.values()))
