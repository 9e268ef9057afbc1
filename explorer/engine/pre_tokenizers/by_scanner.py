"""Splits by a hand-written scanner, as llama.cpp does."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.scanners import Scanner
from explorer.engine.pre_tokenizers.stage import FAILED, GAP, LOOK, PIECE, Splitter, matches_and_gaps, split_at
from explorer.engine.pre_tokenizers.word_scanners import Notes
from explorer.engine.trace import BLOCK, Emit, emit_rows, silent


class ScannerSplit(Splitter):
    """Splits by a hand-written scanner, as llama.cpp does for the patterns it has one for."""

    unicode = "15.1"

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.alternatives = scanner.alternatives

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces that the scanner finds."""
        if emit is silent or not self.scanner.source:
            return split_at(piece, self.scanner.scan(piece.text), first, emit)
        size = len(piece.text)
        notes: Notes = []
        pieces: list[Segment] = []
        for start, end, alternative in matches_and_gaps(self.scanner.scan(piece.text, notes), size):
            notes += (PIECE if alternative >= 0 else GAP, start, end, alternative)
            pieces.append(piece if end - start == size else piece.slice(start, end))
            if len(notes) >= BLOCK:
                place(notes, piece, first)
                emit_rows(emit, notes)
                notes.clear()
        place(notes, piece, first)
        emit_rows(emit, notes)
        return pieces


def place(notes: Notes, piece: Segment, first: int) -> None:
    """Makes rows of notes: positions of the original text in place of indices, alternatives counted from `first`.

    >>> notes = [FAILED, 1, 1, 0, PIECE, 1, 2, 1]
    >>> place(notes, Segment.of("x!", 7), 3)
    >>> notes
    [1, 8, 8, 3, 0, 8, 9, 4]
    """
    _, starts, ends = piece
    if isinstance(starts, range) and isinstance(ends, range):
        # unchanged text: every index is as far from its position
        if shift := starts[0]:
            notes[1::4] = [at + shift for at in notes[1::4]]
            notes[2::4] = [at + shift for at in notes[2::4]]
    else:
        for at in range(0, len(notes), 4):
            kind, start, index = notes[at : at + 3]
            notes[at + 1] = where = starts[start]
            looks = kind == LOOK and index < len(starts)
            notes[at + 2] = where if kind == FAILED else starts[index] if looks else ends[index - 1]
    if first:
        for at in range(0, len(notes), 4):
            if notes[at] in (FAILED, PIECE):
                notes[at + 3] += first
