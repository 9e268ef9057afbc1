"""The merges of one fragment, replayed from its events.

Symbols are counted as they were before merging. The symbol at index i covers the initial symbols [i, ends[i]); a merge
removes the boundary in front of its right symbol for good, so each boundary within a token is removed by exactly one
merge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from explorer.engine.models.merges import PAIRS, MergeEvent, MergeModel, MergeRow, Symbols


class Pair(NamedTuple):
    """An event about two neighboring symbols.

    start, middle, end: the left symbol is [start, middle), the right one [middle, end), when the pair was looked up. A
    stale entry has the symbols of its push. left, right: their spellings then.
    """

    event: int
    kind: int
    start: int
    middle: int
    end: int
    left: bytes
    right: bytes
    token: int


class MergeReplay:
    """One fragment.

    symbols: before merging. pairs: all events about pairs, in order. merges: the merge that removed each boundary, by
    boundary. ends: by initial symbol, the end of the symbol that begins there now. last_merge: the last merge's event,
    -1 for none. unmerged: by the boundary that it opened, the event that took a piece apart, and the piece's id.
    fallback: by initial symbol that is a byte of a character, the event and the symbols [start, end) of the character.
    stand_ins: by initial symbol that is the unknown token, its event and the number of characters it replaces.
    """

    def __init__(self, model: MergeModel, text: str, rows: Iterable[tuple[int, MergeRow]]) -> None:
        self.model, self.text = model, text
        self.symbols: Symbols = model.initial_symbols(text)
        self.ends = list(range(1, len(self.symbols.pieces) + 1))
        self.pairs: list[Pair] = []
        self.merges: dict[int, Pair] = {}
        self.last_merge = -1
        self.unmerged: dict[int, tuple[int, int]] = {}
        self.fallback: dict[int, tuple[int, int, int]] = {}
        self.stand_ins: dict[int, tuple[int, int]] = {}
        self._pushed: dict[tuple[int, int, int], Pair] = {}
        for event, row in rows:
            self._replay(event, row)

    def _replay(self, event: int, row: MergeRow) -> None:
        kind, left, right, token = row
        if kind in PAIRS:
            self._pair(event, row)
        elif kind == MergeEvent.UNMERGE:
            self.unmerged[right] = event, token
        elif kind == MergeEvent.FALLBACK:
            for symbol in range(left, left + right):
                self.fallback[symbol] = event, left, left + right
        elif kind == MergeEvent.UNKNOWN_RUN:
            self.stand_ins[left] = event, right

    def _pair(self, event: int, row: MergeRow) -> None:
        kind, left, right, token = row
        if kind in (MergeEvent.PUSH, MergeEvent.MISS, MergeEvent.MERGE):
            pair = self._now(event, row)
            if kind == MergeEvent.PUSH:
                self._pushed[left, right, token] = pair
            elif kind == MergeEvent.MERGE:
                self.merges[right] = pair
                self.ends[left] = pair.end
                self.last_merge = event
        else:
            pair = self._pushed[left, right, token]._replace(event=event, kind=kind)
        self.pairs.append(pair)

    def _now(self, event: int, row: MergeRow) -> Pair:
        start, middle, end = row.left, row.right, self.ends[row.right]
        return Pair(event, row.kind, start, middle, end, self.piece(start, middle), self.piece(middle, end), row.token)

    def piece(self, start: int, end: int) -> bytes:
        """The spelling of the symbol that the initial symbols [start, end) merge into."""
        return self.model.join(self.symbols.pieces[start:end])

    def within(self, start: int, end: int) -> list[Pair]:
        """The merges that made the symbol [start, end), in order."""
        found = (self.merges[boundary] for boundary in range(start + 1, end) if boundary in self.merges)
        return sorted(merge for merge in found if merge.start >= start and merge.end <= end)

    def at_seam(self, boundary: int) -> list[Pair]:
        """The events about the two symbols at a boundary: lookups of the pair, and merges that changed one of them."""
        return [
            pair
            for pair in self.pairs
            if pair.middle == boundary or (pair.kind == MergeEvent.MERGE and boundary in (pair.start, pair.end))
        ]

    def characters(self, start: int, end: int) -> str:
        """The text of the initial symbols [start, end)."""
        return self.text[self.symbols.starts[start] : self.symbols.ends[end - 1]]


def priority_value(model: MergeModel, left: bytes, right: bytes) -> float | None:
    """The score, the rank, or the index in the list of merges of a pair; None if it may not merge."""
    priority = model.priority_of(left, right)
    return -priority if priority is not None and model.priority == "score" else priority
