"""A piece that is not in the memory → ids: what its model does with it.

BPE's symbols are made here, and merged by `merging`; the other models have modules of their own. Source for Python and
for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.engine.fast.compiled.merging import merged
from explorer.engine.fast.compiled.respelling import respelled
from explorer.engine.fast.compiled.scored_merges import scored
from explorer.engine.fast.compiled.tables import symbol_of
from explorer.engine.fast.compiled.utf8 import END, width
from explorer.engine.fast.compiled.viterbi import best_path

# what the model does, one bit each
MERGES: Final = 1
"""It merges by rank."""
WHOLE: Final = 2
"""It takes a piece that is a token whole."""
BYTES: Final = 4
"""Its first symbols are bytes, otherwise characters."""
WORDS: Final = 8
"""It is WordPiece."""
SCORED: Final = 16
"""It merges by score."""
LATTICE: Final = 32
"""It is Unigram."""
SOLVED: Final = MERGES | SCORED | LATTICE
"""Models of `solved` and `respelled_solved`. One with none of these bits, nor WORDS, leaves every piece UNSOLVED."""

LARGEST: Final = 1 << 20
"""Bytes of the longest piece that is respelled; a longer one is left to Python, which asks for memory and time."""


def solved(
    data: Any, start: int, size: int, ids: Any, at: int, model: int, symbol_slots: Any, symbol_mask: int,
    symbol_texts: Any, byte_symbols: Any, ids_of: Any, pairs: Any, pair_mask: int, symbols: Any, scratch: Any,
) -> int:  # fmt: skip
    """Writes the ids of a piece to `ids[at]` and after it; returns how many, -1 where this model has none for it."""
    if model & WHOLE:
        symbol = symbol_of(symbol_slots, symbol_mask, symbol_texts, data, start, size)
        if symbol >= 0 and ids_of[symbol] >= 0:
            ids[at] = ids_of[symbol]
            return 1
    count = 0
    if model & BYTES:
        for offset in range(size):
            symbols[offset] = byte_symbols[data[start + offset]]
            if symbols[offset] < 0:
                return -1
        count = size
    else:
        offset = 0
        while offset < size:
            wide = width(data[start + offset])
            symbol = symbol_of(symbol_slots, symbol_mask, symbol_texts, data, start + offset, wide)
            if symbol >= 0 and ids_of[symbol] >= 0:
                symbols[count] = symbol
                count += 1
                offset += wide
                continue
            # Hugging Face's byte fallback comes before the merges
            for _ in range(wide):
                symbols[count] = byte_symbols[data[start + offset]]
                if symbols[count] < 0:
                    return -1
                count += 1
                offset += 1
    count = merged(symbols, count, pairs, pair_mask, scratch)
    for index in range(count):
        id = ids_of[symbols[index]]
        if id < 0:
            return -1
        ids[at + index] = id
    return count


def respelled_solved(
    data: Any, start: int, size: int, ids: Any, at: int, most: int, model: int, symbol_slots: Any, symbol_mask: int,
    symbol_texts: Any, byte_symbols: Any, ids_of: Any, pairs: Any, pair_mask: int, symbols: Any, scratch: Any,
    nodes: Any, tokens: Any, rules: Any, spaces: int, classes: Any, units: Any, strings: Any, text: Any, text_size: int,
    scores: Any, sums: Any,
) -> int:  # fmt: skip
    """The same for a model that sees a piece respelled. most: ids that have room."""
    length = respelled(data, start, size, spaces, classes, units, strings, text, text_size)
    if length <= 0:
        return length
    text[length] = END
    if model & LATTICE:
        return best_path(text, length, ids, at, most, nodes, tokens, scores, byte_symbols, rules, sums, scratch)
    if model & SCORED:
        return scored(
            text, length, ids, at, most, symbol_slots, symbol_mask, symbol_texts, byte_symbols, ids_of, pairs,
            pair_mask, symbols, scratch, rules,
        )  # fmt: skip
    if length > most:
        return -1
    return solved(
        text, 0, length, ids, at, model, symbol_slots, symbol_mask, symbol_texts, byte_symbols, ids_of, pairs,
        pair_mask, symbols, scratch,
    )  # fmt: skip
