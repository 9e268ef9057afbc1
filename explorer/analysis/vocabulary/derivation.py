"""The merges that make a token, and the tokens that are made from it.

The *derivation* is what the model does with the token's own symbols: run on them alone, its merges leave one symbol,
and the last of them made it of its two parents. A token may have further *splits*, pairs that the rule merges into it,
too; they act only where other text keeps the derivation from happening. Models that don't merge have neither.

A token whose bytes aren't valid UTF-8 is derived, too, from its single bytes, which no text gives alone. Left out: all
derivations, of which there may be exponentially many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from explorer.engine.fast.by_pattern import ByPattern
from explorer.engine.fast.solvers import LatticeSolver, can_make_unknown
from explorer.engine.fast.spaces import AtSpaces
from explorer.engine.models.bpe import BETWEEN, END, Bpe, MergeKeys, MergeList, merge_keys
from explorer.engine.models.merges import Pairs, merge_silently
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Model
from explorer.engine.trace import silent
from explorer.implementations.opened import Opened
from explorer.stages.merging.parting import carried_out
from explorer.vocabulary import PieceKind

MOST_SYMBOLS: Final = 256
"""Symbols of a token whose derivation is kept as a tree. The longest token of any known vocabulary has 256."""

MOST_BYTES: Final = 4_096
"""Bytes of a token whose splits are looked up."""

Merging = Bpe | Spm


class Split(NamedTuple):
    """Two pieces that merge into a token.

    left, right: their spellings. value: the number of the merge (from 1), the rank or the score, as `unit` says.
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
    return tokenizer.model if isinstance(tokenizer.model, (Bpe, Spm)) else None


def lattice_of(tokenizer: Opened) -> LatticeSolver | None:
    """The lattice of a Unigram model whose pieces are independent of each other, as the fast path solves it."""
    strategy, model = tokenizer.untraced.strategy, tokenizer.model
    if not isinstance(model, Unigram) or not isinstance(strategy, (ByPattern, AtSpaces)) or can_make_unknown(model):
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
    return Split(left, right, derived.nodes[-1].value or 0.0, unit(model))


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
    found = []
    for at in range(1, len(piece)):
        left, right = piece[:at], model.prefix + piece[at:]
        priority = model.priority_of(left, right) if left in ids and right in ids else None
        if priority is not None:
            found.append((priority, Split(left, right, priority_value(model, left, right) or 0.0, unit(model))))
    return [split for _, split in sorted(found)]


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


def unit(model: Model) -> str:
    """What merges sort by."""
    return model.priority or ""


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
    model, piece = merging(tokenizer), tokenizer.vocabulary.pieces[id]
    if not isinstance(model, Bpe) or not isinstance(model.rule, MergeList):
        return None
    keys = END + keys_of(model.rule)
    return Uses(keys.count(END + piece + BETWEEN), keys.count(BETWEEN + piece + END))


def keys_of(rule: MergeList) -> bytes:
    """All merges as left + BETWEEN + right + END."""
    if isinstance(rule, MergeKeys):
        return rule.keys
    return b"".join(key + END for key in merge_keys(rule.merges))


def extended(tokenizer: Opened, id: int) -> Iterator[int]:
    """The longer tokens that begin or end with a token's piece, by id."""
    vocabulary = tokenizer.vocabulary
    piece = vocabulary.pieces[id]
    ending = piece.removeprefix(tokenizer.model.prefix)
    for other, longer in enumerate(vocabulary.pieces):
        if len(longer) > len(piece) and (longer.startswith(piece) or longer.endswith(ending)):
            yield other
