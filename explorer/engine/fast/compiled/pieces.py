"""Pieces → ids: each is looked up in the memory, and solved by the model if it has not been met.

Stops early, with the reason, where Python has to act; the state says how far it came, so that it can go on.
Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.engine.fast.compiled.memory import LONGEST, MOST_IDS, has_room, keep, written
from explorer.engine.fast.compiled.respelling import RESPELLED
from explorer.engine.fast.compiled.solving import LARGEST, SOLVED, WORDS, respelled_solved, solved
from explorer.engine.fast.compiled.tables import MISSING, find, hash_of, high_word, low_word
from explorer.engine.fast.compiled.utf8 import END
from explorer.engine.fast.compiled.wordpiece import words_solved

# words of the state
PIECE: Final = 0
"""Index of the next piece."""
START: Final = 1
"""Where it begins."""
WRITTEN: Final = 2
"""Ids written."""
TEXTS: Final = 3
"""Texts ended."""
MISSED: Final = 4
"""Pieces that were not in the memory."""
COUNT: Final = 5
"""Pieces found, of which the next one is a part."""

# why `encode` stops
DONE: Final = 0
FULL: Final = 1
"""The young generation has no room."""
UNSOLVED: Final = 2
"""The model in Python has to solve this piece."""
TOO_LONG: Final = 3
"""The scratch memory is too small for this piece."""
NO_SPACE: Final = 4
"""The memory for ids may be too small for those of the next piece."""
MORE: Final = 5
"""As much was done as was asked for."""


def encode(
    data: Any, ends: Any, count: int, hashes: Any, ids: Any, id_room: int, text_ends: Any, state: Any,
    slots: Any, mask: int, pool: Any, pool_room: int, texts: Any, text_room: int, counters: Any,
    old_slots: Any, old_mask: int, old_pool: Any, old_texts: Any,
    model: int, symbol_slots: Any, symbol_mask: int, symbol_texts: Any, byte_symbols: Any, ids_of: Any,
    pairs: Any, pair_mask: int, symbols: Any, scratch: Any, room: int,
    characters: Any, spellings: Any, word: Any, word_room: int, nodes: Any, tokens: Any, rules: Any,
    spaces: int, classes: Any, units: Any, strings: Any, text: Any, text_size: int, scores: Any, sums: Any,
) -> int:  # fmt: skip
    """Writes the ids of the pieces that end at `ends` to `ids`, and how many there are after each text to `text_ends`.

    hashes: of the pieces. slots … counters: the young generation of the memory. old_…: the old one. symbol_… pairs: the
    vocabulary (`tables`). symbols, scratch: memory for `room` symbols. characters … rules: of WordPiece (`wordpiece`).
    spaces … strings: what is done to a piece first (`respelling`). text: memory for that, `text_size` bytes. scores,
    sums: of Unigram (`viterbi`).
    """
    piece, start, at, ended = state[PIECE], state[START], state[WRITTEN], state[TEXTS]
    reason = DONE
    while piece < count:
        end = ends[piece]
        if data[start] == END:
            text_ends[ended] = at
            ended += 1
            start = end
            piece += 1
            continue
        size = end - start
        if at + max(size, MOST_IDS) > id_room:
            reason = NO_SPACE
            break
        low, high, hashed = low_word(data, start, size), high_word(data, start, size), hashes[piece]
        value = find(slots, mask, texts, data, start, size, low, high, hashed)
        if value != MISSING:
            at += written(value, pool, ids, at)
        else:
            kept = size <= LONGEST
            if kept and not has_room(counters, mask, pool_room, text_room):
                reason = FULL
                break
            value = find(old_slots, old_mask, old_texts, data, start, size, low, high, hashed)
            if value != MISSING:
                made = written(value, old_pool, ids, at)
            else:
                if model & WORDS:
                    made = words_solved(
                        data, start, size, ids, at, max(size, MOST_IDS), characters, spellings, word, word_room, nodes,
                        tokens, rules,
                    )  # fmt: skip
                elif not model & SOLVED or (spaces & RESPELLED and size > LARGEST):
                    made = -1
                elif size > room:
                    reason = TOO_LONG
                    break
                elif spaces & RESPELLED:
                    made = respelled_solved(
                        data, start, size, ids, at, max(size, MOST_IDS), model, symbol_slots, symbol_mask, symbol_texts,
                        byte_symbols, ids_of, pairs, pair_mask, symbols, scratch, nodes, tokens, rules, spaces, classes,
                        units, strings, text, text_size, scores, sums,
                    )  # fmt: skip
                else:
                    made = solved(
                        data, start, size, ids, at, model, symbol_slots, symbol_mask, symbol_texts, byte_symbols,
                        ids_of, pairs, pair_mask, symbols, scratch,
                    )  # fmt: skip
                if made < 0:
                    reason = UNSOLVED
                    break
                state[MISSED] += 1
            if kept:
                keep(slots, mask, pool, texts, counters, data, start, size, low, high, hashed, ids, at, made)
            at += made
        start = end
        piece += 1
    state[PIECE] = piece
    state[START] = start
    state[WRITTEN] = at
    state[TEXTS] = ended
    return reason


def learn(
    data: Any, start: int, size: int, ids: Any, begin: int, count: int, slots: Any, mask: int, pool: Any,
    pool_room: int, texts: Any, text_room: int, counters: Any,
) -> int:  # fmt: skip
    """Adds a piece that Python has solved to the memory; returns 0."""
    if size <= LONGEST and count <= MOST_IDS and has_room(counters, mask, pool_room, text_room):
        low, high = low_word(data, start, size), high_word(data, start, size)
        hashed = hash_of(data, start, size, low, high)
        keep(slots, mask, pool, texts, counters, data, start, size, low, high, hashed, ids, begin, count)
    return 0
