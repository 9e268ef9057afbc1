"""Pieces without a pattern: the words of BERT, and the symbols a SentencePiece model cuts out."""

from __future__ import annotations

from explorer.engine.items import Segment, Token
from explorer.engine.options import Options
from explorer.engine.partition.user_defined import UserDefinedRow, UserDefinedSplit
from explorer.engine.results import Encoding, Stage, Trace
from explorer.engine.trace import Events
from explorer.text.say import plain
from explorer.views.boards.board import Board
from explorer.views.boards.pieces import pieces_board
from explorer.views.window import Window
from explorer.vocabulary import PieceKind
from tests.toys import vocabulary

V = vocabulary(("a", 0), ("<x>", 0, PieceKind.USER_DEFINED))


def board(text: str, window: Window | None = None) -> Board:
    """The board of a text whose first three characters are already a special token."""
    part = UserDefinedSplit({"<x>": 1})
    events: Events[UserDefinedRow] = Events(UserDefinedRow)
    before = [Token(0, 0, 3), Segment.of(text[3:], 3)]
    after = part.run(before, Options(), events.emit)
    stage = Stage("pre-tokenize", part, before, after, events)
    trace = Trace(text, Options(), (stage,), Encoding.of((), V))
    return pieces_board(trace, V, window or Window(0, len(text), 0, 0))


def test_a_symbol_is_a_token_among_the_pieces_of_text() -> None:
    drawn = board("<s>ab<x>c<x>")
    cells = drawn.rows[0]["cells"]
    assert [(cell["t"], cell["s"], cell["e"], cell.get("id")) for cell in cells] == [
        ("ab", 3, 5, None), ("<x>", 5, 8, 1), ("c", 8, 9, None), ("<x>", 9, 12, 1)
    ]  # fmt: skip
    assert dict(cells[0]["tip"])["offsets"] == "3–5, end excluded"
    assert dict(cells[2]["tip"])["offsets"] == "8–9, end excluded"
    assert plain(drawn.say) == "2 pieces are cut out and are final; no token crosses a cut."


def test_without_a_symbol_nothing_is_cut() -> None:
    assert plain(board("<s>abc").say) == "Changed nothing: the text has no cut."


def test_a_window_counts_what_lies_outside() -> None:
    drawn = board("<s>ab<x>c<x>", Window(5, 9, 0, 0))
    assert [cell["t"] for cell in drawn.rows[0]["cells"]] == ["<x>", "c"]
    assert (drawn.rows[0]["before"], drawn.rows[0]["after"]) == (1, 1)
