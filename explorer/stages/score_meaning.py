"""What the number beside a piece says: a score, a position in a list of merges, a rank, a probability.

One function for all pages. A number is explained only where the vocabulary bears it out; otherwise nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp
from typing import Final, TypeAlias

from explorer.engine.models.bpe import Bpe, MergeableRanks, MergeList
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Model
from explorer.text.say import Text, in_a_row, three_digits
from explorer.vocabulary import PieceKind, Vocabulary

Meaning: TypeAlias = Callable[[int, float], str]
"""What a number says, for the id of its piece and the number as it is shown: a phrase, "" for one that says nothing."""

LEARNED: Final = "learned after {0} other pieces of this vocabulary"
BEFORE: Final = "merge {1} of {2} in the list, so {0} go before it"
LEAST: Final = 1e-15
"""The least probability that is put into words."""


def meanings(model: Model, vocabulary: Vocabulary) -> Meaning:
    """What the numbers of a model say.

    >>> import explorer
    >>> llama, gpt = explorer.load("llama-2"), explorer.load("gpt-2")
    >>> meanings(llama.model, llama.vocabulary)(271, -12)
    'learned after 12 other pieces of this vocabulary'
    >>> meanings(gpt.model, gpt.vocabulary)(259, 4)
    'merge 4 of 50,000 in the list, so 3 go before it'
    """
    if isinstance(model, Unigram):
        return cache(lambda id, score: probability(vocabulary, id, score))
    if isinstance(model, Bpe) and isinstance(model.rule, MergeList):
        count = len(model.rule.ranks)
        return lambda id, position: place_in_list(int(position), count)
    if isinstance(model, Bpe) and isinstance(model.rule, MergeableRanks):
        ranks = model.rule.ranks
        bytes_ = sorted(ranks[each] for each in (bytes([byte]) for byte in range(256)) if each in ranks)
        return lambda id, rank: after_bytes(int(rank), bytes_)
    if model.priority == "score":
        return cache(lambda id, score: learned_after(vocabulary, id, score))
    return lambda id, value: ""


def learned_before(vocabulary: Vocabulary, id: int) -> int | None:
    """How many pieces were learned before one, if its score says so.

    sentencepiece's trainer writes pieces in the order it learns them and gives each minus the number of pieces before
    it. That holds if as many normal pieces have a smaller id.
    """
    before = vocabulary.kinds[:id].count(PieceKind.NORMAL)
    return before if vocabulary.scores[id] == -before else None


def learned_after(vocabulary: Vocabulary, id: int, score: float) -> str:
    """Of a score that merges sort by."""
    before = learned_before(vocabulary, id)
    if before is None or vocabulary.scores[id] != score or vocabulary.kind(id) is not PieceKind.NORMAL:
        return ""
    if len(vocabulary.pieces[id].decode("utf-8", "replace")) == 1:
        return Text.of("a single character, which no merge makes")
    if not before:
        return Text.of("the first piece that this vocabulary learned")
    return Text.of("learned after {0} other piece of this vocabulary", before, many=LEARNED)


def place_in_list(position: int, count: int) -> str:
    """Of a merge's position in a list, from 1."""
    if position == 1:
        return Text.of("merge {0} of {1} in the list, so none goes before it", position, count)
    return Text.of("merge {1} of {2} in the list, so {0} goes before it", position - 1, position, count, many=BEFORE)


def after_bytes(rank: int, single: list[int]) -> str:
    """Of a rank. single: the ranks of single bytes, ascending."""
    first = sum(each < rank for each in single)
    if rank in single:
        return Text.of("a single byte, which no merge makes")
    begin = Text.of("the ranks begin with {0} single byte", first, many="the ranks begin with {0} single bytes")
    after = Text.of("learned after {0} other token", rank - first, many="learned after {0} other tokens")
    return in_a_row(after, begin, between="{0:t}; {1:t}")


def probability(vocabulary: Vocabulary, id: int, score: float) -> str:
    """Of a logarithm of a probability."""
    if vocabulary.kind(id) is not PieceKind.NORMAL or score >= 0:
        return ""
    chance = exp(score)
    if chance < LEAST:
        return ""
    one_in = three_digits(int(float(f"{1 / chance:.2g}")))
    if chance > 0.1:
        return Text.of("the model expects about {0}% of all pieces to be this one", round(100 * chance))
    return Text.of("the model expects about 1 piece in {0:t} to be this one", one_in)
