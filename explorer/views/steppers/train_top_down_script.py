"""The stepper's script for WordPiece from the top down (`training/top_down.py`): thresholds, rounds, substrings kept.

In each round a step for each length that keeps tokens, from the longest on; lengths that keep none are one step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Final

from explorer.text import visible
from explorer.text.quantities import plural
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.training import Training
from explorer.views.steppers.script import Script, ScriptBuilder, StepKind

NAMED: Final = 12
"""Tokens or words that a sentence names."""
LETTERS: Final = 40
"""Characters that a sentence names."""
KINDS: Final[dict[TopDown, StepKind]] = {
    # number of words, those words, the limit
    TopDown.WORD_TOO_LONG: StepKind("too long", "stale", "{0:t} left out: {1:t}. Longer than {2} characters.",
                                    "{0:t} too long", "The option max_token_length sets the limit.", (0,), "ring", 30),
    TopDown.WORD_RESERVED: StepKind("reserved", "stale", "{0:t} left out: {1:t}. A reserved token is spelled so.",
                                    "{0:t} reserved", "", (0,), "ring", 30),
    TopDown.WORD_WITH_LETTER: StepKind("unknown", "stale", "{0:t} left out: {1:t}. A character is not in the alphabet.",
                                       "{0:t} left out", "", (0,), "ring", 30),
    TopDown.WORD_NO_ROOM: StepKind("no room", "stale", "{0:t} left out: {1:t}. {2} more frequent words are read.",
                                   "{0:t} left out", "The option max_input_tokens sets the limit.", (0,), "ring", 30),
    # number of characters, those characters
    TopDown.LETTER: StepKind("alphabet", "token", "{0:t} of the corpus: {1:t}.", "{0:t}",
                             "Each is a token, at the start of a word and inside.", (0,), "dot", 50),
    TopDown.LETTER_DROPPED: StepKind("dropped", "stale", "{0:t} left out: {1:t}.", "{0:t} left out",
                                     "The option max_unique_chars sets the limit.", (0,), "ring", 40),
    # least, most, threshold
    TopDown.THRESHOLD: StepKind("threshold", "info", "A token has to occur {2:t}: half way from {0} to {1}.",
                                "{2:t}", "A binary search finds the threshold that gives the wanted size.",
                                (1,), "diamond", 70, True),
    # number of the round, substrings
    TopDown.ROUND: StepKind("round", "push", "Round {0} counts {1:t}.", "round {0}",
                            "They begin where words are cut: everywhere at first, then at the tokens found.", (2, 3),
                            "dot", 50),
    # number of words, those words
    TopDown.UNCUT: StepKind("uncut", "stale", "{0:t} left out of this round: {1:t}. No tokens spell it.",
                            "{0:t} uncut", "", (3,), "ring", 30),
    # tokens, those, characters, substrings too rare, threshold
    TopDown.TOKEN: StepKind("tokens", "merge", "{0:t} of {2:t} kept: {1:t}.", "{0:t} of {2:t}",
                            "{3:t} with a count below {4}. All counts are taken from the prefixes.", (4, 5, 6), "dot",
                            90),
    # substrings, longest and shortest, threshold
    TopDown.TOO_RARE: StepKind("too rare", "miss", "{0:t} of {1:t} dropped: counts below {2}.", "{0:t} too rare",
                               "Their counts are taken from their prefixes as well.", (4, 6), "ring", 30),
    # tokens, wanted, least
    TopDown.SIZE: StepKind("size", "info", "That makes {0} tokens. From {2} to {1} are good enough.", "{0} tokens",
                           "The characters count, too.", (7,), "dot", 60),
    TopDown.STOP_SIZE: StepKind("end", "token", "{0} tokens are good enough: the search ends.", "end", "", (7,),
                                "diamond", 70),
    TopDown.STOP_SEARCH: StepKind("end", "token", "No threshold is left to try. The vocabulary has {0} tokens.", "end",
                                  "{1} were asked for. The last threshold tried counts, not the best.", (7,), "diamond",
                                  70),
}  # fmt: skip
"""What each step says; a comment names the arguments of the kinds below it."""
ORDER: Final = tuple(KINDS)
LENGTHS: Final = frozenset({TopDown.TOKEN, TopDown.TOO_RARE})
STOPS: Final = frozenset({TopDown.STOP_SIZE, TopDown.STOP_SEARCH})
CODE: Final = (
    "vocabulary = reserved tokens, characters",
    "for each threshold of a binary search:",
    "    for each round:",
    "        count substrings that begin where words are cut",
    "        for each length, the longest first:",
    "            keep those that occur often enough",
    "            take the counts of all from their prefixes",
    "    stop if the size is right",
)


def train_top_down_script(training: Training[str], words: Sequence[str]) -> Script:
    """The script of a training. words: of the corpus, in order.

    >>> from explorer.training import top_down
    >>> words = {"apple": 2, "peach": 1, "pear": 1}
    >>> training = top_down.train(words, top_down.Options(10, lower_thresh=1, include_joiner_token=False))
    >>> script = train_top_down_script(training, list(words))
    >>> script.sentence(2).split(":")[0], script.sentence(len(script)).split(":")[0]
    ('A token has to occur 1 time', '10 tokens are good enough')
    """
    return _Writer(training, words).write()


class _Writer:
    """One pass over the events."""

    def __init__(self, training: Training[str], words: Sequence[str]) -> None:
        self.training, self.words = training, words
        self.kept: list[int] = []
        """keys of the table"""
        self.builder = ScriptBuilder(
            title="Training",
            landmark="threshold",
            kinds=dict(enumerate(KINDS.values())),
            tracks=(
                {"name": "tokens", "type": "table", "title": "Kept in this round", "tab": "Kept", "layout": "rows",
                 "columns": [{"name": "Token", "as": "text"}, {"name": "Length", "as": "number"},
                             {"name": "Count", "as": "number"}], "empty": "Nothing is kept yet."},
                {"name": "tried", "type": "table", "title": "Thresholds", "tab": "Thresholds", "layout": "rows",
                 "columns": [{"name": "Threshold", "as": "number"}, {"name": "Tokens", "as": "number"}],
                 "empty": "No threshold has been tried."},
                {"name": "vocabulary", "type": "output", "title": "Vocabulary", "tab": "Vocabulary",
                 "empty": "It is chosen at the end."},
            ),
            roles=(("", "hit"),),
            layout=(("vocabulary",), ("tokens", "tried"), ("code",), ("log",)),
            code_title="The algorithm: the lines at work",
            code=CODE,
            levels={
                "story": {"top": ("vocabulary",), "left": ("tokens",), "right": ("tried",)},
                "algorithm": {"top": ("vocabulary",), "left": ("tokens",), "right": ("code", "tried")},
                "implementation": {"top": ("vocabulary",), "left": ("tokens", "tried"), "right": ("code", "log")},
            },
        )  # fmt: skip

    def write(self) -> Script:
        """The finished script."""
        builder, events = self.builder, list(self.training.events)
        counted = [row for row in events if row.kind == TopDown.WORD]
        builder.phase("Words")
        total = builder.plain(plural(len(counted), "different word"))
        builder.begin("The corpus has {0:t}, {1} in all.", "Nothing is merged: whole substrings are counted.",
                      (total, sum(row.n for row in counted)))  # fmt: skip
        for _, group in groupby(enumerate(events), key=lambda each: each[1].kind in LENGTHS or each[1].kind):
            rows = list(group)
            if rows[0][1].kind == TopDown.WORD:
                continue
            alike = [(rows[0][0], [row for _, row in rows])]
            for at, several in by_length(rows) if rows[0][1].kind in LENGTHS else alike:
                builder.event = at
                self.step(several)
        return builder.script()

    def step(self, rows: Sequence[TopDownRow]) -> None:
        """Writes one step."""
        builder, first, kind = self.builder, rows[0], TopDown(rows[0].kind)
        args: tuple[int, ...]
        if kind in (TopDown.LETTER, TopDown.LETTER_DROPPED):
            args = self.several(rows, "character", lambda row: chr(row.a), LETTERS)
        elif kind == TopDown.THRESHOLD:
            builder.phase(f"Threshold {first.n}")
            self.threshold = first.n
            args = first.a, first.b, builder.plain(plural(first.n, "time"))
        elif kind == TopDown.ROUND:
            self.clear()
            args = first.a + 1, builder.plain(plural(first.n, "substring"))
        elif kind == TopDown.TOKEN:
            args = self.tokens(rows)
        elif kind == TopDown.TOO_RARE:
            longest, shortest = rows[0].a, rows[-1].a
            lengths = plural(longest, "character") if longest == shortest else f"{shortest} to {longest} characters"
            args = (builder.plain(plural(sum(row.b for row in rows), "substring")), builder.plain(lengths), first.n)
        elif kind == TopDown.SIZE:
            builder.put("tried", self.threshold, self.threshold, first.a)
            args = first.a, first.b, first.n
        elif kind in STOPS:
            builder.phase("Vocabulary")
            for id, token in enumerate(self.training.learned.tokens):
                builder.put("vocabulary", id, builder.text(token), id, -1, -1)
            args = first.a, first.b
        else:  # words that are left out
            args = *self.several(rows, "word", lambda row: self.words[row.a]), first.b
        builder.step(ORDER.index(kind), *args)

    def tokens(self, rows: Sequence[TopDownRow]) -> tuple[int, ...]:
        """Substrings of one length are kept, and others of it are too rare."""
        builder, symbols = self.builder, self.training.learned.symbols
        kept = [row for row in rows if row.kind == TopDown.TOKEN]
        rare = sum(row.b for row in rows if row.kind == TopDown.TOO_RARE)
        for row in kept:
            builder.put("tokens", len(self.kept), builder.text(symbols[row.a]), row.b, row.n)
            builder.mark("tokens", len(self.kept), 0)
            self.kept.append(len(self.kept))
        return (
            *self.several(kept, "token", lambda row: symbols[row.a]),
            builder.plain(plural(kept[0].b, "character")),
            builder.plain(plural(rare, "more substring")),
            self.threshold,
        )

    def clear(self) -> None:
        """Empties the table."""
        for key in self.kept:
            self.builder.delete("tokens", key)
        self.kept = []

    def several(self, rows: Sequence[Any], one: str, spell: Callable[[Any], str], most: int = NAMED) -> tuple[int, int]:
        """How many things there are, and the first of them."""
        named = " ".join(visible(spell(row)) for row in rows[:most]) + (" …" if len(rows) > most else "")
        return self.builder.plain(plural(len(rows), one)), self.builder.plain(named)


def by_length(rows: Sequence[tuple[int, TopDownRow]]) -> list[tuple[int, list[TopDownRow]]]:
    """The decisions of a round, one list for each length that keeps a token; with the index of their first event.

    Lengths that keep none are one list where they follow each other.
    """
    found: list[tuple[int, list[TopDownRow]]] = []
    for _, group in groupby(rows, key=lambda each: each[1].b if each[1].kind == TopDown.TOKEN else each[1].a):
        of_size = list(group)
        several = [row for _, row in of_size]
        nothing = several[0].kind == TopDown.TOO_RARE
        if nothing and found and found[-1][1][0].kind == TopDown.TOO_RARE:
            found[-1][1].extend(several)
        else:
            found.append((of_size[0][0], several))
    return found
