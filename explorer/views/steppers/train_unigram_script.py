"""The stepper's script for a Unigram training: many pieces that shrink in rounds (`training/unigram.py`).

One step for each estimate, for each reason to drop pieces, and for each decision at the end. The table has the pieces
that are left: how often each is expected, its score, and what its loss would cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import ClassVar, Final

from explorer.script.script import Script, Values, kinds, table
from explorer.text.say import Text, decimal, number, plural, two_digits
from explorer.training.training import Training, UnigramState, UnigramTrain, UnigramTrainRow, real
from explorer.views.steppers.train_board import HIT, TrainingScript, several
from explorer.views.steppers.train_unigram_board import COLUMNS, DECISIONS, U, UnigramBoard

KINDS: Final = kinds(
    UnigramTrain,
    """
SEED_LETTER: characters
    look: token dot 40
    lines: 0
    fields: count:t named:t
    say: {count} to begin with: all characters.
    why: Every character is a piece, so every word can be written.
    log: {count}

SEED: seeds
    look: token dot 60
    lines: 0
    fields: count:t named:t
    say: {count} more, found by repetition: {named}.
    why: Each repeats, and different characters follow it.
    log: {count}

ROUND: round
    look: info diamond 70
    lines: 1
    fields: number pieces:t
    say: Round {number} begins with {pieces}.
    why: Two estimates follow, then a pruning.
    log: round {number}

LIKELIHOOD: measure
    look: push dot 35
    lines: 2
    fields: probability:t pieces:t
    say: With {pieces} the log probability of a word is {probability} on average.
    why: The higher, the better the pieces fit the corpus.
    log: {probability}

EXPECTED: expect
    look: push dot 50
    lines: 2
    fields: count:t named:t
    say: {count} counted over all ways to write each word.
    why: Each way counts with its probability.
    log: {count} expected

SCORE: score
    look: merge dot 60
    lines: 3
    fields: count:t named:t
    say: {count} with a new score: the logarithm of its share of all counts.
    why: What is expected more often becomes more likely.
    log: {count} scored

USED: use
    look: push dot 40
    lines: 4
    fields: count:t named:t
    say: {count} checked: how often the best ways to write the words use each.
    why: The loss of a piece depends on its use.
    log: {count}

LOSS: loss
    look: push dot 45
    lines: 4
    fields: count:t named:t
    say: Loss of {count}: how much worse the corpus scores without each.
    why: Without a piece, other pieces write its words.
    log: {count} with a loss

RARE: rare
    look: stale ring 45 landmark
    lines: 3
    fields: count:t named:t verb:t
    say: {count} dropped: {named}. Each is expected less than half a time.
    log: {count} too rare
    story: {count} {verb}: the text is expected to use them less than half a time.
    story_why: All ways to write each word count, each by its probability.

UNUSED: unused
    look: stale ring 45
    lines: 4
    fields: count:t named:t
    say: {count} dropped: {named}. No best way to write a word uses them.
    log: {count} unused

SPLIT: split
    look: stale ring 45
    lines: 4
    fields: count:t named:t
    say: {count} dropped: {named}. Other pieces write them better.
    log: {count} split

PRUNED: pruned
    look: stale ring 60 landmark
    lines: 5
    fields: count:t named:t first:q kept:t about:t
    say: {count} dropped: {named}. Their losses are the smallest.
    log: {count} pruned
    story: {first} goes: the text misses it less than {kept}.
    story_why: {about}

UNREACHABLE: unreachable
    look: stale ring 45
    lines: 6
    fields: count:t named:t
    say: {count} dropped: {named}. They would never be output.
    log: {count}

NO_ROOM: no room
    look: stale ring 45
    lines: 6
    fields: count:t named:t
    say: {count} left out: {named}. The vocabulary is full.
    log: {count} left out

ONLY_WAY: stays
    look: info dot 30
    lines: 5
    fields: count:t named:t
    say: {count} kept: {named}. Nothing else can write them.
    log: {count} kept

SPLIT_KEPT like ONLY_WAY
    say: {count} kept: {named}. Others write them better, but they are used.

KEPT: kept
    look: merge dot 50
    lines: 5
    fields: count:t named:t
    say: {count} kept: {named}. Their losses are the largest.
    log: {count} kept

STOP: enough
    look: info diamond 70
    lines: 1
    fields: pieces:t limit
    say: {pieces} left, no more than {limit}: the rounds end.
    log: {pieces} left

REQUIRED: required
    look: token dot 40
    lines: 6
    fields: count:t named:t
    say: {count} added again: {named}. Characters have to be pieces.
    why: They get the lowest scores.
    log: {count} again

TOKEN: tokens
    look: token dot 100 landmark
    lines: 6
    fields: count:t named:t
    say: {count} become tokens, the highest score first.
    log: {count}
    story: {count} become tokens, the highest score first.
    story_why: Characters that were dropped are tokens again: without them, a text could be lost.
""",
)
ABOUT: Final = "Unigram begins with too many pieces and drops those that the text misses least, until {0} are left."
TOGETHER: Final[dict[UnigramTrain, tuple[UnigramTrain, ...]]] = {
    kind: kinds
    for kinds in ((U.EXPECTED, U.RARE), (U.USED, U.LOSS, U.UNUSED, U.SPLIT, U.SPLIT_KEPT, U.ONLY_WAY),
                  (U.KEPT, U.PRUNED))
    for kind in kinds
}  # fmt: skip
"""Decisions that a trainer takes piece by piece: a step for each kind of them."""
CODE: Final = (
    "pieces = characters + strings that repeat",
    "while there are too many pieces:",
    "    expect: count each piece over all ways to write each word",
    "    score = log(share of the counts); drop the rare ones",
    "    loss of each piece: what its words would cost without it",
    "    keep the largest losses",
    "vocabulary = pieces that are left, and all characters",
)


def train_unigram_script(training: Training[str], words: Mapping[str, int] | None = None) -> Script:
    """The script of a training. words: of the corpus, with their counts; None if the trainer cuts texts itself.

    >>> from explorer.training.huggingface import unigram
    >>> script = train_unigram_script(unigram.train({"ab": 9, "abc": 5, "c": 4}, unigram.Options(vocab_size=5)))
    >>> script.sentence(2)
    '1 piece more, found by repetition: ab. Each repeats, and different characters follow it.'
    """
    return _Writer(training, words or {}).write()


class _Writer(TrainingScript):
    """One pass over the events."""

    landmark, kinds, code = "decision", KINDS, CODE
    layout = (("pieces",), ("tokens", "code"), ("log",))
    levels: ClassVar = {
        "story": {"left": ("pieces",), "right": ("tokens",)},
        "algorithm": {"left": ("pieces",), "right": ("code", "tokens")},
        "implementation": {"left": ("pieces", "tokens"), "right": ("code", "log")},
    }

    board = ("losses", "without", "stages")

    def __init__(self, training: Training[str], words: Mapping[str, int]) -> None:
        tokens, chosen = "Token text, Id number, Score text", "No tokens yet. They are chosen at the end."
        super().__init__(
            training,
            table(
                "pieces", "Pieces", "Piece text, Expected text, Score text, Loss text", "No pieces yet.", tab="Pieces"
            ),
            table("tokens", "Tokens", tokens, chosen, tab="Tokens"),
            *COLUMNS,
        )
        self.groups = [
            list(rows) for _, rows in groupby(self.events, key=lambda row: TOGETHER.get(row.kind, (row.kind,)))
        ]
        self.drawing = UnigramBoard(self.builder, training, self.groups, words)
        self.state = UnigramState()
        self.drawn: dict[int, tuple[int, ...]] = {}

    def write(self) -> Script:
        """The finished script."""
        counts = [row.n for row in self.events if row.kind == U.WORD]
        self.drawing.draw_stages()
        self.begin(counts, "Unigram begins with too many pieces and drops the worst.")
        at, order = 0, list(KINDS)
        for rows in self.groups:
            self.builder.event = at
            self.together = rows
            for kind in sorted({UnigramTrain(row.kind) for row in rows} & KINDS.keys(), key=order.index):
                self._step(kind, [row for row in rows if row.kind == kind])
            at += len(rows)
        return self.builder.script()

    def _step(self, kind: UnigramTrain, rows: list[UnigramTrainRow]) -> None:
        """Writes one step."""
        builder, first = self.builder, rows[0]
        if kind in DECISIONS:
            self.drawing.decide(kind, rows, self.together, self.state)
        for row in rows:
            self.state.apply(row)
        if kind == U.ROUND:
            builder.phase(Text.of("Round {0}", first.a + 1))
        elif kind in (U.STOP, U.SEED_LETTER):
            builder.phase("Vocabulary" if kind == U.STOP else "Seeds")
        self.draw()
        marked = [row.a for row in rows if row.a in self.drawn]
        for piece in marked if len(marked) < len(self.drawn) else ():  # to mark all of them says nothing
            builder.mark("pieces", piece, HIT)
        if kind == U.TOKEN:
            for row in rows:
                score = builder.plain(decimal(real(row.n)))
                builder.put("tokens", row.b, builder.text(self.spelled(row)), row.b, score)
        builder.step(kind, **self._told(kind, rows))

    def _told(self, kind: UnigramTrain, rows: list[UnigramTrainRow]) -> Values:
        """The fields of a step."""
        first = rows[0]
        if kind == U.ROUND:
            return {"number": first.a + 1, "pieces": plural(first.b, "piece")}
        if kind == U.LIKELIHOOD:
            return {"probability": number(round(real(first.n), 4)), "pieces": plural(first.b, "piece")}
        if kind == U.STOP:
            return {"pieces": plural(len(self.state.scores), "piece"), "limit": first.b}
        told = several(map(self.spelled, rows), "piece")
        if kind == U.RARE:
            told["verb"] = "goes" if len(rows) == 1 else "go"
        if kind == U.PRUNED:
            kept = sum(row.kind == U.KEPT for row in self.together)
            told |= {"first": self.spelled(rows[0]), "kept": plural(kept, "other piece")}
            told["about"] = Text.of(ABOUT, len(self.drawing.learned.tokens))
        return told

    def spelled(self, row: UnigramTrainRow) -> str:
        """What the piece of an event spells."""
        return chr(row.a) if row.kind == U.REQUIRED else str(self.symbols[row.a])

    def draw(self) -> None:
        """Writes the rows of the pieces that have changed."""
        builder, state = self.builder, self.state
        for piece in [piece for piece in self.drawn if piece not in state.scores]:
            del self.drawn[piece]
            builder.delete("pieces", piece)
        for piece, score in state.scores.items():
            values = state.expected.get(piece), score, state.losses.get(piece)
            shown = (builder.plain("" if value is None else two_digits(value)) for value in values)
            row = (builder.text(self.symbols[piece]), *shown)
            if self.drawn.get(piece) != row:
                self.drawn[piece] = row
                builder.put("pieces", piece, *row)
