"""What originals take from C++'s standard library, as GNU's libstdc++ has it: its binary heap and random numbers.

The order of the heap decides between equal priorities. A hole at the top goes down to a leaf first, and the entry that
fills it rises from there. Follows `__adjust_heap` and `__push_heap` of `stl_heap.h`, which `std::priority_queue` calls.
The greatest entry is on top; only the first field of an entry counts.

`Generator` is `std::mt19937` from a seed, and the two distributions on it: a double is made of two outputs
(`generate_canonical`), and a discrete distribution looks one up in the sums of its weights; with a single weight it
draws nothing. sentencepiece up to 0.2.1 uses this generator, so a seed gives its samples. Later versions use one of
Abseil's whose output differs from process to process, and Hugging Face's library has one that takes no seed. Beside it
Python's `random`, the same twister with another way to make a number.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
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


WORDS = 624
"""The size of the state in words of 32 bits."""

LARGEST_SEED = 2**32 - 1


class PythonGenerator:
    """`random.random` of Python with a seed, which subword-nmt uses.

    >>> round(PythonGenerator(7).uniform(), 6)
    0.323833
    """

    def __init__(self, seed: int) -> None:
        self.uniform: Callable[[], float] = Random(seed).random


class Generator:
    """std::mt19937 with a seed.

    >>> [Generator(5489).word() for _ in range(2)][0], round(Generator(7).uniform(), 6)
    (3499211612, 0.227339)
    """

    def __init__(self, seed: int) -> None:
        state = [seed]
        for index in range(1, WORDS):
            before = state[-1]
            state.append((1812433253 * (before ^ (before >> 30)) + index) & 0xFFFFFFFF)
        self._random = Random()
        # 3 is the version of the state that CPython documents; the last entry says that it has to be mixed first
        self._random.setstate((3, (*state, WORDS), None))

    def word(self) -> int:
        """The next 32 bits."""
        return self._random.getrandbits(32)

    def uniform(self) -> float:
        """A number in [0, 1)."""
        low, high = self.word(), self.word()
        return min((low + high * 4294967296.0) / 18446744073709551616.0, 1.0 - 2.0**-53)

    def discrete(self, weights: Sequence[float]) -> tuple[int, float]:
        """An index drawn by weight, and the number that chose it. A single weight is chosen without one (nan)."""
        if len(weights) < 2:
            return 0, float("nan")
        total = 0.0
        for weight in weights:
            total += weight
        sums = list(accumulate(weight / total for weight in weights))
        sums[-1] = 1.0
        number = self.uniform()
        return bisect_left(sums, number), number
