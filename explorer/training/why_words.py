"""Why a token is in a vocabulary and another text is not, for trainers that do not merge: Unigram, WordLevel, top-down.

Unigram begins with too many pieces, so a text was dropped in one of the rounds or never was a piece. WordLevel takes
whole words. The top-down trainer keeps substrings that reach a threshold in the last round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from explorer.text.quantities import decimal, plural
from explorer.text.say import Say
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.rows import UnigramTrain, UnigramTrainRow, real
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.training import Training
from explorer.training.why import ABSENT, SPECIAL, Cause, Question, Step, Why

U = UnigramTrain
DROPS: Final = {
    U.RARE: "It was dropped in round {0}: its expected count, {1:t}, is below 0.5.",
    U.UNUSED: "It was dropped in round {0}: no word's best segmentation uses it.",
    U.SPLIT: "It was dropped in round {0}: other pieces spell its text with a higher score.",
    U.PRUNED: "It was dropped in round {0}: removing it costs {1:t}, one of the smallest losses.",
    U.UNREACHABLE: "It was dropped at the end: other pieces spell it with a higher score, so encoding never gives it.",
    U.NO_ROOM: "It was left out at the end: the vocabulary was full.",
}
"""Reasons why a piece was dropped; arguments: the round, a number."""


def why(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str] = (), prefix: str = "") -> Why:
    """The answer for any trainer. texts: of the corpus. words: that it was cut into, where the trainer is given words.

    prefix: of symbols that do not begin a word.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import word_level
    >>> words = {"b": 1, "a": 1, "the": 9}
    >>> training = word_level.train(words, word_level.Options(vocab_size=2))
    >>> plain(why(training, "b", ["the a b"], list(words)).say)
    'It occurs 1 time. Words that are more frequent, or as frequent but earlier, filled the vocabulary.'
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
        return SPECIAL
    if answer is not None:
        return replace(answer, steps=tuple(steps))
    never = (
        "It was never a candidate: candidates repeat within words, are short, and are followed by different characters."
    )
    return outside(token, texts, never)


SEEDS: Final = frozenset({U.SEED, U.SEED_LETTER})
STEPS: Final = {
    U.SEED_LETTER: "It starts as a character that occurs {1:t} times.",
    U.SEED: "It starts as a piece that occurs {1:t} times.",
    U.EXPECTED: "Round {0}: its expected count is {1:t}.",
    U.RARE: "Round {0}: its expected count is {1:t}, which is too low.",
    U.LOSS: "Round {0}: removing it would cost {1:t}.",
    U.TOKEN: "It becomes a token with score {1:t}.",
}
"""Decisions about a piece; arguments: the round, a number."""
OF_PIECES: Final = frozenset({U.EXPECTED, U.LOSS, U.TOKEN, *DROPS})


def kept(id: int, score: float, expected: float | None, loss: float | None) -> Say:
    """The sentence about a piece that stays."""
    say = Say.of("It stayed to the end: token {0:i} with score {1:t}.", id, decimal(score))
    if expected is not None:
        say = say.then(Say.of("Its expected count in the corpus is {0:t}.", decimal(expected)))
    if loss is not None:
        say = say.then(Say.of("When losses were last computed, removing it would have cost {0:t}.", decimal(loss)))
    return say


def why_word(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str]) -> Why:
    """The answer for WordLevel."""
    number = words.index(token) if token in words else -1
    for at, row in enumerate(training.events):
        if row.kind == TakeWord.TAKEN and row.a == number:
            say = Say.of("It is a word of the corpus and occurs {0:t}.", plural(row.n, "time"))
            return Why(Cause.MERGED, say, at, count=row.n)
        if row.kind == TakeWord.RARE and row.a == number:
            say = Say.of("It occurs {0:t}, and min_frequency requires {1}.", plural(row.n, "time"), row.b)
            return Why(Cause.RARE, say, at, count=row.n)
        if row.kind == TakeWord.NO_ROOM and row.a == number:
            say = Say.of(
                "It occurs {0:t}. Words that are more frequent, or as frequent but earlier, filled the vocabulary.",
                plural(row.n, "time"),
            )
            return Why(Cause.FULL, say, at, count=row.n)
    if token in training.learned.ids:
        return SPECIAL
    return outside(token, texts, "The corpus contains it, but not as a whole word.")


def why_substring(training: Training[Any], token: str, texts: Sequence[str], words: Sequence[str]) -> Why:
    """The answer for WordPiece from the top down."""
    learned, events = training.learned, training.events
    last = max((at for at, row in enumerate(events) if row.kind == TopDown.ROUND), default=0)
    threshold = max(((at, row.n) for at, row in enumerate(events) if row.kind == TopDown.THRESHOLD), default=(0, 0))[1]
    for at in range(last, len(events)):
        row = events[at]
        if row.kind == TopDown.TOKEN and learned.symbols[row.a] == token:
            say = Say.of(
                "In the last round it still had {0:t}; the threshold was {1}.", plural(row.n, "occurrence"), threshold
            )
            return Why(Cause.MERGED, say, at, count=row.n)
    if token in learned.ids:
        if learned.ids[token] in learned.special:
            return Why(Cause.SPECIAL, Say.of("It is a reserved token, added before training begins."))
        return Why(Cause.LETTER, Say.of("It is a character of the corpus; characters are tokens, with and without ##."))
    plain = token.removeprefix("##")
    if any(plain in word for word in words):
        say = Say.of(
            "In the last round, fewer than {0:t} remained after longer substrings were counted: their counts are "
            "subtracted from their prefixes, so only occurrences at the end of a word remain.",
            plural(threshold, "occurrence"),
        )
        return Why(Cause.RARE, say, last, count=threshold)
    return outside(plain, texts, "The corpus contains it, but no word does: texts are cut into words.")


def outside(token: str, texts: Sequence[str], cut: str) -> Why:
    """The answer for a text that no word is or contains."""
    return Why(Cause.CUT, Say.of(cut)) if holds(texts, token) else ABSENT


def holds(texts: Sequence[str], token: str) -> bool:
    """Whether a corpus contains a text; ▁ is a space or the beginning of a text."""
    plain = token.replace("▁", " ")
    return any(plain in f" {text}" or token in text for text in texts)
