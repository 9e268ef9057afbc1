"""What waits in the queue of a merge model before each merge, replayed from the events of one fragment.

A `Moment` lies before a merge. What the queue holds then are the pushes that no later event has popped. An entry is
out of date if one of its symbols has changed since.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from explorer.analysis.why.merge_replay import MergeReplay, Pair
from explorer.engine.models.merges import STALE, MergeEvent


class Moment(NamedTuple):
    """The queue before a merge.

    event: the last event before the entries popped for this merge. waiting: the entries, as they were pushed, in the
    order of the pushes. merge: the pair that merges next. ends: by initial symbol that begins a symbol now, its end.
    """

    event: int
    waiting: tuple[Pair, ...]
    merge: Pair
    ends: dict[int, int]

    def is_stale(self, entry: Pair) -> bool:
        """Whether a symbol of an entry has changed since it was pushed."""
        return self.ends.get(entry.start) != entry.middle or self.ends.get(entry.middle) != entry.end


def moments(replay: MergeReplay) -> Iterator[Moment]:
    """The moments before each merge of a fragment, in order."""
    ends = {start: start + 1 for start in range(len(replay.symbols.pieces))}
    waiting: dict[tuple[int, int, int, int], Pair] = {}
    popped: list[tuple[int, int, int, int]] = []
    """popped since the last event of another kind"""
    before = -1
    for pair in replay.pairs:
        entry = (pair.start, pair.middle, pair.end, pair.token)
        if pair.kind not in STALE and pair.kind != MergeEvent.MERGE:
            before = pair.event
            if pair.kind == MergeEvent.PUSH:
                waiting[entry] = pair
            continue
        if pair.kind == MergeEvent.MERGE:
            yield Moment(before, tuple(waiting.values()), pair, dict(ends))
            ends[pair.start] = ends.pop(pair.middle)
            before = pair.event
            popped.append(entry)
            for each in popped:
                waiting.pop(each, None)
            popped.clear()
        else:
            popped.append(entry)
