"""Priority queues in the order of two originals, which decides between equal priorities.

`Hypotheses` of sentencepiece is `std::priority_queue` of libstdc++. tokenizers has a `QuaternaryHeap` of the crate
dary_heap, and an order in which an entry is greater than its equals. Which of two equally good paths is found first
follows from these heaps, and with it what pruning keeps.

In the binary heap of GNU's C++ library a hole at the top goes down to a leaf first, and the entry that fills it rises
from there. Follows `__adjust_heap` and `__push_heap` of `stl_heap.h`. The greatest entry is on top; only the first
field of an entry counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

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


Entry = tuple[float, float, int, "Entry | None"]
"""Its priority comes first."""


class Order(NamedTuple):
    """A queue's two operations on a list; the entry with the highest priority is popped first."""

    push: Callable[[list[Entry], Entry], None]
    pop: Callable[[list[Entry]], Entry]


def push_binary(heap: list[Entry], entry: Entry) -> None:
    """Adds an entry (`std::push_heap`)."""
    heap.append(entry)
    rise(heap, len(heap) - 1, entry, 0)


def pop_binary(heap: list[Entry]) -> Entry:
    """Takes the entry with the highest priority (`std::pop_heap`)."""
    last = heap.pop()
    if not heap:
        return last
    top = heap[0]
    adjust(heap, 0, last, 0)
    return top


def push_quaternary(heap: list[Entry], entry: Entry) -> None:
    """Adds an entry (`QuaternaryHeap::push`): equals move down."""
    heap.append(entry)
    _rise_quaternary(heap, len(heap) - 1, entry)


def pop_quaternary(heap: list[Entry]) -> Entry:
    """Takes the entry with the highest priority (`QuaternaryHeap::pop`)."""
    last = heap.pop()
    if not heap:
        return last
    top = heap[0]
    hole, size = 0, len(heap)
    while 4 * hole + 1 < size:
        children = range(4 * hole + 1, min(4 * hole + 5, size))
        child = max(children, key=lambda position: heap[position][0])
        heap[hole] = heap[child]
        hole = child
    _rise_quaternary(heap, hole, last)
    return top


def _rise_quaternary(heap: list[Entry], hole: int, entry: Entry) -> None:
    """Moves parents that are not higher down and puts the entry where they end."""
    while hole and not entry[0] < heap[(hole - 1) // 4][0]:
        heap[hole] = heap[(hole - 1) // 4]
        hole = (hole - 1) // 4
    heap[hole] = entry


BINARY = Order(push_binary, pop_binary)
"""Priority queue with libstdc++'s ordering."""

QUATERNARY = Order(push_quaternary, pop_quaternary)
"""Priority queue with dary_heap's ordering."""
