"""What another training of nearly the same would have learned: two vocabularies and their merges, side by side."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from explorer.training.training import Learned, Spelling


class Difference(NamedTuple):
    """What the second of two trainings learned otherwise.

    gone, new: tokens of one that the other lacks, by id. first: the number of the first merge that differs, from 1 on;
    0 where none does. before, after: that merge in each, () where one has none.
    """

    gone: tuple[str | bytes, ...]
    new: tuple[str | bytes, ...]
    first: int
    before: tuple[str | bytes, ...]
    after: tuple[str | bytes, ...]


def difference(before: Learned[Spelling], after: Learned[Spelling]) -> Difference:
    """The difference of what two trainings learned.

    >>> from explorer.training.huggingface import bpe
    >>> words, options = {"low": 5, "lower": 2, "newest": 6}, bpe.Options(vocab_size=11)
    >>> forbidden = bpe.train(words, options, forbidden=[("w", "e")]).learned
    >>> difference(bpe.train(words, options).learned, forbidden)
    Difference(gone=('we', 'ewe'), new=('low', 'es'), first=1, before=('w', 'e'), after=('l', 'o'))
    """
    pairs = zip_longest(before.pairs, after.pairs, fillvalue=())
    number, one, other = next(
        ((at, one, other) for at, (one, other) in enumerate(pairs, 1) if one != other), (0, (), ())
    )
    gone = tuple(token for token in before.tokens if token not in after.ids)
    new = tuple(token for token in after.tokens if token not in before.ids)
    return Difference(gone, new, number, tuple(one), tuple(other))
