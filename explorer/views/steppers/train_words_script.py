"""The stepper's script for a WordLevel training: the most frequent words become tokens (`huggingface/word_level.py`).

A step for each word that is taken and each group of equals; the words left out are one step for each reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar, Final

from explorer.text.quantities import plural
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.training import Training
from explorer.views.steppers.script import Script, Values, kinds, table
from explorer.views.steppers.train_base import HIT, TIED, TrainingScript, several, vocabulary

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
    why: Of equals, the first in the order of code points goes first.
    log: {count} tied

TAKEN: word
    look: token dot 100 landmark
    lines: 3
    fields: word:q id:i times:t
    say: {word} occurs {times} and becomes token {id}.
    why: The most frequent words become tokens, whole.
    log: {word}

RARE: rare
    look: stale ring 50
    lines: 2
    fields: count:t named:t limit
    say: {count} left out: {named}. Less frequent than {limit}.
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

    def __init__(self, training: Training[str], words: Sequence[str], special: Sequence[str]) -> None:
        counted = table("words", "Words, counted", "Word text, Count number", "No word is left.", tab="Words")
        super().__init__(training, counted, vocabulary("No tokens yet."))
        self.words, self.special = words, special
        counts = [row for row in self.events if row.kind == TakeWord.WORD]
        self.ranked = sorted(counts, key=lambda row: (-row.n, words[row.a]))
        self.place = {row.a: at for at, row in enumerate(self.ranked)}

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        for at, row in enumerate(self.ranked):
            builder.put("words", at, builder.text(self.words[row.a]), row.n)
        self.begin([row.n for row in self.ranked], "Words are not cut any further.")
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
            return {"word": self.words[first.a], "id": first.b, "times": plural(first.n, "time")}
        for row in rows:
            builder.delete("words", self.place[row.a])
        return several((self.words[row.a] for row in rows), "word") | {"limit": first.b}
