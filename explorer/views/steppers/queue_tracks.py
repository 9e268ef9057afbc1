"""The work queue as a script draws it: in pop order, and as the binary heap it is kept in.

The entries are pushed to and popped from a real `heapq`, the same the engine uses, so the heap on the page is the
heap of the run. Of it only the first places are drawn, and only what changes among them is written.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from explorer.views.steppers.script import ScriptBuilder, TrackRow

HEAP_SHOWN = 15

TRACKS: tuple[dict[str, Any], ...] = (
    {"name": "queue", "type": "queue", "title": "Work queue, next pop first", "meter": "score"},
    {"name": "heap", "type": "heap", "title": "The same queue as a binary heap", "note": "array order, [0] on top",
     "of": "queue"},
)  # fmt: skip


class QueueTracks:
    """Keeps the tracks `queue` and `heap` of a script.

    An entry is a pair of symbols; at most one entry with a given left symbol is not stale.
    """

    def __init__(self, builder: ScriptBuilder) -> None:
        self.builder = builder
        self.rows: dict[int, TrackRow] = {}
        """rows of the entries in the queue, by serial number"""
        self.fresh: dict[int, int] = {}
        """left symbol → serial number of its entry that is not stale"""
        self.heap: list[tuple[int, int]] = []
        self.drawn: list[int] = []
        self.serial = 0

    def push(self, text: int, order: int, value: int, meter: int, left: int, right: int, size: int) -> int:
        """A new entry; gives its serial number.

        text, value: places in the string table. order: for popping. meter: 0 to 100. size: in bytes.
        """
        serial = self.serial
        self.serial += 1
        self.rows[serial] = (text, order, value, meter, left, right, 0, size)
        self.fresh[left] = serial
        self.builder.put("queue", serial, *self.rows[serial])
        heappush(self.heap, (order, serial))
        self._draw_heap()
        return serial

    def pop(self) -> None:
        """Takes the first entry away."""
        _, serial = heappop(self.heap)
        left = self.rows.pop(serial)[4]
        if self.fresh.get(left) == serial:
            del self.fresh[left]
        self.builder.delete("queue", serial)
        self._draw_heap()

    def stale(self, left: int) -> None:
        """The entry whose left symbol is `left`, if there is one, will be skipped when it comes up."""
        serial = self.fresh.pop(left, None)
        if serial is not None:
            *entry, _, size = self.rows[serial]
            self.rows[serial] = (*entry, 1, size)
            self.builder.put("queue", serial, *self.rows[serial])

    def _draw_heap(self) -> None:
        now = [serial for _, serial in self.heap[:HEAP_SHOWN]]
        for place, serial in enumerate(now):
            if place >= len(self.drawn) or self.drawn[place] != serial:
                self.builder.put("heap", place, serial)
        for place in range(len(now), len(self.drawn)):
            self.builder.delete("heap", place)
        self.drawn = now
