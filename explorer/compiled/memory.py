"""The memory of pieces: the ids of each piece of text already met, looked up instead of computed.

Two generations: when the young one is full, it becomes the old one, and an entry that is asked for again is copied
back. So what is in use stays, what is not is forgotten, and the memory is bounded. Each is a table of `tables`, whose
value is up to two ids, or the index of more of them in a pool: their number, then the ids.

Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.compiled.records import Generation
from explorer.compiled.tables import SHORT_KEY, put

# words of a generation's counters
USED: Final = 0
POOLED: Final = 1
KEPT: Final = 2

ID: Final = (1 << 31) - 1
"""The bits of an id in a value; a second id is above them, plus one."""

LONGEST: Final = 4096
"""Bytes of the longest piece that is kept."""

MOST_IDS: Final = 4096
"""The most ids of a piece that is kept."""


def has_room(young: Generation) -> bool:
    """Whether a generation has room for any piece that is kept: half of its slots are used at most."""
    counters = young.counters
    if 2 * counters[USED] > young.mask:
        return False
    return not (counters[POOLED] + MOST_IDS + 1 > young.pool_room or counters[KEPT] + LONGEST > young.text_room)


def keep(
    young: Generation, data: Any, at: int, size: int, low: int, high: int, hashed: int, ids: Any, begin: int, count: int
) -> None:
    """Adds a piece with its ids, `count` of them from `ids[begin]`, to a generation that has room."""
    pool, texts, counters = young.pool, young.texts, young.counters
    text = counters[KEPT]
    if count == 1:
        value = int(ids[begin])
    elif count == 2:
        value = int(ids[begin]) | (int(ids[begin + 1]) + 1) << 31
    else:
        value = -1 - counters[POOLED]
    if not put(young.slots, young.mask, size, text if size > SHORT_KEY else 0, low, high, hashed, value):
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
