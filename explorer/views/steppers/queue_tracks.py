"""The work queue as a script draws it: in pop order, and as the binary heap that holds it.

Entries are pushed to and popped from a real `heapq`, which the engine uses too, so the page shows the heap of the run.
Only the first entries of the heap are drawn, and only changes among them are written.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from explorer.views.steppers.script import ScriptBuilder, TrackRow

HEAP_SHOWN = 15
"""Entries of the heap that are drawn."""

TRACKS: tuple[dict[str, Any], ...] = (
    {"name": "queue", "type": "queue", "title": "Work queue, next pop first", "meter": "score"},
    {"name": "heap", "type": "heap", "title": "The same queue as a binary heap", "note": "array order, [0] at the top",
     "of": "queue"},
)  # fmt: skip


class QueueTracks:
    """Writes the tracks `queue` and `heap` of a script.

    An entry is a pair of symbols. At most one entry per left symbol is not stale.
    """

    def __init__(self, builder: ScriptBuilder) -> None:
        self.builder = builder
        self.rows: dict[int, TrackRow] = {}
        """serial number → row of an entry in the queue"""
        self.fresh: dict[int, int] = {}
        """left symbol → serial number of its entry that isn't stale"""
        self.heap: list[tuple[int, int]] = []
        self.live: list[tuple[int, int]] = []
        """the entries again; those that were popped or became stale are removed when they come up"""
        self.drawn: list[int] = []
        self.popped: TrackRow = ()
        """the entry popped last"""
        self.serial = 0

    def push(self, text: int, order: int, value: int, meter: int, left: int, right: int, size: int) -> int:
        """Adds an entry and returns its serial number.

        text, value: indices in the string table. order: index in pop order. meter: length of the bar, 0 to 100.
        size: in bytes.
        """
        serial = self.serial
        self.serial += 1
        self.rows[serial] = (text, order, value, meter, left, right, 0, size)
        self.fresh[left] = serial
        self.builder.put("queue", serial, *self.rows[serial])
        heappush(self.heap, (order, serial))
        heappush(self.live, (order, serial))
        self._draw_heap()
        return serial

    def pop(self) -> None:
        """Removes the first entry."""
        _, serial = heappop(self.heap)
        self.popped = self.rows.pop(serial)
        left = self.popped[4]
        if self.fresh.get(left) == serial:
            del self.fresh[left]
        self.builder.delete("queue", serial)
        self._draw_heap()

    def stale(self, left: int) -> None:
        """Marks the entry whose left symbol is `left`, if any: it will be skipped when it is popped."""
        serial = self.fresh.pop(left, None)
        if serial is not None:
            *entry, _, size = self.rows[serial]
            self.rows[serial] = (*entry, 1, size)
            self.builder.put("queue", serial, *self.rows[serial])

    def best(self) -> TrackRow | None:
        """The first entry that is not stale; None without one."""
        while self.live:
            row = self.rows.get(self.live[0][1])
            if row is not None and not row[6]:
                return row
            heappop(self.live)
        return None

    def _draw_heap(self) -> None:
        now = [serial for _, serial in self.heap[:HEAP_SHOWN]]
        for index, serial in enumerate(now):
            if index >= len(self.drawn) or self.drawn[index] != serial:
                self.builder.put("heap", index, serial)
        for index in range(len(now), len(self.drawn)):
            self.builder.delete("heap", index)
        self.drawn = now
