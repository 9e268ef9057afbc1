"""BPE-dropout: merges left out at random, in three ways that give three distributions, and their exact probabilities.

The paper (arXiv 1910.13267) drops each possible merge with probability p, anew before every merge.

* `SUBWORD_NMT` is that: of the pairs that were not dropped the best merges, wherever it was not dropped, from the left;
  when all are dropped, the word is done. Follows `encode` in subword-nmt's `apply_bpe.py`.
* `SENTENCEPIECE` drops an entry of its queue when it comes up. The pair never merges then, unless a neighbor changes.
  An entry out of date takes no number. Follows `Model::SampleEncode` in `bpe_model.cc`.
* `HUGGING_FACE` lays a dropped entry aside, and puts all of these back into the queue as soon as an entry is *not*
  dropped, even one that is out of date. So a dropped pair gets another chance after every other entry, and is lost only
  if all entries that are left are dropped in a row. Follows `Word::merge_all` in `models/bpe/word.rs`.

`exact` computes the probability of every way that a word can end. A state is what chance has led to: the borders
between symbols that are left, and the entries of the queue. Both are sets of bits, because an entry is a pair of
neighbors, named by its three borders, which is offered once at most. States are visited in an order in which none leads
back, and their probabilities added up.

Hugging Face's queue keeps entries that are out of date, and each one taken gives dropped pairs another chance. Only how
many there are between two pairs that may still merge counts, so states that differ in nothing else are one state. That
is what makes words of usual length computable; a text of many words in one queue has too many states all the same.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import NamedTuple

from explorer.engine.budget import MODEL, ask
from explorer.engine.models.merges import Chain, PairLookup


class DropoutRule(StrEnum):
    """Who drops merges."""

    HUGGING_FACE = "huggingface"
    SENTENCEPIECE = "sentencepiece"
    SUBWORD_NMT = "subword-nmt"


class Verdict(StrEnum):
    """What became of a pair."""

    MERGED = "merged"
    DROPPED = "dropped"
    STALE = "stale"


class Pick(NamedTuple):
    """A pair that came up. left: the index of its left symbol. text: both joined. number: the random number."""

    left: int
    text: bytes
    number: float
    verdict: Verdict


class Entry(NamedTuple):
    """An entry of the queue. size: of both symbols in bytes, when it was pushed."""

    priority: float
    left: int
    text: bytes
    size: int


class _Word:
    """Symbols in a chain. spelled: by index, None for one that was absorbed."""

    def __init__(self, pieces: Sequence[bytes], pair: PairLookup) -> None:
        self.pair = pair
        self.spelled: list[bytes | None] = list(pieces)
        self.sizes = [len(piece) for piece in pieces]
        count = len(pieces)
        self.before, self.after = list(range(-1, count - 1)), [*range(1, count), -1]

    def entry(self, left: int) -> Entry | None:
        """The entry for a symbol and its right neighbor, if they may merge."""
        if left < 0 or (right := self.after[left]) < 0:
            return None
        one, other = self.spelled[left], self.spelled[right]
        assert one is not None
        assert other is not None
        found = self.pair(one, other)
        return None if found is None else Entry(found[0], left, found[1], self.sizes[left] + self.sizes[right])

    def merge(self, entry: Entry) -> list[Entry]:
        """Makes a merge; the entries for the two new pairs."""
        left = entry.left
        right = self.after[left]
        self.sizes[left] += self.sizes[right]
        self.spelled[left], self.spelled[right] = entry.text, None
        after = self.after[left] = self.after[right]
        if after >= 0:
            self.before[after] = left
        return [found for at in (self.before[left], left) if (found := self.entry(at)) is not None]

    @property
    def entries(self) -> list[Entry]:
        """The entries of all pairs."""
        return [found for at, piece in enumerate(self.spelled) if piece is not None and (found := self.entry(at))]

    @property
    def chain(self) -> Chain:
        """The symbols that are left."""
        left = [at for at, piece in enumerate(self.spelled) if piece is not None]
        return Chain(left, [piece for piece in self.spelled if piece is not None])

    def is_stale_huggingface(self, entry: Entry) -> bool:
        """Whether the pair at that index now makes something else."""
        if self.spelled[entry.left] is None:
            return True
        now = self.entry(entry.left)
        return now is None or now.text != entry.text

    def is_stale_sentencepiece(self, entry: Entry) -> bool:
        """Whether a symbol of the pair has changed."""
        left = entry.left
        right = self.after[left]
        return self.spelled[left] is None or right < 0 or self.sizes[left] + self.sizes[right] != entry.size


def drop(
    rule: DropoutRule, pieces: Sequence[bytes], pair: PairLookup, alpha: float, draw: Callable[[], float]
) -> tuple[Chain, list[Pick]]:
    """The symbols left of a word, and what came up. draw: a random number in [0, 1).

    >>> known = {b"ab": 0.0}
    >>> def pair(left, right):
    ...     return (known[left + right], left + right, 7) if left + right in known else None
    >>> for rule in DropoutRule:
    ...     print(drop(rule, [b"a", b"b"], pair, 0.5, iter([0.4, 0.6]).__next__)[0].pieces)
    [b'a', b'b']
    [b'a', b'b']
    [b'a', b'b']
    """
    word, picks = _Word(pieces, pair), list[Pick]()
    {
        DropoutRule.HUGGING_FACE: _huggingface,
        DropoutRule.SENTENCEPIECE: _sentencepiece,
        DropoutRule.SUBWORD_NMT: _subword_nmt,
    }[rule](word, alpha, draw, picks)
    return word.chain, picks


def _huggingface(word: _Word, alpha: float, draw: Callable[[], float], picks: list[Pick]) -> None:
    queue, aside = word.entries, list[Entry]()
    heapify(queue)
    while queue:
        ask(MODEL)
        entry = heappop(queue)
        number = draw()
        if number < alpha:
            aside.append(entry)
            picks.append(Pick(entry.left, entry.text, number, Verdict.DROPPED))
            continue
        for each in aside:
            heappush(queue, each)
        aside.clear()
        stale = word.is_stale_huggingface(entry)
        picks.append(Pick(entry.left, entry.text, number, Verdict.STALE if stale else Verdict.MERGED))
        for each in () if stale else word.merge(entry):
            heappush(queue, each)


def _sentencepiece(word: _Word, alpha: float, draw: Callable[[], float], picks: list[Pick]) -> None:
    queue = word.entries if alpha < 1 else []
    heapify(queue)
    while queue:
        ask(MODEL)
        entry = heappop(queue)
        if word.is_stale_sentencepiece(entry):
            continue
        number = draw() if alpha > 0 else 1.0
        if number < alpha:
            picks.append(Pick(entry.left, entry.text, number, Verdict.DROPPED))
            continue
        picks.append(Pick(entry.left, entry.text, number, Verdict.MERGED))
        for each in word.merge(entry):
            heappush(queue, each)


def _subword_nmt(word: _Word, alpha: float, draw: Callable[[], float], picks: list[Pick]) -> None:
    lefts = list(range(len(word.sizes) - 1))
    entries = {left: word.entry(left) for left in lefts}
    while lefts:
        ask(MODEL)
        # as the original: a number for any two neighbors, and one equal to the probability drops, too
        numbers = [draw() for _ in lefts] if alpha > 0 else [1.0] * len(lefts)
        kept: list[tuple[Entry, float]] = []
        for left, number in zip(lefts, numbers, strict=True):
            entry = entries[left]
            if entry is None:
                continue
            if number > alpha:
                kept.append((entry, number))
            else:
                picks.append(Pick(left, entry.text, number, Verdict.DROPPED))
        if not kept:
            return
        best, _ = min(kept)
        for entry, number in kept:
            if (entry.priority, entry.text) == (best.priority, best.text) and not word.is_stale_sentencepiece(entry):
                picks.append(Pick(entry.left, entry.text, number, Verdict.MERGED))
                word.merge(entry)
                # only pairs with the merged symbol are looked up again
                for left in (word.before[entry.left], entry.left):
                    entries[left] = word.entry(left)
        lefts = [left for left in lefts if word.spelled[left] is not None and word.after[left] >= 0]


MOST_STEPS = 80_000
"""Steps from one state to another, about a second's work."""
RARE = 1e-9
"""Of more states, those are left out that are less probable."""
MOST_REST = 1e-5
"""All that is left out may be this probable together: then no percentage with two digits is wrong."""
MOST_SYMBOLS = 100
MOST_ALIKE = 12
"""Pairs of one text that are dropped in all combinations."""


class State(NamedTuple):
    """borders: bit i is set if a symbol begins at the initial symbol i. queue: bits of the entries in it."""

    borders: int
    queue: int


class Odds(NamedTuple):
    """How a word can end. ways: each with its probability, named by the first initial symbol of each symbol.

    rest: the probability of all ways that are left out, 0 if none is. steps: what it took.
    """

    ways: dict[tuple[int, ...], float]
    rest: float
    steps: int


Following = Iterator[tuple[float, State | None]]
"""Probabilities and the states they lead to, None for the end."""


def exact(
    rule: DropoutRule,
    pieces: Sequence[bytes],
    pair: PairLookup,
    join: Callable[[Sequence[bytes]], bytes],
    alpha: float,
    most: int = MOST_STEPS,
) -> Odds | None:
    """The ways that a word can end; None if it takes more steps. join: the spelling of merged symbols.

    >>> known = {b"ab": 0.0}
    >>> def pair(left, right):
    ...     return (known[left + right], left + right, 7) if left + right in known else None
    >>> exact(DropoutRule.SENTENCEPIECE, [b"a", b"b"], pair, b"".join, 0.25)
    Odds(ways={(0, 1): 0.25, (0,): 0.75}, rest=0.0, steps=4)
    """
    if len(pieces) > MOST_SYMBOLS:
        return None
    word = _ExactWord(pieces, pair, join)
    try:
        return word.odds(rule, alpha, 0.0, most) or word.odds(rule, alpha, RARE, most)
    except _TooManyError:
        return None


class _TooManyError(Exception):
    """More pairs are alike than can be combined."""


class _Entry(NamedTuple):
    """A pair of neighbors that may merge: the initial symbols where they begin, and where the right one ends."""

    priority: float
    left: int
    text: bytes
    size: int
    right: int
    end: int


class _ExactWord:
    """All pairs that can ever be neighbors in a word, in the order of the queue; a bit each."""

    def __init__(self, pieces: Sequence[bytes], pair: PairLookup, join: Callable[[Sequence[bytes]], bytes]) -> None:
        self.count = len(pieces)
        text = {(at, at + 1): piece for at, piece in enumerate(pieces)}
        entries = []
        for length in range(2, self.count + 1):
            for left in range(self.count - length + 1):
                end = left + length
                for right in range(left + 1, end):
                    one, other = text.get((left, right)), text.get((right, end))
                    if one is None or other is None or (found := pair(one, other)) is None:
                        continue
                    size = sum(map(len, pieces[left:end]))
                    entries.append(_Entry(found[0], left, found[1], size, right, end))
                    text[left, end] = join(pieces[left:end])
        self.entries = sorted(entries)
        self.number = {(each.left, each.right, each.end): at for at, each in enumerate(self.entries)}
        self._live: dict[int, int] = {}
        self._slots: dict[int, list[int]] = {}

    def odds(self, rule: DropoutRule, alpha: float, rare: float, most: int) -> Odds | None:
        """All ways that the word can end. rare: states below this are left out. None if it takes too many steps."""
        following = {
            DropoutRule.HUGGING_FACE: self.after_huggingface,
            DropoutRule.SENTENCEPIECE: self.after_sentencepiece,
            DropoutRule.SUBWORD_NMT: self.after_subword_nmt,
        }[rule]
        borders = (1 << self.count) - 1
        queue = 0 if rule == DropoutRule.SUBWORD_NMT else self.live(borders)
        # a step leaves fewer symbols, or as many and fewer entries: those with most of both are visited first
        first = borders.bit_count(), queue.bit_count()
        waiting: dict[tuple[int, int], dict[State, float]] = {first: {State(borders, queue): 1.0}}
        ends: dict[tuple[int, ...], float] = {}
        steps, rest = 0, 0.0
        while waiting:
            for state, weight in waiting.pop(max(waiting)).items():
                ask(MODEL)
                if weight < rare:
                    rest += weight
                    continue
                if steps > most or rest > MOST_REST:
                    return None
                for chance, next_ in following(state, alpha):
                    steps += 1
                    if not chance:
                        continue
                    if next_ is None:
                        way = tuple(_bits(state.borders))
                        ends[way] = ends.get(way, 0.0) + weight * chance
                    else:
                        level = waiting.setdefault((next_.borders.bit_count(), next_.queue.bit_count()), {})
                        level[next_] = level.get(next_, 0.0) + weight * chance
        return Odds(ends, rest, steps)

    def live(self, borders: int) -> int:
        """The entries of the pairs that are neighbors now."""
        found = self._live.get(borders)
        if found is None:
            at = [*_bits(borders), self.count]
            numbers = map(self.number.get, zip(at, at[1:], at[2:], strict=False))
            found = self._live[borders] = sum(1 << number for number in numbers if number is not None)
        return found

    def merged(self, borders: int, entry: _Entry) -> int:
        """The borders after a merge."""
        return borders & ~(1 << entry.right)

    def after_huggingface(self, state: State, alpha: float) -> Following:
        """Nothing is laid aside after an entry was taken: the next one taken is the first with 1 - alpha, the second
        with alpha * (1 - alpha) …
        """
        borders, queue = state
        live = self.live(borders)
        if not live:
            yield 1.0, None
            return
        before = 1.0
        for number in _bits(queue):
            rest = queue & ~(1 << number)
            if live >> number & 1:
                merged = self.merged(borders, self.entries[number])
                yield before * (1 - alpha), self.folded(merged, rest | self.live(merged) & ~live)
            else:
                yield before * (1 - alpha), self.folded(borders, rest)
            before *= alpha
        yield before, None

    def folded(self, borders: int, queue: int) -> State:
        """The state that stands for all with as many entries out of date between any two that may still merge."""
        live = self.live(borders)
        stale = queue & ~live
        if not live or not stale:
            return State(borders, live)
        folded = live
        for slot in self.slots(borders):
            count = (stale & slot).bit_count()
            while count:
                lowest = slot & -slot
                folded |= lowest
                slot ^= lowest
                count -= 1
        return State(borders, folded)

    def slots(self, borders: int) -> list[int]:
        """The entries that can't come any more, split where one that can stands between them."""
        found = self._slots.get(borders)
        if found is None:
            whole, slot, found = borders | 1 << self.count, 0, []
            for number, entry in enumerate(self.entries):
                if whole >> entry.left & whole >> entry.right & whole >> entry.end & 1:
                    if slot:
                        found.append(slot)
                    slot = 0
                else:
                    slot |= 1 << number
            self._slots[borders] = found = [*found, slot] if slot else found
        return found

    def after_sentencepiece(self, state: State, alpha: float) -> Following:
        """An entry out of date takes no number; a dropped one is gone."""
        borders, queue = state
        live = self.live(borders)
        queue = queue & live if alpha < 1 else 0
        if not queue:
            yield 1.0, None
            return
        lowest = queue & -queue
        yield alpha, State(borders, queue ^ lowest)
        merged = self.merged(borders, self.entries[lowest.bit_length() - 1])
        yield 1 - alpha, State(merged, queue ^ lowest | self.live(merged) & ~live)

    def after_subword_nmt(self, state: State, alpha: float) -> Following:
        """Of the pairs that are not dropped the best one merges, and what is spelled alike, from the left; one that
        overlaps is left out.
        """
        borders, _ = state
        entries = [self.entries[number] for number in _bits(self.live(borders))]
        for number, best in enumerate(entries):
            # all before it are dropped
            before = alpha**number * (1 - alpha)
            alike = [each for each in entries[number + 1 :] if (each.priority, each.text) == (best.priority, best.text)]
            if len(alike) >= MOST_ALIKE:
                raise _TooManyError
            for size in range(len(alike) + 1):
                chance = before * alpha ** (len(alike) - size) * (1 - alpha) ** size
                for chosen in combinations(alike, size):
                    merged, until = borders, -1
                    for entry in (best, *chosen):
                        if entry.left >= until:
                            merged, until = self.merged(merged, entry), entry.end
                    yield chance, State(merged, 0)
        yield alpha ** len(entries), None


def _bits(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
