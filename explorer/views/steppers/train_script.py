"""The stepper's script for a training that merges pairs: BPE and WordPiece, every trainer of `training/rows.py`.

Two steps for each merge: the best pair with its ties and runners-up, then the words that change. All state comes from
the events: words and counts from `training.replay`, the vocabulary and the occurrences of each symbol from here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from explorer.text import visible
from explorer.text.quantities import plural
from explorer.training.replay import State
from explorer.training.rows import Train, TrainRow
from explorer.training.training import Training
from explorer.views.steppers.script import Script, ScriptBuilder
from explorer.views.steppers.train_kinds import (
    FAULTS,
    KINDS,
    LIKELIHOOD,
    MOST_FREQUENT,
    MOST_LIKELY,
    TIE_RULES,
    Key,
    code,
)
from explorer.vocabulary import spelled

ROLES = (("", "hit"), ("", "tied"))
HIT, TIED = range(len(ROLES))
MERGES = (Train.TOKEN, Train.TOKEN_KNOWN)
PART_OF_A_MERGE = {Train.REWRITE, Train.COUNT}
AFTER_A_WINNER = {Train.TIES, Train.RUNNER_UP}
ALIKE = {Train.LETTER, Train.AFFIXED, Train.PAIR, Train.STALE}
"""Events that are one step where they follow each other."""
PHASES = {
    **dict.fromkeys((Train.SPECIAL, Train.SPECIAL_REPEATED, Train.RESERVED, Train.LETTER, Train.LETTER_KNOWN,
                     Train.LETTER_DROPPED, Train.LETTER_UNKNOWN, Train.LETTER_SKIPPED, Train.AFFIXED), "Alphabet"),
    **dict.fromkeys((Train.TEXT_EMPTY, Train.TEXT_MARKED, Train.TEXT_TOO_LONG, Train.TEXT_CUT), "Words"),
    Train.PAIR: "Pairs",
    **dict.fromkeys((Train.REQUIRED, Train.KEPT), "Characters"),
    **dict.fromkeys((Train.STOP_SIZE, Train.STOP_NO_PAIR, Train.STOP_RARE), "End"),
}  # fmt: skip
"""The phase of an event; of others: merges."""
SAID = 40
"""Characters of the alphabet that a sentence lists."""
KEYS: tuple[Key, ...] = tuple(KINDS)


Special = Sequence[str] | Mapping[int, str]
"""Special tokens in order, or by their ids where those are reserved."""


def train_script(
    training: Training[Any], trainer_id: tuple[str, str], words: Sequence[str], special: Special = ()
) -> Script:
    """The script of a training. trainer_id: the algorithm and its trainer. words: of the corpus, in order; empty
    if the trainer cuts texts itself. special: see `Special`.

    >>> from explorer.training.huggingface import bpe
    >>> script = train_script(bpe.train({"aba": 3}, bpe.Options(vocab_size=3)), ("bpe", "huggingface"), ["aba"])
    >>> script.opening()
    'The corpus has 1 different word. In characters it has 9 symbols.'
    >>> script.sentence(4)
    '“a” + “b” → “ab”, symbol 2, in 1 word. Counted anew: 2 pairs. The corpus had 9 symbols and has 6.'
    """
    return _Writer(training, trainer_id, words, special).write()


class _Writer:
    """One pass over the events."""

    def __init__(
        self, training: Training[Any], trainer_id: tuple[str, str], words: Sequence[str], special: Special
    ) -> None:
        self.trainer_id, self.words, self.special = trainer_id, words, special
        self.events: Sequence[TrainRow] = list(training.events)
        self.scored = trainer_id == LIKELIHOOD
        self.symbols = [each if isinstance(each, str) else spelled(each) for each in training.learned.symbols]
        self.state = State()
        self.shown: dict[int, int] = {}
        """the string table's index of each symbol"""
        self.uses: Counter[int] = Counter()
        """how often each symbol occurs"""
        self.pairs: dict[int, set[tuple[int, int]]] = {}
        """of each word"""
        self.where: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        """the words of each pair"""
        self.tokens = 0
        """chips in the vocabulary"""
        self.ranked = 0
        """rows of the ranking"""
        first = next((row.n for row in self.events if row.kind == Train.TOKEN), len(self.symbols))
        numbers = ("Count", "Left", "Right") if self.scored else ("Count",)
        columns = [{"name": "Pair", "as": "text"}, *({"name": name, "as": "number"} for name in numbers)]
        columns.append({"name": "Score" if self.scored else "Ids", "as": "text"})
        columns.append({"name": "In", "as": "text"})
        merges = [
            {"name": name, "as": how}
            for name, how in (
                ("Left", "text"),
                ("Right", "text"),
                ("Token", "text"),
                ("Count", "number"),
                ("Symbol", "number"),
            )
        ]
        self.builder = ScriptBuilder(
            title="Training",
            landmark="merge",
            kinds=dict(enumerate(KINDS.values())),
            tracks=(
                {"name": "words", "type": "words", "title": "Words in their symbols", "tab": "Words", "first": first,
                 "note": "how often each word occurs"},
                {"name": "pairs", "type": "table", "title": "Pairs, counted", "tab": "Pairs", "layout": "rows",
                 "columns": columns, "empty": "No pair is ranked yet."},
                {"name": "merges", "type": "table", "title": "Merges", "tab": "Merges", "layout": "rows",
                 "newest_first": True, "columns": merges, "empty": "No merge yet."},
                {"name": "vocabulary", "type": "output", "title": "Vocabulary", "tab": "Vocabulary",
                 "empty": "No tokens yet."},
            ),
            roles=ROLES,
            layout=(("vocabulary",), ("words", "pairs"), ("log", "merges"), ("code",)),
            code_title="The algorithm: the lines at work",
            code=code(trainer_id),
            levels={
                "story": {"top": ("vocabulary",), "left": ("words",), "right": ("pairs", "merges")},
                "algorithm": {"top": ("vocabulary",), "left": ("code", "words"), "right": ("pairs", "merges")},
                "implementation": {"top": ("vocabulary",), "left": ("words", "code"),
                                   "right": ("pairs", "merges", "log")},
            },
        )  # fmt: skip

    def text(self, symbol: int) -> int:
        """The string table's index of what a symbol spells."""
        index = self.shown.get(symbol)
        if index is None:
            index = self.shown[symbol] = self.builder.text(self.symbols[symbol])
        return index

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        self.begin()
        self.phase = ""
        for at, group in self.groups():
            self.builder.event = at
            self.step(Train(group[0].kind), group)
        return self.builder.script()

    def begin(self) -> None:
        """All words in their symbols: the state before anything is learned."""
        for row in self.events:
            if row.kind in (Train.WORD, Train.SYMBOL):
                self.state.apply(row)
        self.words = self.words or ["".join(self.symbols[each] for each in word) for word in self.state.words]
        for number, word in enumerate(self.state.words):
            self.put_word(number)
            for symbol in word:
                self.uses[symbol] += self.state.times[number]
        count = self.count(len(self.state.words), "different word")
        what = "bytes" if self.trainer_id[1] == "minbpe" else "characters"
        say = f"The corpus has {{0:t}}. In {what} it has {{1}} symbols."
        self.builder.phase("Words")
        self.builder.begin(say, "Each word counts as often as it occurs.", (count, self.uses.total()), (0,))

    def groups(self) -> list[tuple[int, list[TrainRow]]]:
        """The events that make a step together, with the index of the first."""
        found: list[tuple[int, list[TrainRow]]] = []
        merge: list[TrainRow] = []
        for at, row in enumerate(self.events):
            if row.kind in (Train.WORD, Train.SYMBOL):
                continue
            if row.kind in PART_OF_A_MERGE:
                merge.append(row)  # what is refused in between has a step of its own
            elif found and (row.kind in AFTER_A_WINNER or (row.kind in ALIKE and row.kind == found[-1][1][-1].kind)):
                found[-1][1].append(row)
            else:
                found.append((at, [row]))
                if row.kind in MERGES:
                    merge = found[-1][1]
        return found

    def step(self, kind: Train, rows: list[TrainRow]) -> None:
        """Writes one step."""
        _, a, b, n = rows[0]
        self.open_phase(PHASES.get(kind, "Merges"))
        if kind in (Train.LETTER, Train.AFFIXED):
            self.alphabet(kind, rows)
        elif kind == Train.PAIR:
            for row in rows:
                self.state.apply(row)
            self.close("pairs", self.count(len(rows), "different pair"), sum(row.n for row in rows))
        elif kind == Train.WINNER:
            self.rank(rows)
        elif kind in MERGES:
            self.merge(kind, rows)
        elif kind in (Train.SPECIAL, Train.RESERVED):
            # sentencepiece names the id first and then its special piece
            number, id, text = (a, b, self.special[a]) if kind == Train.SPECIAL else (b, a, self.special[a])
            self.add(text, id)
            self.close(kind, number + 1, self.named(text), id)
        elif kind == Train.SPECIAL_REPEATED:
            self.close(kind, a + 1, self.named(self.special[a]), b)
        elif kind in (Train.TEXT_EMPTY, Train.TEXT_MARKED):
            self.close(kind, a + 1)
        elif kind == Train.TEXT_TOO_LONG:
            self.close(kind, a + 1, n, b)
        elif kind == Train.TEXT_CUT:
            self.close(kind, a + 1, n)
        elif kind in (Train.LETTER_KNOWN, Train.LETTER_DROPPED, Train.LETTER_UNKNOWN):
            self.close(kind, self.named(chr(a)), self.count(n, "time"))
        elif kind == Train.LETTER_SKIPPED:
            self.builder.mark("words", a, HIT)
            self.close(kind, self.named(chr(n)))
        elif kind == Train.INVALID:
            self.close(kind, self.text(a), self.text(b), self.builder.plain(FAULTS[n]))
        elif kind == Train.DUPLICATE:
            self.close(kind, self.text(a), self.text(b), self.text(n))
        elif kind == Train.STOP_RARE:
            self.close(kind, self.text(a), self.text(b), self.count(n, "time"))
        elif kind == Train.STALE:
            self.close(kind, self.text(a), self.text(b), n, self.count(len(rows), "entry", "entries"))
        elif kind in (Train.TOO_LONG, Train.FORBIDDEN):
            self.close(kind, self.text(a), self.text(b), n)
        elif kind == Train.REQUIRED:
            self.add(self.symbols[a], a)
            self.close(kind, self.text(a), self.count(n, "time"))
        else:  # numbers alone
            self.close(kind, a, b, n)

    def open_phase(self, name: str) -> None:
        """Opens a phase, unless it is the one at work."""
        if name != self.phase:
            self.builder.phase(name)
            self.phase = name

    def close(self, key: Key, *args: int) -> None:
        """Closes the step."""
        self.builder.step(KEYS.index(key), *args)

    def count(self, n: int, one: str, many: str | None = None) -> int:
        """The string table's index of a number of things."""
        return self.builder.plain(plural(n, one, many))

    def named(self, text: str) -> int:
        """The string table's index of a text from the input."""
        return self.builder.text(text)

    def add(self, text: str, id: int) -> None:
        """Adds a chip to the vocabulary."""
        self.builder.put("vocabulary", self.tokens, self.named(text), id, -1, -1)
        self.tokens += 1

    def put_word(self, number: int) -> None:
        """The row of a word: how often it occurs, then text and number of each symbol."""
        symbols = self.state.words[number]
        before, now = self.pairs.get(number, set()), set(pairwise(symbols))
        for pair in before - now:
            self.where[pair].discard(number)
        for pair in now - before:
            self.where[pair].add(number)
        self.pairs[number] = now
        shown = {symbol: self.text(symbol) for symbol in dict.fromkeys(symbols)}
        row = [value for symbol in symbols for value in (shown[symbol], symbol)]
        self.builder.put("words", number, self.state.times[number], *row)

    # --- steps of several events ----------------------------------------------------------------------------------

    def alphabet(self, kind: Train, rows: list[TrainRow]) -> None:
        """Characters become symbols."""
        symbols = [row.b if kind == Train.LETTER else row.n for row in rows]
        for symbol in symbols if not self.trainer_id[1].startswith("sentencepiece") else ():
            self.add(self.symbols[symbol], symbol)  # sentencepiece makes pieces of them at the end
        listed = " ".join(visible(self.symbols[symbol]) for symbol in symbols[:SAID])
        more = " …" if len(symbols) > SAID else ""
        self.close("letters" if kind == Train.LETTER else "affixed", self.count(len(rows), "character"),
                   self.builder.plain(listed + more))  # fmt: skip

    def rank(self, rows: list[TrainRow]) -> None:
        """The best pair, those with its count or score, and the ones after it."""
        builder, (winner, ties, *following) = self.builder, rows
        self.best = [winner, *following]
        tied = min(ties.n, len(following))
        shown = 0
        self.tied = range(1 + tied if ties.n else 0)
        for shown, row in enumerate(self.best):
            builder.put("pairs", shown, *self.ranking_row(row))
        shown += 1
        hidden = ties.n - tied
        if hidden > 0:
            more = builder.plain(f"and {hidden:,} more")
            blank = builder.plain("")
            builder.put("pairs", shown, more, winner.n, *((-1, -1) if self.scored else ()), blank, blank)
            self.tied = range(2 + tied)
            shown += 1
        for index in range(shown, self.ranked):
            builder.delete("pairs", index)
        self.ranked = shown
        self.mark_pairs()
        builder.put("words", -1, winner.a, winner.b)
        for number in sorted(self.where[winner.a, winner.b]):
            builder.mark("words", number, HIT)
        left, right = self.text(winner.a), self.text(winner.b)
        rule = builder.plain(TIE_RULES[self.trainer_id])
        why = builder.plain(MOST_LIKELY if self.scored else MOST_FREQUENT)
        priority_value = builder.plain(self.priority_value(winner))
        if not following:
            self.close("only", left, right, winner.n, 0, 0, 0, 0, rule, priority_value, priority_value, why)
            return
        other = following[0]
        args = (
            self.text(other.a),
            self.text(other.b),
            other.n,
            ties.n,
            rule,
            priority_value,
            builder.plain(self.priority_value(other)),
        )
        self.close("tied" if ties.n else "best", left, right, winner.n, *args, why)

    def priority_value(self, row: TrainRow) -> str:
        """What a pair is ranked by, in words."""
        return f"the score {self.score(row)}" if self.scored else f"count {row.n:,}"

    def score(self, row: TrainRow) -> str:
        """The score of a pair as a fraction: count over the product of its symbols' counts."""
        return str(Fraction(row.n, self.uses[row.a] * self.uses[row.b]))

    def ranking_row(self, row: TrainRow) -> tuple[int, ...]:
        """A pair in the ranking."""
        builder = self.builder
        pair = builder.plain(f"{visible(self.symbols[row.a])} + {visible(self.symbols[row.b])}")
        numbers = self.where[row.a, row.b]
        word = self.words[min(numbers)] if numbers else ""
        if not self.scored:
            return pair, row.n, builder.plain(f"{row.a} · {row.b}"), builder.text(word)
        uses = self.uses[row.a], self.uses[row.b]
        return pair, row.n, *uses, builder.plain(self.score(row)), builder.text(word)

    def mark_pairs(self) -> None:
        """Marks the best pair and those that tie with it."""
        self.builder.mark("pairs", 0, HIT)
        for index in self.tied:
            self.builder.mark("pairs", index, TIED)

    def merge(self, kind: Train, rows: list[TrainRow]) -> None:
        """A pair becomes one symbol in all words."""
        (_, left, right, made), builder, before = rows[0], self.builder, self.uses.total()
        self.state.apply(TrainRow(Train.WINNER, left, right, 0))
        changed: dict[int, None] = {}
        for row in rows:
            self.state.apply(row)
            if row.kind == Train.REWRITE:
                times = self.state.times[row.a]
                for symbol, by in ((left, -times), (right, -times), (made, times)):
                    self.uses[symbol] += by
                changed[row.a] = None
        for number in changed:
            self.put_word(number)
            builder.mark("words", number, HIT)
        builder.put("words", -1, made)
        if kind == Train.TOKEN or self.scored:
            self.add(self.symbols[made], made)
        sides = self.text(left), self.text(right), self.text(made)
        builder.put("merges", len(self.state.merges), *sides, self.best[0].n, made)
        self.mark_pairs()
        anew = sum(row.kind == Train.COUNT for row in rows)
        words = self.count(len(changed), "word")
        self.close(kind, *sides, words, before, self.uses.total(), self.count(anew, "pair"), made)
