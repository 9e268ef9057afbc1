"""Where two plain texts may differ. All else is equal on both sides, character by character and span by span.

Most of two long texts is equal, and Python compares lists in C. So both texts are halved at a position where each side
has a cut, until the parts are equal or short. Only short parts are compared character by character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from explorer.analysis.divergence.plain import Plain

SHORT: Final = 24
"""Characters. A part of this length is not halved any further."""

TRIED: Final = 32
"""Characters on either side of the middle at which a part may be halved."""


class PlainPair(NamedTuple):
    """Characters of both sides by index. Both sides have a cut at the ends, and nothing is inserted there."""

    lefts: range
    rights: range


class CutFinder:
    """Finds the cuts of a plain text."""

    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.until = list(accumulate(plain.ends, max))
        """per character: the largest end of it and those before it"""
        self.since = list(accumulate(reversed(plain.starts), min))[::-1]
        """per character: the smallest start of it and those after it"""

    def cuts(self, index: int) -> bool:
        """Whether a character of the original begins at an index, and no other span reaches across its start."""
        start = self.plain.starts[index]
        return (
            start < self.plain.ends[index]
            and self.since[index] == start
            and (index == 0 or self.until[index - 1] <= start)
        )


def uneven(left: Plain, right: Plain) -> Iterator[PlainPair]:
    """The stretches outside which both sides are equal, in order.

    >>> text = "in the beginning there was a difference here"
    >>> one, other = (Plain.of_characters(each, range(44), range(1, 45)) for each in (text, text.replace("was", "WAS")))
    >>> [(text[found.lefts.start : found.lefts.stop]) for found in uneven(one, other)]
    ['re was a difference here']
    """
    sides = CutFinder(left), CutFinder(right)
    parts = [PlainPair(range(len(left.text)), range(len(right.text)))]
    while parts:
        part = parts.pop()
        if is_equal(left, right, part):
            continue
        halves = halved(*sides, part)
        if halves is None:
            yield part
        else:
            parts += reversed(halves)


def is_equal(left: Plain, right: Plain, part: PlainPair) -> bool:
    """Whether both sides have the same characters with the same spans."""
    lefts, rights = (slice(each.start, each.stop) for each in part)
    return (
        left.text[lefts] == right.text[rights]
        and left.starts[lefts] == right.starts[rights]
        and left.ends[lefts] == right.ends[rights]
    )


def halved(left: CutFinder, right: CutFinder, part: PlainPair) -> tuple[PlainPair, PlainPair] | None:
    """A part in two; None if it is short or has no cut near its middle."""
    lefts, rights = part
    if max(len(lefts), len(rights)) <= SHORT or not rights:
        return None
    middle = (lefts.start + lefts.stop) // 2
    for index in range(max(middle - TRIED, lefts.start + 1), min(middle + TRIED, lefts.stop)):
        if left.cuts(index):
            start = left.plain.starts[index]
            other = bisect_left(right.plain.reached, start, rights.start, rights.stop)
            if other < rights.stop and right.plain.starts[other] == start and right.cuts(other):
                return (
                    PlainPair(range(lefts.start, index), range(rights.start, other)),
                    PlainPair(range(index, lefts.stop), range(other, rights.stop)),
                )
    return None
