"""Searches in sorted spans of the original text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.matching import Spot

T = TypeVar("T", bound=tuple[Any, ...])


def touching(spans: Sequence[T], start: int, end: int) -> Sequence[T]:
    """Those of sorted, disjoint spans that overlap or touch [start, end].

    >>> touching([Span(0, 1), Span(2, 4), Span(6, 7)], 4, 5)
    [Span(start=2, end=4)]
    """
    low = bisect_left(spans, start, key=lambda span: span[1])
    return spans[low : bisect_right(spans, end, lo=low, key=lambda span: span[0])]


def adjacent_joined(spots: Iterable[Spot]) -> list[Span]:
    """Each run of adjacent spots as one span.

    >>> adjacent_joined([Spot(*span, "", "", range(0), range(0)) for span in ((0, 1), (1, 1), (1, 3), (4, 5))])
    [Span(start=0, end=3), Span(start=4, end=5)]
    """
    spans: list[Span] = []
    for spot in spots:
        if spans and spans[-1].end == spot.start:
            spans[-1] = Span(spans[-1].start, spot.end)
        else:
            spans.append(Span(spot.start, spot.end))
    return spans


def overlap(one: Spot, other: Spot) -> bool:
    """Whether two spots share a character, or are insertions at the same position."""
    if one.start == one.end or other.start == other.end:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end
