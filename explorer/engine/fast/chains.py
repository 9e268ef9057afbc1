"""Merges a short chain of symbols without a queue.

Makes the same merges as `merges.merge` in the same order: the best pair first, equal pairs from the left. The ranks of
the pairs are kept in a list, and `min` finds the best. For so few symbols that is several times as fast as a heap with
its stale entries. It emits no events, so the traced path does not use it; a property test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import inf
from typing import AnyStr, Final

SHORT: Final = 160
"""Symbols. A longer chain is merged with the queue: `min` scans all of it each time, which costs more from about 200
symbols."""


def merged(parts: list[AnyStr], ranks: Mapping[AnyStr, float], between: AnyStr) -> list[AnyStr]:
    """The symbols left when no pair may merge any more. Consumes `parts`.

    ranks: by two neighbors with `between` between them, lowest first; a pair that is missing may not merge.

    >>> merged(list("abbc"), {"ab": 1, "bc": 0}, "")
    ['ab', 'bc']
    """
    rank = ranks.get
    found = [rank(left + between + right, inf) for left, right in pairwise(parts)]
    while found:
        best = min(found)
        if best == inf:
            break
        at = found.index(best)
        parts[at] += parts.pop(at + 1)
        del found[at]
        if at < len(found):
            found[at] = rank(parts[at] + between + parts[at + 1], inf)
        if at:
            found[at - 1] = rank(parts[at - 1] + between + parts[at], inf)
    return parts
