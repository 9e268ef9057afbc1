"""Texts → ids: pieces are found and hashed, then each is looked up in the memory, or solved by the model.

A few hundred pieces at a time, so that they stay in the processor's first cache, and the slots they are looked up in
are prefetched. Stops early, with the reason, where Python has to act; the state says how far it came, so that it can
continue. Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any

from explorer.compiled.records import (
    COUNT,
    DONE,
    FULL,
    MORE,
    NO_SPACE,
    PIECE,
    START,
    TEXTS,
    TOO_LONG,
    UNSOLVED,
    WRITTEN,
    Generation,
    Model,
    Numbers,
    Octets,
    Output,
    Respelling,
    Scanner,
    Scratch,
    Spelled,
    Words,
)
from explorer.compiled.respelling import RESPELLED
from explorer.compiled.scanners import scan
from explorer.compiled.solving import LARGEST, SOLVED, WORDS, respelled_solved, solved
from explorer.compiled.tables import (
    LONGEST,
    MISSING,
    MOST_IDS,
    find,
    has_room,
    hash_of,
    high_word,
    keep,
    low_word,
    prefetch,
    written,
)
from explorer.compiled.tries import words_solved
from explorer.compiled.utf8 import END


def encode_texts(
    data: Octets,
    stop: int,
    most: int,
    scanner: Scanner,
    ends: Numbers,
    hashes: Words,
    block: int,
    output: Output,
    state: Words,
    young: Generation,
    old: Generation,
    model: Model,
    respelling: Respelling,
    spelled: Spelled,
    scratch: Scratch,
) -> int:
    """Encodes the texts of `data` up to `stop`, each with END after it. Returns why it stops: with MORE after `most`
    blocks.

    ends, hashes: memory for a block of pieces.
    """
    while True:
        if state[PIECE] == state[COUNT]:
            if state[START] >= stop:
                return DONE
            if most <= 0:
                return MORE
            most -= 1
            state[COUNT] = scan(
                scanner.family, scanner.digits, scanner.flags, data, state[START], stop, scanner.classes, ends, block
            )
            state[PIECE] = 0
            hash_all(data, state[START], ends, state[COUNT], hashes, young.slots, young.mask)
        reason = encode(
            data,
            ends,
            state[COUNT],
            hashes,
            output,
            state,
            young,
            old,
            model,
            respelling,
            scanner.classes,
            spelled,
            scratch,
        )
        if reason != DONE:
            return reason


def hash_all(data: Any, start: int, ends: Any, count: int, hashes: Any, slots: Any, mask: int) -> None:
    """Writes the hash of each piece to `hashes`, and prefetches its slot."""
    for piece in range(count):
        end = ends[piece]
        size = end - start
        hashed = hash_of(data, start, size, low_word(data, start, size), high_word(data, start, size))
        hashes[piece] = hashed
        prefetch(slots, hashed & mask)
        start = end


def encode(
    data: Any,
    ends: Any,
    count: int,
    hashes: Any,
    output: Output,
    state: Any,
    young: Generation,
    old: Generation,
    model: Model,
    respelling: Respelling,
    classes: Any,
    spelled: Spelled,
    scratch: Scratch,
) -> int:
    """Writes the ids of the pieces that end at `ends`, whose hashes these are; returns why it stops."""
    piece, start, at, ended = state[PIECE], state[START], state[WRITTEN], state[TEXTS]
    ids = output.ids
    reason = DONE
    while piece < count:
        end = ends[piece]
        if data[start] == END:
            output.text_ends[ended] = at
            ended += 1
            start = end
            piece += 1
            continue
        size = end - start
        most = max(size, MOST_IDS)
        if at + most > output.room:
            reason = NO_SPACE
            break
        low, high, hashed = low_word(data, start, size), high_word(data, start, size), hashes[piece]
        value = find(young.slots, young.mask, young.texts, data, start, size, low, high, hashed)
        if value != MISSING:
            at += written(value, young.pool, ids, at)
        else:
            kept = size <= LONGEST
            if kept and not has_room(young):
                reason = FULL
                break
            value = find(old.slots, old.mask, old.texts, data, start, size, low, high, hashed)
            if value != MISSING:
                made = written(value, old.pool, ids, at)
            else:
                if model.does & WORDS:
                    made = words_solved(data, start, size, ids, at, most, spelled, model)
                elif not model.does & SOLVED or (respelling.does & RESPELLED and size > LARGEST):
                    made = -1
                elif size > scratch.room:
                    reason = TOO_LONG
                    break
                elif respelling.does & RESPELLED:
                    made = respelled_solved(data, start, size, ids, at, most, model, respelling, classes, scratch)
                else:
                    made = solved(data, start, size, ids, at, model, scratch)
                if made < 0:
                    reason = UNSOLVED
                    break
            if kept:
                keep(young, data, start, size, low, high, hashed, ids, at, made)
            at += made
        start = end
        piece += 1
    state[PIECE] = piece
    state[START] = start
    state[WRITTEN] = at
    state[TEXTS] = ended
    return reason


def learn(data: Octets, start: int, size: int, ids: Numbers, begin: int, count: int, young: Generation) -> int:
    """Adds a piece that Python has solved to the memory; returns 0."""
    if size <= LONGEST and count <= MOST_IDS and has_room(young):
        low, high = low_word(data, start, size), high_word(data, start, size)
        keep(young, data, start, size, low, high, hash_of(data, start, size, low, high), ids, begin, count)
    return 0
