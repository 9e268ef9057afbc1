"""Splits by a hand-written scanner, as llama.cpp does."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.scanners import Scanner
from explorer.engine.pre_tokenizers.stage import split_at
from explorer.engine.trace import Emit


class ScannerSplit:
    """Splits by a hand-written scanner, as llama.cpp does for the patterns it has one for."""

    unicode = "15.1"
    """The version of Unicode whose categories it uses."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.alternatives = scanner.alternatives

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces that the scanner finds."""
        return split_at(piece, self.scanner.scan(piece.text), first, emit)
