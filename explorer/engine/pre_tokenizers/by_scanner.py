"""Splits by a hand-written scanner, as llama.cpp does."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.scanners import Scanner
from explorer.engine.pre_tokenizers.stage import split_at
from explorer.engine.pre_tokenizers.word_scanners import FAILED, LOOK
from explorer.engine.trace import Emit, silent


class ScannerSplit:
    """Splits by a hand-written scanner, as llama.cpp does for the patterns it has one for."""

    unicode = "15.1"
    """The version of Unicode whose categories it uses."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.alternatives = scanner.alternatives

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces that the scanner finds."""
        if emit is silent or not self.scanner.source:
            return split_at(piece, self.scanner.scan(piece.text), first, emit)
        text, starts, ends = piece
        size = len(text)

        def tell(kind: int, at: int, index: int, value: int) -> None:
            start = starts[at]
            if kind == FAILED:
                emit(kind, start, start, first + value)
            else:
                emit(kind, start, starts[index] if kind == LOOK and index < size else ends[index - 1], value)

        return split_at(piece, self.scanner.scan(text, tell), first, emit, failures=False)
