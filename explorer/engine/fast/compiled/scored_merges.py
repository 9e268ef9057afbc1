"""SentencePiece's BPE: characters merge by the score of what they become, and what is left becomes tokens.

The merging itself is that of `merging`; this makes the first symbols and turns the last ones into ids, as `models.spm`
does: a character that is not a piece becomes the tokens of its bytes, or shares one unknown token with its neighbors.

A piece, or a character of one, is a symbol by its number. Any other character is STRANGE plus its code point, and no
pair contains it. Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.engine.fast.compiled.merging import merged
from explorer.engine.fast.compiled.tables import symbol_of
from explorer.engine.fast.compiled.utf8 import NOTHING, byte_of, bytes_of, code_point, width

# words of the rules
UNKNOWN: Final = 0
"""The id of the unknown token, -1 for none."""
FALLBACK: Final = 1
"""Whether a character that is not a piece becomes its bytes."""

STRANGE: Final = 1 << 30


def scored(
    text: Any, size: int, ids: Any, at: int, most: int, symbol_slots: Any, symbol_mask: int, symbol_texts: Any,
    byte_symbols: Any, ids_of: Any, pairs: Any, pair_mask: int, symbols: Any, scratch: Any, rules: Any,
) -> int:  # fmt: skip
    """Writes the ids of a piece to `ids[at]` and after it; returns how many, -1 where Python has to solve it.

    most: ids that have room. ids_of: by symbol, its id, or -1 minus the code point of a character without one.
    byte_symbols: by byte, its id, -1 for none.
    """
    count, offset = 0, 0
    while offset < size:
        wide = width(text[offset])
        symbol = symbol_of(symbol_slots, symbol_mask, symbol_texts, text, offset, wide)
        symbols[count] = symbol if symbol >= 0 else STRANGE + code_point(text, offset)
        count += 1
        offset += wide
    count = merged(symbols, count, pairs, pair_mask, scratch)
    made = 0
    after_unknown = False
    for index in range(count):
        symbol = symbols[index]
        if made + 4 > most:
            return -1
        id = int(ids_of[symbol]) if symbol < STRANGE else STRANGE - 1 - symbol
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
                id = int(byte_symbols[byte_of(code, number)])
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
