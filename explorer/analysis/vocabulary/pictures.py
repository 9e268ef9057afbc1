"""What a vocabulary consists of, in numbers for charts: scripts, lengths, and what was learned when.

When a token was learned is its rank: where pieces have scores the highest comes first, elsewhere ids are in the order
of the merges. Special, added and byte tokens aren't learned and don't count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from explorer.analysis.vocabulary.classes import TokenClass
from explorer.analysis.vocabulary.index import VocabularyIndex

GIVEN: Final = frozenset(
    {TokenClass.SPECIAL, TokenClass.ADDED, TokenClass.UNUSED, TokenClass.NO_TOKEN, TokenClass.BYTE}
)
"""Classes of tokens that no training learns."""

PARTS: Final = 20
"""Equal parts of the ranks."""

LAST: Final = 16
"""The last length: so many bytes and more."""


class Part(NamedTuple):
    """Tokens that were learned one after another. ranks: [first, last], from 1. scripts: how many of each.

    bytes: their average length.
    """

    ranks: tuple[int, int]
    scripts: dict[str, int]
    bytes: float


class Picture(NamedTuple):
    """learned: tokens that count. scripts: of them, most first. lengths: for 1 to `LAST` bytes. growth: by rank."""

    learned: int
    scripts: dict[str, int]
    lengths: tuple[int, ...]
    growth: tuple[Part, ...]
    by_score: bool


def picture(index: VocabularyIndex) -> Picture:
    """The numbers of a vocabulary.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = picture(index_of(explorer.load("gpt-2")))
    >>> found.learned, list(found.scripts)[:2], found.lengths[:3], found.growth[0].ranks
    (50256, ['Latin', 'none'], (256, 1916, 5212), (1, 2513))
    """
    ids = ranked(index)
    scripts = Counter(index.scripts[id] for id in ids)
    lengths = Counter(min(len(index.data[id]), LAST) for id in ids)
    size = -(-len(ids) // PARTS) or 1
    growth = tuple(part_of(index, ids[at : at + size], at) for at in range(0, len(ids), size))
    by_score = bool(index.tokenizer.vocabulary.scores)
    return Picture(
        len(ids), dict(scripts.most_common()), tuple(lengths[size] for size in range(1, LAST + 1)), growth, by_score
    )


def ranked(index: VocabularyIndex) -> list[int]:
    """The learned tokens in the order of their ranks."""
    ids = [id for id, of in enumerate(index.classes) if of not in GIVEN]
    scores = index.tokenizer.vocabulary.scores
    return sorted(ids, key=lambda id: -scores[id]) if scores else ids


def part_of(index: VocabularyIndex, ids: Sequence[int], start: int) -> Part:
    """The tokens of one part. start: the rank before it."""
    total = sum(len(index.data[id]) for id in ids)
    return Part((start + 1, start + len(ids)), dict(Counter(index.scripts[id] for id in ids)), total / len(ids))
