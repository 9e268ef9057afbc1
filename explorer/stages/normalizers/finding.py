"""The event of normalization that wrote or dropped a character nearest to a position."""

from __future__ import annotations

from bisect import bisect_left

from explorer.engine.items import Segment
from explorer.engine.normalizers.charsmap import CharsmapRow
from explorer.engine.results import Stage
from explorer.stages.finders import Finder, Painted, Sought


class WrittenFinder(Finder):
    """By code point, the sorted positions of the original where it was written or dropped, and each one's event.

    Rows count in the text of their item.
    """

    def __init__(self, stage: Stage) -> None:
        found: dict[int, dict[int, int]] = {}
        for event, row in enumerate(stage.events):
            segment = stage.after[row.item] if row.item < len(stage.after) else None
            if isinstance(segment, Segment) and segment.text:
                position = segment.starts[min(row.at, len(segment.text) - 1)]
                found.setdefault(row.code_point, {}).setdefault(position, event)
        self.written = {
            code_point: (sorted(events), [events[position] for position in sorted(events)])
            for code_point, events in found.items()
        }

    def find(self, sought: Sought) -> int | None:
        """The event that wrote one of the code points nearest to the start."""
        near = []
        for ch in set(sought.code_points):
            positions, events = self.written.get(ord(ch), ([], []))
            at = bisect_left(positions, sought.start)
            near += [
                (abs(positions[each] - sought.start), events[each])
                for each in (at - 1, at)
                if 0 <= each < len(positions)
            ]
        return min(near)[1] if near else None


def finder(stage: Stage) -> Finder:
    """Of a character map each event is about a span; operations write characters."""
    if stage.part.row is not CharsmapRow:
        return WrittenFinder(stage)
    return Painted((row.at, row.at + row.size, event) for event, row in enumerate(stage.events))
