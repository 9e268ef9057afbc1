"""A piece that is not in the memory → ids: what its model does with it.

Models that merge are here: their first symbols, and what is left of them as ids; `merging` merges. WordPiece
(`wordpiece`) and Unigram (`viterbi`) have modules of their own. Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.compiled.merging import merged
from explorer.compiled.records import Model, Respelling, Scratch
from explorer.compiled.respelling import respelled
from explorer.compiled.tables import symbol_of
from explorer.compiled.utf8 import END, NOTHING, byte_of, bytes_of, code_point, width
from explorer.compiled.viterbi import best_path

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


def solved(data: Any, start: int, size: int, ids: Any, at: int, model: Model, scratch: Scratch) -> int:
    """Writes the ids of a piece to `ids[at]` and after it; returns how many, -1 where this model has none for it."""
    symbols, ids_of = scratch.symbols, model.ids_of
    if model.does & WHOLE:
        symbol = symbol_of(model.slots, model.mask, model.texts, data, start, size)
        if symbol >= 0 and ids_of[symbol] >= 0:
            ids[at] = ids_of[symbol]
            return 1
    count = 0
    if model.does & BYTES:
        for offset in range(size):
            symbols[offset] = model.byte_symbols[data[start + offset]]
            if symbols[offset] < 0:
                return -1
        count = size
    else:
        offset = 0
        while offset < size:
            wide = width(data[start + offset])
            symbol = symbol_of(model.slots, model.mask, model.texts, data, start + offset, wide)
            if symbol >= 0 and ids_of[symbol] >= 0:
                symbols[count] = symbol
                count += 1
                offset += wide
                continue
            # Hugging Face's byte fallback comes before the merges
            for _ in range(wide):
                symbols[count] = model.byte_symbols[data[start + offset]]
                if symbols[count] < 0:
                    return -1
                count += 1
                offset += 1
    count = merged(symbols, count, model.pairs, model.pair_mask, scratch.links)
    for index in range(count):
        id = ids_of[symbols[index]]
        if id < 0:
            return -1
        ids[at + index] = id
    return count


def respelled_solved(
    data: Any,
    start: int,
    size: int,
    ids: Any,
    at: int,
    most: int,
    model: Model,
    respelling: Respelling,
    classes: Any,
    scratch: Scratch,
) -> int:
    """Solves a piece for a model that sees it respelled. most: ids that have room."""
    length = respelled(data, start, size, respelling, classes, scratch.text, scratch.text_room)
    if length <= 0:
        return length
    scratch.text[length] = END
    if model.does & LATTICE:
        return best_path(scratch.text, length, ids, at, most, model, scratch)
    if model.does & SCORED:
        return scored(scratch.text, length, ids, at, most, model, scratch)
    return solved(scratch.text, 0, length, ids, at, model, scratch) if length <= most else -1


# --- SentencePiece's BPE ----------------------------------------------------------------------------------------------

# words of the rules
UNKNOWN: Final = 0
"""The id of the unknown token, -1 for none."""
FALLBACK: Final = 1
"""Whether a character that is not a piece becomes its bytes."""

STRANGE: Final = 1 << 30
"""A character that is in no piece is a symbol by its code point plus this. No pair contains it."""


def scored(text: Any, size: int, ids: Any, at: int, most: int, model: Model, scratch: Scratch) -> int:
    """Writes the ids of a piece whose characters merge by score; returns how many, -1 where Python has to solve it.

    A character that is not a piece becomes the tokens of its bytes, or shares one unknown token with its neighbors, as
    in `models.spm`. The model has -1 minus the code point as the id of a character without one, and the ids of bytes as
    its byte symbols.
    """
    symbols, rules = scratch.symbols, model.rules
    count, offset = 0, 0
    while offset < size:
        wide = width(text[offset])
        symbol = symbol_of(model.slots, model.mask, model.texts, text, offset, wide)
        symbols[count] = symbol if symbol >= 0 else STRANGE + code_point(text, offset)
        count += 1
        offset += wide
    count = merged(symbols, count, model.pairs, model.pair_mask, scratch.links)
    made = 0
    after_unknown = False
    for index in range(count):
        symbol = symbols[index]
        if made + 4 > most:
            return -1
        id = int(model.ids_of[symbol]) if symbol < STRANGE else STRANGE - 1 - symbol
        if id >= 0:
            ids[at + made] = id
            made += 1
            after_unknown = False
            continue
        code = -1 - id
        if code >= NOTHING:
            return -1
        if rules[FALLBACK]:
            for number in range(bytes_of(code)):
                id = int(model.byte_symbols[byte_of(code, number)])
                if id < 0:
                    return -1
                ids[at + made] = id
                made += 1
        elif rules[UNKNOWN] < 0:
            return -1
        else:
            if not after_unknown:
                ids[at + made] = rules[UNKNOWN]
                made += 1
            after_unknown = True
    return made
