"""What two vocabularies share: tokens only one of them has, and shared ones with another id, score or kind.

Tokens are the same if their bytes are, special and added ones apart from others. Where both vocabularies spell alike,
the spelling has to be the same instead, so that `##ing` is not `ing`. Of several tokens with the same bytes the first
counts. `explorer compare` shows what the difference does to a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from explorer.analysis.vocabulary.classes import TokenClass
from explorer.analysis.vocabulary.derivation import keys_of, merging
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.engine.models.bpe import END, Bpe, MergeList
from explorer.implementations.opened import Opened

Key = tuple[bytes, bool]
"""What makes two tokens the same, and whether they are special or added."""


class VocabularyDifference(NamedTuple):
    """The ids that differ.

    only_left, only_right: of tokens that the other side lacks. same: how many tokens have the same bytes and id.
    other_id, other_score, other_kind: pairs of a left and a right id of the same token. merges: how many merges only
    the left, only the right and both lists have; None unless both sides have lists.
    """

    only_left: tuple[int, ...]
    only_right: tuple[int, ...]
    same: int
    other_id: tuple[tuple[int, int], ...]
    other_score: tuple[tuple[int, int], ...]
    other_kind: tuple[tuple[int, int], ...]
    merges: tuple[int, int, int] | None

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.only_left or self.only_right or self.other_id or self.other_score or self.other_kind
                    or any((self.merges or (0, 0))[:2]))  # fmt: skip


def difference(left: VocabularyIndex, right: VocabularyIndex) -> VocabularyDifference:
    """What differs between two vocabularies.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = difference(index_of(explorer.load("cl100k_base")), index_of(explorer.load("llama-3")))
    >>> len(found.only_left), len(found.other_id), found.same
    (5, 0, 100256)
    """
    alike = (left.spelling.how, left.spelling.prefix) == (right.spelling.how, right.spelling.prefix)
    one, other = dict(keys(left, alike)), dict(keys(right, alike))
    shared = sorted((id, other[key]) for key, id in one.items() if key in other)
    a, b = left.tokenizer.vocabulary, right.tokenizer.vocabulary
    scored = bool(a.scores) and bool(b.scores)
    return VocabularyDifference(
        tuple(sorted(id for key, id in one.items() if key not in other)),
        tuple(sorted(id for key, id in other.items() if key not in one)),
        sum(x == y for x, y in shared),
        tuple((x, y) for x, y in shared if x != y),
        tuple((x, y) for x, y in shared if scored and a.scores[x] != b.scores[y]),
        tuple((x, y) for x, y in shared if a.kinds[x] != b.kinds[y]),
        merges_of(left.tokenizer, right.tokenizer),
    )


def keys(index: VocabularyIndex, by_spelling: bool) -> Iterator[tuple[Key, int]]:
    """Every token's key and id; the last ids first, so that in a dictionary the first counts."""
    pieces, classes = index.tokenizer.vocabulary.pieces, index.classes
    for id in range(len(index) - 1, -1, -1):
        if classes[id] is not TokenClass.NO_TOKEN:
            special = classes[id] in (TokenClass.SPECIAL, TokenClass.ADDED)
            yield (pieces[id] if by_spelling or special else index.data[id], special), id


def merges_of(left: Opened, right: Opened) -> tuple[int, int, int] | None:
    """How many merges only the left, only the right and both have."""
    lists = []
    for tokenizer in (left, right):
        model = merging(tokenizer)
        if not isinstance(model, Bpe) or not isinstance(model.rule, MergeList):
            return None
        lists.append(set(keys_of(model.rule).split(END)[:-1]))
    one, other = lists
    return len(one - other), len(other - one), len(one & other)
