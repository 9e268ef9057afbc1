"""WordPiece from the top down: the learner that Google published with TensorFlow Text.

It is not the trainer of BERT, which was never published, and it merges nothing. All substrings of all words are
counted; from the longest to the shortest, those that are frequent enough become tokens. The next rounds count only
substrings that begin where the words have a token when they are cut by the longest match. How often a token has to
occur is found by a binary search for the vocabulary that is closest below the size. Follows
`wordpiece_tokenizer_learner_lib.py` of tensorflow_text 2.21.

A substring's count is taken from each of its prefixes, because those occurrences are spoken for. What is left to a
prefix are the occurrences that end where the word does, so every token of two or more characters is the end of a word.
That is a surprise: the documentation says that the count of a *token* is taken from its prefixes; the code takes the
count of every substring, token or not, and so does this.

Time is the sum over words of (their length)², for each of the rounds and each threshold tried.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from explorer.engine.budget import BLOCK
from explorer.engine.part import Emit
from explorer.errors import InputError
from explorer.training.training import Learned, Training, TrainRow, ask, asking
from explorer.training.words import Words, characters, check_least, check_size, checked


class TopDown(IntEnum):
    """What a `TopDownRow` says."""

    WORD = 0
    """Word `a` has `b` characters and occurs `n` times."""
    WORD_TOO_LONG = 1
    """Word `a` has `n` characters, more than `b`; it is left out."""
    WORD_RESERVED = 2
    """Word `a` is a reserved token; it is left out."""
    WORD_WITH_LETTER = 3
    """Word `a` holds a character outside the alphabet, code point `n`; it is left out."""
    WORD_NO_ROOM = 4
    """Word `a` is left out: `b` more frequent words are read already."""
    LETTER = 5
    """The character with code point `a` occurs `n` times and is in the alphabet."""
    LETTER_DROPPED = 6
    """The character with code point `a` occurs `n` times; the alphabet has its `b` characters without it."""
    THRESHOLD = 7
    """A token has to occur `n` times, half way between `a` and `b`."""
    ROUND = 8
    """Round `a` counts `n` different substrings."""
    UNCUT = 9
    """Word `a` cannot be cut into tokens; it is left out of this round."""
    TOKEN = 10
    """Text `a`, of `b` characters, keeps the count `n` and is a token in this round."""
    TOO_RARE = 11
    """Of the substrings of `a` characters `b` are left with a count below `n`."""
    SIZE = 12
    """The vocabulary would have `a` tokens; from `n` to `b` are good enough."""
    STOP_SIZE = 13
    """End: `a` tokens are good enough."""
    STOP_SEARCH = 14
    """End: no other threshold is left to try. The vocabulary has `a` tokens; `b` were asked for."""


class TopDownRow(TrainRow):
    """One decision, a `TopDown`. a: a word, a code point or a text. b: a size or a limit."""


@dataclass(frozen=True)
class Options:
    """The options of `learn`, under its names and with its defaults."""

    vocab_size: int = 8_000
    """Tokens to learn, at most."""
    reserved_tokens: tuple[str, ...] = ()
    """They get the first ids, and words that are spelled so are not read."""
    upper_thresh: int | None = 10_000_000
    """How often a token has to occur, at most; None for the most frequent word's count."""
    lower_thresh: int | None = 10
    """How often a token has to occur, at least; None for the rarest word's count."""
    num_iterations: int = 4
    """Rounds for each threshold."""
    max_input_tokens: int | None = 5_000_000
    """Words to read, the most frequent ones; None for all."""
    max_token_length: int = 50
    """Longer words are left out."""
    max_unique_chars: int = 1_000
    """Characters of the alphabet; words with others are left out."""
    slack_ratio: float = 0.05
    """The share of the size by which the vocabulary may be smaller."""
    include_joiner_token: bool = True
    """Whether a token that does not begin a word is written with the joiner."""
    joiner: str = "##"

    def __post_init__(self) -> None:
        check_size(self.vocab_size)
        check_least(self, 1, "num_iterations", "max_token_length", "max_unique_chars")

    def joined(self, text: str) -> str:
        """A text that does not begin a word, as it is written."""
        return self.joiner + text if self.include_joiner_token else text


def train(words: Words, options: Options = Options()) -> Training[str]:
    """Learns tokens from words. Raises InputError where there are none.

    >>> options = Options(10, lower_thresh=1, include_joiner_token=False, slack_ratio=0)
    >>> train({"apple": 2, "peach": 1, "pear": 1}, options).learned.tokens
    ('a', 'c', 'e', 'h', 'l', 'p', 'r', 'apple', 'peach', 'pear')
    """
    if not words:
        raise InputError("the corpus holds no word to learn from; give it a line with a letter")
    return Training(partial(learn, checked(words), options), TopDownRow)


def learn(words: Words, options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    read = input_words(words, options, emit)
    learner = Learner(read, {word: number for number, word in enumerate(words)}, options, emit)
    most, least = max(words.values()), min(words.values())
    upper = most if options.upper_thresh is None else min(most, options.upper_thresh)
    lower = least if options.lower_thresh is None else max(least, options.lower_thresh)
    size = options.vocab_size
    slack = max(0.0, options.slack_ratio * size)
    while True:
        threshold = (upper + lower) // 2
        emit(TopDown.THRESHOLD, lower, upper, threshold)
        tokens = learner.tokens(threshold)
        emit(TopDown.SIZE, len(tokens), size, int(size - slack))
        if len(tokens) <= size and size - len(tokens) <= slack:
            emit(TopDown.STOP_SIZE, len(tokens), size, 0)
            break
        if lower >= upper or threshold <= 1:
            emit(TopDown.STOP_SEARCH, len(tokens), size, 0)
            break
        if len(tokens) > size:
            lower = threshold + 1
        else:
            upper = threshold - 1
    special = tuple(range(len(dict.fromkeys(options.reserved_tokens))))
    return Learned(tuple(learner.texts), tuple(tokens), special=special)


def input_words(words: Words, options: Options, emit: Emit) -> list[tuple[str, int]]:
    """The words that are read, the most frequent first."""
    kept: list[tuple[int, str, int]] = []
    for number, (word, n) in enumerate(asking(list(words.items()))):
        emit(TopDown.WORD, number, len(word), n)
        if len(word) > options.max_token_length:
            emit(TopDown.WORD_TOO_LONG, number, options.max_token_length, len(word))
        elif word in options.reserved_tokens:
            emit(TopDown.WORD_RESERVED, number, 0, n)
        else:
            kept.append((number, word, n))
    letters = characters({word: n for _, word, n in kept})
    ordered = sorted(letters, key=lambda ch: (-letters[ch], ch))
    allowed = set(ordered[: options.max_unique_chars])
    for ch in ordered:
        emit(TopDown.LETTER if ch in allowed else TopDown.LETTER_DROPPED, ord(ch), len(allowed), letters[ch])
    limit = options.max_input_tokens
    read: list[tuple[str, int]] = []
    for number, word, n in asking(sorted(kept, key=lambda each: -each[2])):
        foreign = next((ch for ch in word if ch not in allowed), None)
        if limit is not None and limit != -1 and len(read) >= limit:
            emit(TopDown.WORD_NO_ROOM, number, limit, n)
        elif foreign is not None:
            emit(TopDown.WORD_WITH_LETTER, number, 0, ord(foreign))
        else:
            read.append((word, n))
    return read


@dataclass(eq=False)
class Learner:
    """Finds the tokens for a threshold.

    words: with their counts. numbers: of each word, for the events. texts: those that the events name.
    """

    words: Sequence[tuple[str, int]]
    numbers: dict[str, int]
    options: Options
    emit: Emit

    def __post_init__(self) -> None:
        self.letters = sorted({ch for word, _ in self.words for ch in word})
        self.longest = max((len(word) for word, _ in self.words), default=0)
        self.texts: list[str] = []
        self.known: dict[str, int] = {}

    def tokens(self, threshold: int) -> list[str]:
        """The vocabulary: reserved tokens, characters, then tokens by count."""
        tokens = self.with_letters({})
        for number in range(self.options.num_iterations):
            ask()
            tokens = self.with_letters(self.frequent(self.count(tokens if number else None, number), threshold))
        ordered = sorted(tokens, key=lambda text: (-tokens[text], text))
        return list(dict.fromkeys([*self.options.reserved_tokens, *self.letters, *ordered]))

    def with_letters(self, tokens: dict[str, int]) -> dict[str, int]:
        """The tokens, and every character alone, with and without the joiner."""
        for ch in self.letters:
            tokens.setdefault(ch, 1)
            tokens.setdefault(self.options.joined(ch), 1)
        return tokens

    def count(self, tokens: dict[str, int] | None, number: int) -> list[dict[str, int]]:
        """The substrings of each length, and how often they occur. tokens: those of the round before."""
        joined = self.options.joined
        by_length: list[dict[str, int]] = [{} for _ in range(self.longest + 1)]
        for word, n in asking(self.words):
            starts = range(len(word)) if tokens is None else self.cut(word, tokens)
            for start in starts:
                if len(word) >= BLOCK:
                    ask()
                for size in range(1, len(word) - start + 1):
                    text = word[start : start + size]
                    text = joined(text) if start else text
                    counts = by_length[size]
                    counts[text] = counts.get(text, 0) + n
        self.emit(TopDown.ROUND, number, 0, sum(map(len, by_length)))
        return by_length

    def cut(self, word: str, tokens: dict[str, int]) -> Iterable[int]:
        """Where the longest match cuts a word into tokens; nowhere if it cannot."""
        joined = self.options.joined
        starts = [0]
        while starts[-1] < len(word):
            start = starts[-1]
            if len(word) >= BLOCK:
                ask()
            for end in range(len(word), start, -1):
                if (joined(word[start:end]) if start else word[start:end]) in tokens:
                    starts.append(end)
                    break
            else:
                self.emit(TopDown.UNCUT, self.numbers[word], start, 0)
                return ()
        return starts[:-1]

    def frequent(self, by_length: list[dict[str, int]], threshold: int) -> dict[str, int]:
        """The substrings that are left frequent enough, from the longest on."""
        tokens: dict[str, int] = {}
        for size in range(len(by_length) - 1, 0, -1):
            rare = 0
            for text, n in asking(list(by_length[size].items())):
                if n >= threshold:
                    tokens[text] = n
                    self.emit(TopDown.TOKEN, self.number(text), size, n)
                else:
                    rare += 1
                if size >= BLOCK:
                    ask()
                before = len(text) - size
                for shorter in range(1, size):
                    prefix = text[: before + shorter]
                    if prefix in by_length[shorter]:
                        by_length[shorter][prefix] -= n
            if rare:
                self.emit(TopDown.TOO_RARE, size, rare, threshold)
        return tokens

    def number(self, text: str) -> int:
        """The number of a text in the events."""
        number = self.known.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number
