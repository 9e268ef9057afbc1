"""The tokens as chips on the text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from explorer.analysis.ownership import Shares, ownership, says, where_changed
from explorer.engine.items import Token
from explorer.engine.results import Encoding, Trace
from explorer.text import visible, visible_char
from explorer.text.quantities import number, plural
from explorer.text.say import Say
from explorer.text.visible import hexadecimal
from explorer.views.boards.board import Board, BoardCell, cell, code_points, offsets, row
from explorer.views.window import Window
from explorer.vocabulary import PieceKind, Vocabulary, spelled

KINDS: Mapping[PieceKind, str] = MappingProxyType(
    {
        PieceKind.UNDEFINED: "undefined: the file does not say",
        PieceKind.NORMAL: "normal: a piece of text",
        PieceKind.UNKNOWN: "unknown: it replaces text the vocabulary cannot spell",
        PieceKind.CONTROL: "control: a sign for the model, such as the beginning of a text",
        PieceKind.USER_DEFINED: "user-defined: an added token that keeps this text whole; not special",
        PieceKind.UNUSED: "unused: no text becomes this token",
        PieceKind.BYTE: "byte: one byte of a character that is not a piece",
    }
)
"""Kind of a token → what it is for."""


def tokens_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One chip per token, its id below; tokens that share a character show the bytes they own as stripes."""
    tokens = trace.encoding.tokens
    owned = ownership(trace.text, trace.encoding, window.first, window.last)
    cells = [
        token_cell(trace.text, token, trace.encoding, shares, vocabulary.spelling(token.id))
        for token, shares in zip(tokens[window.first : window.last], owned, strict=True)
    ]
    return Board(
        tokens_say(trace),
        [row("chips", "Tokens", cells, note="each with its id, the number the model sees",
             empty="The text is empty: no tokens.",
             limit=300, outside=(window.first, len(tokens) - window.last))],
    )  # fmt: skip


def tokens_say(trace: Trace) -> Say:
    """How many tokens for how much text. Added tokens don't count toward bytes per token."""
    tokens = trace.encoding.tokens
    added = sum(token.start < 0 for token in tokens)
    if not trace.text:
        return Say.of("The text is empty. {0:t}.", f"It gives {plural(len(tokens), 'token')}")
    size, count = len(trace.text.encode()), len(tokens) - added
    covered = size - len(trace.text[slice(*cut_off(trace))].encode())
    return Say.of(
        "{0:t}{1:t} for {2:t} ({3:t}): {4:t} bytes per token{5:t}.",
        plural(len(tokens), "token"),
        f", {number(added)} of them added," if added else "",
        plural(len(trace.text), "character"),
        plural(size, "byte"),
        f"{covered / count:.2f}" if count else "no",
        " of the text" if added else "",
    )


def cut_off(trace: Trace) -> tuple[int, int]:
    """The characters [start, end) whose tokens were truncated."""
    gone = [item for stage in trace.stages if stage.name == "truncate"
            for event in stage.events for item in stage.before[event.start : event.end]]  # fmt: skip
    spans = [(item.start, item.end) for item in gone if isinstance(item, Token)]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else (0, 0)


NO_BYTES: Final = "none: decoding writes nothing for it"

TAGS: Mapping[PieceKind, str] = MappingProxyType(
    {PieceKind.CONTROL: "special", PieceKind.UNKNOWN: "unknown", PieceKind.USER_DEFINED: "user-defined"}
)
"""Kind of a token → its label, where it is not an ordinary one."""


def token_cell(text: str, token: Token, encoding: Encoding, shares: Shares, shown_as: str | None = None) -> BoardCell:
    """One token.

    text: the text of its span. encoding: has its bytes. shares: the parts of characters it owns. shown_as: its
    spelling on the page, if it isn't the vocabulary's.
    """
    vocabulary, data = encoding.vocabulary, encoding.bytes_of(token.id)
    kind, spelling = vocabulary.kind(token.id), shown_as or vocabulary.spelling(token.id)
    added = token.start < 0
    shared = next((share for share in shares if not share.whole), None)
    tip = [["part", says(shares)]] if shared else []
    tip += [
        ["bytes", hexadecimal(data) or NO_BYTES],
        ["in the vocabulary", visible(spelled(vocabulary.pieces[token.id]))],
        ["id", str(token.id)],
        ["kind", KINDS[kind]],
    ]
    if vocabulary.scores and kind == PieceKind.NORMAL:
        tip.append(["score", f"{number(vocabulary.scores[token.id])}: higher is better"])
    source = text[token.start : token.end]
    if added:
        tip.append(["from the text", "no: it was added"])
    elif not source:
        tip.append(["from the text", "no: it consists of the inserted space alone"])
    else:
        if changed := where_changed(shares, text):
            tip.append(["spells", changed])
        tip.append(["code points", code_points(source)])
        tip.append(["offsets", offsets(token.start, token.end)])
    if shared:
        read = "".join(share.text for share in shares)
        shown, is_label = visible_char(read) if len(read) == 1 else (visible(read), False)
    else:
        shown, is_label = visible(spelling), False
    return cell(
        shown, token.start, token.end, id=token.id, sub=str(token.id), tip=tip,
        part=[shared.first, shared.last, shared.size] if shared else None,
        control=is_label or None, top=hexadecimal(data, 6) if shared or kind == PieceKind.BYTE else None,
        look="inserted" if added else "special" if vocabulary.is_special(token.id) else None,
        tag="added" if added else TAGS.get(kind),
    )  # fmt: skip
