"""Why a token is in a vocabulary and another text is not, from the events of a training that merges pairs.

A token that was merged has its merge: how often its pair occurred, and whom it beat. A text that is no token has one of
these causes, the first that applies: a character of it is not in the alphabet; no word holds it, because the corpus
lacks it or the words are cut inside it; it is written in two symbols at the end, but the pair is refused or its turn
never came; it is still written in more symbols; or every occurrence was lost to a merge across one of its ends.

An occurrence is a span of a word's first symbols. A merge that joins the symbol before an end of the span with the one
after it loses the occurrence for good, because merges are never undone.

Other trainers: `why_words`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.training.replay import State
from explorer.training.rows import Train, TrainRow
from explorer.training.training import Training
from explorer.vocabulary import spelled

MERGES = (Train.TOKEN, Train.TOKEN_KNOWN)
REFUSALS = (Train.TOO_LONG, Train.INVALID, Train.FORBIDDEN)


class Cause(Enum):
    """Why a text is a token, or why not."""

    SPECIAL = "special"
    LETTER = "letter"
    """a character of the alphabet"""
    MERGED = "merged"
    NOT_KEPT = "not kept"
    """merged, but the merge did not become a token"""
    NO_LETTER = "no letter"
    """a character is not in the alphabet"""
    ABSENT = "absent"
    """the corpus does not hold the text"""
    CUT = "cut"
    """the corpus holds the text, but no word does"""
    REFUSED = "refused"
    """its pair may not become a token"""
    WAITING = "waiting"
    """its pair was counted until the end"""
    STEPS = "steps"
    """it is written in three symbols or more"""
    LOST = "lost"
    """merges joined an end of each occurrence with something else"""
    DROPPED = "dropped"
    """learned at first, and dropped later; of trainers that shrink a vocabulary"""
    RARE = "rare"
    """less frequent than a token has to be"""
    FULL = "full"
    """the vocabulary was full"""


IN = frozenset({Cause.SPECIAL, Cause.LETTER, Cause.MERGED})
"""The causes of tokens that are in a vocabulary."""


class Step(NamedTuple):
    """A decision on the way to an answer. event: its index. say: what was decided."""

    event: int
    say: Say


@dataclass(frozen=True)
class Why:
    """An answer. event: the decision it rests on, None where there is none. steps: those on the way, in order.

    merge: the merge that made the token or lost its last occurrence, from 1 on. pieces: the symbols that it was made
    of, or is written in. count: of the pair. ties: how many other pairs were as good.
    """

    cause: Cause
    say: Say
    event: int | None = None
    merge: int = 0
    pieces: tuple[str, ...] = ()
    count: int = 0
    ties: int = 0
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Question:
    """Asks why a text is a token of a training, or why not.

    texts: of the corpus, as they are before they are cut. prefix: of symbols that do not begin a word.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import bpe
    >>> training = bpe.train({"low": 5, "lower": 2, "newest": 6}, bpe.Options(vocab_size=11))
    >>> question = Question(training)
    >>> plain(question.why("lo").say)
    'It is merge 2 of 3: “l” + “o” occurred 7 times. “e” + “we” would have been next, with count 6.'
    >>> plain(question.why("ew").say)
    'Merges took it apart: in each word that holds it, one of its ends was joined with a neighbor. The last was merge \
1, “w” + “e”.'
    """

    training: Training[Any]
    texts: Sequence[str] = ()
    prefix: str = ""

    @cached_property
    def symbols(self) -> list[str]:
        """What each symbol spells; bytes as one character each."""
        return [each if isinstance(each, str) else each.decode("latin-1") for each in self.training.learned.symbols]

    @cached_property
    def merge_events(self) -> dict[int, tuple[int, int]]:
        """The symbols that merges made: (number of the merge from 1 on, index of its event), by what they spell."""
        found: dict[int, tuple[int, int]] = {}
        number = 0
        for at, row in enumerate(self.training.events):
            if row.kind in MERGES:
                number += 1
                found.setdefault(row.n, (number, at))
        return found

    def shown(self, symbol: int) -> str:
        """What a symbol spells, for people."""
        text = self.training.learned.symbols[symbol]
        return visible(text if isinstance(text, str) else spelled(text))

    def why(self, token: str) -> Why:
        """The answer for a text, spelled as the vocabulary spells it."""
        learned, events = self.training.learned, self.training.events
        in_bytes = bool(learned.symbols) and isinstance(learned.symbols[0], bytes)
        id = learned.ids.get(token.encode() if in_bytes else token)
        key = token.encode().decode("latin-1") if in_bytes else token
        if id is not None and (id in learned.special or (learned.kinds and learned.kinds[id] != 1)):
            return Why(Cause.SPECIAL, Say.of("It is a special token, given before the training begins."))
        symbols = [number for number, text in enumerate(self.symbols) if text == key]
        made = next((number for number in symbols if number in self.merge_events), None)
        if made is not None:
            return self.merged(made, id is not None)
        if id is not None:
            n, at = next(
                ((row.n, at) for at, row in enumerate(events) if row.kind in LETTERS and row.b in symbols), (0, None)
            )
            say = Say.of("It is one of the characters, which are always tokens.")
            return Why(Cause.LETTER, say.then(Say.of("It occurs {0:t}.", plural(n, "time"))) if n else say, at, count=n)
        return self.missing(token, key)

    def merged(self, made: int, kept: bool) -> Why:
        """The answer for a token that a merge made."""
        events = self.training.events
        number, at = self.merge_events[made]
        winner = at
        while events[winner].kind != Train.WINNER:
            winner -= 1
        _, left, right, n = events[winner]
        ties = events[winner + 1].n
        total = sum(row.kind in MERGES for row in events)
        say = Say.of(
            "It is merge {0} of {1}: {2:q} + {3:q} occurred {4:t}.",
            number,
            total,
            self.shown(left),
            self.shown(right),
            plural(n, "time"),
        )
        if ties:
            who = "Another pair" if ties == 1 else f"{ties:,} other pairs"
            say = say.then(Say.of(f"{who} tied with it, and the tie rule decided."))
        beaten = events[winner + 2]
        if beaten.kind == Train.RUNNER_UP:
            last = "would have been next." if ties else "would have been next, with count {2}."
            say = say.then(Say.of(f"{{0:q}} + {{1:q}} {last}", self.shown(beaten.a), self.shown(beaten.b), beaten.n))
        if not kept:
            say = say.then(Say.of("It is no token: only the first merges, which save most tokens, are kept."))
        return Why(Cause.MERGED if kept else Cause.NOT_KEPT, say, at, number, (self.shown(left), self.shown(right)), n,
                   ties, tuple(self.chain(made)))  # fmt: skip

    def chain(self, made: int) -> Iterator[Step]:
        """The merges that made a symbol, its parts first; each once."""
        found: dict[int, None] = {}
        waiting = [made]
        while waiting:
            symbol = waiting.pop()
            if symbol in self.merge_events:
                row = self.training.events[self.merge_events[symbol][1]]
                found[symbol] = None
                waiting += (row.a, row.b)
        for number, at in sorted(self.merge_events[symbol] for symbol in found):
            row = self.training.events[at]
            yield Step(at, Say.of("Merge {0}: {1:q} + {2:q} → {3:q}.", number, *map(self.shown, row[1:])))

    def missing(self, token: str, key: str) -> Why:
        """The answer for a text that is no token."""
        events = self.training.events
        dropped = {chr(row.a): at for at, row in enumerate(events) if row.kind in DROPPED}
        left_out = next((ch for ch in token if ch in dropped), None)
        if left_out is not None:
            say = Say.of("Its character {0:q} is left out of the alphabet.", visible(left_out))
            return Why(Cause.NO_LETTER, say, dropped[left_out])
        state, spans = State(), []
        starts: list[list[int]] = []
        """of each word, where its symbols begin in its first symbols"""
        begun = lost = 0
        alive: list[tuple[int, int, int]] = []
        last = Say.of("")
        lost_at: dict[int, int] = {}
        """by merge, its last event that lost an occurrence"""
        for at, row in enumerate(events):
            if not begun and row.kind in BEGUN:
                begun = 1
                starts = [list(range(len(word))) for word in state.words]
                spans = [
                    (number, *span) for number in range(len(state.words)) for span in self.spans(state, number, key)
                ]
                alive = spans
            state.apply(row)
            if row.kind == Train.REWRITE and alive:
                gone = starts[row.a].pop(row.b + 1)
                still = [each for each in alive if each[0] != row.a or gone not in each[1:]]
                if len(still) < len(alive):
                    lost = len(state.merges)
                    lost_at[lost] = at
                    last = Say.of("The last was merge {0}, {1:q} + {2:q}.", lost, *self.sides(state, lost))
                alive = still
        if not spans:
            return self.absent(token)
        if not alive:
            say = Say.of(
                "Merges took it apart: in each word that holds it, one of its ends was joined with a neighbor."
            )
            steps = tuple(Step(at, Say.of("Merge {0}, {1:q} + {2:q}, joins one of its ends with a neighbor.", number,
                                          *self.sides(state, number))) for number, at in lost_at.items())  # fmt: skip
            return Why(Cause.LOST, say.then(last), lost_at[lost], lost, steps=steps)
        return self.ended(state, starts, alive)

    def sides(self, state: State, number: int) -> tuple[str, str]:
        """The two sides of a merge, for people."""
        left, right, _ = state.merges[number - 1]
        return self.shown(left), self.shown(right)

    def spans(self, state: State, number: int, key: str) -> list[tuple[int, int]]:
        """Where a word of the start holds a text: [start, end) in its symbols."""
        word = [self.symbols[symbol] for symbol in state.words[number]]
        found = []
        for start in range(len(word)):
            text = ""
            for end in range(start, len(word)):
                text += word[end] if end == start else word[end].removeprefix(self.prefix)
                if text == key:
                    found.append((start, end + 1))
                if not key.startswith(text):
                    break
        return found

    def absent(self, token: str) -> Why:
        """No word holds the text."""
        plain = token.replace("▁", " ").removeprefix(self.prefix)
        if any(each and each in text for text in self.texts for each in (token, plain, plain.strip())):
            return Why(
                Cause.CUT,
                Say.of(
                    "The corpus holds it, but no word does: texts are cut into words, and merges never cross a cut."
                ),
            )
        return Why(Cause.ABSENT, Say.of("The corpus does not hold it."))

    def ended(self, state: State, starts: list[list[int]], alive: list[tuple[int, int, int]]) -> Why:
        """The text is written in several symbols at the end."""
        events = self.training.events

        def written(span: tuple[int, int, int]) -> list[int]:
            number, start, end = span
            return [symbol for symbol, at in zip(state.words[number], starts[number], strict=True) if start <= at < end]

        pieces = min(map(written, alive), key=len)
        shown = tuple(map(self.shown, pieces))
        stop = next((at for at in range(len(events) - 1, -1, -1) if events[at].kind in STOPS), None)
        if len(pieces) == 1:
            return Why(
                Cause.FULL, Say.of("It is a character, and there is no room for all of them."), stop, pieces=shown
            )
        if len(pieces) > 2:
            say = Say.of(
                f"It is still written {' + '.join(f'{{{at}:q}}' for at in range(len(shown)))} at the end: the "
                "training ended before they were joined.",
                *shown,
            )
            return Why(Cause.STEPS, say, stop, pieces=shown)
        left, right = pieces
        begin = Say.of("At the end it is {0:q} + {1:q}.", *shown)
        of_pair = (at for at, row in enumerate(events) if row.kind in REFUSALS and (row.a, row.b) == (left, right))
        refused = next(of_pair, None)
        if refused is not None:
            say = Say.of(f"The pair is never counted: {REASONS[events[refused].kind]}.")
            return Why(Cause.REFUSED, begin.then(say), refused, pieces=shown)
        n = state.counts.get((left, right), 0)
        say = begin.then(Say.of("That pair has count {0}.", n), self.ending(None if stop is None else events[stop]))
        return Why(Cause.WAITING, say, stop, pieces=shown, count=n)

    def ending(self, stop: TrainRow | None) -> Say:
        """Why no more pairs were merged."""
        if stop is not None and stop.kind == Train.STOP_RARE:
            return Say.of("The least count of a merge is larger: min_frequency.")
        last = [row.n for row in self.training.events if row.kind == Train.WINNER][-1:]
        if stop is None or stop.kind != Train.STOP_SIZE or not last:
            return Say.of("The training ended before its turn.")
        return Say.of("The vocabulary was full before its turn: the last pair that was merged had count {0}.", last[0])


REASONS = {
    Train.TOO_LONG: "max_token_length sets a limit",
    Train.INVALID: "it cannot be a piece",
    Train.FORBIDDEN: "it must not be merged",
}
"""Why a pair is refused."""
LETTERS = frozenset({Train.LETTER, Train.LETTER_KNOWN})
DROPPED = frozenset({Train.LETTER_DROPPED, Train.LETTER_UNKNOWN})
STOPS = frozenset({Train.STOP_SIZE, Train.STOP_NO_PAIR, Train.STOP_RARE})
BEGUN = frozenset({Train.PAIR, Train.INVALID, Train.FORBIDDEN, Train.ACTIVE, Train.WINNER, *STOPS})
"""Events that come after all words are written."""
