"""Where two plain texts may differ. All else is equal on both sides, character by character and span by span.

Most of two long texts is equal, and lists are compared in C. So both are halved at a place where each side has a cut,
until the parts are equal or short: only short parts are laid out character by character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from explorer.analysis.divergence.plain import Plain

SHORT: Final = 24
"""Characters. Such a part is not halved any more."""

TRIED: Final = 32
"""Characters around the middle at which a part may be halved."""


class Stretch(NamedTuple):
    """Characters of both sides by their index. Both have a cut at its ends, and nothing is inserted there."""

    lefts: range
    rights: range


class Side:
    """A plain text, to be asked for cuts."""

    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.until = list(accumulate(plain.ends, max))
        """per character: how far it and those before it reach"""
        self.since = list(accumulate(reversed(plain.starts), min))[::-1]
        """where it and those behind it begin"""

    def cuts(self, index: int) -> bool:
        """Whether a character of the original begins here, and nothing reaches over the place where it begins."""
        start = self.plain.starts[index]
        return (
            start < self.plain.ends[index]
            and self.since[index] == start
            and (index == 0 or self.until[index - 1] <= start)
        )


def uneven(left: Plain, right: Plain) -> Iterator[Stretch]:
    """The stretches outside of which both sides are equal, in order.

    >>> text = "in the beginning there was a difference here"
    >>> one, other = (Plain.of_characters(each, range(44), range(1, 45)) for each in (text, text.replace("was", "WAS")))
    >>> [(text[found.lefts.start : found.lefts.stop]) for found in uneven(one, other)]
    ['re was a difference here']
    """
    sides = Side(left), Side(right)
    parts = [Stretch(range(len(left.text)), range(len(right.text)))]
    while parts:
        part = parts.pop()
        if is_equal(left, right, part):
            continue
        halves = halved(*sides, part)
        if halves is None:
            yield part
        else:
            parts += reversed(halves)


def is_equal(left: Plain, right: Plain, part: Stretch) -> bool:
    """Whether both sides have the same characters with the same spans."""
    lefts, rights = (slice(each.start, each.stop) for each in part)
    return (
        left.text[lefts] == right.text[rights]
        and left.starts[lefts] == right.starts[rights]
        and left.ends[lefts] == right.ends[rights]
    )


def halved(left: Side, right: Side, part: Stretch) -> tuple[Stretch, Stretch] | None:
    """A part in two; None for one that is short, or has no cut near its middle."""
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
                    Stretch(range(lefts.start, index), range(rights.start, other)),
                    Stretch(range(index, lefts.stop), range(other, rights.stop)),
                )
    return None
