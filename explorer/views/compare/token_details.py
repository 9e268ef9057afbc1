"""The details of a token on a card."""

from __future__ import annotations

from typing import Final

from explorer.analysis.ownership import Shares, says, where_changed
from explorer.engine.items import Token
from explorer.engine.results import Encoding
from explorer.text import label, name, visible, visible_char
from explorer.text.say import number
from explorer.text.visible import hexadecimal
from explorer.vocabulary import PieceKind, spelled

KINDS: Final = {
    PieceKind.UNDEFINED: "undefined: the file does not say",
    PieceKind.NORMAL: "normal: a piece of text",
    PieceKind.UNKNOWN: "unknown: it replaces text the vocabulary cannot spell",
    PieceKind.CONTROL: "control: a sign for the model, such as the beginning of a text",
    PieceKind.USER_DEFINED: "user-defined: an added token that keeps this text whole; not special",
    PieceKind.UNUSED: "unused: no text becomes this token",
    PieceKind.BYTE: "byte: one byte of a character that is not a piece",
}
"""Kind of a token → what it is for."""


def code_points(text: str, most: int = 6) -> str:
    """`U+00C5 LATIN CAPITAL LETTER A WITH RING ABOVE`, for at most the first `most` characters."""
    named = [f"{label(ch)} {name(ch)}" for ch in text[:most]]
    return " · ".join(named) + (f" · and {len(text) - most} more" if len(text) > most else "")


def token_details(
    text: str, token: Token, encoding: Encoding, shares: Shares, spelling: str
) -> tuple[str, list[list[str]]]:
    """A token as it is shown, and its details as pairs of a label and a value.

    text: the text of its span. encoding: has its bytes. shares: the parts of characters it owns. spelling: its own on
    the page.
    """
    vocabulary, data = encoding.vocabulary, encoding.bytes_of(token.id)
    kind = vocabulary.kind(token.id)
    shared = any(not share.whole for share in shares)
    details = [["part", says(shares)]] if shared else []
    details += [
        ["bytes", hexadecimal(data) or "none: decoding writes nothing for it"],
        ["in the vocabulary", visible(spelled(vocabulary.pieces[token.id]))],
        ["id", str(token.id)],
        ["kind", KINDS[kind]],
    ]
    if vocabulary.scores and kind == PieceKind.NORMAL:
        details.append(["score", f"{number(vocabulary.scores[token.id])}: higher is better"])
    source = text[token.start : token.end]
    if token.start < 0:
        details.append(["from the text", "no: it was added"])
    elif not source:
        details.append(["from the text", "no: it consists of the inserted space alone"])
    else:
        if changed := where_changed(shares, text):
            details.append(["spells", changed])
        details.append(["code points", code_points(source)])
    if not shared:
        return visible(spelling), details
    read = "".join(share.text for share in shares)
    return visible_char(read)[0] if len(read) == 1 else visible(read), details
