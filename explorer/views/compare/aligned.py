"""Rows of several tokenizers above each other, ready to be drawn: one grid in which equal places stand in one column.

Of a long text a part is drawn: in each row the cells that reach into it, each of them whole, so that the rows may begin
and end at different characters.

A *column* lies between two neighbouring cuts of any row, so that every token covers a whole number of columns. A token
that stands for no character (BOS, a lone prefix space) has a column of its own where it stands. A *block* is a run of
columns that no token reaches over at its ends: the browser fills its lines with blocks. How wide a block is drawn is
estimated here, in widths of a digit, because the browser does not measure.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from explorer.analysis.alignment import Alignment, Cell, CellKind, Span, TokenRow
from explorer.analysis.ownership import shares_of
from explorer.engine.items import Token
from explorer.engine.tokenizer import Encoding, Tokenizer
from explorer.text import visible_char
from explorer.text.visible import shortened
from explorer.views.boards.tokens import token_cell
from explorer.vocabulary import PieceKind

LONG = 40
"""Characters of one token that are drawn; its middle is left out where it has more."""

PADDING, BESIDE, LEAST, MOST_IDS = 2.1, 1.25, 3.9, 28
"""In widths of a digit: what a chip needs beside its text, each of several ids beside its digits, and every chip; and
how wide ids are set before they go on in another line."""


class Aligned(NamedTuple):
    """What the browser component takes, as one JSON text, and a name for exactly this content."""

    json: str
    id: str


class Columns(NamedTuple):
    """The columns of the grid.

    places: the cuts, in order. inserted: per cut, how many columns for tokens without characters stand before what
    follows the cut. first: per cut, the number of the first of those columns.
    """

    places: list[int]
    inserted: list[int]
    first: list[int]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Cell]]) -> Columns:
        places = sorted({place for cells in rows for cell in cells for place in (cell.start, cell.end)})
        inserted = [0] * len(places)
        for cells in rows:
            here = [0] * len(places)
            for cell in cells:
                if cell.kind != CellKind.TEXT:
                    here[bisect_left(places, cell.start)] += 1
            inserted = list(map(max, inserted, here))
        first, at = [], 0
        for count in inserted:
            first.append(at)
            at += count + 1
        return cls(places, inserted, first)

    def of_place(self, place: int) -> int:
        """The number of the cut at `place`."""
        return bisect_left(self.places, place)

    def text_column(self, place: int) -> int:
        """The column of the characters behind the cut at `place`."""
        number = self.of_place(place)
        return self.first[number] + self.inserted[number]


def aligned(alignment: Alignment, tokenizers: Sequence[Tokenizer], part: Span | None = None) -> Aligned:
    """The grid of an alignment. tokenizers: of each row, in order. part: of the text, where not all of it is drawn.

    A cell is [first column, one after the last, start, end, ringed, its look]: what it looks like is said once for
    all cells that look alike, in `looks`.

    >>> import explorer
    >>> from explorer.analysis.alignment import align
    >>> toks = [explorer.load(name) for name in ("llama-2", "gpt-2")]
    >>> made = align("What is", [(t.name, t.encode("What is")) for t in toks])
    >>> [row["cells"] for row in json.loads(aligned(made, toks).json)["rows"]]
    [[[0, 1, 0, 0, 1, 0], [1, 2, 0, 4, 0, 1], [2, 3, 4, 7, 0, 2]], [[1, 2, 0, 4, 0, 3], [2, 3, 4, 7, 0, 4]]]
    >>> [row["cells"] for row in json.loads(aligned(made, toks, Span(5, 6)).json)["rows"]]
    [[[0, 1, 4, 7, 0, 0]], [[0, 1, 4, 7, 0, 1]]]
    """
    shown = [drawn_cells(row, part, len(alignment.text)) for row in alignment.rows]
    columns = Columns.of(
        [row.cells[cells.start : cells.stop] for row, cells in zip(alignment.rows, shown, strict=True)]
    )
    looks = Looks()
    rows = [
        {"label": row.label, "cells": cells_of(alignment.text, row, cells, tokenizer, columns, looks)}
        for row, cells, tokenizer in zip(alignment.rows, shown, tokenizers, strict=True)
    ]
    whole = {"rows": rows, "looks": looks.made, "blocks": blocks(alignment, rows, columns, looks)}
    data = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    return Aligned(data, hashlib.sha256(data.encode()).hexdigest()[:16])


def drawn_cells(row: TokenRow, part: Span | None, size: int) -> range:
    """Which cells of a row reach into a part of the text; those without characters belong to what follows them."""
    cells = row.cells
    if part is None:
        return range(len(cells))
    first = bisect_left(cells, part.start, key=lambda cell: cell.end)
    while first < len(cells) and cells[first].kind == CellKind.TEXT and cells[first].end <= part.start:
        first += 1
    last = len(cells) if part.end >= size else bisect_left(cells, part.end, lo=first, key=lambda cell: cell.start)
    return range(first, last)


class Looks:
    """What cells look like, each look once: in a long text the same words come again and again.

    widths: about how wide each is drawn.
    """

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []
        self.widths: list[float] = []
        self.numbers: dict[object, int] = {}

    def number(self, source: str, gaps: tuple[str, str], cell: Cell, row: TokenRow, tokenizer: Tokenizer) -> int:
        """The number of a cell's look. gaps: the characters in front of it and behind that no cell covers."""
        tokens = row.encoding.tokens[cell.first : cell.last]
        key = row.label, source, gaps, cell.kind, tuple(token.id for token in tokens)
        if key not in self.numbers:
            self.numbers[key] = len(self.made)
            self.made.append(drawn(source, gaps, cell, row.encoding, tokenizer))
            self.widths.append(width(self.made[-1]))
        return self.numbers[key]


def cells_of(
    text: str, row: TokenRow, shown: range, tokenizer: Tokenizer, columns: Columns, looks: Looks
) -> list[list[int]]:
    """The cells of one row that are drawn: where in the grid and in the text, and what they look like."""
    made: list[list[int]] = []
    used: dict[int, int] = {}
    cells, ringed = row.cells[shown.start : shown.stop], row.ringed[shown.start : shown.stop]
    before = row.cells[shown.start - 1].end if shown.start else 0
    limit = row.cells[shown.stop].start if shown.stop < len(row.cells) else len(text)
    for cell, ring, after in zip(cells, ringed, afters(cells, limit), strict=True):
        if cell.kind == CellKind.TEXT:
            start, end = columns.text_column(cell.start), columns.first[columns.of_place(cell.end)]
        else:
            number = columns.of_place(cell.start)
            start = columns.first[number] + used.get(number, 0)
            used[number] = used.get(number, 0) + 1
            end = start + 1
        gaps = text[before : cell.start], text[cell.end : after]
        before = cell.end
        look = looks.number(text[cell.start : cell.end], gaps, cell, row, tokenizer)
        made.append([start, end, cell.start, cell.end, int(ring), look])
    return made


def afters(cells: Sequence[Cell], size: int) -> list[int]:
    """Where the cell behind each begins."""
    return [cell.start for cell in cells[1:]] + [size] * bool(cells)


def drawn(source: str, gaps: tuple[str, str], cell: Cell, encoding: Encoding, tokenizer: Tokenizer) -> dict[str, Any]:
    """What a cell shows: the characters it stands for, the ids of its tokens, and the details of each."""
    tokens = encoding.tokens[cell.first : cell.last]
    # the details are those of a text that is this piece alone; where it stands is the cell's own matter
    start = -1 if cell.kind == CellKind.ADDED else 0
    shares = shares_of(source, [encoding.bytes_of(token.id) for token in tokens], *gaps) if start == 0 else [()]
    parts = [
        token_cell(source, Token(token.id, start, max(start, len(source))), encoding, owned)
        for token, owned in zip(tokens, shares, strict=True)
    ]
    made: dict[str, Any] = {
        "ids": [token.id for token in tokens],
        "tips": [[["token", part["t"]], *(entry for entry in part["tip"] if entry[0] != "offsets")] for part in parts],
    }
    if cell.kind == CellKind.TEXT:
        shown, label = visible_char(source) if len(source) == 1 else (shortened(source, LONG), False)
        if any(is_unknown(tokenizer, token.id) for token in tokens):
            made["look"] = "bad"
    else:
        shown, label = parts[0]["t"], False
        made["look"] = "inserted"
    return made | {"t": shown} | ({"control": True} if label else {})


def is_unknown(tokenizer: Tokenizer, id: int) -> bool:
    """Whether a token stands for what could not be spelled: the vocabulary says so, or only the model."""
    return id == tokenizer.model.unknown or tokenizer.vocabulary.kinds[id] == PieceKind.UNKNOWN


def blocks(alignment: Alignment, rows: Sequence[dict[str, Any]], columns: Columns, looks: Looks) -> list[list[float]]:
    """The blocks: [first column, one after the last, width] each."""
    if not columns.places:
        return []
    # an empty text has one place, where its two ends meet
    first, last = columns.places[0], columns.places[-1]
    low, high = bisect_right(alignment.breaks, first), bisect_left(alignment.breaks, last)
    ends = [columns.first[columns.of_place(place)] for place in (*alignment.breaks[low:high], last)]
    ends[-1] += columns.inserted[-1]
    widths = column_widths((cell for row in rows for cell in row["cells"]), looks, ends[-1])
    return [[start, end, round(sum(widths[start:end]), 1)] for start, end in pairwise([0, *ends])]


def column_widths(cells: Iterable[list[int]], looks: Looks, count: int) -> list[float]:
    """About how wide each column is drawn, as a browser's grid does it: what a cell over several lacks, they share."""
    widths = [0.0] * count
    for start, end, *_, look in sorted(cells, key=lambda cell: cell[1] - cell[0]):
        lack = looks.widths[look] - sum(widths[start:end])
        if lack > 0:
            for column in range(start, end):
                widths[column] += lack / (end - start)
    return widths


def width(look: dict[str, Any]) -> float:
    """About how wide a cell of this look is drawn: its text or its ids, whichever needs more."""
    several = len(look["ids"]) > 1
    ids = sum(0.84 * len(str(id)) + BESIDE * several for id in look["ids"])
    letters = sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in look["t"])
    return max(LEAST, PADDING + max(min(ids, MOST_IDS), letters * (0.8 if look.get("control") else 1.1)))
