"""The stepper's script for a WordLevel training: the most frequent words become tokens (`huggingface/word_level.py`).

A step for each word that is taken and each group of equals; the words left out are one step for each reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from explorer.text import visible
from explorer.text.quantities import plural
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.training import Training
from explorer.views.steppers.script import Script, ScriptBuilder, StepKind

NAMED: Final = 12
"""Words that a sentence names."""
KINDS: Final[dict[TakeWord, StepKind]] = {
    # text of the token, its id
    TakeWord.SPECIAL: StepKind("special", "info", "{0:q} is a special token: it gets id {1:i}.", "special {0:q}",
                               "Special tokens come first and count toward the size.", (0,), "dot", 30),
    TakeWord.SPECIAL_NO_ROOM: StepKind("no room", "stale", "The special token {0:q} is left out.", "{0:q} left out",
                                       "The vocabulary has no room for it.", (0,), "ring", 30),
    # number of words in words, those words, their count in words
    TakeWord.TIES: StepKind("tie", "info", "{0:t} with count {2}: {1:t}.", "{0:t} tied",
                            "Of equals, the first in the order of code points goes first.", (1,), "ring", 45),
    # text of the word, its id, its count in words
    TakeWord.TAKEN: StepKind("word", "token", "{0:q} occurs {2:t} and becomes token {1:i}.", "{0:q}",
                             "The most frequent words become tokens, whole.", (3,), "dot", 100, True),
    TakeWord.RARE: StepKind("rare", "stale", "{0:t} left out: {1:t}. Less frequent than {2}.", "{0:t} too rare",
                            "The option min_frequency sets the limit.", (2,), "ring", 50),
    TakeWord.NO_ROOM: StepKind("no room", "stale", "{0:t} left out: {1:t}. The vocabulary is full.",
                               "{0:t} left out", "In a text they become the unknown token.", (2,), "ring", 50),
}  # fmt: skip
"""What each step says; a comment names the arguments of the kinds below it."""
ORDER: Final = tuple(KINDS)
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
    builder = ScriptBuilder(
        title="Training",
        landmark="word",
        kinds=dict(enumerate(KINDS.values())),
        tracks=(
            {"name": "words", "type": "table", "title": "Words, counted", "tab": "Words", "layout": "rows",
             "columns": [{"name": "Word", "as": "text"}, {"name": "Count", "as": "number"}],
             "empty": "No word is left."},
            {"name": "vocabulary", "type": "output", "title": "Vocabulary", "tab": "Vocabulary",
             "empty": "No tokens yet."},
        ),
        roles=(("", "hit"), ("", "tied")),
        layout=(("vocabulary",), ("words", "code"), ("log",)),
        code_title="The algorithm: the lines at work",
        code=CODE,
        levels={
            "story": {"top": ("vocabulary",), "left": ("words",), "right": ()},
            "algorithm": {"top": ("vocabulary",), "left": ("words",), "right": ("code",)},
            "implementation": {"top": ("vocabulary",), "left": ("words",), "right": ("code", "log")},
        },
    )  # fmt: skip
    events: list[TakeWordRow] = list(training.events)
    counted = [row for row in events if row.kind == TakeWord.WORD]
    ranked = sorted(counted, key=lambda row: (-row.n, words[row.a]))
    place = {row.a: at for at, row in enumerate(ranked)}
    for at, row in enumerate(ranked):
        builder.put("words", at, builder.text(words[row.a]), row.n)
    total = builder.plain(plural(len(counted), "different word"))
    builder.phase("Words")
    builder.begin("The corpus has {0:t}, {1} in all.", "Words are not cut any further.",
                  (total, sum(row.n for row in counted)))  # fmt: skip

    def several(rows: Sequence[int]) -> tuple[int, int]:
        named = " ".join(visible(words[row]) for row in rows[:NAMED]) + (" …" if len(rows) > NAMED else "")
        return builder.plain(plural(len(rows), "word")), builder.plain(named)

    at, tokens = len(counted), 0
    for _, group in groupby(events[at:], key=lambda row: row.kind if row.kind in TOGETHER else object()):
        rows = list(group)
        first, kind = rows[0], TakeWord(rows[0].kind)
        builder.event = at
        args: tuple[Any, ...]
        if kind in (TakeWord.SPECIAL, TakeWord.SPECIAL_NO_ROOM):
            text = builder.text(special[first.a])
            args = text, first.b
        elif kind == TakeWord.TIES:
            equals = [row.a for row in ranked[place[first.a] : place[first.a] + first.b]]
            for number in equals:
                builder.mark("words", place[number], 1)
            args = *several(equals), first.n
        elif kind == TakeWord.TAKEN:
            text = builder.text(words[first.a])
            builder.mark("words", place[first.a], 0)
            args = text, first.b, builder.plain(plural(first.n, "time"))
        else:
            for row in rows:
                builder.delete("words", place[row.a])
            args = *several([row.a for row in rows]), first.b
        if kind in (TakeWord.SPECIAL, TakeWord.TAKEN):
            builder.put("vocabulary", tokens, text, first.b, -1, -1)
            tokens += 1
        builder.step(ORDER.index(kind), *args)
        at += len(rows)
    return builder.script()
