"""A BPE model as the tables that `pieces.encode` reads: symbols by their bytes, ids by symbol, merges by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from explorer.engine.fast.compiled import build, solving, tables
from explorer.engine.fast.compiled.arrays import Call, Numbers, Octets, Words, octets, slots_for
from explorer.engine.fast.compiled.utf8 import PADDING
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.bpe_rules import BETWEEN, MergeableRanks, MergeList
from explorer.engine.models.bpe_symbols import Bytes, KnownCharacters
from explorer.engine.unicode.byte_map import BYTE_OF

LONGEST_SYMBOLS: Final = 1 << 30
"""The sum of the squares of the lengths of all pieces: splitting each at every byte takes as many steps."""


class Tables(NamedTuple):
    """The arguments of `pieces.encode` that belong to a vocabulary, under its names for them."""

    model: int
    symbol_slots: Words
    symbol_mask: int
    symbol_texts: Octets
    byte_symbols: Numbers
    ids_of: Numbers
    pairs: Words
    pair_mask: int


class Colliding(Exception):
    """The pieces were made to collide: a table has no room for them."""


NO_MODEL: Final = Tables(
    0, np.zeros(4, np.int64), 0, octets(PADDING), np.zeros(256, np.int32), np.zeros(1, np.int32),
    np.full(2, -1, np.int64), 0,
)  # fmt: skip
"""Nothing merges."""


def tables_of(model: Bpe, functions: build.Functions, *, bytes_spelled: bool) -> Tables:
    """The tables of a model whose rule is `MergeableRanks` or `MergeList`. Raises Colliding.

    functions: those that are compiled. bytes_spelled: its pieces spell bytes as printable characters.
    """
    in_bytes = bytes_spelled or isinstance(model.initial, Bytes)
    symbols: dict[bytes, int] = {}
    if isinstance(model.rule, MergeableRanks):
        names = [*model.rule.ranks]
        # in order and without gaps: only the order of ranks counts
        ranks = np.unique(np.fromiter(model.rule.ranks.values(), np.float64, len(names)), return_inverse=True)[1]
        symbols = dict(zip(names, range(len(names)), strict=True))
        listed = None
    else:
        assert isinstance(model.rule, MergeList)
        listed = merges_by_symbol(model.rule.ranks, symbols)
        ranks = np.zeros(0, np.int64)
    spelled = [chr(byte).encode() for byte in range(256)] if bytes_spelled else [b"%c" % byte for byte in range(256)]
    if bytes_spelled:
        spelled = [character.encode() for character in sorted(BYTE_OF, key=BYTE_OF.__getitem__)]
    for piece in (*model.ids, *(spelled if in_bytes else ())):
        symbols.setdefault(piece, len(symbols))
    ids_of = np.fromiter((model.ids.get(piece, -1) for piece in symbols), np.int32, len(symbols))
    # Hugging Face replaces a character that is not a piece before it merges
    usable = [not isinstance(model.initial, KnownCharacters) or each in model.ids for each in spelled]
    byte_symbols = np.array([symbols.get(each, -1) if use and in_bytes else -1
                             for each, use in zip(spelled, usable, strict=True)], np.int32)  # fmt: skip
    if isinstance(model.initial, KnownCharacters) and model.initial.byte_fallback and not in_bytes:
        fallback = [b"<0x%02X>" % byte for byte in range(256)]
        byte_symbols = np.array([symbols[each] if each in model.ids else -1 for each in fallback], np.int32)
    texts, starts = joined(symbols, bytes_spelled)
    slots, mask = slots_of(texts, starts, functions)
    if listed is None:
        pairs = pairs_by_rank(slots, mask, texts, starts, ranks, functions)
    else:
        lefts, rights, values = listed
        pairs = no_pairs(len(lefts))
        fill = Call("fill_pairs", functions)
        fill.give(pairs=pairs, mask=len(pairs) // 2 - 1, lefts=lefts, rights=rights, values=values)
        if fill(count=len(lefts)) < len(lefts):
            raise Colliding
    does = solving.MERGES | (solving.WHOLE if model.whole is True else 0) | (solving.BYTES if in_bytes else 0)
    return Tables(does, slots, mask, texts, byte_symbols, ids_of, pairs, len(pairs) // 2 - 1)


def slots_of(texts: Octets, starts: Words, functions: build.Functions) -> tuple[Words, int]:
    """The table that numbers these keys (`tables.fill`), and its mask. Raises Colliding."""
    count = len(starts) - 1
    slots = np.zeros(slots_for(count) * tables.WORDS, np.int64)
    mask = len(slots) // tables.WORDS - 1
    if Call("fill", functions)(slots=slots, mask=mask, texts=texts, starts=starts, count=count) < count:
        raise Colliding
    return slots, mask


def pairs_by_rank(
    slots: Words, mask: int, texts: Octets, starts: Words, ranks: Words, functions: build.Functions
) -> Words:
    """The pairs whose bytes, joined, are a symbol with a rank. Raises Colliding."""
    split = Call("split_pairs", functions)
    split.give(slots=slots, mask=mask, texts=texts, starts=starts, ranks=ranks, count=len(ranks))
    pairs = no_pairs(split(pairs=np.zeros(2, np.int64), pair_mask=-1))
    if split(pairs=pairs, pair_mask=len(pairs) // 2 - 1) < 0:
        raise Colliding
    return pairs


def merges_by_symbol(ranks: Mapping[bytes, int], symbols: dict[bytes, int]) -> tuple[Words, Words, Words]:
    """A list of merges as numbers: left symbol, right symbol, rank · 2³² + joined symbol. Adds symbols that are new."""
    lefts, rights, values = [], [], []
    for key, rank in ranks.items():
        left, between, right = key.partition(BETWEEN)
        if between:
            lefts.append(symbols.setdefault(left, len(symbols)))
            rights.append(symbols.setdefault(right, len(symbols)))
            values.append(rank << 32 | symbols.setdefault(left + right, len(symbols)))
    return np.array(lefts, np.int64), np.array(rights, np.int64), np.array(values, np.int64)


def no_pairs(count: int) -> Words:
    """An empty table for so many pairs."""
    return np.full(2 * slots_for(count), -1, np.int64)


def joined(symbols: Iterable[bytes], bytes_spelled: bool) -> tuple[Octets, Words]:
    """The bytes of all symbols, one after the other, and where each begins. A symbol that no text becomes is empty."""
    found = list(symbols)
    if bytes_spelled:
        found = unspelled(found)
    starts = np.zeros(len(found) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, found), np.int64, len(found)), out=starts[1:])
    return octets(b"".join(found) + PADDING), starts


def unspelled(found: list[bytes]) -> list[bytes]:
    """The bytes that symbols in printable characters spell, empty for one that spells none."""
    table = dict.fromkeys(range(256), 0xFFFF) | {ord(character): byte for character, byte in BYTE_OF.items()}
    made = []
    for piece in found:
        try:
            made.append(piece.decode().translate(table).encode("latin-1"))
        except UnicodeError:
            made.append(b"")
    return made
