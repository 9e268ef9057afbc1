"""Where each pair occurs first: the tie rule of trainers that keep pairs in a dictionary.

Python's `max` over a dictionary takes, of equals, the key that was inserted first. Where a trainer counts all pairs
anew at each step, that is the pair that occurs first in the words as they are now.

A position is (word, offset): the offset in the word's first symbols, not in those of now, so an occurrence keeps it as
long as it exists. The first position of a pair therefore only moves to the right, and a heap can hold positions
that are out of date.
"""

from __future__ import annotations

from typing import TypeAlias

Position: TypeAlias = tuple[int, int]
"""A word and an offset in it."""


class Occurrences:
    """The words that hold each pair, and the first position of a pair.

    words: rewritten by the trainer while this is in use. where: the words that hold each pair, rising. sizes: of each
    symbol, in symbols of the start.

    >>> Occurrences(["ab", "cab"], {"ab": [0, 1]}, [1] * 128).first("ab")
    (0, 0)
    """

    def __init__(self, words: list[str], where: dict[str, list[int]], sizes: list[int]) -> None:
        self.words, self.where, self.sizes = words, where, sizes
        self.passed: dict[str, int] = {}
        """of each pair, how many of its words no longer hold it"""

    def first(self, pair: str) -> Position:
        """The first position of a pair that occurs."""
        word, at = self.now(pair)
        return word, sum(map(self.sizes.__getitem__, map(ord, self.words[word][:at])))

    def now(self, pair: str) -> Position:
        """The same with the offset in the word's symbols of now: it orders pairs alike, and is cheaper."""
        holding = self.where[pair]
        passed = self.passed.get(pair, 0)
        while (at := self.words[holding[passed]].find(pair)) < 0:
            passed += 1
        self.passed[pair] = passed
        return holding[passed], at

    def add(self, pair: str, numbers: list[int]) -> None:
        """The pair has arisen in these words."""
        if pair in self.where:
            numbers = sorted({*self.where[pair], *numbers})
            self.passed.pop(pair, None)
        self.where[pair] = numbers

    def forget(self, pair: str) -> list[int]:
        """The words that held a pair, which is about to be merged in all of them."""
        self.passed.pop(pair, None)
        return self.where.pop(pair)
