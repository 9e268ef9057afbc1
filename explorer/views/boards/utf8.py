"""The text as bytes: every code point with its UTF-8 bytes, bit by bit."""

from __future__ import annotations

import regex

from explorer.engine.results import Trace
from explorer.text import decode_utf8, facts
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, cell, classes, glyph, row
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def utf8_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One card per code point: glyph, U+ number, and each byte's marker bits and payload bits."""
    text = trace.text
    cells = []
    for index, decoded in enumerate(decode_utf8(text[window.start : window.end].encode()), window.start):
        fact = facts(text[index])
        shown = glyph(text[index])
        tip = [
            ["code point", f"{fact.label} {fact.name}"],
            ["number", f"{fact.code_point:,}"],
            *classes(text[index]),
        ]
        fields = [[field.value, field.prefix_bits, field.role.value] for field in decoded.fields]
        cells.append(cell(shown.pop("t"), index, index + 1, top=fact.label, bytes=fields, tip=tip, **shown))
    return Board(
        utf8_say(text),
        [row("cards", "Code points and their bytes", cells, limit=48, empty="No bytes.",
             note="marker bits give the length of a character, the other bits its number",
             outside=(window.start, len(text) - window.end))],
    )  # fmt: skip


def utf8_say(text: str) -> Say:
    """How many characters a reader sees, and how many code points and bytes they are."""
    size = len(text.encode())
    if not text:
        return Say.of("The text is empty: no code points, no bytes.")
    clusters = len(regex.findall(r"\X", text))
    seen = "" if clusters == len(text) else f"What a reader sees as {plural(clusters, 'character')} are "
    widths = sorted({len(ch.encode()) for ch in set(text)})
    each = (
        "one byte each" if widths == [1] else f"{widths[0]} bytes each" if len(widths) == 1
        else f"{widths[0]} to {widths[-1]} bytes each"
    )  # fmt: skip
    points = plural(len(text), "code point")
    return Say.of("{0:t}{1:t} in {2:t} of UTF-8, {3:t}.", seen, points, plural(size, "byte"), each)
