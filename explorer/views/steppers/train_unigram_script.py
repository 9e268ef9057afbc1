"""The stepper's script for a Unigram training: many pieces that shrink in rounds (`training/unigram.py`); its board.

One step for each estimate, for each reason to drop pieces, and for each decision at the end. The table has the
pieces that are left: how often each is expected, its score, and what its loss would cost. The board shows what
the text would lose without each piece, words without one, and the pieces left. A decision drops pieces or names
the tokens. All comes from the events, except how words are written without a piece: that is the best way
through their lattices over the pieces of that moment (`training/lattice.py`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from types import MappingProxyType
from typing import NamedTuple

from explorer.script.script import Script, ScriptBuilder, Values, kinds, table
from explorer.text.say import Text, decimal, in_a_row, number, plural, two_digits
from explorer.training.lattice import lattices_of
from explorer.training.training import DROPPED, Learned, Training, UnigramState, UnigramTrain, UnigramTrainRow, real
from explorer.views.steppers.train_board import HIT, Column, Look, TrainingScript, column, several

U = UnigramTrain
DECISIONS = frozenset({U.RARE, U.PRUNED, U.TOKEN})
"""What a stop of the board shows."""
COLUMNS = (
    column("losses", "Pieces"),
    column("without", "Words"),
    column("stages", "Vocabulary", "and the tokens your text takes"),
)
BEST, LAST_KEPT, FIRST_GONE, LAST_GONE = 4, 3, 4, 2
"""Pieces that are named of a ranking."""
WORDS = 3
"""Words that are drawn, of those that change and of the others."""


class Stage(NamedTuple):
    """Pieces after a decision. tokens: of the text, if the trainer counted them. note: what happened."""

    pieces: int
    tokens: str
    note: str


class UnigramBoard:
    """Writes the three columns at each decision."""

    def __init__(
        self,
        builder: ScriptBuilder,
        training: Training[str],
        groups: Iterable[Sequence[UnigramTrainRow]],
        words: Mapping[str, int],
    ) -> None:
        self.builder, self.words, self.learned = builder, words, training.learned
        self.symbols = training.learned.symbols
        self.losses, self.without, self.drawn = (Column(builder, each["name"]) for each in COLUMNS)
        self.stages = stages(groups, training.learned, words)
        self.at = 0
        """the stage of the decision before"""

    def draw_stages(self) -> None:
        """The pieces before the first decision and after each."""
        most = max((stage.pieces for stage in self.stages), default=1)
        looks = [Look.DONE] * self.at + [Look.FOCUS if self.at else Look.DONE]
        looks += [Look.COMING] * (len(self.stages) - len(looks))
        self.drawn.write(
            self.drawn.stage(stage.pieces, stage.tokens, stage.pieces / most, look, stage.note)
            for stage, look in zip(self.stages, looks, strict=True)
        )

    def decide(
        self,
        kind: UnigramTrain,
        rows: Sequence[UnigramTrainRow],
        together: Sequence[UnigramTrainRow],
        state: UnigramState,
    ) -> None:
        """Draws a decision. together: what was decided with it. state: before it."""
        self.at += 1
        self.draw_stages()
        words: Iterable[Sequence[int]] = ()
        if kind == U.TOKEN:
            bars = self.tokens(rows)
        elif kind == U.RARE:
            kept = sorted((row for row in together if row.kind == U.EXPECTED), key=lambda row: -real(row.n))
            gone = sorted(rows, key=lambda row: -real(row.n))
            values = {row.a: real(row.n) for row in (*kept, *gone)}
            bars = self.ranking("How often each is expected", "over all ways", kept, gone, values)
        else:
            kept = [row for row in together if row.kind == U.KEPT]
            bars = self.ranking("What the text would lose", "without the piece", kept, rows, state.losses)
            words = self.changed(self.symbols[rows[0].a], state)
        self.losses.write(bars)
        self.without.write(words)

    def ranking(
        self, title: str, note: str, kept: Sequence[UnigramTrainRow], gone: Sequence[UnigramTrainRow],
        values: Mapping[int, float],
    ) -> Iterator[Sequence[int]]:  # fmt: skip
        """Pieces as bars, those that stay above those that go."""
        losses = self.losses
        yield losses.title(title, note)
        most = max((values.get(row.a, 0.0) for row in (*kept, *gone)), default=0.0) or 1.0

        def bars(rows: Sequence[UnigramTrainRow], look: Look) -> Iterator[Sequence[int]]:
            for row in rows:
                value = values.get(row.a, 0.0)
                label = self.builder.text(self.symbols[row.a])
                yield losses.bar(label, f"{value:.3f}", max(0.0, value / most), look)

        yield from bars(kept[:BEST], Look.DONE)
        if len(kept) > BEST + LAST_KEPT:
            yield losses.note(Text("… {0} more stay", len(kept) - BEST - LAST_KEPT))
        yield from bars(kept[BEST:][-LAST_KEPT:], Look.DONE)
        yield losses.cut(Text("{0} stay", len(kept)), Text("{0} go", len(gone)))
        yield from bars(gone[:1], Look.FOCUS)
        yield from bars(gone[1:FIRST_GONE], Look.GOING)
        if len(gone) > FIRST_GONE + LAST_GONE:
            yield losses.note(Text("… {0} more go", len(gone) - FIRST_GONE - LAST_GONE))
        yield from bars(gone[FIRST_GONE:][-LAST_GONE:], Look.GOING)

    def tokens(self, rows: Sequence[UnigramTrainRow]) -> Iterator[Sequence[int]]:
        """The first tokens, as bars of their probability."""
        losses = self.losses
        yield losses.title("Tokens", "by their score")
        shown = sorted(rows, key=lambda row: -real(row.n))[: BEST + LAST_KEPT + FIRST_GONE + LAST_GONE]
        lowest = min(real(row.n) for row in rows)
        for row in shown:
            score = real(row.n)
            share = (score - lowest) / -lowest if lowest < 0 else 1.0
            yield losses.bar(self.builder.text(self.symbols[row.a]), two_digits(score), share, Look.DONE)
        if len(rows) > len(shown):
            yield losses.note(Text("… {0} more", len(rows) - len(shown)))

    def changed(self, piece: str, state: UnigramState) -> Iterator[Sequence[int]]:
        """Words that are written with a piece, and how they are without it; then words that hold it all the same."""
        texts = [self.symbols[number] for number in state.scores]
        scores = list(state.scores.values())
        place = texts.index(piece)
        with_it = lattices_of(texts, scores)
        without = lattices_of(texts[:place] + texts[place + 1 :], scores[:place] + scores[place + 1 :])
        lines = self.without
        changing: list[tuple[int, list[str], list[str]]] = []
        staying: list[tuple[int, list[str], list[str]]] = []
        for word, times in self.words.items() if self.words else [(piece, 1)]:
            if piece not in word:
                continue
            one, other = ([word[start:end] for start, end, _, _ in ways.best(word)[0]] for ways in (with_it, without))
            (changing if one != other else staying).append((times, one, other))
        more = sum(times * (len(other) - len(one)) for times, one, other in changing)
        yield lines.title(
            f"Without {self.shown(piece)}", plural(more, "token more", "tokens more") if self.words else ""
        )
        for times, one, other in sorted(changing, key=lambda each: len("".join(each[1])))[:WORDS]:
            marked = set(range(len(other))) - common(one, other)
            yield lines.word(times, [(each, Look.FOCUS if each == piece else Look.PLAIN) for each in one])
            yield lines.word(-1, [(each, Look.FOCUS if at in marked else Look.PLAIN) for at, each in enumerate(other)])
        if len(changing) > WORDS:
            yield lines.note(f"and {plural(len(changing) - WORDS, 'word')} more")
        if staying:
            yield lines.cut("", "")
            verb = "does" if len(staying) == 1 else "do"
            yield lines.note(f"{plural(len(staying), 'word')} with these letters {verb} not use it")
            for times, one, _ in staying[:WORDS]:
                yield lines.word(times, [(each, Look.PLAIN) for each in one])

    def shown(self, piece: str) -> str:
        """A piece as it is drawn."""
        return next(text for text, index in self.builder.texts.items() if index == self.builder.text(piece))


def common(one: Sequence[str], other: Sequence[str]) -> set[int]:
    """The positions in `other` of pieces that both ways have at the same place in the word.

    >>> common(["ab", "c"], ["a", "b", "c"])
    {2}
    """
    starts, others = (accumulate(map(len, pieces), initial=0) for pieces in (one, other))
    known = set(zip(starts, one, strict=False))
    return {number for number, piece in enumerate(zip(others, other, strict=False)) if piece in known}


def stages(groups: Iterable[Sequence[UnigramTrainRow]], learned: Learned[str], words: Mapping[str, int]) -> list[Stage]:
    """How many pieces there are at the beginning and after each decision. groups: events that are decided together."""
    counts: Counter[UnigramTrain] = Counter()
    """of events since the decision before"""
    found: list[Stage] = []
    pieces = 0
    for rows in groups:
        of_group = Counter(UnigramTrain(row.kind) for row in rows)
        counts += of_group
        pieces += of_group[U.SEED_LETTER] + of_group[U.SEED] - sum(of_group[kind] for kind in DROPPED)
        if U.USED in of_group and found:
            tokens = sum(real(row.n) for row in rows if row.kind == U.USED)
            found[-1] = found[-1]._replace(tokens=plural(int(tokens), "token"))
        if U.SEED in of_group or (U.SEED_LETTER in of_group and not found):
            note = Text(BEGINNING, plural(counts[U.SEED_LETTER], "character"), counts[U.SEED])
            found[:] = [Stage(pieces, "", note)]
        for kind in DECISIONS & of_group.keys():
            here = len(learned.tokens) if kind == U.TOKEN else pieces
            found.append(Stage(here, taken(learned, words) if kind == U.TOKEN else "", happened(kind, counts, learned)))
        if DECISIONS & of_group.keys():
            counts.clear()
    return found


BEGINNING = "to begin with: {0:t} and {1} frequent pieces"


def happened(kind: UnigramTrain, counts: Counter[UnigramTrain], learned: Learned[str]) -> str:
    """What a decision did. counts: of events since the one before."""
    if kind == U.RARE:
        return Text("{0} go: expected less than half a time", counts[U.RARE])
    if kind == U.PRUNED:
        unused = counts[U.UNUSED] + counts[U.SPLIT]
        return Text("{1} unused and these {0} go" if unused else "these {0} go", counts[U.PRUNED], unused)
    special, characters = len(learned.tokens) - counts[U.TOKEN] - counts[U.REQUIRED], counts[U.REQUIRED]
    both = plural(characters, "character") if characters else "", plural(special, "special token") if special else ""
    comes = in_a_row(*both, between="{0:t} and {1:t}")
    return in_a_row(
        Text("{0:t} come in", comes) if comes else Text("all become tokens"),
        counts[U.NO_ROOM] and Text("{0:t} left out", plural(counts[U.NO_ROOM], "piece")),
    )


def taken(learned: Learned[str], words: Mapping[str, int]) -> str:
    """How many tokens the words take with what was learned; "" without words."""
    if not words:
        return ""
    kept = [at for at in range(len(learned.tokens)) if at not in learned.special]
    lattices = lattices_of([learned.tokens[at] for at in kept], [learned.scores[at] for at in kept])
    tokens = sum(times * len(lattices.best(word)[0]) for word, times in words.items())
    return plural(tokens, "token")


KINDS = kinds(
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
ABOUT = "Unigram begins with too many pieces and drops those that the text misses least, until {0} are left."
TOGETHER: dict[UnigramTrain, tuple[UnigramTrain, ...]] = {
    kind: kinds
    for kinds in ((U.EXPECTED, U.RARE), (U.USED, U.LOSS, U.UNUSED, U.SPLIT, U.SPLIT_KEPT, U.ONLY_WAY),
                  (U.KEPT, U.PRUNED))
    for kind in kinds
}  # fmt: skip
"""Decisions that a trainer takes piece by piece: a step for each kind of them."""
CODE = """\
pieces = characters + strings that repeat
while there are too many pieces:
    expect: count each piece over all ways to write each word
    score = log(share of the counts); drop the rare ones
    loss of each piece: what its words would cost without it
    keep the largest losses
vocabulary = pieces that are left, and all characters
""".splitlines()


class UnigramScript(TrainingScript):
    """The script of a training, in one pass over the events.

    words: of the corpus, with their counts; none if the trainer cuts texts itself.

    >>> from explorer.training.huggingface import unigram
    >>> script = UnigramScript(unigram.train({"ab": 9, "abc": 5, "c": 4}, unigram.Options(vocab_size=5))).write()
    >>> script.sentence(2)
    '1 piece more, found by repetition: ab. Each repeats, and different characters follow it.'
    """

    player, kinds, code = "training_unigram", KINDS, CODE

    def __init__(self, training: Training[str], words: Mapping[str, int] = MappingProxyType({})) -> None:
        tokens, chosen = "Token text, Id number, Score text", "No tokens yet. They are chosen at the end."
        super().__init__(
            training,
            "pieces",
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
            builder.phase(Text("Round {0}", first.a + 1))
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
            told["about"] = Text(ABOUT, len(self.drawing.learned.tokens))
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
