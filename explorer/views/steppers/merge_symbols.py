"""The chain of symbols as the merge script replays it: which cells each symbol covers, and its neighbors."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.models.merges import MergeModel, spans
from explorer.views.steppers.model_script import Fragment
from explorer.views.window import Window


class DrawnSymbols(Fragment):
    """The symbols of one fragment, with a cell for each symbol before the first merge."""

    def __init__(self, segment: Segment, model: MergeModel, window: Window) -> None:
        self.join = model.join
        # a segment far from the window is never drawn, and there may be thousands
        near = bool(segment.text) and segment.starts[0] < window.end and window.start <= segment.ends[-1]
        symbols = model.initial_symbols(segment.text if near else "")
        starts = [segment.starts[index] for index in symbols.starts]
        super().__init__(segment, starts, [segment.ends[index - 1] for index in symbols.ends], window)
        self.pieces = symbols.pieces
        reported = spans(symbols, segment.text) if near else ((), ())
        self.spans = [(segment.starts[start], segment.ends[end - 1]) for start, end in zip(*reported, strict=True)]
        """cell → the span that the original reports for its token"""
        self.bytes = [len(piece) for piece in self.pieces]
        self.reset()

    def reset(self) -> None:
        """Undoes all merges."""
        self.size = list(self.bytes)
        self.prev = list(range(-1, len(self.size) - 1))
        self.next = [*range(1, len(self.size)), -1] if self.size else []
        self.id = [-1] * len(self.size)

    def end(self, cell: int) -> int:
        """One after the last cell that the symbol at `cell` covers."""
        return self.next[cell] if self.next[cell] >= 0 else len(self.size)

    def data(self, cell: int) -> bytes:
        """What the symbol at `cell` spells."""
        return self.join(self.pieces[cell : self.end(cell)])

    def joined(self, left: int, right: int) -> bytes:
        """What two neighbors spell together."""
        return self.join(self.pieces[left : self.end(right)])

    def source(self, cell: int) -> str:
        """The characters of the segment that a cell was made of."""
        starts = self.segment.starts
        low, high = self.starts[cell], max(self.ends[cell], self.starts[cell] + 1)
        return "".join(ch for ch, start in zip(self.segment.text, starts, strict=True) if low <= start < high)

    def row(self, cell: int) -> tuple[int, ...]:
        """The strip's row: cells covered, token id, bytes, neighbors."""
        if not self.size[cell]:
            return 0, -1, 0, self.prev[cell], self.next[cell]
        return self.end(cell) - cell, self.id[cell], self.size[cell], self.prev[cell], self.next[cell]

    def take_whole(self, token: int) -> None:
        """Makes all cells one symbol with a token."""
        self.size = [sum(self.bytes)] + [0] * (len(self.bytes) - 1)
        self.next[0], self.id[0] = -1, token

    def absorb(self, left: int, right: int, token: int) -> list[int]:
        """Merges two symbols and returns the cells whose row changed."""
        after = self.next[right]
        self.size[left] += self.size[right]
        self.size[right] = 0
        self.next[left] = after
        self.id[left] = token
        if after >= 0:
            self.prev[after] = left
        return [left, right] if after < 0 else [left, right, after]

    def split(self, left: int, middle: int) -> list[int]:
        """Splits the symbol at `left` before the cell `middle` and returns the cells whose row changed."""
        after = self.next[left]
        whole, self.size[left] = self.size[left], sum(self.bytes[left:middle])
        self.size[middle] = whole - self.size[left]
        self.next[left], self.prev[middle], self.next[middle] = middle, left, after
        self.id[left] = self.id[middle] = -1
        if after >= 0:
            self.prev[after] = middle
        return [left, middle] if after < 0 else [left, middle, after]
