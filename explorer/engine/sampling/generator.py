"""Random numbers as C++'s standard library makes them from a seed: `std::mt19937`, and the two distributions on it.

Follows libstdc++: a double is made of two outputs (`generate_canonical`), and a discrete distribution looks one up in
the sums of its weights; with a single weight it draws nothing. sentencepiece up to 0.2.1 uses this generator, so a seed
gives its samples. Later versions use one of Abseil's whose output differs from process to process, and Hugging Face's
library has one that takes no seed. Beside it Python's `random`, the same twister with another way to make a number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from typing import Final

WORDS: Final = 624
"""The size of the state in words of 32 bits."""

LARGEST_SEED: Final = 2**32 - 1


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
