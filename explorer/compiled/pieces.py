"""Texts → ids: finds the pieces of a text, looks each up in the memory, and solves what is not there.

Texts → ids: pieces are found and hashed, then each is looked up in the memory, or solved by the model.

A few hundred pieces at a time, so that they stay in the processor's first cache, and the slots they are looked up in
are prefetched. Stops early, with the reason, where Python has to act; the state says how far it came, so that it can
continue. Source for Python and for numba (`build`).

A piece that is not in the memory → ids: what its model does with it.

Models that merge are here: their first symbols, merges by rank, and what is left as ids. WordPiece (`tries`) and
Unigram (`viterbi`) have modules of their own.

Symbols merge the best pair first, of equal ones the leftmost, until no pair may merge, in the same order as
`models.merges`. A short chain lies in a list that is searched and closed up; a long one has links and a heap, so that
its cost grows no faster than n log n.

Source for Python and for numba (`build`).
"""

from typing import Any

from explorer.compiled.respelling import RESPELLED, respelled
from explorer.compiled.scanners import scan
from explorer.compiled.tables import (
    LONGEST,
    MISSING,
    MOST_IDS,
    NO_PAIR,
    SLOT,
    find,
    has_room,
    hash_of,
    keep,
    merge_of,
    pair_hash,
    prefetch,
    symbol_of,
    written,
)
from explorer.compiled.tries import words_solved
from explorer.compiled.utf8 import (
    COUNT,
    DONE,
    END,
    FULL,
    MORE,
    NO_SPACE,
    NOTHING,
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
    byte_of,
    bytes_of,
    code_point,
    width,
)
from explorer.compiled.viterbi import best_path

SHORT = 64
"""Symbols of the longest chain that is searched."""

SCRATCH = 4
"""Words of scratch memory for each symbol: two links and two heap entries, since each merge adds at most one."""


def merged(symbols: Any, count: int, pairs: Any, mask: int, scratch: Any) -> int:
    """Merges the first `count` symbols in place; returns how many are left. scratch: SCRATCH words for each."""
    if count <= SHORT:
        return merged_by_search(symbols, count, pairs, mask, scratch)
    return merged_by_heap(symbols, count, pairs, mask, scratch)


def merged_by_search(symbols: Any, count: int, pairs: Any, mask: int, merges: Any) -> int:
    """Merges a short chain by searching a list. merges: a word for each pair of neighbors."""
    for at in range(count - 1):
        merges[at] = merge_of(pairs, mask, symbols[at], symbols[at + 1])
    while count > 1:
        best, at = NO_PAIR >> 32, -1
        for index in range(count - 1):
            rank = merges[index] >> 32
            if rank < best:
                best, at = rank, index
        if at < 0:
            break
        symbols[at] = merges[at] & 0xFFFFFFFF
        count -= 1
        for index in range(at + 1, count):
            symbols[index] = symbols[index + 1]
            merges[index - 1] = merges[index]
        if at:
            merges[at - 1] = merge_of(pairs, mask, symbols[at - 1], symbols[at])
        if at + 1 < count:
            merges[at] = merge_of(pairs, mask, symbols[at], symbols[at + 1])
    return count


def merged_by_heap(symbols: Any, count: int, pairs: Any, mask: int, scratch: Any) -> int:
    """Merges a long chain with a heap of rank · 2³² + index. Stale entries are skipped."""
    before, after, heap = 0, count, 2 * count
    size = 0
    for at in range(count):
        scratch[before + at] = at - 1
        scratch[after + at] = at + 1
        if at + 1 < count:
            size = push_pair(scratch, heap, size, merge_of(pairs, mask, symbols[at], symbols[at + 1]), at)
    while size:
        best = scratch[heap]
        size -= 1
        pushed_down(scratch, heap, size, scratch[heap + size])
        at = best & 0xFFFFFFFF
        right = scratch[after + at]
        if symbols[at] < 0 or right >= count:
            continue
        merge = merge_of(pairs, mask, symbols[at], symbols[right])
        if merge >> 32 != best >> 32:
            continue
        symbols[at] = merge & 0xFFFFFFFF
        symbols[right] = -1
        follower = scratch[after + right]
        scratch[after + at] = follower
        if follower < count:
            scratch[before + follower] = at
            size = push_pair(scratch, heap, size, merge_of(pairs, mask, symbols[at], symbols[follower]), at)
        left = scratch[before + at]
        if left >= 0:
            size = push_pair(scratch, heap, size, merge_of(pairs, mask, symbols[left], symbols[at]), left)
    kept = 0
    for at in range(count):
        if symbols[at] >= 0:
            symbols[kept] = symbols[at]
            kept += 1
    return kept


def push_pair(scratch: Any, heap: int, size: int, merge: int, at: int) -> int:
    """Adds a pair to the heap if it may merge; returns the size of the heap."""
    if merge == NO_PAIR:
        return size
    entry = merge >> 32 << 32 | at
    hole = size
    while hole:
        parent = (hole - 1) >> 1
        if scratch[heap + parent] <= entry:
            break
        scratch[heap + hole] = scratch[heap + parent]
        hole = parent
    scratch[heap + hole] = entry
    return size + 1


def pushed_down(scratch: Any, heap: int, size: int, entry: int) -> None:
    """Puts an entry at the top of the heap and moves it down to where it belongs."""
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and scratch[heap + child + 1] < scratch[heap + child]:
            child += 1
        if scratch[heap + child] >= entry:
            break
        scratch[heap + hole] = scratch[heap + child]
        hole = child
    scratch[heap + hole] = entry


# what the model does, one bit each
MERGES = 1
"""It merges by rank."""
WHOLE = 2
"""It takes a piece that is a token whole."""
BYTES = 4
"""Its first symbols are bytes, otherwise characters."""
WORDS = 8
"""It is WordPiece."""
SCORED = 16
"""It merges by score."""
LATTICE = 32
"""It is Unigram."""
LANED = 64
"""Every byte has a symbol, so that short pieces can be merged side by side."""
SOLVED = MERGES | SCORED | LATTICE
"""Models of `solved` and `respelled_solved`. One with none of these bits, nor WORDS, leaves every piece UNSOLVED."""

LARGEST = 1 << 20
"""Bytes of the longest piece that is respelled; a longer one is left to Python, which asks for memory and time."""


def solved(data: Any, start: int, size: int, ids: Any, at: int, model: Model, scratch: Scratch) -> int:
    """Writes the ids of a piece to `ids[at]` and after it; returns how many, -1 where this model has none for it."""
    symbols, ids_of = scratch.symbols, model.ids_of
    if model.does & WHOLE:
        symbol = symbol_of(model, data, start, size)
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
            symbol = symbol_of(model, data, start + offset, wide)
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
UNKNOWN = 0
"""The id of the unknown token, -1 for none."""
FALLBACK = 1
"""Whether a character that is not a piece becomes its bytes."""

STRANGE = 1 << 30
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
        symbol = symbol_of(model, text, offset, wide)
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


def encode_texts(
    data: Octets,
    stop: int,
    most: int,
    scanner: Scanner,
    ends: Numbers,
    hashes: Words,
    values: Words,
    lanes: Words,
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

    ends, hashes, values: memory for a block of pieces. lanes: for those that are solved side by side.
    """
    while True:
        ended = state[PIECE] == state[COUNT]
        if ended:
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
        find_all(data, state, ends, hashes, values, young, old, model)
        # in the middle of a block the memory was full: what would be kept now might fill it again
        if ended and model.does & LANED and not respelling.does & RESPELLED:
            solve_all(data, state, ends, hashes, values, young, old, model, lanes)
        reason = encode(
            data,
            ends,
            state[COUNT],
            hashes,
            values,
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
        hashed = hash_of(data, start, size)
        hashes[piece] = hashed
        prefetch(slots, (hashed & mask) * SLOT)
        start = end


def find_all(
    data: Any, state: Any, ends: Any, hashes: Any, values: Any, young: Generation, old: Generation, model: Model
) -> None:
    """Writes the value of each piece to `values`, and prefetches where those without one are looked up next."""
    start = state[START]
    for piece in range(state[PIECE], state[COUNT]):
        end, hashed = ends[piece], hashes[piece]
        size = end - start
        values[piece] = find(young, data, start, size, hashed)
        if values[piece] == MISSING:
            prefetch(old.slots, (hashed & old.mask) * SLOT)
            if model.does & WHOLE:
                prefetch(model.slots, (hashed & model.mask) * SLOT)
        start = end


LANES = 8
"""Pieces that are solved side by side."""

# words of a lane: its piece, how many symbols are left, where the last two merged; then symbols and merges
FROM = 0
BYTES_OF = 1
HASH = 2
LEFT = 3
MERGED_AT = 4
SYMBOLS = 5
MERGES_OF = SYMBOLS + SHORT
LANE = MERGES_OF + SHORT


def solve_all(
    data: Any,
    state: Any,
    ends: Any,
    hashes: Any,
    values: Any,
    young: Generation,
    old: Generation,
    model: Model,
    lanes: Any,
) -> None:
    """Solves the short pieces without a value, and keeps them: side by side, so that while one waits for its pairs, the
    others go on. The lanes at work are the first of those whose numbers `lanes` begins with."""
    start, piece, count, active = state[START], state[PIECE], state[COUNT], 0
    while active or piece < count:
        while active < LANES and piece < count:
            size = ends[piece] - start
            if values[piece] == MISSING and 1 < size <= SHORT and is_new(data, start, size, hashes[piece], old, model):
                begin_lane(data, start, size, hashes[piece], model, lanes, lanes[active])
                active += 1
            start = ends[piece]
            piece += 1
        number = 0
        while number < active:
            lane = lanes[number]
            if merged_once(model, lanes, lane):
                number += 1
                continue
            end_lane(data, young, model, lanes, lane)
            active -= 1
            lanes[number] = lanes[active]
            lanes[active] = lane


def is_new(data: Any, start: int, size: int, hashed: int, old: Generation, model: Model) -> bool:
    """Whether a piece that has no value has to be merged."""
    if find(old, data, start, size, hashed) != MISSING:
        return False
    return not model.does & WHOLE or find(model, data, start, size, hashed) < 0


def begin_lane(data: Any, start: int, size: int, hashed: int, model: Model, lanes: Any, lane: int) -> None:
    """Lays a piece into a lane: the symbols of its bytes, and the merge of each pair."""
    lanes[lane + FROM], lanes[lane + BYTES_OF], lanes[lane + HASH] = start, size, hashed
    lanes[lane + LEFT], lanes[lane + MERGED_AT] = size, -1
    for offset in range(size):
        lanes[lane + SYMBOLS + offset] = model.byte_symbols[data[start + offset]]
        lanes[lane + MERGES_OF + offset] = model.byte_pairs[data[start + offset] << 8 | data[start + offset + 1]]


def merged_once(model: Model, lanes: Any, lane: int) -> bool:
    """Merges the best pair of a lane, and prefetches what the result becomes with its neighbors; whether there was
    one."""
    pairs, mask = model.pairs, model.pair_mask
    count, at, symbols, merges = lanes[lane + LEFT], lanes[lane + MERGED_AT], lane + SYMBOLS, lane + MERGES_OF
    if at > 0:
        lanes[merges + at - 1] = merge_of(pairs, mask, lanes[symbols + at - 1], lanes[symbols + at])
    if 0 <= at < count - 1:
        lanes[merges + at] = merge_of(pairs, mask, lanes[symbols + at], lanes[symbols + at + 1])
    best, at = NO_PAIR, -1
    for index in range(count - 1):
        # of a list of merges, no two have one rank
        if lanes[merges + index] < best:
            best, at = lanes[merges + index], index
    if at < 0:
        return False
    lanes[symbols + at] = best & 0xFFFFFFFF
    count -= 1
    for index in range(at + 1, count):
        lanes[symbols + index] = lanes[symbols + index + 1]
        lanes[merges + index - 1] = lanes[merges + index]
    lanes[lane + LEFT], lanes[lane + MERGED_AT] = count, at
    if at:
        prefetch(pairs, 2 * (pair_hash(lanes[symbols + at - 1], lanes[symbols + at]) & mask))
    if at + 1 < count:
        prefetch(pairs, 2 * (pair_hash(lanes[symbols + at], lanes[symbols + at + 1]) & mask))
    return True


def end_lane(data: Any, young: Generation, model: Model, lanes: Any, lane: int) -> None:
    """Keeps the ids of a lane's piece, where there is room and each symbol has one."""
    start, size, count = lanes[lane + FROM], lanes[lane + BYTES_OF], lanes[lane + LEFT]
    known = has_room(young)
    for at in range(lane + SYMBOLS, lane + SYMBOLS + count):
        lanes[at] = model.ids_of[lanes[at]]
        known = known and lanes[at] >= 0
    if known:
        keep(young, data, start, size, lanes[lane + HASH], lanes, lane + SYMBOLS, count)


def encode(
    data: Any,
    ends: Any,
    count: int,
    hashes: Any,
    values: Any,
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
        hashed, value = hashes[piece], values[piece]
        if value == MISSING:
            # it was just solved, or is one before it again
            value = find(young, data, start, size, hashed)
        if value != MISSING:
            at += written(value, young.pool, ids, at)
        else:
            kept = size <= LONGEST
            if kept and not has_room(young):
                reason = FULL
                break
            value = find(old, data, start, size, hashed)
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
                keep(young, data, start, size, hashed, ids, at, made)
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
        keep(young, data, start, size, hash_of(data, start, size), ids, begin, count)
    return 0
