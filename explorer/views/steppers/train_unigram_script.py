"""The stepper's script for a Unigram training: many pieces that shrink in rounds (`training/unigram.py`).

One step for each estimate, for each reason to drop pieces, and for each decision at the end. The table has the pieces
that are left: how often each is expected, its score, and what its loss would cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from explorer.text import visible
from explorer.text.quantities import decimal, number, plural, two_digits
from explorer.training.replay import UnigramState
from explorer.training.rows import UnigramTrain, UnigramTrainRow, real
from explorer.training.training import Training
from explorer.views.steppers.script import Script, ScriptBuilder, StepKind

U = UnigramTrain
NAMED: Final = 12
"""Pieces that a sentence names."""
KINDS: Final[dict[UnigramTrain, StepKind]] = {
    # a number of pieces in words, their spellings
    U.SEED_LETTER: StepKind("characters", "token", "{0:t} to begin with: the characters.", "{0:t}",
                            "Every character is a piece, so every word can be written.", (0,), "dot", 40),
    U.SEED: StepKind("seeds", "token", "{0:t} more by repetition: {1:t}.", "{0:t}",
                     "Each repeats, and different characters follow it.", (0,), "dot", 60),
    # number of the round, pieces
    U.ROUND: StepKind("round", "info", "Round {0} begins with {1:t}.", "round {0}",
                      "Two estimates follow, then a pruning.", (1,), "diamond", 70, True),
    # log probability in words, pieces
    U.LIKELIHOOD: StepKind("measure", "push", "With {1:t} a word has the log probability {0:t} on average.", "{0:t}",
                           "The higher, the better the pieces fit the corpus.", (2,), "dot", 35),
    U.EXPECTED: StepKind("expect", "push", "{0:t} counted over all ways to write each word.", "{0:t} expected",
                         "A way counts by its probability.", (2,), "dot", 50),
    U.SCORE: StepKind("score", "merge", "{0:t} with a new score: the logarithm of the share of all counts.",
                      "{0:t} scored", "What is expected more often becomes more likely.", (3,), "dot", 60),
    U.USED: StepKind("use", "push", "{0:t} looked at: how often the best ways to write the words use each.", "{0:t}",
                     "The loss of a piece depends on its use.", (4,), "dot", 40),
    U.LOSS: StepKind("loss", "push", "Loss of {0:t}: how much worse the corpus scores without each.",
                     "{0:t} with a loss",
                     "Without a piece, others are written in its place.", (4,), "dot", 45),
    U.RARE: StepKind("rare", "stale", "{0:t} dropped: {1:t}. Expected less than half a time.", "{0:t} too rare", "",
                     (3,), "ring", 45),
    U.UNUSED: StepKind("unused", "stale", "{0:t} dropped: {1:t}. No best way uses them.", "{0:t} unused", "", (4,),
                       "ring", 45),
    U.SPLIT: StepKind("split", "stale", "{0:t} dropped: {1:t}. Other pieces write them better.", "{0:t} split", "",
                      (4,), "ring", 45),
    U.PRUNED: StepKind("pruned", "stale", "{0:t} dropped: {1:t}. Their losses are the smallest.", "{0:t} pruned", "",
                       (5,), "ring", 60),
    U.UNREACHABLE: StepKind("unreachable", "stale", "{0:t} dropped: {1:t}. They would never come out.", "{0:t}", "",
                            (6,), "ring", 45),
    U.NO_ROOM: StepKind("no room", "stale", "{0:t} left out: {1:t}. The vocabulary is full.", "{0:t} left out", "",
                        (6,), "ring", 45),
    U.ONLY_WAY: StepKind("stays", "info", "{0:t} kept: {1:t}. Nothing else can write them.", "{0:t} kept", "", (5,),
                         "dot", 30),
    U.SPLIT_KEPT: StepKind("stays", "info", "{0:t} kept: {1:t}. Others write them better, but they are used.",
                           "{0:t} kept", "", (5,), "dot", 30),
    U.KEPT: StepKind("kept", "merge", "{0:t} kept: {1:t}. Their losses are the largest.", "{0:t} kept", "", (5,), "dot",
                     50),
    U.STOP: StepKind("enough", "info", "{0:t} left, no more than {2}: the rounds end.", "{0:t} left", "", (1,),
                     "diamond", 70),
    U.REQUIRED: StepKind("required", "token", "{0:t} added again: {1:t}. Characters have to be pieces.", "{0:t} again",
                         "They get the lowest scores.", (6,), "dot", 40),
    U.TOKEN: StepKind("tokens", "token", "{0:t} become tokens, the highest score first.", "{0:t}", "", (6,), "dot",
                      100, True),
}  # fmt: skip
"""What each step says. Arguments: a number of pieces in words, the first of them; further ones in comments."""
ORDER: Final = tuple(KINDS)
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


def train_unigram_script(training: Training[str]) -> Script:
    """The script of a training.

    >>> from explorer.training.huggingface import unigram
    >>> script = train_unigram_script(unigram.train({"ab": 9, "abc": 5, "c": 4}, unigram.Options(vocab_size=5)))
    >>> script.sentence(2)
    '1 piece more by repetition: ab. Each repeats, and different characters follow it.'
    """
    return _Writer(training).write()


class _Writer:
    """One pass over the events."""

    def __init__(self, training: Training[str]) -> None:
        self.symbols, self.state = training.learned.symbols, UnigramState()
        self.events: Sequence[Any] = list(training.events)
        self.drawn: dict[int, tuple[int, ...]] = {}
        columns = [{"name": "Piece", "as": "text"}, *({"name": name, "as": "text"} for name in
                   ("Expected", "Score", "Loss"))]  # fmt: skip
        tokens = [{"name": "Token", "as": "text"}, {"name": "Id", "as": "number"}, {"name": "Score", "as": "text"}]
        self.builder = ScriptBuilder(
            title="Training",
            landmark="round",
            kinds=dict(enumerate(KINDS.values())),
            tracks=(
                {"name": "pieces", "type": "table", "title": "Pieces", "tab": "Pieces", "layout": "rows",
                 "columns": columns, "empty": "No pieces yet."},
                {"name": "tokens", "type": "table", "title": "Tokens", "tab": "Tokens", "layout": "rows",
                 "columns": tokens, "empty": "No tokens yet. They are chosen at the end."},
            ),
            roles=(("", "hit"),),
            layout=(("pieces",), ("tokens", "code"), ("log",)),
            code_title="The algorithm: the lines at work",
            code=CODE,
            levels={
                "story": {"left": ("pieces",), "right": ("tokens",)},
                "algorithm": {"left": ("pieces",), "right": ("code", "tokens")},
                "implementation": {"left": ("pieces", "tokens"), "right": ("code", "log")},
            },
        )  # fmt: skip

    def write(self) -> Script:
        """The finished script."""
        words = [row for row in self.events if row.kind == U.WORD]
        builder = self.builder
        builder.phase("Words")
        args = builder.plain(plural(len(words), "different word")), sum(row.n for row in words)
        builder.begin("The corpus has {0:t}, {1} in all.", "Unigram begins with too many pieces and drops the worst.",
                      args)  # fmt: skip
        at = 0
        for _, group in groupby(self.events, key=lambda row: TOGETHER.get(row.kind, (row.kind,))):
            rows = list(group)
            builder.event = at
            for kind in sorted({UnigramTrain(row.kind) for row in rows} & KINDS.keys(), key=ORDER.index):
                self.step(kind, [row for row in rows if row.kind == kind])
            at += len(rows)
        return builder.script()

    def step(self, kind: UnigramTrain, rows: list[UnigramTrainRow]) -> None:
        """Writes one step."""
        builder, first = self.builder, rows[0]
        for row in rows:
            self.state.apply(row)
        if kind == U.ROUND:
            builder.phase(f"Round {first.a + 1}")
        elif kind in (U.STOP, U.SEED_LETTER):
            builder.phase("Vocabulary" if kind == U.STOP else "Seeds")
        self.draw()
        marked = [row.a for row in rows if row.a in self.drawn]
        for piece in marked if len(marked) < len(self.drawn) else ():  # to mark all of them says nothing
            builder.mark("pieces", piece, 0)
        if kind == U.TOKEN:
            for row in rows:
                builder.put(
                    "tokens", row.b, builder.text(self.spelled(row)), row.b, builder.plain(decimal(real(row.n)))
                )
        builder.step(ORDER.index(kind), *self.args(kind, rows))

    def args(self, kind: UnigramTrain, rows: list[UnigramTrainRow]) -> tuple[int, ...]:
        """The arguments of a step's sentences."""
        plain, first = self.builder.plain, rows[0]
        if kind == U.ROUND:
            return first.a + 1, plain(plural(first.b, "piece"))
        if kind == U.LIKELIHOOD:
            return plain(number(round(real(first.n), 4))), plain(plural(first.b, "piece"))
        if kind == U.STOP:
            return plain(plural(len(self.state.scores), "piece")), plain(""), first.b
        named = " ".join(visible(self.spelled(row)) for row in rows[:NAMED])
        return plain(plural(len(rows), "piece")), plain(named + (" …" if len(rows) > NAMED else ""))

    def spelled(self, row: UnigramTrainRow) -> str:
        """What the piece of an event spells."""
        return chr(row.a) if row.kind == U.REQUIRED else self.symbols[row.a]

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
