"""The merges of a stage, by what they cover of the original text: what two merging models are compared by."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, cast

from explorer.engine.items import Segment
from explorer.engine.models.merges import (
    Chain,
    MergeEvent,
    MergeModel,
    MergeReplay,
    Pairs,
    merge_by_queue,
    priority_value,
)
from explorer.engine.results import Stage
from explorer.stages.stage import kinds_of


class Merged(NamedTuple):
    """A merge: the characters [start, end) of the original it covers, both symbols in plain bytes, and its priority.

    priority_value: its index in the list of merges, its rank, or its score.
    """

    start: int
    end: int
    event: int
    left: bytes
    right: bytes
    priority_value: float | None

    @property
    def key(self) -> tuple[int, int, bytes, bytes]:
        """What is equal for the same merge of another tokenizer."""
        return self.start, self.end, self.left, self.right


def merges_of(stage: Stage, plain: Callable[[bytes], bytes]) -> Iterator[Merged]:
    """The merges, by segment in the order they were made. plain: the bytes that a symbol means."""
    model, events = cast(MergeModel, stage.part), stage.events
    kinds = kinds_of(stage)
    for first, last in pairwise([*(at for at, kind in enumerate(kinds) if kind == MergeEvent.SEGMENT), len(events)]):
        segment = cast(Segment, stage.before[events[first].left])
        rows = ((event, events[event]) for event in range(first, last) if kinds[event] == MergeEvent.MERGE)
        replay = MergeReplay(model, segment.text, rows)
        starts, ends = replay.symbols.starts, replay.symbols.ends
        for merge in replay.merges.values():
            yield Merged(
                segment.starts[starts[merge.start]],
                segment.ends[ends[merge.end - 1] - 1],
                merge.event,
                plain(merge.left),
                plain(merge.right),
                priority_value(model, merge.left, merge.right),
            )


def within(found: Sequence[Merged], start: int, end: int) -> list[Merged]:
    """The merges within [start, end), in the order they were made."""
    index = bisect_left(found, start, key=lambda merged: merged.start)
    inside = []
    while index < len(found) and found[index].start < end:
        if found[index].end <= end:
            inside.append(found[index])
        index += 1
    return sorted(inside, key=lambda merged: merged.event)


def carried_out(symbols: Sequence[bytes], pairs: Pairs) -> tuple[Chain, list[tuple[int, int]]]:
    """The symbols that remain after merging, and each merge by the indices of its two symbols.

    >>> chain, merges = carried_out([b"a", b"b"], Pairs(lambda left, right: (0, left + right, 2)))
    >>> chain.pieces, merges
    ([b'ab'], [(0, 1)])
    """
    merges: list[tuple[int, int]] = []

    def note(kind: int, left: int, right: int, token: int) -> None:
        if kind == MergeEvent.MERGE:
            merges.append((left, right))

    return merge_by_queue(symbols, pairs, note), merges
