"""The script of a training, whatever its trainer; those of trainings that keep words or substrings whole.

WordLevel takes the most frequent words (`huggingface/word_level.py`): a step for each word and each group of
equals; the words left out are one step for each reason. WordPiece from the top down (`training/top_down.py`)
keeps substrings, for one threshold after the other: in each round a step for each length that keeps tokens,
from the longest on; lengths that keep none are one step.
"""

from collections.abc import Sequence
from dataclasses import fields
from itertools import accumulate, groupby
from typing import Any

from explorer.script.script import TRACKS, Script, Values, kinds, table
from explorer.text.say import Say, Text, number, plural
from explorer.training.huggingface.word_level import TakeWord, TakeWordRow
from explorer.training.sentencepiece.sentences import special_pieces
from explorer.training.top_down import TopDown, TopDownRow
from explorer.training.trainers import Trained, TrainerId
from explorer.training.training import Training, UnigramTrainRow
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
    several,
    vocabulary,
)
from explorer.views.steppers.train_script import Special, train_script
from explorer.views.steppers.train_unigram_script import train_unigram_script

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


def train_words_script(training: Training[str], words: Sequence[str], special: Sequence[str]) -> Script:
    """The script of a training. words: of the corpus, in order. special: the special tokens, in order.

    >>> from explorer.training.huggingface import word_level
    >>> words = {"b": 1, "a": 1, "the": 9}
    >>> training = word_level.train(words, word_level.Options(vocab_size=2))
    >>> script = train_words_script(training, list(words), ())
    >>> [script.sentence(step).split(".")[0] for step in range(1, len(script) + 1)]
    ['“the” occurs 9 times and becomes token 0', '2 words with count 1: a b', '“a” occurs 1 time and becomes token 1', \
'1 word left out: b']
    """
    return _WordsWriter(training, words, special).write()


class _WordsWriter(TrainingScript):
    """One pass over the events."""

    landmark, kinds, code = "word", WORD_KINDS, WORD_CODE
    roles = (("", "hit"), ("", "tied"))
    layout = "vocabulary / words, code / log"
    story_sides = "top vocabulary, left words, right"
    algorithm_sides = "top vocabulary, left words, right code"
    implementation_sides = "top vocabulary, left words, right code log"

    board = "counts growth"

    def __init__(self, training: Training[str], words: Sequence[str], special: Sequence[str]) -> None:
        counted = TRACKS["counted_words"]
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
        first = self.growth.bar(self.builder.plain(Text("no word yet")), number(self.total), 1, Look.DONE)
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
        return self.counts.chip(self.builder.text(self.words[row.a]), number(row.n), share, look, at)

    def growth_bar(self, at: int, look: Look) -> Sequence[int]:
        """A word that is taken, and how many of the text are unknown after it."""
        left = self.unknown[at]
        label = self.builder.text(self.words[self.taken[at].a])
        return self.growth.chip(label, number(left), left / max(1, self.total), look, at)


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


def train_top_down_script(training: Training[str], words: Sequence[str]) -> Script:
    """The script of a training. words: of the corpus, in order.

    >>> from explorer.training import top_down
    >>> words = {"apple": 2, "peach": 1, "pear": 1}
    >>> training = top_down.train(words, top_down.Options(10, lower_thresh=1, include_joiner_token=False))
    >>> script = train_top_down_script(training, list(words))
    >>> script.sentence(2).split(":")[0], script.sentence(len(script)).split(":")[0]
    ('A token has to occur 1 time', '10 tokens are good enough')
    """
    return _TopDownWriter(training, words).write()


class _TopDownWriter(TrainingScript):
    """One pass over the events."""

    landmark, kinds, code = "decision", TOP_DOWN_KINDS, TOP_DOWN_CODE
    layout = "vocabulary / tokens, tried / code / log"
    story_sides = "top vocabulary, left tokens, right tried"
    algorithm_sides = "top vocabulary, left tokens, right code tried"
    implementation_sides = "top vocabulary, left tokens tried, right code log"

    board = "tokens tried"

    def __init__(self, training: Training[str], words: Sequence[str]) -> None:
        listed = "Token text, Length number, Count number"
        super().__init__(
            training,
            table("tokens", "Kept in this round", listed, "Nothing is kept yet.", tab="Kept"),
            TRACKS["thresholds"],
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
        return train_unigram_script(training, words)
    if training.row is TakeWordRow:
        return train_words_script(training, list(words), options.special_tokens)
    if training.row is TopDownRow:
        return train_top_down_script(training, list(words))
    return train_script(training, trainer_id, list(words), special_of(trainer_id, options))


def special_of(trainer_id: TrainerId, options: Any) -> Special:
    """The special tokens of a training."""
    if trainer_id[1].startswith("sentencepiece"):
        return {id: text for id, (text, _) in special_pieces(options).items()}
    if "special_tokens" not in {each.name for each in fields(options)}:
        return ()
    special: tuple[str, ...] = options.special_tokens
    return special
