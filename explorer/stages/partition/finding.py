"""The event of the partition that is about a span of the text, or about a special token."""

from __future__ import annotations

from explorer.engine.partition.special_tokens import PartitionEvent
from explorer.engine.results import Stage
from explorer.stages.finders import Covering, Covers, Finder, Sought


class PartitionFinder(Finder):
    """By token, the events that it was not parsed; the events of what was cut out, and of the remaining text."""

    def __init__(self, stage: Stage) -> None:
        self.not_parsed: dict[int | None, int] = {}
        taken: list[Covering] = []
        left: list[Covering] = []
        for event, row in enumerate(stage.events):
            if row.kind == PartitionEvent.NOT_PARSED:
                self.not_parsed.setdefault(row.token, event)
            elif row.kind != PartitionEvent.NOT_THERE:
                (left if row.kind == PartitionEvent.RAW_TEXT else taken).append(Covering(row.start, row.end, event))
        self.taken, self.left = Covers(taken), Covers(left)

    def find(self, sought: Sought) -> int | None:
        """The first event of a special token, swallowed white space or a token not parsed; else of plain text."""
        events = self.not_parsed.get(sought.token), self.taken.first(*sought.read)
        found = [event for event in events if event is not None]
        return min(found) if found else self.left.first(*sought.read)


def stripped(stage: Stage) -> Covers:
    """The white space that special tokens swallowed."""
    events = enumerate(stage.events)
    return Covers(Covering(row.start, row.end, event) for event, row in events if row.kind == PartitionEvent.STRIPPED)
