"""The regions in which the ids of two runs differ, with the tokens there.

A region is the smallest stretch of the original at whose ends both sides have a cut. A token inserted between two
characters belongs to the region after it. Cuts inside a stretch of equal characters with different spans don't count.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.analysis.alignment import Span, cells_of
from explorer.analysis.divergence.cause import TokenRanges
from explorer.analysis.divergence.matching import AlignedGroup, aligned_groups
from explorer.analysis.divergence.text_differences import TextDifferences


def regions(differences: TextDifferences) -> Iterator[tuple[Span, TokenRanges]]:
    """The regions in the order of the text."""
    size = len(differences.text)
    left, right = (list(cells_of(side.tokens, size)) for side in differences.sides)
    pending: AlignedGroup | None = None
    for group in aligned_groups(left, right, size):
        if pending is not None:
            lefts, rights = adjacent(pending.left, group.left), adjacent(pending.right, group.right)
            group = AlignedGroup(pending.start, group.end, lefts, rights)
            pending = None
        is_different = _ids_differ(differences, group)
        is_inserted = group.start == group.end < size
        if differences.is_moved(group.end) or (is_inserted and is_different):
            pending = group
        elif is_different:
            yield Span(group.start, group.end), (group.left, group.right)


def _ids_differ(differences: TextDifferences, group: AlignedGroup) -> bool:
    left, right = (
        [side.tokens[index].id for index in tokens] for side, tokens in zip(differences.sides, group[2:], strict=True)
    )
    return left != right


def adjacent(one: range, other: range) -> range:
    """Two adjacent ranges as one; either may be empty."""
    return range(one.start, other.stop) if one and other else one or other
