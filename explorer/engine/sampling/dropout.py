"""BPE-dropout: merges left out at random, in three ways that give three distributions.

The paper (arXiv 1910.13267) drops each possible merge with probability p, anew before every merge.

* `SUBWORD_NMT` is that: of the pairs that were not dropped the best merges, wherever it was not dropped, from the left;
  when all are dropped, the word is done. Follows `encode` in subword-nmt's `apply_bpe.py`.
* `SENTENCEPIECE` drops an entry of its queue when it comes up. The pair never merges then, unless a neighbor changes.
  An entry out of date takes no number. Follows `Model::SampleEncode` in `bpe_model.cc`.
* `HUGGING_FACE` lays a dropped entry aside, and puts all of these back into the queue as soon as an entry is *not*
  dropped, even one that is out of date. So a dropped pair gets another chance after every other entry, and is lost only
  if all entries that are left are dropped in a row. Follows `Word::merge_all` in `models/bpe/word.rs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from heapq import heapify, heappop, heappush
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
