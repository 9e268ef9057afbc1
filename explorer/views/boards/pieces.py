"""The result of a pre-tokenizer without a pattern: the words a text is cut into, or symbols and the text between."""

from __future__ import annotations

from explorer.engine.items import Item, Segment, Token
from explorer.engine.results import Stage, Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, BoardCell, cell, code_points, offsets, row, shortened
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def pieces_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One chip per piece, in order; a symbol found at this stage is already a token."""
    pieces = pieces_of(trace.stage("pre-tokenize"))
    begins = [item.start if isinstance(item, Token) else item.starts[0] for item in pieces]
    inside = [piece for piece, begin in zip(pieces, begins, strict=True) if window.holds(begin)]
    before = sum(begin < window.start for begin in begins)
    return Board(
        pieces_say(trace.stage("pre-tokenize"), pieces),
        [row("chips", "Fragments", [piece_cell(piece, vocabulary) for piece in inside], limit=300,
             empty="No fragments: there is no text.", outside=(before, len(pieces) - before - len(inside)))],
    )  # fmt: skip


def pieces_of(stage: Stage) -> list[Item]:
    """The segments the stage left and the tokens it found."""
    known = {item for item in stage.before if isinstance(item, Token)}
    return [item for item in stage.after if isinstance(item, Segment) or item not in known]


def piece_cell(piece: Item, vocabulary: Vocabulary) -> BoardCell:
    """A piece of text, or a symbol with its id."""
    if isinstance(piece, Token):
        spelling = visible(vocabulary.spelling(piece.id))
        tip = [["symbol", spelling], ["id", str(piece.id)], ["offsets", offsets(piece.start, piece.end)]]
        return cell(spelling, piece.start, piece.end, id=piece.id, look="special", tag="symbol", tip=tip)
    start, end = piece.starts[0], piece.ends[-1]
    tip = [["code points", code_points(piece.text)], ["offsets", offsets(start, end)]]
    return cell(shortened(piece.text), start, end, tip=tip)


def pieces_say(stage: Stage, pieces: list[Item]) -> Say:
    """How many pieces, and what that means."""
    before = [item.text for item in stage.before if isinstance(item, Segment)]
    symbols = sum(isinstance(piece, Token) for piece in pieces)
    if symbols:
        words = "{0:t} cut out and {1:t} final; no token crosses a cut."
        return Say.of(words, plural(symbols, "piece is", "pieces are"), "is" if symbols == 1 else "are")
    if [piece.text for piece in pieces if isinstance(piece, Segment)] == before:
        return Say.of("Changed nothing: the text has no cut.")
    return Say.of("The text is cut into {0:t}; no token crosses a cut.", plural(len(pieces), "fragment"))
