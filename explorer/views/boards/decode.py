"""Decoding and the round trip: bytes of each token, all of them joined, and whether the text comes back."""

from __future__ import annotations

from collections.abc import Container

from explorer.engine.decode import Decode
from explorer.engine.items import Segment
from explorer.engine.normalizers import Normalize, NormalizeRow
from explorer.engine.tokenizer import DecodeTrace, Trace
from explorer.text import decode_utf8, visible
from explorer.views.boards.board import Board, cell, code_points, hexadecimal, row, shortened
from explorer.views.boards.lost import lost_say
from explorer.views.say import Say, plural
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

HOW = {
    Decode.DROP: "dropped: it was added around the text",
    Decode.PIECE: "its piece, ▁ as a space",
    Decode.BYTE: "one byte",
    Decode.SPELLED: "a special token, as it is spelled",
    Decode.HIDDEN: "nothing: this kind of token is not written",
    Decode.SURFACE: "what the model writes for unknown text",
    Decode.REPLACED: "U+FFFD: this byte belongs to no character",
    Decode.GLUED: "its piece without the ## in front",
    Decode.SPACED: "a space, because it begins a word, and its piece",
    Decode.PRINTABLE: "its piece, printable characters back to bytes",
    Decode.RAW: "its piece, byte by byte",
}


def decode_board(trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary, window: Window) -> Board:
    """The bytes of each token, and the text that all of them make."""
    how: dict[int, str] = {}
    cleaned = 0
    for event in decoded.events:
        if event.kind == Decode.SPACE:
            how[event.position] += "; its leading space is taken away"
        elif event.kind == Decode.CLEANED:
            how[event.position] += "; spaces beside punctuation are taken away"
        elif event.kind == Decode.DENORMALIZED:
            how[event.position] += "; the denormalizer rewrites it"
        elif event.kind == Decode.CLEANED_SPACES:
            how[event.position] += f"; llama.cpp's clean-up takes {plural(event.size, 'space')} away"
            cleaned += event.size
        else:
            how[event.position] = HOW[Decode(event.kind)]
    cells = []
    for place, token in enumerate(trace.encoding.tokens[window.first : window.last], window.first):
        part = decoded.parts[place]
        cells.append(
            cell(hexadecimal(part, 12) or "–", token.start, token.end, id=token.id,
                 sub=visible(vocabulary.spelling(token.id)), look=None if part else "dropped",
                 tip=[["token", f"{token.id} {visible(vocabulary.spelling(token.id))}"], ["gives", how[place]],
                      ["bytes", hexadecimal(part) or "none"], ["as text", readable(part)]])
        )  # fmt: skip
    rows = [row("bytes", "Bytes of each token", cells, limit=300, empty="No tokens.",
                outside=(window.first, len(decoded.ids) - window.last))]  # fmt: skip
    if cleaned and trace.text != decoded.text:
        return Board(
            Say.of("Not the same text: for this vocabulary llama.cpp cleans up when it decodes, and took {0:t} away "
                   "that stood before punctuation or a contraction.", plural(cleaned, "space")), rows,
        )  # fmt: skip
    lost = lost_say(trace) if decoded.text != trace.text else None
    return Board(lost or round_trip_say(trace.text, decoded.text, prefixed(trace)), rows)


def readable(part: bytes) -> str:
    """The bytes as text, or which rule of UTF-8 they break when they stand alone."""
    if not part:
        return "nothing"
    faults = [run.fault for run in decode_utf8(part) if run.fault]
    return f"no text alone: {faults[0].value}" if faults else shortened(part.decode())


def prefixed(trace: Trace) -> set[int]:
    """Where the normalization put a space in front: code points of the original text."""
    found = set()
    for stage in trace.stages:
        for event in stage.events:
            if isinstance(event, NormalizeRow) and event.kind == Normalize.PREFIX:
                item = stage.before[event.item]
                if isinstance(item, Segment):
                    found.add(item.starts[0])
    return found


def round_trip_say(text: str, back: str, prefixed: Container[int] = ()) -> Say:
    """The verdict: equal, or the first place where they differ and why.

    prefixed: places in the text where a space was put in front of a fragment.
    """
    if text == back:
        return Say.of("All bytes joined and read as UTF-8 give exactly the text that went in.")
    at = next((i for i, (a, b) in enumerate(zip(text, back, strict=False)) if a != b), min(len(text), len(back)))
    before, after = text[at : at + 1], back[at : at + 1]
    if before == "▁" and after == " ":
        return Say.of(
            "Not the same text: at character {0} a ▁ (U+2581) comes back as a space. The vocabulary writes spaces "
            "as ▁, so a real ▁ cannot be told from one.", at + 1)  # fmt: skip
    if after == " " and at in prefixed:
        return Say.of(
            "Not the same text: at character {0} there is a space more. The space prefix put it after a special token; "
            "decoding takes such a space away only at the very beginning.", at + 1)  # fmt: skip
    lost = plural(abs(len(text) - len(back)), "code point")
    return Say.of(
        "Not the same text: the first difference is at character {0}, {1:t} became {2:t} ({3:t} {4:t}).",
        at + 1,
        code_points(before) or "the end of the text",
        code_points(after) or "the end of the text",
        lost,
        "fewer" if len(back) < len(text) else "more" if len(back) > len(text) else "of difference",
    )
