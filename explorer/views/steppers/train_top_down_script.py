"""The stepper's script for WordPiece from the top down (`training/top_down.py`): thresholds, rounds, substrings kept.

In each round a step for each length that keeps tokens, from the longest on; lengths that keep none are one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar, Final

from explorer.script.script import Script, Values, kinds, table
from explorer.text.say import plural
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.training import Training
from explorer.views.steppers.train_board import HIT, LETTERS, TrainingScript, several, vocabulary

KINDS: Final = kinds(
    TopDown,
    """
WORD_TOO_LONG: too long
    look: stale ring 30
    lines: 0
    fields: count:t named:t limit
    say: {count} left out: {named}. Longer than {limit} characters.
    why: The option max_token_length sets the limit.
    log: {count} too long

WORD_RESERVED: reserved
    look: stale ring 30
    lines: 0
    fields: count:t named:t limit
    say: {count} left out: {named}. A reserved token has this spelling.
    log: {count} reserved

WORD_WITH_LETTER: unknown
    look: stale ring 30
    lines: 0
    fields: count:t named:t limit
    say: {count} left out: {named}. A character is not in the alphabet.
    log: {count} left out

WORD_NO_ROOM like WORD_WITH_LETTER: no room
    say: {count} left out: {named}. Only the {limit} most frequent words are read.
    why: The option max_input_tokens sets the limit.

LETTER: alphabet
    look: token dot 50
    lines: 0
    fields: count:t named:t
    say: {count} of the corpus: {named}.
    why: Each is a token, both at the start of a word and inside it.
    log: {count}

LETTER_DROPPED: dropped
    look: stale ring 40
    lines: 0
    fields: count:t named:t
    say: {count} left out: {named}.
    why: The option max_unique_chars sets the limit.
    log: {count} left out

THRESHOLD: threshold
    look: info diamond 70 landmark
    lines: 1
    fields: low high times:t
    say: A token has to occur {times}: halfway between {low} and {high}.
    why: A binary search finds the threshold that gives the wanted size.
    log: {times}

ROUND: round
    look: push dot 50
    lines: 2 3
    fields: number substrings:t
    say: Round {number} counts {substrings}.
    why: They begin where words are cut: everywhere at first, later where the tokens found begin.
    log: round {number}

UNCUT: uncut
    look: stale ring 30
    lines: 3
    fields: count:t named:t limit
    say: {count} left out of this round: {named}. No tokens spell them.
    log: {count} uncut

TOKEN: tokens
    look: merge dot 90 landmark
    lines: 4 5 6
    fields: count:t named:t characters:t rare:t threshold
    say: {count} of {characters} kept: {named}.
    why: {rare} with a count below {threshold}. All counts are subtracted from those of the prefixes.
    log: {count} of {characters}

TOO_RARE: too rare
    look: miss ring 30
    lines: 4 6
    fields: count:t lengths:t threshold
    say: {count} of {lengths} dropped: counts below {threshold}.
    why: Their counts are subtracted from those of their prefixes, too.
    log: {count} too rare

SIZE: size
    look: info dot 60
    lines: 7
    fields: tokens wanted least
    say: That makes {tokens} tokens. From {least} to {wanted} are good enough.
    why: The characters count, too.
    log: {tokens} tokens

STOP_SIZE: end
    look: token diamond 70
    lines: 7
    fields: tokens wanted
    say: {tokens} tokens are good enough: the search ends.
    log: end

STOP_SEARCH like STOP_SIZE
    say: No threshold is left to try. The vocabulary has {tokens} tokens.
    why: {wanted} were asked for. The last threshold that was tried is used, not the best one.
""",
)
LENGTHS: Final = frozenset({TopDown.TOKEN, TopDown.TOO_RARE})
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


class _Writer(TrainingScript):
    """One pass over the events."""

    landmark, kinds, code = "decision", KINDS, CODE
    layout = (("vocabulary",), ("tokens", "tried"), ("code",), ("log",))
    levels: ClassVar = {
        "story": {"top": ("vocabulary",), "left": ("tokens",), "right": ("tried",)},
        "algorithm": {"top": ("vocabulary",), "left": ("tokens",), "right": ("code", "tried")},
        "implementation": {"top": ("vocabulary",), "left": ("tokens", "tried"), "right": ("code", "log")},
    }

    board = ("tokens", "tried")

    def __init__(self, training: Training[str], words: Sequence[str]) -> None:
        listed = "Token text, Length number, Count number"
        super().__init__(
            training,
            table("tokens", "Kept in this round", listed, "Nothing is kept yet.", tab="Kept"),
            table(
                "tried",
                "Thresholds",
                "Threshold number, Tokens number",
                "No threshold has been tried.",
                tab="Thresholds",
            ),
            vocabulary("It is chosen at the end."),
        )
        self.learned, self.words = training.learned.tokens, words
        self.kept = 0
        """rows of the table"""

    def write(self) -> Script:
        """The finished script."""
        counts = [row.n for row in self.events if row.kind == TopDown.WORD]
        self.begin(counts, "Nothing is merged: whole substrings are counted.")
        for _, group in groupby(enumerate(self.events), key=lambda each: each[1].kind in LENGTHS or each[1].kind):
            rows = list(group)
            if rows[0][1].kind == TopDown.WORD:
                continue
            alike = [(rows[0][0], [row for _, row in rows])]
            for at, together in by_length(rows) if rows[0][1].kind in LENGTHS else alike:
                self.builder.event = at
                kind = TopDown(together[0].kind)
                self.builder.step(kind, **self._step(kind, together))
        return self.builder.script()

    def _step(self, kind: TopDown, rows: Sequence[TopDownRow]) -> Values:
        """Writes what events change."""
        builder, first = self.builder, rows[0]
        match kind:
            case TopDown.LETTER | TopDown.LETTER_DROPPED:
                return several((chr(row.a) for row in rows), "character", LETTERS)
            case TopDown.THRESHOLD:
                builder.phase(f"Threshold {first.n}")
                self.threshold = first.n
                return {"low": first.a, "high": first.b, "times": plural(first.n, "time")}
            case TopDown.ROUND:
                for key in range(self.kept):
                    builder.delete("tokens", key)
                self.kept = 0
                return {"number": first.a + 1, "substrings": plural(first.n, "substring")}
            case TopDown.TOKEN:
                return self._tokens(rows)
            case TopDown.TOO_RARE:
                longest, shortest = rows[0].a, rows[-1].a
                one = plural(longest, "character")
                lengths = one if longest == shortest else f"{shortest} to {longest} characters"
                count = plural(sum(row.b for row in rows), "substring")
                return {"count": count, "lengths": lengths, "threshold": first.n}
            case TopDown.SIZE:
                builder.put("tried", self.threshold, self.threshold, first.a)
                return {"tokens": first.a, "wanted": first.b, "least": first.n}
            case TopDown.STOP_SIZE | TopDown.STOP_SEARCH:
                builder.phase("Vocabulary")
                for id, token in enumerate(self.learned):
                    self.add(token, id)
                return {"tokens": first.a, "wanted": first.b}
        return several((self.words[row.a] for row in rows), "word") | {"limit": first.b}  # words that are left out

    def _tokens(self, rows: Sequence[TopDownRow]) -> Values:
        """Substrings of one length are kept, and others of it are too rare."""
        builder = self.builder
        kept = [row for row in rows if row.kind == TopDown.TOKEN]
        for row in kept:
            builder.put("tokens", self.kept, builder.text(self.symbols[row.a]), row.b, row.n)
            builder.mark("tokens", self.kept, HIT)
            self.kept += 1
        rare = sum(row.b for row in rows if row.kind == TopDown.TOO_RARE)
        return several((self.symbols[row.a] for row in kept), "token") | {
            "characters": plural(kept[0].b, "character"),
            "rare": plural(rare, "more substring"),
            "threshold": self.threshold,
        }


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
