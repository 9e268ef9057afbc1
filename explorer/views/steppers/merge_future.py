"""What becomes of a pair after its step: sentences that only the rest of the run can decide."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.models.merges import MergeEvent, MergeRow

JOIN = "They join later, when one of them has grown."
APART = "They meet again when one of them has grown, but never join."
NEVER = "Neither grows after this, so they can't join."
NEW_PAIR = "It makes a new pair with a neighbor."
NO_PAIR = "It makes no new pair, so the merges end."
NO_PAIR_DRAWN = "It makes no new pair."
DRAWN = " in the part that is drawn"
"""Of a text of which a window is drawn."""


def futures(rows: Sequence[MergeRow]) -> list[str]:
    """For each row of one or more fragments: of a MISS whether the two join later, of a MERGE whether it makes a pair.

    Other rows have an empty sentence. Two neighbors meet again in a row with the same right symbol, because a merge
    keeps the index of its left one.

    >>> futures([MergeRow(MergeEvent.MISS, 0, 1, -1)])
    ["Neither grows after this, so they can't join."]
    """
    found = [""] * len(rows)
    met: dict[int, str] = {}
    """right symbol → what becomes of the boundary before it"""
    pushes = False
    for index in reversed(range(len(rows))):
        kind, _, right, _ = rows[index]
        if kind == MergeEvent.SEGMENT:
            met.clear()
        elif kind == MergeEvent.MISS:
            found[index] = met.setdefault(right, NEVER)
            if found[index] == NEVER:
                met[right] = APART
        elif kind == MergeEvent.PUSH:
            pushes = True
            met.setdefault(right, APART)
            continue
        elif kind == MergeEvent.MERGE:
            found[index] = NEW_PAIR if pushes else NO_PAIR
            met[right] = JOIN
        pushes = pushes and kind == MergeEvent.MISS
    return found
