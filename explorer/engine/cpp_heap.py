"""The binary heap of GNU's C++ library, whose order decides between equal priorities.

A hole at the top goes down to a leaf first, and the entry that fills it rises from there. Follows `__adjust_heap` and
`__push_heap` of `stl_heap.h`, which `std::priority_queue` calls. The greatest entry is on top; only the first field of
an entry counts.
"""

from __future__ import annotations

from typing import Any, TypeVar

HeapEntry = TypeVar("HeapEntry", bound=tuple[Any, ...])


def adjust(heap: list[HeapEntry], hole: int, entry: HeapEntry, top: int) -> None:
    """Puts an entry into the heap below `top`, from a hole downwards (`__adjust_heap`).

    >>> heap = [(9, "a"), (5, "b"), (5, "c")]
    >>> adjust(heap, 0, (5, "d"), 0)
    >>> heap
    [(5, 'c'), (5, 'b'), (5, 'd')]
    """
    size = len(heap)
    child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if heap[child][0] < heap[child - 1][0]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    rise(heap, hole, entry, top)


def rise(heap: list[HeapEntry], hole: int, entry: HeapEntry, top: int) -> None:
    """Moves lower parents down, as far as `top`, and puts the entry where they end (`__push_heap`).

    >>> heap = [(5, "a"), (3, "b"), (4, "c"), (6, "d")]
    >>> rise(heap, 3, heap[3], 0)
    >>> heap
    [(6, 'd'), (5, 'a'), (4, 'c'), (3, 'b')]
    """
    while hole > top and heap[(hole - 1) // 2][0] < entry[0]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = entry


def push_binary(heap: list[HeapEntry], entry: HeapEntry) -> None:
    """Adds an entry (`std::push_heap`)."""
    heap.append(entry)
    rise(heap, len(heap) - 1, entry, 0)


def pop_binary(heap: list[HeapEntry]) -> HeapEntry:
    """Takes the entry with the highest priority (`std::pop_heap`)."""
    last = heap.pop()
    if not heap:
        return last
    top = heap[0]
    adjust(heap, 0, last, 0)
    return top
