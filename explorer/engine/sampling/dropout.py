"""BPE-dropout: merges left out at random, in three ways that give three distributions.

The paper (arXiv 1910.13267) drops each possible merge with probability p, anew before every merge.

* `SUBWORD_NMT` is that: of the pairs that were not dropped the best merges, wherever it was not dropped, from the left;
  when all are dropped, the word is done. Follows `encode` in subword-nmt's `apply_bpe.py`.
* `SENTENCEPIECE` drops an entry of its queue when it comes up. The pair never merges then, unless a neighbor changes.
  An entry out of date takes no number. Follows `Model::SampleEncode` in `bpe_model.cc`.
* `HUGGING_FACE` lays a dropped entry aside, and puts all of these back into the queue as soon as an entry is *not*
  dropped, even one that is out of date. So a dropped pair gets another chance after every other entry, and is lost only
  if all entries that are left are dropped in a row. Follows `Word::merge_all` in `models/bpe/word.rs`.

Each can also be computed exactly: all states of symbols and queue that chance can lead to, with their probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import combinations, groupby
from typing import Final, NamedTuple

from explorer.engine.limits.budget import MODEL, ask
from explorer.engine.models.merges import Chain, PairLookup

MOST_STATES: Final = 100_000
"""States that an exact computation may visit."""


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
    while True:
        kept: list[tuple[Entry, float]] = []
        *pairs, _ = word.chain.first or [0]
        for left in pairs:
            ask(MODEL)
            # as the original: a number for any two neighbors, and one equal to the probability drops, too
            number, entry = draw() if alpha > 0 else 1.0, word.entry(left)
            if entry is None:
                continue
            if number > alpha:
                kept.append((entry, number))
            else:
                picks.append(Pick(entry.left, entry.text, number, Verdict.DROPPED))
        if not kept:
            return
        (best, _) = min(kept)
        for entry, number in kept:
            if (entry.priority, entry.text) == (best.priority, best.text) and not word.is_stale_sentencepiece(entry):
                picks.append(Pick(entry.left, entry.text, number, Verdict.MERGED))
                word.merge(entry)


# --- exactly --------------------------------------------------------------------------------------------------------

State = tuple[tuple[int, ...], tuple[Entry, ...]]
"""The first initial symbol of each symbol, and the queue in order."""


def exact(
    rule: DropoutRule,
    pieces: Sequence[bytes],
    pair: PairLookup,
    join: Callable[[Sequence[bytes]], bytes],
    alpha: float,
) -> dict[tuple[int, ...], float] | None:
    """All ways that a word can end, with their probabilities; None if there are too many states.

    A way is the index of the first initial symbol of each symbol. join: the spelling of merged symbols.
    """
    following = {
        DropoutRule.HUGGING_FACE: _after_huggingface,
        DropoutRule.SENTENCEPIECE: _after_sentencepiece,
        DropoutRule.SUBWORD_NMT: _after_subword_nmt,
    }[rule]
    firsts = tuple(range(len(pieces)))

    def word_of(firsts: tuple[int, ...]) -> _Word:
        word = _Word(pieces, pair)
        for one, next_ in zip(firsts, (*firsts[1:], len(pieces)), strict=True):
            word.spelled[one] = join(pieces[one:next_]) if next_ > one + 1 else pieces[one]
            word.sizes[one] = sum(map(len, pieces[one:next_]))
            for absorbed in range(one + 1, next_):
                word.spelled[absorbed] = None
            word.after[one] = next_ if next_ < len(pieces) else -1
            if next_ < len(pieces):
                word.before[next_] = one
        return word

    queue = () if rule == DropoutRule.SUBWORD_NMT else tuple(sorted(word_of(firsts).entries))
    start: State = firsts, queue
    # a state leads only to states with fewer symbols or fewer entries: the largest goes first
    waiting: dict[State, float] = {start: 1.0}
    order = [_place(start)]
    ends: dict[tuple[int, ...], float] = {}
    visited = 0
    while order:
        ask(MODEL)
        *_, state = heappop(order)
        weight = waiting.pop(state)
        visited += 1
        if visited > MOST_STATES:
            return None
        for chance, next_ in following(partial(word_of, state[0]), state, alpha):
            if not chance:
                continue
            if next_ is None:
                ends[state[0]] = ends.get(state[0], 0.0) + weight * chance
            elif next_ in waiting:
                waiting[next_] += weight * chance
            else:
                waiting[next_] = weight * chance
                heappush(order, _place(next_))
    return ends


Following = Iterator[tuple[float, State | None]]
"""Probabilities and the states they lead to, None for the end."""


def _place(state: State) -> tuple[int, int, State]:
    return -len(state[0]), -len(state[1]), state


def _firsts(word: _Word) -> tuple[int, ...]:
    return tuple(at for at, piece in enumerate(word.spelled) if piece is not None)


def _after_huggingface(word_of: Callable[[], _Word], state: State, alpha: float) -> Following:
    # nothing is laid aside after an entry was not dropped: the next one is the first of the queue with 1 - alpha, the
    # second with alpha * (1 - alpha) …
    firsts, queue = state
    before, now = 1.0, word_of()
    for at, entry in enumerate(queue):
        rest = (*queue[:at], *queue[at + 1 :])
        if now.is_stale_huggingface(entry):
            yield before * (1 - alpha), (firsts, rest)
        else:
            word = word_of()
            more = word.merge(entry)
            yield before * (1 - alpha), (_firsts(word), tuple(sorted((*rest, *more))))
        before *= alpha
    yield before, None


def _after_sentencepiece(word_of: Callable[[], _Word], state: State, alpha: float) -> Following:
    word, (firsts, queue) = word_of(), state
    queue = tuple(each for each in queue if not word.is_stale_sentencepiece(each)) if alpha < 1 else ()
    if not queue:
        yield 1.0, None
        return
    entry, rest = queue[0], queue[1:]
    yield alpha, (firsts, rest)
    more = word.merge(entry)
    yield 1 - alpha, (_firsts(word), tuple(sorted((*rest, *more))))


def _after_subword_nmt(word_of: Callable[[], _Word], state: State, alpha: float) -> Following:
    groups = [
        list(group)
        for _, group in groupby(
            sorted(word_of().entries, key=lambda each: (each.priority, each.text)),
            lambda each: (each.priority, each.text),
        )
    ]
    before = 1.0
    for group in groups:
        for size in range(1, len(group) + 1):
            chance = before * alpha ** (len(group) - size) * (1 - alpha) ** size
            for chosen in combinations(group, size):
                yield chance, (_merged(state[0], chosen), ())
        before *= alpha ** len(group)
    yield before, None


def _merged(firsts: tuple[int, ...], chosen: Sequence[Entry]) -> tuple[int, ...]:
    """The symbols after merges from the left, of which one that overlaps the one before it is left out."""
    gone, until = set[int](), -1
    for entry in chosen:
        if entry.left < until:
            continue
        right = firsts[firsts.index(entry.left) + 1]
        gone.add(right)
        until = right + 1
    return tuple(first for first in firsts if first not in gone)
