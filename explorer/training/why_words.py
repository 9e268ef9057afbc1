"""Why a token is in a vocabulary and another text is not, for trainers that do not merge: Unigram, WordLevel, top-down.

Unigram begins with too many pieces, so a text was dropped in one of the rounds or never was a piece. WordLevel takes
whole words. From the top down, substrings have to reach a threshold in the last round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from explorer.text.quantities import decimal, plural
from explorer.text.say import Say
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.training import Training
from explorer.training.unigram_rows import UnigramTrain, UnigramTrainRow, real
from explorer.training.why import Cause, Question, Step, Why

U = UnigramTrain
DROPS: Final[Mapping[int, str]] = {
    U.RARE: "It was dropped in round {0}: expected {1:t} times, less than half a time.",
    U.UNUSED: "It was dropped in round {0}: no best way to write a word uses it.",
    U.SPLIT: "It was dropped in round {0}: its own text is better written with other pieces.",
    U.PRUNED: "It was dropped in round {0}: the loss without it is one of the smallest, {1:t}.",
    U.UNREACHABLE: "It was dropped at the end: other pieces write it better, so it would never come out.",
    U.NO_ROOM: "It was left out at the end: the vocabulary was full.",
}
"""Why a piece was dropped; arguments: the round, a number."""


def why(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str] = (), prefix: str = "") -> Why:
    """The answer for any trainer. texts: of the corpus. words: that it was cut into, where the trainer is given words.

    prefix: of symbols that do not begin a word.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import word_level
    >>> words = {"b": 1, "a": 1, "the": 9}
    >>> training = word_level.train(words, word_level.Options(vocab_size=2))
    >>> plain(why(training, "b", ["the a b"], list(words)).say)
    'It occurs 1 time, and more frequent words, or equals that come first, filled the vocabulary.'
    """
    if training.row is UnigramTrainRow:
        return why_piece(training, token, texts)
    if training.row is TakeWordRow:
        return why_word(training, token, texts, words)
    if training.row is TopDownRow:
        return why_substring(training, token, texts, words)
    return Question(training, texts, prefix).why(token)


def why_piece(training: Training[Any], token: str, texts: Sequence[str]) -> Why:
    """The answer for a Unigram trainer."""
    learned, events = training.learned, training.events
    round_number = 0
    answer: Why | None = None
    steps: list[Step] = []
    expected = loss = None
    numbers = {number for number, text in enumerate(learned.symbols) if text == token}
    for at, row in enumerate(events):
        kind, n = row.kind, row.n
        if kind in STEPS and row.a in numbers:
            value = row.b if kind in SEEDS else real(row.n)
            steps.append(Step(at, Say.of(STEPS[kind], round_number, decimal(value))))
        if kind == U.ROUND:
            round_number = row.a + 1
        elif kind == U.REQUIRED and chr(row.a) == token:
            answer = Why(Cause.LETTER, Say.of("Each character has to be a piece, so it was added at the end."), at)
        elif kind in OF_PIECES and row.a in numbers:
            if kind == U.EXPECTED:
                expected = real(n)
            elif kind == U.LOSS:
                loss = real(n)
            elif kind in DROPS:
                value = real(n) if kind == U.RARE else loss
                text = decimal(value) if value is not None else ""
                cause = Cause.FULL if kind == U.NO_ROOM else Cause.DROPPED
                answer = Why(cause, Say.of(DROPS[kind], round_number, text), at)
            elif kind == U.TOKEN:
                answer = Why(Cause.MERGED, kept(row.b, real(n), expected, loss), at)
    if answer is not None and answer.cause in (Cause.DROPPED, Cause.FULL) and token in learned.ids:
        # a character that was dropped is added again, where the trainer has no event for it
        answer = Why(Cause.LETTER, Say.of("Each character has to be a piece, so it was added at the end."))
    if answer is None and token in learned.ids:
        return Why(Cause.SPECIAL, Say.of("It is a special token, given before the training begins."))
    return replace(answer, steps=tuple(steps)) if answer is not None else never(token, texts)


SEEDS: Final = frozenset({U.SEED, U.SEED_LETTER})
STEPS: Final[Mapping[int, str]] = {
    U.SEED_LETTER: "It begins as a character that occurs {1:t} times.",
    U.SEED: "It begins as a piece that occurs {1:t} times.",
    U.EXPECTED: "Round {0}: it is expected {1:t} times.",
    U.RARE: "Round {0}: it is expected {1:t} times, too rarely.",
    U.LOSS: "Round {0}: to lose it costs {1:t}.",
    U.TOKEN: "It becomes a token with score {1:t}.",
}
"""The decisions about a piece; arguments: the round, a number."""
OF_PIECES: Final = frozenset({U.EXPECTED, U.LOSS, U.TOKEN, *DROPS})


def kept(id: int, score: float, expected: float | None, loss: float | None) -> Say:
    """What is said of a piece that stays."""
    say = Say.of("It stayed to the end: token {0:i} with score {1:t}.", id, decimal(score))
    if expected is not None:
        say = say.then(Say.of("It is expected {0:t} times in the corpus.", decimal(expected)))
    if loss is not None:
        say = say.then(Say.of("When losses were last computed, to lose it would have cost {0:t}.", decimal(loss)))
    return say


def never(token: str, texts: Sequence[str]) -> Why:
    """A text that never was a piece."""
    if not holds(texts, token):
        return Why(Cause.ABSENT, Say.of("The corpus does not hold it."))
    say = Say.of("It never was a piece. A piece repeats inside words, is not too long, and several things follow it.")
    return Why(Cause.CUT, say)


def why_word(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str]) -> Why:
    """The answer for WordLevel."""
    number = words.index(token) if token in words else -1
    for at, row in enumerate(training.events):
        if row.kind == TakeWord.TAKEN and row.a == number:
            say = Say.of("It is a word of the corpus and occurs {0:t}.", plural(row.n, "time"))
            return Why(Cause.MERGED, say, at, count=row.n)
        if row.kind == TakeWord.RARE and row.a == number:
            say = Say.of("It occurs {0:t}, and min_frequency asks for {1}.", plural(row.n, "time"), row.b)
            return Why(Cause.RARE, say, at, count=row.n)
        if row.kind == TakeWord.NO_ROOM and row.a == number:
            say = Say.of(
                "It occurs {0:t}, and more frequent words, or equals that come first, filled the vocabulary.",
                plural(row.n, "time"),
            )
            return Why(Cause.FULL, say, at, count=row.n)
    if token in training.learned.ids:
        return Why(Cause.SPECIAL, Say.of("It is a special token, given before the training begins."))
    return outside(token, texts, "The corpus holds it, but not as a word of its own.")


def why_substring(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str]) -> Why:
    """The answer for WordPiece from the top down."""
    learned, events = training.learned, training.events
    last = max((at for at, row in enumerate(events) if row.kind == TopDown.ROUND), default=0)
    threshold = max(((at, row.n) for at, row in enumerate(events) if row.kind == TopDown.THRESHOLD), default=(0, 0))[1]
    for at in range(last, len(events)):
        row = events[at]
        if row.kind == TopDown.TOKEN and learned.symbols[row.a] == token:
            say = Say.of(
                "In the last round {0:t} of it were left, and {1} are enough.", plural(row.n, "occurrence"), threshold
            )
            return Why(Cause.MERGED, say, at, count=row.n)
    if token in learned.ids:
        if learned.ids[token] in learned.special:
            return Why(Cause.SPECIAL, Say.of("It is a reserved token, given before the training begins."))
        return Why(Cause.LETTER, Say.of("It is a character of the corpus: those are tokens, with and without ##."))
    plain = token.removeprefix("##")
    if any(plain in word for word in words):
        say = Say.of(
            "In the last round fewer than {0:t} were its own. A substring's count is taken from its prefixes, "
            "so what ends inside a word keeps nothing.",
            plural(threshold, "occurrence"),
        )
        return Why(Cause.RARE, say, last, count=threshold)
    return outside(plain, texts, "The corpus holds it, but no word does: texts are cut into words.")


def outside(token: str, texts: Sequence[str], cut: str) -> Why:
    """A text that no word is or holds."""
    if holds(texts, token):
        return Why(Cause.CUT, Say.of(cut))
    return Why(Cause.ABSENT, Say.of("The corpus does not hold it."))


def holds(texts: Sequence[str], token: str) -> bool:
    """Whether a corpus holds a text; ▁ is a space or the beginning of a text."""
    plain = token.replace("▁", " ")
    return any(plain in f" {text}" or token in text for text in texts)
