"""The stepper's script for a WordLevel training: the most frequent words become tokens (`huggingface/word_level.py`).

A step for each word that is taken and each group of equals; the words left out are one step for each reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import ClassVar, Final

from explorer.script.script import Script, Values, kinds, table
from explorer.text.say import Say, Text, plural
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.training import Training
from explorer.views.steppers.train_board import (
    HIT,
    TIED,
    Column,
    Look,
    TrainingScript,
    column,
    nth,
    occurs,
    several,
    vocabulary,
)

KINDS: Final = kinds(
    TakeWord,
    """
SPECIAL: special
    look: info dot 30
    lines: 0
    fields: token:q id:i
    say: {token} is a special token: it gets id {id}.
    why: Special tokens come first and count toward the size.
    log: special {token}

SPECIAL_NO_ROOM: no room
    look: stale ring 30
    lines: 0
    fields: token:q id:i
    say: The special token {token} is left out.
    why: The vocabulary has no room for it.
    log: {token} left out

TIES: tie
    look: info ring 45
    lines: 1
    fields: count:t named:t times
    say: {count} with count {times}: {named}.
    why: Of words with the same count, the first in the order of code points goes first.
    log: {count} tied

TAKEN: word
    look: token dot 100 landmark
    lines: 3
    fields: word:q id:i times:t reason:t about:t
    say: {word} occurs {times} and becomes token {id}.
    why: The most frequent words become tokens, whole.
    log: {word}
    story: {word} gets id {id}: {reason}.
    story_why: {about}

RARE: rare
    look: stale ring 50
    lines: 2
    fields: count:t named:t limit
    say: {count} left out: {named}. They occur fewer than {limit} times.
    why: The option min_frequency sets the limit.
    log: {count} too rare

NO_ROOM: no room
    look: stale ring 50
    lines: 2
    fields: count:t named:t limit
    say: {count} left out: {named}. The vocabulary is full.
    why: In a text they become the unknown token.
    log: {count} left out
""",
)
TOGETHER: Final = frozenset({TakeWord.RARE, TakeWord.NO_ROOM})
"""Decisions that are one step where they follow each other."""
ABOUT: Final = "WordLevel takes whole words, the most frequent first, until the vocabulary has {0} tokens."
CODE: Final = (
    "vocabulary = special tokens",
    "for each word, the most frequent first; of equals by code points:",
    "    stop if it is too rare, or the vocabulary is full",
    "    vocabulary += the word",
)


def train_words_script(training: Training[str], words: Sequence[str], special: Sequence[str] = ()) -> Script:
    """The script of a training. words: of the corpus, in order. special: the special tokens, in order.

    >>> from explorer.training.huggingface import word_level
    >>> words = {"b": 1, "a": 1, "the": 9}
    >>> training = word_level.train(words, word_level.Options(vocab_size=2))
    >>> script = train_words_script(training, list(words))
    >>> [script.sentence(step).split(".")[0] for step in range(1, len(script) + 1)]
    ['“the” occurs 9 times and becomes token 0', '2 words with count 1: a b', '“a” occurs 1 time and becomes token 1', \
'1 word left out: b']
    """
    return _Writer(training, words, special).write()


class _Writer(TrainingScript):
    """One pass over the events."""

    landmark, kinds, code = "word", KINDS, CODE
    roles = (("", "hit"), ("", "tied"))
    layout = (("vocabulary",), ("words", "code"), ("log",))
    levels: ClassVar = {
        "story": {"top": ("vocabulary",), "left": ("words",), "right": ()},
        "algorithm": {"top": ("vocabulary",), "left": ("words",), "right": ("code",)},
        "implementation": {"top": ("vocabulary",), "left": ("words",), "right": ("code", "log")},
    }

    board = ("counts", "growth")

    def __init__(self, training: Training[str], words: Sequence[str], special: Sequence[str]) -> None:
        counted = table("words", "Words, counted", "Word text, Count number", "No word is left.", tab="Words")
        bars = column("counts", "Words", "and how often each occurs")
        known = column("growth", "Vocabulary", "and the words of your text that it does not know")
        super().__init__(training, counted, vocabulary("No tokens yet."), bars, known)
        self.counts, self.growth = Column(self.builder, "counts"), Column(self.builder, "growth")
        self.words, self.special, self.size = words, special, len(training.learned.tokens)
        counts = [row for row in self.events if row.kind == TakeWord.WORD]
        self.ranked = sorted(counts, key=lambda row: (-row.n, words[row.a]))
        self.place = {row.a: at for at, row in enumerate(self.ranked)}
        self.taken = [row for row in self.events if row.kind == TakeWord.TAKEN]
        self.done = 0
        """of those, how many became tokens"""
        taken = {row.a for row in self.taken}
        self.listed = [*self.taken, *(row for row in self.ranked if row.a not in taken)]
        """the words that are taken, in that order, then the others"""
        self.total = sum(row.n for row in self.ranked)
        self.unknown = list(accumulate((-row.n for row in self.taken), initial=self.total))[1:]
        """how many words of the text are unknown after each that is taken"""

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        for at, row in enumerate(self.ranked):
            builder.put("words", at, builder.text(self.words[row.a]), row.n)
        self.draw_board()
        self.begin([row.n for row in self.ranked], "Words are not split any further.")
        at = len(self.ranked)
        for _, group in groupby(self.events[at:], key=lambda row: row.kind if row.kind in TOGETHER else object()):
            rows = list(group)
            builder.event = at
            kind = TakeWord(rows[0].kind)
            builder.step(kind, **self._step(kind, rows))
            at += len(rows)
        return builder.script()

    def _step(self, kind: TakeWord, rows: list[TakeWordRow]) -> Values:
        """Writes what events change."""
        builder, first = self.builder, rows[0]
        if kind in (TakeWord.SPECIAL, TakeWord.SPECIAL_NO_ROOM):
            text = self.special[first.a]
            if kind == TakeWord.SPECIAL:
                self.add(text, first.b)
            return {"token": text, "id": first.b}
        if kind == TakeWord.TIES:
            equals = [row.a for row in self.ranked[self.place[first.a] : self.place[first.a] + first.b]]
            for number in equals:
                builder.mark("words", self.place[number], TIED)
            return several((self.words[number] for number in equals), "word") | {"times": first.n}
        if kind == TakeWord.TAKEN:
            builder.mark("words", self.place[first.a], HIT)
            self.add(self.words[first.a], first.b)
            self.done += 1
            self.draw_taken()
            told: Values = {"word": self.words[first.a], "id": first.b, "times": plural(first.n, "time")}
            about = Text(Say.of(ABOUT, self.size).then(nth(self.done, len(self.taken), "word").say))
            return told | {"reason": self.reason_of(first), "about": about}
        for row in rows:
            builder.delete("words", self.place[row.a])
        return several((self.words[row.a] for row in rows), "word") | {"limit": first.b}

    def reason_of(self, taken: TakeWordRow) -> str:
        """Why this word and no other one."""
        after = self.ranked[self.place[taken.a] :]
        equals = sum(row.n == taken.n for row in after)
        first = self.done == 1 or self.taken[self.done - 2].n != taken.n
        if equals == 1:
            return Text.of(f"no other word {'' if first else 'left '}occurs {{0:t}}", occurs(taken.n))
        tie = f"{{0}} words {'' if first else 'left '}occur {{1:t}}, and it comes first by code points"
        return Text.of(tie, equals, occurs(taken.n))

    def draw_board(self) -> None:
        """The words by their counts, and how many of the text are unknown before any is taken and after each."""
        self.counts.write(self.count_bar(at, Look.PLAIN) for at in range(len(self.listed)))
        first = self.growth.bar(self.builder.plain("no word yet"), f"{self.total:,}", 1, Look.DONE)
        self.growth.write([first, *(self.growth_bar(at, Look.COMING) for at in range(len(self.taken)))])

    def draw_taken(self) -> None:
        """The word that was taken last, on the board."""
        for at, look in ((self.done - 2, Look.DONE), (self.done - 1, Look.FOCUS)):
            if at >= 0:
                self.builder.put("counts", at, *self.count_bar(at, look))
                self.builder.put("growth", at + 1, *self.growth_bar(at, look))

    def count_bar(self, at: int, look: Look) -> Sequence[int]:
        """A word and its count."""
        row = self.listed[at]
        share = row.n / max(1, self.ranked[0].n)
        return self.counts.chip(self.builder.text(self.words[row.a]), f"{row.n:,}", share, look, at)

    def growth_bar(self, at: int, look: Look) -> Sequence[int]:
        """A word that is taken, and how many of the text are unknown after it."""
        left = self.unknown[at]
        label = self.builder.text(self.words[self.taken[at].a])
        return self.growth.chip(label, f"{left:,}", left / max(1, self.total), look, at)
