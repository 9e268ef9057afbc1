"""Texts → ids in one call: pieces are found, hashed and encoded a few hundred at a time, so that they stay in the
processor's first cache, and the slots they are looked up in are on their way before they are needed.

Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any

from explorer.engine.fast.compiled.pieces import COUNT, DONE, MORE, PIECE, START, encode
from explorer.engine.fast.compiled.scanners import scan
from explorer.engine.fast.compiled.tables import hash_of, high_word, low_word, soon


def encode_texts(
    data: Any, stop: int, most: int, family: int, digits: int, flags: int, ends: Any, hashes: Any, block: int,
    ids: Any, id_room: int, text_ends: Any, state: Any,
    slots: Any, mask: int, pool: Any, pool_room: int, texts: Any, text_room: int, counters: Any,
    old_slots: Any, old_mask: int, old_pool: Any, old_texts: Any,
    model: int, symbol_slots: Any, symbol_mask: int, symbol_texts: Any, byte_symbols: Any, ids_of: Any,
    pairs: Any, pair_mask: int, symbols: Any, scratch: Any, room: int,
    characters: Any, spellings: Any, word: Any, word_room: int, nodes: Any, tokens: Any, rules: Any,
    spaces: int, classes: Any, units: Any, strings: Any, text: Any, text_size: int, scores: Any, sums: Any,
) -> int:  # fmt: skip
    """Encodes the texts of `data` up to `stop`, each with END after it; stops early as `pieces.encode` does, and with
    MORE after `most` blocks.

    family, digits, flags: of `scanners.scan`. ends, hashes: memory for `block` pieces. The rest is that of
    `pieces.encode`.
    """
    while True:
        if state[PIECE] == state[COUNT]:
            if state[START] >= stop:
                return DONE
            if most <= 0:
                return MORE
            most -= 1
            state[COUNT] = scan(family, digits, flags, data, state[START], stop, classes, ends, block)
            state[PIECE] = 0
            hash_all(data, state[START], ends, state[COUNT], hashes, slots, mask)
        reason = encode(
            data, ends, state[COUNT], hashes, ids, id_room, text_ends, state,
            slots, mask, pool, pool_room, texts, text_room, counters, old_slots, old_mask, old_pool, old_texts,
            model, symbol_slots, symbol_mask, symbol_texts, byte_symbols, ids_of, pairs, pair_mask, symbols, scratch,
            room, characters, spellings, word, word_room, nodes, tokens, rules, spaces, classes, units, strings, text,
            text_size, scores, sums,
        )  # fmt: skip
        if reason != DONE:
            return reason


def hash_all(data: Any, start: int, ends: Any, count: int, hashes: Any, slots: Any, mask: int) -> None:
    """Writes the hash of each piece to `hashes`, and asks the processor for its slot."""
    for piece in range(count):
        end = ends[piece]
        size = end - start
        hashed = hash_of(data, start, size, low_word(data, start, size), high_word(data, start, size))
        hashes[piece] = hashed
        soon(slots, hashed & mask)
        start = end
