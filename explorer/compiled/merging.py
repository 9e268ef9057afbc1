"""Merging symbols by rank: the best pair first, of equal ones the leftmost, until no pair may merge.

Makes the merges of `models.merges` in the same order. A short chain lies in a list that is searched and closed up; a
long one has links and a heap, so that its cost grows no faster than n log n. Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

from explorer.compiled.tables import NO_PAIR, merge_of

SHORT: Final = 64
"""Symbols of the longest chain that is searched."""

SCRATCH: Final = 4
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
