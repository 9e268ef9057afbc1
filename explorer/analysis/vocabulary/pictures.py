"""What a vocabulary consists of, in numbers for charts: scripts, lengths, and what was learned when.

When a token was learned is its rank: where pieces have scores the highest comes first, elsewhere ids are in the order
of the merges. Special, added and byte tokens aren't learned and don't count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

from explorer.analysis.vocabulary.classes import NO_SCRIPT, TokenClass
from explorer.analysis.vocabulary.index import VocabularyIndex

LITTLE: Final = 1e-4
"""The share of a script that a side lacks."""

GIVEN: Final = frozenset(
    {TokenClass.SPECIAL, TokenClass.ADDED, TokenClass.UNUSED, TokenClass.NO_TOKEN, TokenClass.BYTE}
)
"""Classes of tokens that no training learns."""

PARTS: Final = 48
"""Equal parts of the ranks."""

LAST: Final = 16
"""The last length, which counts longer tokens, too, in bytes."""

BESIDE: Final = 6
"""Parts before and after a turn that are compared."""

TURNS: Final = 0.25
"""What share of the tokens has to be of another script after a turn than before."""


class Part(NamedTuple):
    """Tokens that were learned one after another. ranks: [first, last], from 1. scripts: how many of each.

    bytes: their average length.
    """

    ranks: tuple[int, int]
    scripts: dict[str, int]
    bytes: float


class Turn(NamedTuple):
    """Where what is learned changes most. rank: the last before it, from 1; id: of the first token after it.

    fell, rose: the scripts that lose and gain most, each with its shares before and after, in per cent.
    """

    rank: int
    id: int
    fell: tuple[str, float, float]
    rose: tuple[str, float, float]


class Picture(NamedTuple):
    """learned: tokens that count. scripts: of them, most first. lengths: for 1 to `LAST` bytes. growth: by rank.

    turn: None if the mix of scripts changes little by little.
    """

    learned: int
    scripts: dict[str, int]
    lengths: tuple[int, ...]
    growth: tuple[Part, ...]
    by_score: bool
    turn: Turn | None


def picture(index: VocabularyIndex) -> Picture:
    """The numbers of a vocabulary.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = picture(index_of(explorer.load("gpt-2")))
    >>> found.learned, list(found.scripts)[:2], found.lengths[:3], found.growth[0].ranks
    (50256, ['Latin', 'none'], (256, 1916, 5212), (1, 1047))
    """
    ids = ranked(index)
    scripts = Counter(index.scripts[id] for id in ids)
    lengths = Counter(min(len(index.data[id]), LAST) for id in ids)
    size = -(-len(ids) // PARTS) or 1
    growth = tuple(part_of(index, ids[at : at + size], at) for at in range(0, len(ids), size))
    by_score = bool(index.tokenizer.vocabulary.scores)
    lengths_of = tuple(lengths[size] for size in range(1, LAST + 1))
    turn = turn_of(index, ids, growth)
    return Picture(len(ids), dict(scripts.most_common()), lengths_of, growth, by_score, turn)


def turn_of(index: VocabularyIndex, ids: Sequence[int], growth: Sequence[Part]) -> Turn | None:
    """The turn: where parts differ most from those before, at the token that explains both sides best."""
    best, at = 0.0, 0
    for part in range(BESIDE // 2, len(growth) - BESIDE // 2 + 1):
        before, after = shares(growth[max(0, part - BESIDE) : part]), shares(growth[part : part + BESIDE])
        apart = sum(abs(before.get(each, 0) - after.get(each, 0)) for each in {*before, *after}) / 2
        if apart > best:
            best, at = apart, part
    if best < TURNS:
        return None
    left, right = growth[max(0, at - BESIDE) : at], growth[at : at + BESIDE]
    before, after = shares(left), shares(right)
    first, last = left[0].ranks[0] - 1, right[-1].ranks[1]
    gain = most = 0.0
    rank = first + 1
    for place in range(first, last - 1):
        script = index.scripts[ids[place]]
        gain += log(before.get(script, 0) + LITTLE) - log(after.get(script, 0) + LITTLE)
        if gain > most:
            most, rank = gain, place + 1
    before, after = shares([part_of(index, ids[first:rank], first)]), shares([part_of(index, ids[rank:last], rank)])

    def moved(script: str) -> float:
        return after.get(script, 0) - before.get(script, 0)

    order = sorted({*before, *after} - {NO_SCRIPT}, key=lambda each: (moved(each), each))
    fell, rose = ((each, 100 * before.get(each, 0), 100 * after.get(each, 0)) for each in (order[0], order[-1]))
    return Turn(rank, ids[rank], fell, rose)


def shares(parts: Sequence[Part]) -> dict[str, float]:
    """The share of each script in some parts, of 1."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part.scripts)
    return {script: n / total.total() for script, n in total.items()}


def ranked(index: VocabularyIndex) -> list[int]:
    """The learned tokens in the order of their ranks."""
    ids = [id for id, of in enumerate(index.classes) if of not in GIVEN]
    scores = index.tokenizer.vocabulary.scores
    return sorted(ids, key=lambda id: -scores[id]) if scores else ids


def part_of(index: VocabularyIndex, ids: Sequence[int], start: int) -> Part:
    """The tokens of one part. start: the rank before it."""
    total = sum(len(index.data[id]) for id in ids)
    return Part((start + 1, start + len(ids)), dict(Counter(index.scripts[id] for id in ids)), total / len(ids))
