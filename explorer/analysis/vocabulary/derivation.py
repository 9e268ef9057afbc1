"""How a token is made: the merges that make it, the tokens made from it, and the pieces that merges alone build.

The *derivation* is what the model does with the token's own symbols: run on them alone, its merges leave one symbol,
and the last of them made it of its two parents. A token may have further *splits*, pairs that the rule merges into it,
too; they act only where other text keeps the derivation from happening. Models that don't merge have neither. A token
whose bytes aren't valid UTF-8 is derived, too, from its single bytes, which no text gives alone. Left out: all
derivations, of which there may be exponentially many.

Which pieces merges alone build is found from their parents instead of by merging each. A piece t is built of its
symbols if and only if two built pieces a and b join to t and, while the symbols of a and b merge, no pair across the
boundary comes first. Until then the merges of a and of b don't know of each other, so the symbols at the boundary are
the right edges of a's merge tree and the left edges of b's. `meet` walks back along both edges, the latest merge first,
and asks at each merge whether the pair across the boundary would have had to act before it. Follows
`is_valid_token_pair` of GitHub's `bpe` (rust-gems), here with any order of merges, several pairs for one piece, and
equal ranks, of which the left pair acts first. The walk needs merges whose ranks don't fall along the way. Pieces with
other merges, and models whose symbols depend on their position, are left out: what is found is built, and for what is
not found the model decides.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from explorer.engine.budget import asking
from explorer.engine.fast.piece_encoder import BYTE, LatticeSolver, can_make_unknown, is_plain, pair_ranks
from explorer.engine.fast.strategies import AtSpaces, ByPattern
from explorer.engine.models.bpe import (
    BETWEEN,
    END,
    Bpe,
    Bytes,
    Characters,
    KnownCharacters,
    MergeKeys,
    MergeList,
    merge_keys,
)
from explorer.engine.models.merges import Pairs, merge_silently
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import silent
from explorer.implementations.opened import Opened
from explorer.stages.merging.stage import carried_out
from explorer.vocabulary import PieceKind

MOST_SYMBOLS = 256
"""Symbols of a token whose derivation is kept as a tree. The longest token of any known vocabulary has 256."""

MOST_BYTES = 4_096
"""Bytes of a token whose splits are looked up."""

Merging = Bpe | Spm


class Split(NamedTuple):
    """Two pieces that merge into a token.

    left, right: their spellings. value: the number of the merge (from 1), the rank or the score; unit: which of these.
    """

    left: bytes
    right: bytes
    value: float
    unit: str


class TreeNode(NamedTuple):
    """A symbol of a derivation. children: indices of the nodes it was merged from; start, end: initial symbols."""

    piece: bytes
    start: int
    end: int
    children: tuple[int, ...] = ()
    value: float | None = None


class Derivation(NamedTuple):
    """How the model merges a token's symbols.

    nodes: the symbols, then the merges in order. complete: whether one symbol is left, the token's own piece.
    left_over: the symbols that are left.
    """

    nodes: tuple[TreeNode, ...]
    complete: bool
    left_over: tuple[bytes, ...]


def merging(tokenizer: Opened) -> Merging | None:
    """The tokenizer's model if it merges pairs."""
    return tokenizer.model if isinstance(tokenizer.model, Bpe | Spm) else None


def lattice_of(tokenizer: Opened) -> LatticeSolver | None:
    """The lattice of a Unigram model whose pieces are independent of each other, as the fast path solves it."""
    strategy, model = tokenizer.untraced.strategy, tokenizer.model
    if not isinstance(model, Unigram) or not isinstance(strategy, ByPattern | AtSpaces) or can_make_unknown(model):
        return None
    return solve if isinstance(solve := strategy.encoder.solve, LatticeSolver) else None


def initial(model: Merging, piece: bytes) -> Sequence[bytes]:
    """The symbols that a piece begins as. A malformed piece begins as its bytes."""
    core = piece.removeprefix(model.prefix).removesuffix(model.suffix)
    try:
        text = core.decode()
    except UnicodeDecodeError:
        return [piece[at : at + 1] for at in range(len(piece))]
    if isinstance(model, Spm):
        return list(model.initial_symbols(text).pieces)
    symbols = list(model.initial.symbols(text, silent).pieces)
    if symbols and model.suffix and not piece.endswith(model.suffix):
        symbols[-1] = symbols[-1].removesuffix(model.suffix)
    if symbols and model.prefix and piece.startswith(model.prefix):
        symbols[0] = model.prefix + symbols[0]
    return symbols


def is_built(model: Merging, piece: bytes, pairs: Pairs) -> bool:
    """Whether merges alone make a piece of its symbols. pairs: of this model, shared by many questions."""
    return merge_silently(initial(model, piece), pairs).pieces == [piece]


def derivation(tokenizer: Opened, id: int, pairs: Pairs | None = None) -> Derivation | None:
    """The merges of a token's symbols; None for a model that merges nothing, and for very long tokens.

    pairs: of the model, if many tokens are asked for.

    >>> import explorer
    >>> found = derivation(explorer.load("gpt-2"), 11241)
    >>> [(node.piece.decode(), node.value) for node in found.nodes if node.children]
    [('Ġt', 1.0), ('en', 13.0), ('Ġto', 29.0), ('ken', 3209.0), ('Ġtoken', 10986.0)]
    """
    model, kind = merging(tokenizer), tokenizer.vocabulary.kinds[id]
    if model is None or kind not in (PieceKind.NORMAL, PieceKind.UNUSED, PieceKind.USER_DEFINED):
        return None
    piece = tokenizer.vocabulary.pieces[id]
    if not piece or len(piece) > 4 * MOST_SYMBOLS:
        return None
    symbols = initial(model, piece)
    if len(symbols) > MOST_SYMBOLS:
        return None
    chain, merges = carried_out(symbols, Pairs(model.pair) if pairs is None else pairs)
    nodes = [TreeNode(symbol, at, at + 1) for at, symbol in enumerate(symbols)]
    root = list(range(len(symbols)))
    for left, right in merges:
        one, other = nodes[root[left]], nodes[root[right]]
        both = model.join([one.piece, other.piece])
        nodes.append(
            TreeNode(
                both, one.start, other.end, (root[left], root[right]), priority_value(model, one.piece, other.piece)
            )
        )
        root[left] = len(nodes) - 1
    return Derivation(tuple(nodes), chain.pieces == [piece], tuple(chain.pieces))


def parents(tokenizer: Opened, id: int, pairs: Pairs | None = None) -> Split | None:
    """The last merge of a token's derivation; None for a token that isn't merged, or not completely.

    pairs: as for `derivation`.

    >>> import explorer
    >>> parents(explorer.load("gpt-2"), 11241)
    Split(left=b'\\xc4\\xa0to', right=b'ken', value=10986.0, unit='merge')
    """
    model, piece = merging(tokenizer), tokenizer.vocabulary.pieces[id]
    if model is None or len(piece) < 2:
        return None
    derived = derivation(tokenizer, id, pairs)
    if derived is None or not derived.complete or not derived.nodes[-1].children:
        return None
    left, right = (derived.nodes[child].piece for child in derived.nodes[-1].children)
    return Split(left, right, derived.nodes[-1].value or 0.0, model.priority or "")


def splits(tokenizer: Opened, id: int) -> list[Split]:
    """All pairs of pieces that the rule merges into a token, the first to act first.

    >>> import explorer
    >>> len(splits(explorer.load("gpt-2"), 11241)), len(splits(explorer.load("cl100k_base"), 4037))
    (1, 4)
    """
    model, piece = merging(tokenizer), tokenizer.vocabulary.pieces[id]
    if model is None or len(piece) > MOST_BYTES:
        return []
    ids = tokenizer.vocabulary.ids
    by_priority = []
    for at in range(1, len(piece)):
        left, right = piece[:at], model.prefix + piece[at:]
        priority = model.priority_of(left, right) if left in ids and right in ids else None
        if priority is not None:
            by_priority.append(
                (priority, Split(left, right, priority_value(model, left, right) or 0.0, model.priority or ""))
            )
    return [split for _, split in sorted(by_priority)]


def priority_value(model: Merging, left: bytes, right: bytes) -> float | None:
    """The score, the rank, or the number in the list (from 1) of a pair."""
    priority = model.priority_of(left, right)
    if priority is None:
        return None
    return -priority if model.priority == "score" else float(priority + (model.priority == "merge"))


def pairs_of(tokenizer: Opened) -> Pairs | None:
    """The pairs of a model that merges, for many derivations in a row."""
    model = merging(tokenizer)
    return None if model is None else Pairs(model.pair)


class Uses(NamedTuple):
    """The merges in which a token takes part.

    left, right: of the merges that the rule has, how many have it on the left, and how many on the right; None where
    the rule is not a list.
    """

    left: int
    right: int


def uses(tokenizer: Opened, id: int) -> Uses | None:
    """In how many merges of the list a token takes part; None for a model without a list.

    >>> import explorer
    >>> gpt2 = explorer.load("gpt-2")
    >>> sum(uses(gpt2, gpt2.vocabulary.ids[b"s"])), sum(uses(gpt2, gpt2.vocabulary.ids[b"ing"]))
    (1062, 902)
    """
    merges, piece = merge_list(tokenizer), tokenizer.vocabulary.pieces[id]
    if merges is None:
        return None
    keys = END + merges
    return Uses(keys.count(END + piece + BETWEEN), keys.count(BETWEEN + piece + END))


def merge_list(tokenizer: Opened) -> bytes | None:
    """All merges as left + BETWEEN + right + END; None for a model without a list."""
    model = merging(tokenizer)
    if not isinstance(model, Bpe) or not isinstance(model.rule, MergeList):
        return None
    if isinstance(model.rule, MergeKeys):
        return model.rule.keys
    return b"".join(key + END for key in merge_keys(model.rule.merges))


def extended(tokenizer: Opened, id: int) -> Iterator[int]:
    """The longer tokens that begin or end with a token's piece, by id."""
    vocabulary = tokenizer.vocabulary
    piece = vocabulary.pieces[id]
    ending = piece.removeprefix(tokenizer.model.prefix)
    for other, longer in enumerate(vocabulary.pieces):
        if len(longer) > len(piece) and (longer.startswith(piece) or longer.endswith(ending)):
            yield other


WHAT = "the check"
"""The name of this in errors."""


LONGEST = 512
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
    pieces = set[bytes](symbols_of(model, ranks) if letters is None else letters)
    if letters is None:
        pieces.update(piece for piece in model.ids if len(piece.decode("utf-8", "replace")) == 1)
    # a character without a piece may become one of these, which merge, too
    pieces.update(b"<0x%02X>" % byte for byte in range(256))
    if model.unknown is not None:
        pieces.add(model.vocabulary.pieces[model.unknown])
    # both parts of a pair are shorter than what they make
    for key in asking(sorted(ranks, key=len), WHAT, 256):
        pieces.update(left + right for left, right in splits_of(key, between, pieces))
    return pieces


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
