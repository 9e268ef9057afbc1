"""What a pre-tokenizer without a pattern leaves: the words or symbols a text is cut into."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.tokenizer import Trace
from explorer.views.boards.board import Board, cell, code_points, row, shortened
from explorer.views.say import Say, plural
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def pieces_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One chip a piece, in order."""
    stage = trace.stage("pre-tokenize")
    pieces = [item for item in stage.after if isinstance(item, Segment)]
    before = [item for item in stage.before if isinstance(item, Segment)]
    inside = [piece for piece in pieces if window.holds(piece.starts[0])]
    outside = sum(piece.starts[0] < window.start for piece in pieces)
    cells = []
    for piece in inside:
        tip = [["code points", code_points(piece.text)], ["offset", f"{piece.starts[0]} to {piece.ends[-1] - 1}"]]
        cells.append(cell(shortened(piece.text), piece.starts[0], piece.ends[-1], tip=tip))
    if len(pieces) == len(before) and all(a.text == b.text for a, b in zip(pieces, before, strict=True)):
        say = Say.of("Changed nothing: there is no place to cut.")
    else:
        say = Say.of("The text is cut into {0:t}; no token can reach over a cut.", plural(len(pieces), "piece"))
    return Board(
        say,
        [row("chips", "Pieces", cells, empty="No pieces: there is no text.", limit=300,
             outside=(outside, len(pieces) - outside - len(inside)))],
    )  # fmt: skip
