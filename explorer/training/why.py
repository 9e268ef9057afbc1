"""Why a token is in a vocabulary and another text is not, from the events of a training that merges pairs.

A token that was merged has its merge: how often its pair occurred, and which pairs it beat. A text that is not a token
has one of these causes, the first that applies: the alphabet lacks one of its characters; no word contains it, because
the corpus lacks it or the words are cut inside it; at the end it is written as two symbols, but the pair is refused or
its turn never came; it is still written as more symbols; or a merge across one of its ends took every occurrence.

An occurrence is a span of a word's first symbols. A merge that joins the symbol before an end of the span with the one
after it loses the occurrence for good, because merges are never undone.

Other trainers: `why_words`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final, NamedTuple

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
    """the corpus does not contain the text"""
    CUT = "cut"
    """the corpus contains the text, but no word does"""
    REFUSED = "refused"
    """its pair may not become a token"""
    WAITING = "waiting"
    """its pair was counted until the end"""
    STEPS = "steps"
    """it is written as three or more symbols"""
    LOST = "lost"
    """merges joined an end of each occurrence with something else"""
    DROPPED = "dropped"
    """learned at first and dropped later, by trainers that shrink a vocabulary"""
    RARE = "rare"
    """less frequent than a token has to be"""
    FULL = "full"
    """the vocabulary was full"""


IN = frozenset({Cause.SPECIAL, Cause.LETTER, Cause.MERGED})
"""The causes of tokens that are in a vocabulary."""


class Step(NamedTuple):
    """A decision that an answer rests on. event: its index. say: what was decided."""

    event: int
    say: Say


@dataclass(frozen=True)
class Why:
    """An answer. event: the decision it rests on, or None. steps: the decisions before it, in order.

    merge: the merge that made the token or lost its last occurrence, from 1 on. pieces: the symbols that it was merged
    from, or is written as. count: of the pair. ties: the number of other pairs with the same count.
    """

    cause: Cause
    say: Say
    event: int | None = None
    merge: int = 0
    pieces: tuple[str, ...] = ()
    count: int = 0
    ties: int = 0
    steps: tuple[Step, ...] = ()


SPECIAL: Final = Why(Cause.SPECIAL, Say.of("It is a special token, added before training begins."))
ABSENT: Final = Why(Cause.ABSENT, Say.of("This text does not occur in the corpus."))


@dataclass(frozen=True)
class Question:
    """Asks why a text is a token of a training, or why not.

    texts: of the corpus, before they are cut. prefix: of symbols that do not begin a word.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import bpe
    >>> training = bpe.train({"low": 5, "lower": 2, "newest": 6}, bpe.Options(vocab_size=11))
    >>> question = Question(training)
    >>> plain(question.why("lo").say)
    'It is merge 2 of 3: “l” + “o” occurred 7 times. “e” + “we” would have been next, with count 6.'
    >>> plain(question.why("ew").say)
    'In every word that contains it, a merge joined one of its ends to the symbol beside it. The last was merge 1, \
“w” + “e”.'
    """

    training: Training[Any]
    texts: Sequence[str] = ()
    prefix: str = ""

    @cached_property
    def symbols(self) -> list[str]:
        """The text of each symbol; a byte is one character."""
        return [each if isinstance(each, str) else each.decode("latin-1") for each in self.training.learned.symbols]

    @cached_property
    def merge_events(self) -> dict[int, tuple[int, int]]:
        """By symbol: the number of the merge that made it, from 1 on, and the index of its event."""
        found: dict[int, tuple[int, int]] = {}
        number = 0
        for at, row in enumerate(self.training.events):
            if row.kind in MERGES:
                number += 1
                found.setdefault(row.n, (number, at))
        return found

    def shown(self, symbol: int) -> str:
        """The text of a symbol, with invisible characters made visible."""
        text = self.training.learned.symbols[symbol]
        return visible(text if isinstance(text, str) else spelled(text))

    def why(self, token: str) -> Why:
        """The answer for a text, spelled as the vocabulary spells it."""
        learned, events = self.training.learned, self.training.events
        in_bytes = bool(learned.symbols) and isinstance(learned.symbols[0], bytes)
        id = learned.ids.get(token.encode() if in_bytes else token)
        key = token.encode().decode("latin-1") if in_bytes else token
        if id is not None and (id in learned.special or (learned.kinds and learned.kinds[id] != 1)):
            return SPECIAL
        symbols = [number for number, text in enumerate(self.symbols) if text == key]
        made = next((number for number in symbols if number in self.merge_events), None)
        if made is not None:
            return self.merged(made, id is not None)
        if id is not None:
            n, at = next(
                ((row.n, at) for at, row in enumerate(events) if row.kind in LETTERS and row.b in symbols), (0, None)
            )
            say = Say.of("It is a character of the alphabet; characters become tokens without a merge.")
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
            say = say.then(Say.of("Not a token: only the earliest merges, which save the most, are kept."))
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
        """The answer for a text that is not a token."""
        events = self.training.events
        dropped = {chr(row.a): at for at, row in enumerate(events) if row.kind in DROPPED}
        left_out = next((ch for ch in token if ch in dropped), None)
        if left_out is not None:
            say = Say.of("Its character {0:q} is not in the alphabet.", visible(left_out))
            return Why(Cause.NO_LETTER, say, dropped[left_out])
        state, spans = State(), []
        starts: list[list[int]] = []
        """by word, the index of each symbol's first character"""
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
            say = Say.of("In every word that contains it, a merge joined one of its ends to the symbol beside it.")
            merge = "Merge {0}, {1:q} + {2:q}, joins one of its ends to the symbol beside it."
            steps = tuple(Step(at, Say.of(merge, number, *self.sides(state, number))) for number, at in lost_at.items())
            return Why(Cause.LOST, say.then(last), lost_at[lost], lost, steps=steps)
        return self.ended(state, starts, alive)

    def sides(self, state: State, number: int) -> tuple[str, str]:
        """The texts of the two symbols of a merge."""
        left, right, _ = state.merges[number - 1]
        return self.shown(left), self.shown(right)

    def spans(self, state: State, number: int, key: str) -> list[tuple[int, int]]:
        """The spans of a text in a word before any merge: [start, end) in its symbols."""
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
        """The answer for a text that no word contains."""
        plain = token.replace("▁", " ").removeprefix(self.prefix)
        if any(each and each in text for text in self.texts for each in (token, plain, plain.strip())):
            return Why(
                Cause.CUT,
                Say.of(
                    "The corpus contains it, but no word does: texts are cut into words, and merges never cross a cut."
                ),
            )
        return ABSENT

    def ended(self, state: State, starts: list[list[int]], alive: list[tuple[int, int, int]]) -> Why:
        """The answer for a text that is written as several symbols at the end."""
        events = self.training.events

        def written(span: tuple[int, int, int]) -> list[int]:
            number, start, end = span
            return [symbol for symbol, at in zip(state.words[number], starts[number], strict=True) if start <= at < end]

        pieces = min(map(written, alive), key=len)
        shown = tuple(map(self.shown, pieces))
        stop = next((at for at in range(len(events) - 1, -1, -1) if events[at].kind in STOPS), None)
        if len(pieces) == 1:
            return Why(
                Cause.FULL,
                Say.of("It is a character, and the vocabulary has no room for all characters."),
                stop,
                pieces=shown,
            )
        if len(pieces) > 2:
            say = Say.of(
                f"At the end it is still {' + '.join(f'{{{at}:q}}' for at in range(len(shown)))}: the "
                "training ended before these were joined.",
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
        say = begin.then(
            Say.of("That pair occurs {0:t}.", plural(n, "time")), self.ending(None if stop is None else events[stop])
        )
        return Why(Cause.WAITING, say, stop, pieces=shown, count=n)

    def ending(self, stop: TrainRow | None) -> Say:
        """The reason why no more pairs were merged."""
        if stop is not None and stop.kind == Train.STOP_RARE:
            return Say.of("min_frequency requires a higher count.")
        last = [row.n for row in self.training.events if row.kind == Train.WINNER][-1:]
        if stop is None or stop.kind != Train.STOP_SIZE:
            return Say.of("The training ended before its turn.")
        if not last:
            return Say.of("The alphabet alone has {0:t}, and vocab_size is {1}: nothing is merged.",
                          plural(stop.a, "token"), stop.b)  # fmt: skip
        return Say.of("The vocabulary was full before its turn: the last pair merged had count {0}.", last[0])


REASONS = {
    Train.TOO_LONG: "max_token_length limits its length",
    Train.INVALID: "it cannot be a piece",
    Train.FORBIDDEN: "it must not be merged",
}
"""Reasons why a pair is refused."""
LETTERS = frozenset({Train.LETTER, Train.LETTER_KNOWN})
DROPPED = frozenset({Train.LETTER_DROPPED, Train.LETTER_UNKNOWN})
STOPS = frozenset({Train.STOP_SIZE, Train.STOP_NO_PAIR, Train.STOP_RARE})
BEGUN = frozenset({Train.PAIR, Train.INVALID, Train.FORBIDDEN, Train.WINNER, *STOPS})
"""Events after all words are written."""
