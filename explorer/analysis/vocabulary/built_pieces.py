"""The pieces that merges alone build, found from their parents instead of by merging each.

A piece t is built of its symbols if and only if two built pieces a and b join to t and, while the symbols of a and b
merge, no pair across the boundary comes first. Until then the merges of a and of b don't know of each other, so the
symbols at the boundary are the right edges of a's merge tree and the left edges of b's. `meet` walks back along both
edges, the latest merge first, and asks at each merge whether the pair across the boundary would have had to act before
it. Follows `is_valid_token_pair` of GitHub's `bpe` (rust-gems), here with any order of merges, several pairs for one
piece, and equal ranks, of which the left pair acts first.

The walk needs merges whose ranks don't fall along the way. Pieces with other merges, and models whose symbols depend on
their position, are left out: what is found is built, and for what is not found the model decides (`derivation`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from math import inf
from typing import Final

from explorer.engine.budget import asking
from explorer.engine.fast.solvers import BYTE, is_plain, pair_ranks
from explorer.engine.models.bpe import Bpe, Bytes, Characters, KnownCharacters
from explorer.engine.models.spm import Spm

WHAT: Final = "the check"
"""The name of this in errors."""


LONGEST: Final = 512
"""Bytes of a pair that is looked at: all splits of a piece are, and all its merges. The longest known have 257."""


def built_pieces(model: Bpe | Spm) -> frozenset[bytes]:
    """Pieces that merges build of their symbols: most of those that they build, and none that they don't.

    >>> from explorer.engine.models.bpe import MergeList
    >>> from explorer.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary.of([b"a", b"b", b"c", b"ab", b"abc", b"bcb"])
    >>> sorted(built_pieces(Bpe(vocabulary, MergeList([b"a b", b"b c", b"ab c", b"bc b"]))))
    [b'a', b'ab', b'abc', b'b', b'bc', b'bcb', b'c']
    """
    if isinstance(model, Bpe) and not is_plain(model):
        return frozenset()
    ranks, between = pair_ranks(model)
    parents: dict[bytes, tuple[bytes, bytes]] = {}
    by_rank = sorted(((key, rank) for key, rank in ranks.items() if len(key) <= LONGEST), key=lambda each: each[1])
    last_rank = dict.fromkeys(symbols_of(model, ranks), -inf)
    """by piece, the rank of its last merge; a symbol has none"""
    for key, rank in asking(by_rank, WHAT, 256):
        for left, right in splits_of(key, between, last_rank):
            # also false for a score that is not a number
            rises = rank >= last_rank[left] and rank >= last_rank[right] and rank > -inf
            piece = left + right
            if rises and piece not in parents and meet(left, right, ranks, between, parents, last_rank):
                parents[piece], last_rank[piece] = (left, right), rank
                break
    return frozenset(last_rank)


def possible_pieces(model: Bpe, letters: Iterable[bytes] | None) -> Container[bytes] | None:
    """Pieces that merges may make of any text, and no fewer; None where that isn't known.

    The spellings of bytes, such as <0x0A>, are among them.

    letters: all symbols that a text may have, if they are known.

    >>> from explorer.engine.models.bpe import MergeList
    >>> from explorer.vocabulary import Vocabulary
    >>> model = Bpe(Vocabulary.of([b"a", b"b", b"ab", b"aba", b"abb"]), MergeList([b"a b", b"ab c", b"ab b"]))
    >>> sorted(piece for piece in possible_pieces(model, [b"a", b"b"]) if not piece.startswith(b"<0x"))
    [b'a', b'ab', b'abb', b'b']
    """
    if not is_plain(model):
        return None
    ranks, between = pair_ranks(model)
    found = set[bytes](symbols_of(model, ranks) if letters is None else letters)
    if letters is None:
        found.update(piece for piece in model.ids if len(piece.decode("utf-8", "replace")) == 1)
    # a character without a piece may become one of these, which merge, too
    found.update(b"<0x%02X>" % byte for byte in range(256))
    if model.unknown is not None:
        found.add(model.vocabulary.pieces[model.unknown])
    # both parts of a pair are shorter than what they make
    for key in asking(sorted(ranks, key=len), WHAT, 256):
        found.update(left + right for left, right in splits_of(key, between, found))
    return found


def symbols_of(model: Bpe | Spm, ranks: Iterable[bytes]) -> Iterable[bytes]:
    """The symbols that pieces are before merging; none for a model that this module doesn't know."""
    initial = model.initial if isinstance(model, Bpe) else Characters()
    if isinstance(initial, Bytes):
        return BYTE
    characters = {ch.encode() for ch in set().union(*(key.decode("utf-8", "ignore") for key in ranks))}
    if isinstance(initial, KnownCharacters):
        return characters.intersection(initial.ids)
    return characters if isinstance(initial, Characters) else ()


def splits_of(key: bytes, between: bytes, built: Container[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """The pairs of built pieces with this key: one of a list of pairs; of a list of pieces, any two parts of one."""
    if between:
        left, _, right = key.partition(between)
        if left in built and right in built:
            yield left, right
        return
    for at in range(len(key) - 1, 0, -1):
        if (left := key[:at]) in built and (right := key[at:]) in built:
            yield left, right


def meet(
    left: bytes,
    right: bytes,
    ranks: Mapping[bytes, float],
    between: bytes,
    parents: Mapping[bytes, tuple[bytes, bytes]],
    made: Mapping[bytes, float],
) -> bool:
    """Whether two built pieces come about side by side, without a merge across their boundary."""
    rank_of = ranks.get
    while True:
        before, after = made[left], made[right]
        if before > after:
            left = parents[left][1]
            across = rank_of(left + between + right)
            # of equal ranks, the merge within the left piece acts first
            if across is not None and not across >= before:
                return False
        elif right in parents:
            right = parents[right][0]
            across = rank_of(left + between + right)
            if across is not None and not across > after:
                return False
        else:
            return True
