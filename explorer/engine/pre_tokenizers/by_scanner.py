"""A splitter by a hand-written scanner, as llama.cpp has them."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.scanners import Scanner
from explorer.engine.pre_tokenizers.stage import cut_at
from explorer.engine.trace import Emit


class ScannerSplit:
    """Cuts by a hand-written scanner, as llama.cpp does for the three patterns it has one for."""

    unicode = "15.1"

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.alternatives = scanner.alternatives

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return cut_at(piece, self.scanner.scan(piece.text), first, emit)
