"""The order in which a C++ program of GNU's library walks through a hash map, and what it keeps of the largest.

sentencepiece 0.2.1 and before look at the most frequent pairs only. Which of equally frequent ones are among them
follows from the order of a `std::unordered_map`, whose keys are fingerprints of pairs, and from the heap inside
`std::partial_sort`. Neither is random, so both can be reproduced. Follows libstdc++: `_Hashtable` (nodes in one linked
list, the nodes of a bucket side by side), its growth, `__heap_select` on a binary heap (`engine/cpp_heap.py`); and
`FingerprintCat` of sentencepiece's `util.h`, which is Bob Jenkins's 64-bit mix.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from explorer.engine.cpp_heap import adjust

WORD: Final = (1 << 64) - 1
SIZES: Final = (
    13, 29, 59, 127, 257, 541, 1_109, 2_357, 5_087, 10_273, 20_753, 42_043, 85_229, 172_933, 351_061, 712_697,
    1_447_153, 2_938_679, 5_967_347, 12_117_689, 24_607_243, 49_969_847, 101_473_717,
)  # fmt: skip
"""Numbers of buckets, as a map grows that is filled one by one."""

SHIFTS: Final = ((43, 9, 8), (38, 23, 5), (35, 49, 11), (12, 18, 22))
HEAD: Final = -1


def fingerprint(left: int, right: int) -> int:
    """The fingerprint of a pair, from those of its sides; that of a character is its code point.

    >>> hex(fingerprint(97, 98))
    '0x91dd6b9aed0fd9aa'
    """
    a, b, c = left, 0xE08C1D668B756F82, right
    for first, second, third in SHIFTS:
        a = (a - b - c & WORD) ^ c >> first
        b = (b - c - a & WORD) ^ (a << second & WORD)
        c = (c - a - b & WORD) ^ b >> third
    return c


class HashOrder:
    """The keys of a `std::unordered_map<uint64_t, …>`, in the order in which it is walked through.

    >>> order = HashOrder()
    >>> for key in (1, 2, 14, 3):
    ...     order.add(key)
    >>> list(order)
    [3, 2, 14, 1]
    """

    def __init__(self) -> None:
        self.size = 0
        self.buckets: dict[int, int] = {}
        """of each bucket in use the key before its first one, or HEAD"""
        self.count = 1
        """of buckets"""
        self.next: dict[int, int | None] = {HEAD: None}

    def __len__(self) -> int:
        return self.size

    def __contains__(self, key: int) -> bool:
        return key in self.next

    def __iter__(self) -> Iterator[int]:
        key = self.next[HEAD]
        while key is not None:
            yield key
            key = self.next[key]

    def add(self, key: int) -> None:
        """Adds a key that is not in the map."""
        if self.size == 0 and self.count == 1:
            self.count = SIZES[0]
        elif self.size >= self.count:
            self.grow(SIZES[bisect_right(SIZES, self.count)])
        self.link(key)
        self.size += 1

    def link(self, key: int) -> None:
        """Puts a key first in its bucket, or first of all where the bucket is empty."""
        bucket = key % self.count
        before = self.buckets.get(bucket)
        if before is None:
            after = self.next[HEAD]
            self.next[key], self.next[HEAD] = after, key
            if after is not None:
                self.buckets[after % self.count] = key
            self.buckets[bucket] = HEAD
        else:
            self.next[key], self.next[before] = self.next[before], key

    def grow(self, count: int) -> None:
        """Links all keys anew, in their order."""
        keys = list(self)
        self.buckets, self.count, self.next = {}, count, {HEAD: None}
        for key in keys:
            self.link(key)

    def remove(self, key: int) -> None:
        """Removes a key that is in the map."""
        bucket = key % self.count
        before = first = self.buckets[bucket]
        while (following := self.next[before]) != key:
            assert following is not None
            before = following
        after = self.next.pop(key)
        next_bucket = None if after is None else after % self.count
        if before == first and next_bucket != bucket:
            if next_bucket is not None:
                self.buckets[next_bucket] = first
            del self.buckets[bucket]
        elif next_bucket is not None and next_bucket != bucket:
            self.buckets[next_bucket] = before
        self.next[before] = after
        self.size -= 1


def largest(values: Sequence[int], size: int) -> list[int]:
    """The positions of the `size` largest values that `std::partial_sort` keeps, in no order.

    >>> sorted(largest([3, 1, 3, 2, 3], 2)), largest([1, 2], 2)
    ([0, 2], [0, 1])
    """
    # the least value is on top
    heap = [(-value, position) for position, value in enumerate(values[:size])]
    if size in (0, len(values)):
        return [position for _, position in heap]
    for parent in range((size - 2) // 2, -1, -1):
        adjust(heap, parent, heap[parent], parent)
    for position in range(size, len(values)):
        if -values[position] < heap[0][0]:
            adjust(heap, 0, (-values[position], position), 0)
    return [position for _, position in heap]
