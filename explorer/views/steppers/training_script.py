"""The script of a training, whatever its trainer.

Trainings that merge pairs (BPE and WordPiece, every trainer of `training/training.py`) have two steps for each merge:
the best pair with its ties and runners-up, then the words that change. All state comes from the events: words and
counts from `training.replay`, the vocabulary and the occurrences of each symbol from here.

WordLevel takes the most frequent words (`huggingface/word_level.py`): a step for each word and each group of
equals; the words left out are one step for each reason. WordPiece from the top down (`training/top_down.py`)
keeps substrings, for one threshold after the other: in each round a step for each length that keeps tokens,
from the longest on; lengths that keep none are one step. Left out: Unigram, in `train_unigram_script`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from typing import Any

from explorer.script.script import TRACKS, Script, Values, kinds, table
from explorer.tables import read_toml
from explorer.text import visible
from explorer.text.say import Say, Text, plural
from explorer.text.say import number as counted
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.sentencepiece.sentences import Fault, special_pieces
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.trainers import Trained, TrainerId
from explorer.training.training import State, Train, Training, TrainRow, UnigramTrainRow
from explorer.views.steppers.train_board import (
    HIT,
    LETTERS,
    TIED,
    Column,
    Look,
    TrainingScript,
    column,
    nth,
    occurs,
    remaining,
    several,
    vocabulary,
)
from explorer.views.steppers.train_unigram_script import UnigramScript
from explorer.vocabulary import spelled

Key = Train | str
"""An event, or one of the steps that several events make."""

KINDS = kinds(
    Train,
    """
SPECIAL: special
    look: info dot 30
    lines: 1
    fields: number token:q id:i
    say: Special token {number} is {token}: symbol {id}.
    why: Special tokens come first. No text is learned from them.
    log: special {token}
    story: {token} is a special token: it gets id {id}.
    story_why: Special tokens come first. No text is learned from them.

SPECIAL_REPEATED: repeated
    look: miss ring 30
    lines: 1
    fields: number token:q id:i
    say: Special token {number}, {token}, is symbol {id} already. It is skipped.
    log: {token} again
    story: {token} is there already, so it is skipped.

RESERVED: special
    look: info dot 30
    lines: 1
    fields: number token:q id:i
    say: Id {id} is reserved for {token}.
    why: Special pieces have fixed ids. No text is learned from them.
    log: special {token}
    story_why: Special pieces have fixed ids. No text is learned from them.

TEXT_EMPTY: empty
    look: miss ring 30
    lines: 0
    fields: line
    say: Line {line} is empty: it is skipped.
    log: line {line} empty

TEXT_TOO_LONG: too long
    look: miss ring 30
    lines: 0
    fields: line bytes limit
    say: Line {line} has {bytes} bytes, more than {limit}: it is skipped.
    why: The option max_sentence_length sets the limit.
    log: line {line} too long
    story_why: The option max_sentence_length sets the limit.

TEXT_MARKED: skipped
    look: miss ring 30
    lines: 0
    fields: line
    say: Line {line} contains ▅, the mark of unknown characters: it is skipped.
    log: line {line} skipped

TEXT_CUT: cut
    look: info ring 30
    lines: 0
    fields: line cuts
    say: Line {line} contains {cuts} special pieces: it is cut there.
    why: Nothing is learned from them.
    log: line {line} cut
    story_why: Nothing is learned from them.

letters: alphabet
    look: token dot 50
    lines: 1
    fields: count:t named:t
    say: {count} of the corpus: {named}.
    why: All other tokens are made of them, so they are learned even if there is no room.
    log: {count}
    story: The alphabet has {count}.
    story_why: All other tokens are made of them, so they are learned even if there is no room.

affixed: alphabet
    look: token dot 50
    lines: 1
    fields: count:t named:t
    say: {count} with a prefix or suffix: {named}.
    why: The same character inside a word is a different symbol.
    log: {count} with an affix
    story_why: The same character inside a word is a different symbol.

LETTER_KNOWN: known
    look: miss ring 30
    lines: 1
    fields: letter:q times:t
    say: {letter} occurs {times} and is a special token already.
    log: {letter} known

LETTER_DROPPED: dropped
    look: stale ring 40
    lines: 1
    fields: letter:q times:t
    say: {letter} occurs {times} and is left out: the alphabet is limited.
    why: The option limit_alphabet keeps the most frequent characters.
    log: {letter} left out
    story_why: The option limit_alphabet keeps the most frequent characters.

LETTER_UNKNOWN: unknown
    look: stale ring 40
    lines: 1
    fields: letter:q times:t
    say: {letter} occurs {times} and becomes unknown.
    why: More frequent characters already reach character_coverage.
    log: {letter} unknown
    story_why: More frequent characters already reach character_coverage.

LETTER_SKIPPED: skipped
    look: stale ring 40
    lines: 0
    fields: letter:q
    say: {letter} is missing from the alphabet, so a word is written without it.
    why: Its neighbors become adjacent.
    log: {letter} skipped
    story_why: Its neighbors become adjacent.

pairs: count
    look: push dot 40
    lines: 2
    fields: pairs:t occurrences
    say: {pairs}; together they occur {occurrences} times.
    why: A pair inside a word counts as often as the word occurs. Overlaps count.
    log: {pairs} counted
    story: All pairs of neighbors are counted: {pairs}.
    story_why: A pair inside a word counts as often as the word occurs. Overlaps count.

STALE: out of date
    look: stale ring 30
    lines: 4
    fields: left:q right:q times entries:t
    say: {entries} out of date, first {left} + {right} with {times}: counted and pushed again.
    why: Entries are checked only when they come up.
    log: {entries} out of date
    story: {entries} out of date, first {left} + {right}: counted again.
    story_why: Entries are checked only when they come up.

TOO_LONG: too long
    look: miss ring 30
    lines: 8
    fields: left:q right:q size
    say: {left} + {right} would have {size} characters: it is not counted.
    why: The option max_token_length sets the limit.
    log: {left} + {right} too long
    story_why: The option max_token_length sets the limit.

FORBIDDEN: forbidden
    look: miss ring 25
    lines: 2
    fields: left:q right:q size
    say: {left} + {right} must not be merged: it is not counted.
    log: {left} + {right} forbidden

INVALID: no piece
    look: miss ring 25
    lines: 2
    fields: left:q right:q fault:t
    say: {left} + {right} can't become a piece: {fault}.
    why: It is never counted.
    log: {left} + {right}: no piece
    story_why: It is never counted.

DUPLICATE: twice
    look: miss ring 30
    lines: 6
    fields: left:q right:q joined:q
    say: {left} + {right} spells {joined}, which is a piece already: it is dropped.
    log: {joined} again

best: best pair
    look: push ring 45
    lines: 4 5
    fields: left:q right:q next_left:q next_right:q value:t next_value:t why:t
    say: {left} + {right} has {value}, the highest; {next_left} + {next_right} is next with {next_value}.
    why: {why}
    log: {left} + {right} is best
    story: {left} + {right} has {value}, the highest. Next is {next_left} + {next_right} with {next_value}.
    story_why: {why}

tied: tie
    look: info ring 45
    lines: 4 5
    fields: left:q right:q ties rule:t value:t
    say: {left} + {right} has {value}. It ties with {ties} more: the tie rule decides.
    why: {rule}
    log: {left} + {right}, tied with {ties}
    story: {left} + {right} has {value}. It ties with {ties} more.
    story_why: {rule}

only: best pair
    look: push ring 45
    lines: 4 5
    fields: left:q right:q value:t why:t
    say: {left} + {right} has {value}. No other pair is left.
    why: {why}
    log: {left} + {right} is the last
    story_why: {why}

TOKEN: merge
    look: merge dot 100 landmark
    lines: 6 7 8
    fields: left:q right:q joined:q words:t before after recounted:t id:i reason:t about:t
    say: {left} + {right} → {joined}, symbol {id}, in {words}. Recounted: {recounted}.
    why: The corpus shrinks from {before} to {after} symbols.
    log: {left} + {right} → {joined}
    story: {left} and {right} become {joined}: {reason}.
    story_why: {about}

TOKEN_KNOWN like TOKEN
    say: {left} + {right} → {joined}, which is symbol {id} already, in {words}.
    why: The corpus shrinks from {before} to {after} symbols. The vocabulary does not grow.
    log: {left} + {right} → {joined}, known
    story: {left} and {right} become {joined}: {reason}.
    story_why: The vocabulary has {joined} already, so it does not grow.

REQUIRED: character
    look: token dot 30
    fields: letter:q times:t
    say: The character {letter} becomes a piece. It occurs {times}.
    why: Characters follow after all merges, the most frequent first.
    log: {letter}
    story_why: Characters follow after all merges, the most frequent first.

KEPT: kept
    look: info dot 40
    fields: merges kept saved
    say: Of {merges} merges the first {kept} become pieces.
    why: With their characters and others they save {saved} tokens.
    log: {kept} of {merges} merges
    story_why: With their characters and others they save {saved} tokens.

STOP_SIZE: end
    look: info diamond 70
    lines: 3
    fields: tokens wanted
    say: The vocabulary is full: it has {tokens} tokens; {wanted} were asked for.
    log: full

STOP_NO_PAIR like STOP_SIZE
    say: No pair is left. The vocabulary has {tokens} of the {wanted} tokens asked for.
    why: Every word is one token, or no pair may join.
    log: no pair
    story_why: Every word is one token, or no pair may join.

STOP_RARE: end
    look: info diamond 70
    lines: 4
    fields: left:q right:q times:t
    say: The best pair left, {left} + {right}, occurs {times}: too rare.
    why: The option min_frequency sets the limit.
    log: too rare
    story_why: The option min_frequency sets the limit.
""",
)
"""What each step says. joined: a symbol as the vocabulary spells it. recounted: the pairs beside a merge."""

FAULTS: Mapping[int, str] = {
    Fault.LENGTH: "it has too many characters",
    Fault.RESERVED: "it contains an unknown character or a boundary",
    Fault.WHITE_SPACE: "it contains a ▁ inside a word",
    Fault.DIGITS: "it contains a digit beside another character",
    Fault.SCRIPTS: "it contains two scripts",
}
"""Why a pair is not a piece, for `INVALID`."""

LOWEST_IDS = "Ties go to the lowest left id, then the lowest right id."
SHORTEST = "Ties go to the shortest, then to the first in the order of code points."
FIRST = "Ties go to the pair that occurs first in the corpus."

TIE_RULES: Mapping[tuple[str, str], str] = {
    ("bpe", "huggingface"): LOWEST_IDS,
    ("bpe", "sentencepiece"): SHORTEST,
    ("bpe", "minbpe"): FIRST,
    ("wordpiece", "huggingface"): LOWEST_IDS,
    ("wordpiece", "likelihood"): FIRST,
}
"""Which of equally good pairs a trainer takes."""
FIRST_BY: Mapping[str, str] = {
    LOWEST_IDS: "this one has the lowest ids",
    SHORTEST: "this one is the shortest, or the first of equally long ones by code points",
    FIRST: "this one occurs first",
}
"""The same about a pair that was taken."""

LIKELIHOOD = ("wordpiece", "likelihood")
MOST_FREQUENT = "The most frequent pair becomes a token."
MOST_LIKELY = "The highest score becomes a token: count ÷ (left × right)."
JOINS: Mapping[tuple[str, str], str] = {
    ("bpe", "minbpe"): "BPE on bytes joins the most frequent pair, again and again, until there are {0} tokens.",
    ("wordpiece", "huggingface"): "Hugging Face learns WordPiece by counting pairs, as BPE does; "
    "## marks what does not begin a word.",
    LIKELIHOOD: "The score of a pair is its count ÷ (count of its left × count of its right side); "
    "## marks what does not begin a word.",
}
"""What a trainer does with pairs, in a sentence; for others see `MOST_JOINED`."""
MOST_JOINED = "BPE joins the most frequent pair, and does it again and again until the vocabulary has {0} tokens."


def code_of(trainer_id: TrainerId) -> tuple[str, ...]:
    """The algorithm of a trainer, line by line."""
    rank = "score, count / (left * right)" if trainer_id == LIKELIHOOD else "count"
    return (
        "words = distinct words, each in its characters",
        "vocabulary = special tokens, characters",
        "count all pairs of neighbors",
        "while the vocabulary is too small:",
        f"    best = the pair with the highest {rank}",
        "    if several are best: the tie rule",
        "    vocabulary += best, joined",
        "    in each word: join best, left to right",
        "    count the pairs beside it anew",
    )


MERGES = (Train.TOKEN, Train.TOKEN_KNOWN)
PART_OF_A_MERGE = {Train.REWRITE, Train.COUNT}
AFTER_A_WINNER = {Train.TIES, Train.RUNNER_UP}
ALIKE = {Train.LETTER, Train.AFFIXED, Train.PAIR, Train.STALE}
"""Events that are one step where they follow each other."""
PHASES = {Train[name]: phase for phase, names in read_toml(__file__, "phases.toml").items() for name in names}
"""The phase of an event; of others: merges."""
Special = Sequence[str] | Mapping[int, str]
"""Special tokens in order, or by their ids where those are reserved."""


class MergeScript(TrainingScript):
    """The script of a training, in one pass over the events.

    trainer_id: the algorithm and its trainer. words: of the corpus, in order; empty
    if the trainer cuts texts itself. special: see `Special`.

    >>> from explorer.training.huggingface import bpe
    >>> script = MergeScript(bpe.train({"aba": 3}, bpe.Options(vocab_size=3)), ("bpe", "huggingface"), ["aba"]).write()
    >>> script.opening()
    'The corpus has 1 different word. Split into characters, it has 9 symbols.'
    >>> script.sentence(4)
    '“a” + “b” → “ab”, symbol 2, in 1 word. Recounted: 2 pairs. The corpus shrinks from 9 to 6 symbols.'
    """

    player, kinds = "training_merges", KINDS
    roles = (("", "hit"), ("", "tied"))

    def __init__(
        self, training: Training[Any], trainer_id: TrainerId, words: Sequence[str], special: Special = ()
    ) -> None:
        self.trainer_id, self.words, self.special, self.code = trainer_id, words, special, code_of(trainer_id)
        self.scored, self.size, self.reason = trainer_id == LIKELIHOOD, len(training.learned.tokens), ""
        self.spellings = [each if isinstance(each, str) else spelled(each) for each in training.learned.symbols]
        self.state = State()
        self.shown: dict[int, int] = {}
        """the string table's index of each symbol"""
        self.uses: Counter[int] = Counter()
        """how often each symbol occurs"""
        self.pairs: dict[int, set[tuple[int, int]]] = {}
        """of each word"""
        self.where: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        """the words of each pair"""
        self.ranked = 0
        """rows of the ranking"""
        numbers = "Left number, Right number, Score text" if self.scored else "Ids text"
        listed = "Left text, Right text, Token text, Count number, Symbol number"
        drawn = TRACKS["trained_words"] | {
            "first": next((row.n for row in training.events if row.kind == Train.TOKEN), len(self.spellings)),
            "note": self.about_symbols(),
        }
        super().__init__(
            training,
            drawn,
            table(
                "pairs",
                "Pairs, counted",
                f"Pair text, Count number, {numbers}, In text",
                "No pair is ranked yet.",
                tab="Pairs",
            ),
            table("merges", "Merges", listed, "No merge yet.", tab="Merges", newest_first=True),
            vocabulary("No tokens yet."),
            column("ranking", "Pairs with the highest score" if self.scored else "Most frequent pairs"),
            column("growth", "Vocabulary", "and the tokens your text then takes"),
        )
        self.ranking, self.growth = Column(self.builder, "ranking"), Column(self.builder, "growth")
        self.joined_first = 0
        """how many tokens the text takes before the first merge"""
        self.joined: list[tuple[int, int]] = []
        """of each merge its symbol, and how many tokens the text then takes"""

    def about_symbols(self) -> str:
        """What is said beside the words: the mark that their symbols have, if they have one."""
        marks = {"##": "## does not begin a word", "▁": "▁ is the space before a word"}
        return next(
            (says for mark, says in marks.items() if any(each.startswith(mark) for each in self.spellings)),
            "how often each word occurs",
        )

    def text(self, symbol: int) -> int:
        """The string table's index of what a symbol spells."""
        if symbol not in self.shown:
            self.shown[symbol] = self.builder.text(self.spellings[symbol])
        return self.shown[symbol]

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        self.start()
        self.phase = ""
        for at, group in self.groups():
            self.builder.event = at
            self.step(Train(group[0].kind), group)
        return self.builder.script()

    def start(self) -> None:
        """All words in their symbols: the state before anything is learned."""
        for row in self.events:
            if row.kind in (Train.WORD, Train.SYMBOL):
                self.state.apply(row)
        self.words = self.words or ["".join(self.spellings[each] for each in word) for word in self.state.words]
        for number, word in enumerate(self.state.words):
            self.put_word(number)
            for symbol in word:
                self.uses[symbol] += self.state.times[number]
        what = "bytes" if self.trainer_id[1] == "minbpe" else "characters"
        self.start_growth(what)
        self.builder.phase("Words")
        self.builder.begin(
            f"The corpus has {{words}}. Split into {what}, it has {{symbols}} symbols.",
            "Each word counts as often as it occurs.",
            lines=(0,),
            words=plural(len(self.state.words), "different word"),
            symbols=self.uses.total(),
        )

    def start_growth(self, what: str) -> None:
        """The tokens that the text takes before the first merge and, to come, after each."""
        left = first = self.joined_first = self.uses.total()
        for row in self.events:
            if row.kind in MERGES:
                self.joined.append((row.n, left))
            elif row.kind == Train.REWRITE:
                left -= self.state.times[row.a]
                self.joined[-1] = self.joined[-1][0], left
        one = "symbol" if any(self.spellings[each].startswith("##") for each in self.uses) else what[:-1]
        label = plural(len(self.uses), one)
        if not self.trainer_id[1].startswith("sentencepiece"):  # it makes pieces of the characters at the end
            named = [self.special[row.a] for row in self.events if row.kind == Train.SPECIAL]
            count = self.size - len(named) - sum(row.kind == Train.TOKEN for row in self.events)
            label = plural(count, one)
            if named:
                many = len(named) > 1
                label = Text("{0:t} + {1}", label, len(named)) if many else Text("{0:t}, {1:t}", label, *named)
        coming = [self.growth_line(number, Look.COMING) for number in range(1, len(self.joined) + 1)]
        self.growth.write([self.growth.bar(self.builder.plain(label), counted(first), 1, Look.DONE), *coming])

    def growth_line(self, number: int, look: Look) -> Sequence[int]:
        """A merge in the vocabulary. number: from 1."""
        symbol, left = self.joined[number - 1]
        return self.growth.chip(self.text(symbol), counted(left), left / max(1, self.joined_first), look, symbol)

    def groups(self) -> list[tuple[int, list[TrainRow]]]:
        """The events that make a step together, with the index of the first."""
        steps: list[tuple[int, list[TrainRow]]] = []
        merge: list[TrainRow] = []
        for at, row in enumerate(self.events):
            if row.kind in (Train.WORD, Train.SYMBOL):
                continue
            if row.kind in PART_OF_A_MERGE:
                merge.append(row)  # what is refused in between has a step of its own
            elif steps and (row.kind in AFTER_A_WINNER or (row.kind in ALIKE and row.kind == steps[-1][1][-1].kind)):
                steps[-1][1].append(row)
            else:
                steps.append((at, [row]))
                if row.kind in MERGES:
                    merge = steps[-1][1]
        return steps

    def step(self, kind: Train, rows: list[TrainRow]) -> None:
        """Writes one step."""
        self.open_phase(PHASES.get(kind, "Merges"))
        if kind in (Train.LETTER, Train.AFFIXED):
            key, told = self.alphabet(kind, rows)
        elif kind == Train.PAIR:
            for row in rows:
                self.state.apply(row)
            key = "pairs"
            told = {"pairs": plural(len(rows), "different pair"), "occurrences": sum(row.n for row in rows)}
        elif kind == Train.WINNER:
            key, told = self.rank(rows)
        elif kind in MERGES:
            key, told = kind, self.merge(kind, rows)
        else:
            key, told = kind, self.told(kind, rows)
        self.builder.step(key, **told)

    def told(self, kind: Train, rows: list[TrainRow]) -> Values:
        """The fields of a step of one event, or of events that are told by their number."""
        _, a, b, n = rows[0]
        match kind:
            case Train.SPECIAL | Train.RESERVED:
                # sentencepiece names the id first and then its special piece
                number, id = (a, b) if kind == Train.SPECIAL else (b, a)
                self.add(self.special[a], id)
                return {"number": number + 1, "token": self.special[a], "id": id}
            case Train.SPECIAL_REPEATED:
                return {"number": a + 1, "token": self.special[a], "id": b}
            case Train.TEXT_EMPTY | Train.TEXT_MARKED:
                return {"line": a + 1}
            case Train.TEXT_TOO_LONG:
                return {"line": a + 1, "bytes": n, "limit": b}
            case Train.TEXT_CUT:
                return {"line": a + 1, "cuts": n}
            case Train.LETTER_KNOWN | Train.LETTER_DROPPED | Train.LETTER_UNKNOWN:
                return {"letter": chr(a), "times": plural(n, "time")}
            case Train.LETTER_SKIPPED:
                self.builder.mark("words", a, HIT)
                return {"letter": chr(n)}
            case Train.REQUIRED:
                self.add(self.spellings[a], a)
                return {"letter": self.text(a), "times": plural(n, "time")}
            case Train.KEPT:
                return {"merges": a, "kept": b, "saved": n}
            case Train.STOP_SIZE | Train.STOP_NO_PAIR:
                return {"tokens": a, "wanted": b}
        pair: Values = {"left": self.text(a), "right": self.text(b)}
        match kind:
            case Train.INVALID:
                return pair | {"fault": FAULTS[n]}
            case Train.DUPLICATE:
                return pair | {"joined": self.text(n)}
            case Train.STOP_RARE:
                return pair | {"times": plural(n, "time")}
            case Train.STALE:
                return pair | {"times": n, "entries": plural(len(rows), "entry", "entries")}
        return pair | {"size": n}

    def open_phase(self, name: str) -> None:
        """Opens a phase, unless it is the one at work."""
        if name != self.phase:
            self.builder.phase(name)
            self.phase = name

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

    def alphabet(self, kind: Train, rows: list[TrainRow]) -> tuple[Key, Values]:
        """Characters become symbols."""
        symbols = [row.b if kind == Train.LETTER else row.n for row in rows]
        for symbol in symbols if not self.trainer_id[1].startswith("sentencepiece") else ():
            self.add(self.spellings[symbol], symbol)  # sentencepiece makes pieces of them at the end
        told = several((self.spellings[symbol] for symbol in symbols), "character", LETTERS)
        return "letters" if kind == Train.LETTER else "affixed", told

    def rank(self, rows: list[TrainRow]) -> tuple[Key, Values]:
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
            more = builder.plain(Text("and {0} more", hidden))
            blank = builder.plain("")
            builder.put("pairs", shown, more, winner.n, *((-1, -1) if self.scored else ()), blank, blank)
            self.tied = range(2 + tied)
            shown += 1
        builder.delete("pairs", *range(shown, self.ranked))
        self.ranked = shown
        self.mark_pairs()
        self.draw_ranking(winner, following)
        self.reason = self.reason_of(winner, ties.n, following)
        builder.put("words", -1, winner.a, winner.b)
        for number in sorted(self.where[winner.a, winner.b]):
            builder.mark("words", number, HIT)
        told: Values = {"left": self.text(winner.a), "right": self.text(winner.b), "value": self.priority_value(winner)}
        if following and ties.n:
            return "tied", told | {"ties": ties.n, "rule": TIE_RULES[self.trainer_id]}
        told["why"] = MOST_LIKELY if self.scored else MOST_FREQUENT
        if not following:
            return "only", told
        other = following[0]
        told |= {"next_left": self.text(other.a), "next_right": self.text(other.b)}
        return "best", told | {"next_value": self.priority_value(other)}

    def draw_ranking(self, winner: TrainRow, following: list[TrainRow]) -> None:
        """The pairs with the highest counts or scores as bars, and how often the others occur."""
        most = self.number_of(winner)
        bars = [
            self.ranking.bar(
                self.builder.plain(f"{visible(self.spellings[row.a])} {visible(self.spellings[row.b])}"),
                str(self.number_of(row)) if self.scored else counted(row.n),
                float(self.number_of(row) / most) if most else 0.0,
                Look.PLAIN if index else Look.FOCUS,
            )
            for index, row in enumerate((winner, *following))
        ]
        shown = {(row.a, row.b) for row in (winner, *following)}
        others = [count for pair, count in self.state.counts.items() if count > 0 and pair not in shown]
        more = Text("{0} more", len(others)) if self.scored and others else remaining(others)
        self.ranking.write([*bars, *([self.ranking.note(more)] if more else [])])

    def number_of(self, row: TrainRow) -> Fraction:
        """What a pair is ranked by: its count, or that over the product of its symbols' counts."""
        return Fraction(row.n, self.uses[row.a] * self.uses[row.b]) if self.scored else Fraction(row.n)

    def reason_of(self, winner: TrainRow, ties: int, following: list[TrainRow]) -> str:
        """Why this pair and no other one."""
        if not following:
            return "no other pair is left"
        score = str(self.number_of(winner)) if self.scored else ""
        if not ties:
            alone = "no other pair has the score {0:t}" if score else "no other pair occurs {0:t}"
            return Text(alone, score or occurs(winner.n))
        several = "{0} pairs have the score {1:t}, and {2:t}" if score else "{0} pairs occur {1:t}, and {2:t}"
        return Text(several, ties + 1, score or occurs(winner.n), Text(FIRST_BY[TIE_RULES[self.trainer_id]]))

    def priority_value(self, row: TrainRow) -> str:
        """What a pair is ranked by, in words."""
        return Text("the score {0:t}", str(self.number_of(row))) if self.scored else Text("count {0}", row.n)

    def ranking_row(self, row: TrainRow) -> tuple[int, ...]:
        """A pair in the ranking."""
        builder = self.builder
        pair = builder.plain(f"{visible(self.spellings[row.a])} + {visible(self.spellings[row.b])}")
        numbers = self.where[row.a, row.b]
        word = self.words[min(numbers)] if numbers else ""
        if not self.scored:
            return pair, row.n, builder.plain(f"{row.a} · {row.b}"), builder.text(word)
        uses = self.uses[row.a], self.uses[row.b]
        return pair, row.n, *uses, builder.plain(str(self.number_of(row))), builder.text(word)

    def mark_pairs(self) -> None:
        """Marks the best pair and those that tie with it."""
        self.builder.mark("pairs", 0, HIT)
        for index in self.tied:
            self.builder.mark("pairs", index, TIED)

    def merge(self, kind: Train, rows: list[TrainRow]) -> Values:
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
            self.add(self.spellings[made], made)
        sides = self.text(left), self.text(right), self.text(made)
        builder.put("merges", len(self.state.merges), *sides, self.best[0].n, made)
        self.mark_pairs()
        number, total = len(self.state.merges), len(self.joined)
        if number > 1:
            builder.put("growth", number - 1, *self.growth_line(number - 1, Look.DONE))
        builder.put("growth", number, *self.growth_line(number, Look.FOCUS))
        about = Say(JOINS.get(self.trainer_id, MOST_JOINED), self.size)
        return {
            "left": self.text(left),
            "right": self.text(right),
            "joined": self.text(made),
            "words": plural(len(changed), "word"),
            "before": before,
            "after": self.uses.total(),
            "recounted": plural(sum(row.kind == Train.COUNT for row in rows), "pair"),
            "id": made,
            "reason": self.reason,
            "about": Text(about.then(nth(number, total, "merge").say)),
        }


WORD_KINDS = kinds(
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
TOGETHER = frozenset({TakeWord.RARE, TakeWord.NO_ROOM})
"""Decisions that are one step where they follow each other."""
ABOUT = "WordLevel takes whole words, the most frequent first, until the vocabulary has {0} tokens."
WORD_CODE = (
    "vocabulary = special tokens",
    "for each word, the most frequent first; of equals by code points:",
    "    stop if it is too rare, or the vocabulary is full",
    "    vocabulary += the word",
)


class WordsScript(TrainingScript):
    """The script of a training, in one pass over the events.

    words: of the corpus, in order. special: the special tokens, in order.

    >>> from explorer.training.huggingface import word_level
    >>> words = {"b": 1, "a": 1, "the": 9}
    >>> training = word_level.train(words, word_level.Options(vocab_size=2))
    >>> script = WordsScript(training, list(words), ()).write()
    >>> [script.sentence(step).split(".")[0] for step in range(1, len(script) + 1)]
    ['“the” occurs 9 times and becomes token 0', '2 words with count 1: a b', '“a” occurs 1 time and becomes token 1', \
'1 word left out: b']
    """

    player, kinds, code = "training_words", WORD_KINDS, WORD_CODE
    roles = (("", "hit"), ("", "tied"))

    def __init__(self, training: Training[str], words: Sequence[str], special: Sequence[str]) -> None:
        bars = column("counts", "Words", "and how often each occurs")
        known = column("growth", "Vocabulary", "and the words of your text that it does not know")
        super().__init__(training, "counted_words", vocabulary("No tokens yet."), bars, known)
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
            values: Values = {"word": self.words[first.a], "id": first.b, "times": plural(first.n, "time")}
            about = Text(Say(ABOUT, self.size).then(nth(self.done, len(self.taken), "word").say))
            return values | {"reason": self.reason_of(first), "about": about}
        builder.delete("words", *(self.place[row.a] for row in rows))
        return several((self.words[row.a] for row in rows), "word") | {"limit": first.b}

    def reason_of(self, taken: TakeWordRow) -> str:
        """Why this word and no other one."""
        after = self.ranked[self.place[taken.a] :]
        equals = sum(row.n == taken.n for row in after)
        first = self.done == 1 or self.taken[self.done - 2].n != taken.n
        if equals == 1:
            return Text(f"no other word {'' if first else 'left '}occurs {{0:t}}", occurs(taken.n))
        tie = f"{{0}} words {'' if first else 'left '}occur {{1:t}}, and it comes first by code points"
        return Text(tie, equals, occurs(taken.n))

    def draw_board(self) -> None:
        """The words by their counts, and how many of the text are unknown before any is taken and after each."""
        self.counts.write(self.count_bar(at, Look.PLAIN) for at in range(len(self.listed)))
        first = self.growth.bar(self.builder.plain(Text("no word yet")), counted(self.total), 1, Look.DONE)
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
        return self.counts.chip(self.builder.text(self.words[row.a]), counted(row.n), share, look, at)

    def growth_bar(self, at: int, look: Look) -> Sequence[int]:
        """A word that is taken, and how many of the text are unknown after it."""
        left = self.unknown[at]
        label = self.builder.text(self.words[self.taken[at].a])
        return self.growth.chip(label, counted(left), left / max(1, self.total), look, at)


TOP_DOWN_KINDS = kinds(
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
LENGTHS = frozenset({TopDown.TOKEN, TopDown.TOO_RARE})
TOP_DOWN_CODE = """\
vocabulary = reserved tokens, characters
for each threshold of a binary search:
    for each round:
        count substrings that begin where words are cut
        for each length, the longest first:
            keep those that occur often enough
            take the counts of all from their prefixes
    stop if the size is right
""".splitlines()


class TopDownScript(TrainingScript):
    """The script of a training, in one pass over the events.

    words: of the corpus, in order.

    >>> from explorer.training import top_down
    >>> words = {"apple": 2, "peach": 1, "pear": 1}
    >>> training = top_down.train(words, top_down.Options(10, lower_thresh=1, include_joiner_token=False))
    >>> script = TopDownScript(training, list(words)).write()
    >>> script.sentence(2).split(":")[0], script.sentence(len(script)).split(":")[0]
    ('A token has to occur 1 time', '10 tokens are good enough')
    """

    player, kinds, code = "training_top_down", TOP_DOWN_KINDS, TOP_DOWN_CODE

    def __init__(self, training: Training[str], words: Sequence[str]) -> None:
        listed = "Token text, Length number, Count number"
        super().__init__(
            training,
            table("tokens", "Kept in this round", listed, "Nothing is kept yet.", tab="Kept"),
            "thresholds",
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
                builder.phase(Text("Threshold {0}", first.n))
                self.threshold = first.n
                return {"low": first.a, "high": first.b, "times": plural(first.n, "time")}
            case TopDown.ROUND:
                builder.delete("tokens", *range(self.kept))
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


def training_script(trained: Trained, trainer_id: TrainerId) -> Script:
    """The script, by what the events of the training are about."""
    training, words, options = trained
    if training.row is UnigramTrainRow:
        return UnigramScript(training, words).write()
    if training.row is TakeWordRow:
        return WordsScript(training, list(words), options.special_tokens).write()
    if training.row is TopDownRow:
        return TopDownScript(training, list(words)).write()
    return MergeScript(training, trainer_id, list(words), special_of(trainer_id, options)).write()


def special_of(trainer_id: TrainerId, options: Any) -> Special:
    """The special tokens of a training."""
    if trainer_id[1].startswith("sentencepiece"):
        return {id: text for id, (text, _) in special_pieces(options).items()}
    if "special_tokens" not in {each.name for each in fields(options)}:
        return ()
    special: tuple[str, ...] = options.special_tokens
    return special
