"""Priority queues in the order of two originals, which decides between equal priorities.

`Hypotheses` of sentencepiece is `std::priority_queue` of libstdc++ (`engine/cpp_heap.py`). tokenizers has a
`QuaternaryHeap` of the crate dary_heap, and an order in which an entry is greater than its equals. Which of two equally
good paths is found first follows from these heaps, and with it what pruning keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from explorer.engine.cpp_heap import pop_binary, push_binary

Entry = tuple[float, float, int, "Entry | None"]
"""Its priority comes first."""


class Order(NamedTuple):
    """A queue's two operations on a list; the entry with the highest priority is popped first."""

    push: Callable[[list[Entry], Entry], None]
    pop: Callable[[list[Entry]], Entry]


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
