"""The tokens as chips on the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from explorer.engine.items import Token
from explorer.engine.tokenizer import Trace
from explorer.text import visible, visible_char
from explorer.views.boards.board import Board, Cell, cell, code_points, hexadecimal, row
from explorer.views.say import Say, number, plural
from explorer.views.window import Window
from explorer.vocabulary import PieceKind, Vocabulary

KINDS: Mapping[PieceKind, str] = MappingProxyType(
    {
        PieceKind.UNDEFINED: "undefined: the file does not say",
        PieceKind.NORMAL: "normal: a piece of text",
        PieceKind.UNKNOWN: "unknown: it stands for what the vocabulary cannot spell",
        PieceKind.CONTROL: "control: a sign for the model, such as the beginning of a text",
        PieceKind.USER_DEFINED: "user-defined: the model's maker wanted this text to be one token",
        PieceKind.UNUSED: "unused: no text becomes this token",
        PieceKind.BYTE: "byte: it stands for one byte of a character that is no piece",
    }
)
"""What a token is for."""


def tokens_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One chip a token, its id under it; a character cut into n tokens is painted in n stripes."""
    tokens = trace.encoding.tokens
    sharing = Counter((token.start, token.end) for token in tokens)
    nth: Counter[tuple[int, int]] = Counter()
    cells = []
    for token in tokens[window.first : window.last]:
        span = token.start, token.end
        nth[span] += 1
        # several characters may share a span, too, where one of several was normalized to them
        one = token.end - token.start == 1 or vocabulary.byte_of(token.id) is not None
        part = [nth[span], sharing[span]] if sharing[span] > 1 and token.start >= 0 and one else None
        cells.append(token_cell(trace.text, token, vocabulary, part))
    return Board(
        tokens_say(trace),
        [row("chips", "Tokens", cells, note="each with its id, the number that the model gets to see",
             empty="The text is empty: there are no tokens.",
             limit=300, outside=(window.first, len(tokens) - window.last))],
    )  # fmt: skip


def tokens_say(trace: Trace) -> Say:
    """How many tokens for how much text."""
    tokens, size = len(trace.ids), len(trace.text.encode())
    if not trace.text:
        return Say.of("The text is empty. {0:t}.", f"It gives {plural(tokens, 'token')}")
    return Say.of(
        "{0:t} for {1:t} ({2:t}): {3:t} bytes a token.",
        plural(tokens, "token"),
        plural(len(trace.text), "character"),
        plural(size, "byte"),
        f"{size / tokens:.2f}" if tokens else "no",
    )


def token_cell(text: str, token: Token, vocabulary: Vocabulary, part: list[int] | None) -> Cell:
    """One token. `part` = [i, n]: it is number i, from 1, of the n tokens that one character was cut into."""
    piece, kind = vocabulary.pieces[token.id], vocabulary.kind(token.id)
    added = token.start < 0
    spelling = vocabulary.spelling(token.id)
    tip = [["piece", visible(spelling)], ["id", str(token.id)], ["kind", KINDS[kind]]]
    if vocabulary.scores and kind == PieceKind.NORMAL:
        tip.append(["score", f"{number(vocabulary.scores[token.id])}: the higher, the better"])
    byte = vocabulary.byte_of(token.id)
    if byte is not None:
        tip.append(["stands for", f"the byte {byte:02X}"])
    else:
        tip.append(["bytes", hexadecimal(piece)])
    source = text[token.start : token.end]
    if added:
        tip.append(["from the text", "no: it was added"])
    elif not source:
        tip.append(["from the text", "no: made of the inserted space alone"])
    else:
        tip.append(["code points", code_points(source)])
        place = str(token.start) if len(source) == 1 else f"{token.start} to {token.end - 1}"
        tip.append(["offset", place])
    special = kind in (PieceKind.CONTROL, PieceKind.UNKNOWN, PieceKind.USER_DEFINED)
    if part is not None and byte is not None:
        shown, is_label = visible_char(source) if len(source) == 1 else (visible(source), False)
        tip.insert(0, ["part", f"{part[0]} of {part[1]} of one character"])
    else:
        shown, is_label = visible(spelling), False
    return cell(
        shown, token.start, token.end, id=token.id, sub=str(token.id), tip=tip, part=part,
        control=is_label or None, top=None if byte is None else f"{byte:02X}",
        look="inserted" if added else "special" if special else None,
        tag="added" if added else "special" if special else None,
    )  # fmt: skip
