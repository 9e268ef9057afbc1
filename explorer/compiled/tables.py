"""Open-addressing tables of byte strings: a piece of text → a number. For the vocabulary, and for pieces already met.

A slot is four words: the first eight bytes of the key, the next eight, its size with the index of its text, the value.
A size of 0 is an empty slot. A key longer than sixteen bytes has its text elsewhere, and all of it is compared: a hash
alone decides nothing. A search ends after `PROBES` slots, so that keys made to collide cost no more than that.

The memory of pieces holds the ids of each piece of text already met, looked up instead of computed. It has two
generations: when the young one is full, it becomes the old one, and an entry that is asked for again is copied back. So
what is in use stays, what is not is forgotten, and the memory is bounded. Each is a table, whose value is up to two
ids, or the index of more of them in a pool: their number, then the ids.

Source for Python and for numba (`build`).
"""

from typing import Any

from explorer.compiled.utf8 import Generation, Table, Words, product, word

SLOT = 4
"""Words of a slot."""

SHORT_KEY = 16
"""Bytes of a key that are in its slot."""

SIZE = (1 << 24) - 1
"""The bits of a slot's third word that hold the size; the index of the text is above them."""

PROBES = 64
"""Slots that a search looks at."""

MISSING = -(1 << 62)
"""The value of a key that is not in the table."""


def low_word(data: Any, at: int, size: int) -> int:
    """The first eight bytes of a key, zeros after its end.

    >>> low_word(b"ab" + bytes(8), 0, 1)
    97
    """
    return word(data, at) if size >= 8 else word(data, at) & ((1 << 8 * size) - 1)


def high_word(data: Any, at: int, size: int) -> int:
    """The next eight bytes of a key, zeros after its end."""
    return word(data, at + 8) & (-1 if size >= SHORT_KEY else (1 << 8 * max(size - 8, 0)) - 1)


def mixed(low: int, high: int) -> int:
    """A hash of two words, below 2⁶³."""
    found = product(low, 0x369DEA0F31A53F85) ^ product(high ^ high >> 31, 0x27BB2EE687B0B0FD)
    return product(found ^ found >> 32, 0x1B56C4E9)


def hash_of(data: Any, at: int, size: int) -> int:
    """The hash of a key."""
    found = mixed(low_word(data, at, size), high_word(data, at, size)) ^ size * 0x9E3779B1
    if size > SHORT_KEY:
        offset = SHORT_KEY
        while offset < size:
            found = mixed(low_word(data, at + offset, size - offset), found)
            offset += 8
    return int(found ^ found >> 33)


def prefetch(words: Any, at: int) -> None:
    """Loads words into the processor's caches. In Python this does nothing; compiled, it is one instruction."""


def find(table: Any, data: Any, at: int, size: int, hashed: int) -> int:
    """The value of a key, MISSING if it is not in the table. table: a record with slots, mask and texts."""
    slots, mask = table.slots, table.mask
    low, high = low_word(data, at, size), high_word(data, at, size)
    index = hashed & mask
    for _ in range(PROBES):
        slot = index * SLOT
        known = slots[slot + 2]
        if known == 0:
            return MISSING
        alike = known & SIZE == size and slots[slot] == low and slots[slot + 1] == high
        if alike and (size <= SHORT_KEY or same(table.texts, known >> 24, data, at, size)):
            return int(slots[slot + 3])
        index = (index + 1) & mask
    return MISSING


def put(table: Any, data: Any, at: int, size: int, text: int, hashed: int, value: int) -> bool:
    """Adds a key that is not in the table; False if the table is full. text: the index of its text."""
    slots, mask = table.slots, table.mask
    index = hashed & mask
    for _ in range(PROBES):
        slot = index * SLOT
        if slots[slot + 2] == 0:
            slots[slot] = low_word(data, at, size)
            slots[slot + 1] = high_word(data, at, size)
            slots[slot + 2] = text << 24 | size
            slots[slot + 3] = value
            return True
        index = (index + 1) & mask
    return False


def same(texts: Any, text: int, data: Any, at: int, size: int) -> bool:
    """Whether a text that is kept is this key, of more than eight bytes."""
    offset = 0
    while offset + 8 < size:
        if word(texts, text + offset) != word(data, at + offset):
            return False
        offset += 8
    return word(texts, text + size - 8) == word(data, at + size - 8)


def fill(table: Table, starts: Words, count: int) -> int:
    """Adds keys in order: key i is `texts[starts[i]:starts[i + 1]]`, its value i. Returns how many fit."""
    texts = table.texts
    for key in range(count):
        at = starts[key]
        size = starts[key + 1] - at
        if size and not put(table, texts, at, size, at, hash_of(texts, at, size), key):
            return key
    return count


# --- pairs: two symbols → what they merge to --------------------------------------------------------------------------

NO_PAIR = 1 << 62
"""The value of a pair that may not merge: above every rank."""


def pair_hash(left: int, right: int) -> int:
    """The hash of a pair of symbols."""
    found = (left * 0x2545F491) ^ (right * 0x6C078965)
    return found ^ found >> 17


def merge_of(pairs: Any, mask: int, left: int, right: int) -> int:
    """A pair's rank · 2³² + the symbol it becomes; NO_PAIR if it may not merge."""
    key = left << 32 | right
    index = pair_hash(left, right) & mask
    for _ in range(PROBES):
        known = pairs[2 * index]
        if known == key:
            return int(pairs[2 * index + 1])
        if known < 0:
            return NO_PAIR
        index = (index + 1) & mask
    return NO_PAIR


def put_pair(pairs: Any, mask: int, left: int, right: int, value: int) -> bool:
    """Adds a pair, or replaces it; False if the table is full."""
    key = left << 32 | right
    index = pair_hash(left, right) & mask
    for _ in range(PROBES):
        known = pairs[2 * index]
        if known < 0 or known == key:
            pairs[2 * index] = key
            pairs[2 * index + 1] = value
            return True
        index = (index + 1) & mask
    return False


def fill_pairs(pairs: Words, mask: int, lefts: Words, rights: Words, values: Words, count: int) -> int:
    """Adds pairs in order. Returns how many fit."""
    for index in range(count):
        if not put_pair(pairs, mask, lefts[index], rights[index], values[index]):
            return index
    return count


def split_pairs(table: Table, starts: Words, ranks: Words, count: int, pairs: Words, pair_mask: int) -> int:
    """Adds every pair of symbols whose bytes, joined, are a symbol with a rank from 0. Returns how many pairs there
    are, -1 if one had no room. pair_mask: -1 only counts."""
    found = 0
    for key in range(count):
        start = starts[key]
        stop = starts[key + 1]
        if ranks[key] < 0:
            continue
        for at in range(start + 1, stop):
            left = symbol_of(table, table.texts, start, at - start)
            if left < 0:
                continue
            right = symbol_of(table, table.texts, at, stop - at)
            if right < 0:
                continue
            found += 1
            if pair_mask >= 0 and not put_pair(pairs, pair_mask, left, right, ranks[key] << 32 | key):
                return -1
    return found


def symbol_of(table: Any, data: Any, at: int, size: int) -> int:
    """The number of a key in a table made by `fill`, negative if it has none."""
    return find(table, data, at, size, hash_of(data, at, size))


# words of a generation's counters
USED = 0
POOLED = 1
KEPT = 2

ID = (1 << 31) - 1
"""The bits of an id in a value; a second id is above them, plus one."""

LONGEST = 4096
"""Bytes of the longest piece that is kept."""

MOST_IDS = 4096
"""The most ids of a piece that is kept."""


def has_room(young: Generation) -> bool:
    """Whether a generation has room for any piece that is kept: half of its slots are used at most."""
    counters = young.counters
    if 2 * counters[USED] > young.mask:
        return False
    return not (counters[POOLED] + MOST_IDS + 1 > young.pool_room or counters[KEPT] + LONGEST > young.text_room)


def keep(young: Generation, data: Any, at: int, size: int, hashed: int, ids: Any, begin: int, count: int) -> None:
    """Adds a piece with its ids, `count` of them from `ids[begin]`, to a generation that has room."""
    pool, texts, counters = young.pool, young.texts, young.counters
    text = counters[KEPT]
    if count == 1:
        value = int(ids[begin])
    elif count == 2:
        value = int(ids[begin]) | (int(ids[begin + 1]) + 1) << 31
    else:
        value = -1 - counters[POOLED]
    if not put(young, data, at, size, text if size > SHORT_KEY else 0, hashed, value):
        return
    counters[USED] += 1
    if size > SHORT_KEY:
        for offset in range(size):
            texts[text + offset] = data[at + offset]
        counters[KEPT] = text + size
    if value < 0:
        offset = counters[POOLED]
        pool[offset] = count
        for index in range(count):
            pool[offset + 1 + index] = ids[begin + index]
        counters[POOLED] = offset + 1 + count


def written(value: int, pool: Any, ids: Any, begin: int) -> int:
    """Writes the ids of a value to `ids[begin]` and after it; returns how many."""
    if value >= 0:
        # both at once: whether there is a second one is hard to predict
        ids[begin] = value & ID
        second = value >> 31
        ids[begin + 1] = second - 1
        return 1 + (second > 0)
    offset = -1 - value
    count = int(pool[offset])
    for index in range(count):
        ids[begin + index] = pool[offset + 1 + index]
    return count
