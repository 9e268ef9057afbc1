"""Aligned rows of several tokenizers as one grid, in which the same characters share columns; sentences around it.

Only a part of a long text is drawn: in each row, the cells that overlap it, each of them whole, so rows may begin and
end at different characters.

A *column* lies between two neighboring cuts of any row, so every token covers a whole number of columns. A token
without characters (BOS, a lone prefix space) has a column of its own. A *block* is a run of columns whose ends no token
crosses; the browser fills its lines with blocks. The width of a block is estimated here, in widths of a digit, because
the browser doesn't measure.

A `StyledLine` is sentences parts of which stand out: in bold, or in the color of what they are about. A `Picture` is a
grid with lines around it.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from operator import add
from typing import Any, NamedTuple

from explorer.analysis.ownership import (
    Alignment,
    Cell,
    CellKind,
    Shares,
    Span,
    TokenRow,
    cut_kinds,
    cutters,
    says,
    shares_of,
    where_changed,
)
from explorer.engine.part import Token
from explorer.engine.tokenizer import Encoding, Tokenizer
from explorer.languages import ENGLISH, Phrases, phrases
from explorer.script.script import WINDOW
from explorer.stages.spelling import Speller, kind_of, speller_of
from explorer.tables import Json, Record
from explorer.text import label, name, visible, visible_char
from explorer.text.say import Say, Text, hexadecimal, in_a_row, number, plain, shortened, two_digits
from explorer.views.overview import as_text, leading_spaces
from explorer.vocabulary import PieceKind, spelled

KINDS = {
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
        details.append(["score", Text("{0:t}: higher is better", number(vocabulary.scores[token.id]))])
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


LONG = 40
"""Characters drawn of one token; the middle of a longer one is left out."""

SEVERAL = 24
"""Tokens of one cell whose ids are sent, where any list of ids may lie on a few characters."""

PADDING, LEAST = 1.9, 3.4
"""In widths of a digit: a chip's padding, and the least width of a column of characters."""


class Aligned(NamedTuple):
    """What the browser component takes, as one JSON text, and a hash of it."""

    json: str
    id: str


SPELLED = frozenset({"token", "in the vocabulary", "code points"})
"""Details of a token that are no sentences: its spelling, the characters' names."""


class Columns(NamedTuple):
    """The columns of the grid.

    cuts: offsets of the cuts, ascending. first: for each cut, the first of the columns for tokens without characters
    that come before the characters after it. text: the column of those characters.
    """

    cuts: list[int]
    first: list[int]
    text: list[int]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Cell]]) -> Columns:
        """The columns for the cells of all rows."""
        cuts = sorted({offset for cells in rows for cell in cells for offset in (cell.start, cell.end)})
        counts = [Counter(cell.start for cell in cells if cell.kind != CellKind.TEXT) for cells in rows]
        inserted = [max((each[cut] for each in counts), default=0) for cut in cuts]
        first = list(accumulate((count + 1 for count in inserted), initial=0))[:-1]
        return cls(cuts, first, list(map(add, first, inserted)))

    def cut_at(self, offset: int) -> int:
        """The index of the cut at an offset."""
        return bisect_left(self.cuts, offset)


def aligned(
    alignment: Alignment,
    tokenizers: Sequence[Tokenizer],
    part: Span | None = None,
    stored: bool = False,
    *,
    kinds: Sequence[Sequence[int]] | None = None,
    beside: Sequence[Json] | None = None,
    language: str = ENGLISH,
) -> Aligned:
    """The grid of an alignment. tokenizers: one per row. part: the part of the text that is drawn, if not all of it.
    stored: tokens as the vocabulary spells them, instead of the text they cover.
    kinds: of each cell in each row, instead of those beside the baseline's; a token is then drawn as it spells itself.
    beside: more of what stands beside each row. language: of what is said of rows and tokens.

    A cell is [first column, index after the last, start, end, `CutKind`, index in `looks`]; cells that look alike share
    one look. A head is the text of a column, and how many rows cut behind it.

    >>> import explorer
    >>> from explorer.analysis.ownership import align
    >>> toks = [explorer.load(name) for name in ("llama-2", "gpt-2")]
    >>> made = align("What is", [(t.name, t.encode("What is")) for t in toks])
    >>> [row["cells"] for row in json.loads(aligned(made, toks).json)["rows"]]
    [[[0, 1, 0, 0, 0, 0], [1, 2, 0, 4, 0, 1], [2, 3, 4, 7, 0, 2]], [[1, 2, 0, 4, 0, 3], [2, 3, 4, 7, 0, 4]]]
    >>> json.loads(aligned(made, toks).json)["heads"]
    [[1, 'What', 2], [2, ' is', 0]]
    >>> [row["cells"] for row in json.loads(aligned(made, toks, Span(5, 6)).json)["rows"]]
    [[[0, 1, 4, 7, 0, 0]], [[0, 1, 4, 7, 0, 1]]]
    """
    shown = [drawn_cells(row, part, len(alignment.text)) for row in alignment.rows]
    columns = Columns.of(
        [row.cells[cells.start : cells.stop] for row, cells in zip(alignment.rows, shown, strict=True)]
    )
    looks = Looks(stored, itself=kinds is not None)
    base = alignment.rows[alignment.baseline]
    kinds = [cut_kinds(row, base) for row in alignment.rows] if kinds is None else kinds
    beside = [{} for _ in alignment.rows] if beside is None else beside
    rows = [
        {**facts_of(row, base, tokenizer), **more}
        | {"cells": cells_of(alignment.text, row, own, cells, tokenizer, columns, looks)}
        for row, own, cells, tokenizer, more in zip(alignment.rows, kinds, shown, tokenizers, beside, strict=True)
    ]
    if looks.itself:
        for row in rows:
            row["gone"] = gone(row["cells"], rows[alignment.baseline]["cells"], looks)
    whole: Record = {
        "rows": rows,
        "looks": looks.made,
        "blocks": blocks(alignment, rows, columns, looks),
        "heads": heads(alignment, columns),
    }
    if language != ENGLISH:
        whole = said_in(whole, phrases(language))
    data = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    return Aligned(data, hashlib.sha256(data.encode()).hexdigest()[:16])


def said_in(whole: Record, to: Phrases) -> Record:
    """The grid in another language: what is said of its rows, and of each token."""
    rows = [{**row, "facts": to.text(row["facts"])} for row in whole["rows"]]
    looks = [
        {**look, "tips": [[[to.caption(label), shown if label in SPELLED else to.text(shown)] for label, shown in tip]
                          for tip in look["tips"]]}
        for look in whole["looks"]
    ]  # fmt: skip
    return {**whole, "rows": rows, "looks": looks}


def facts_of(row: TokenRow, base: TokenRow, tokenizer: Tokenizer) -> Record:
    """What stands beside a row: its name and algorithm, its tokens, and how many more than the baseline's."""
    lost = sum(span.end - span.start for span in row.uncovered)
    return {
        "label": row.label,
        "family": kind_of(tokenizer),
        "tokens": row.tokens,
        "more": row.tokens - base.tokens,
        "base": row is base,
        "facts": in_a_row(
            Text("{0:t} characters and {1:t} bytes per token", two_digits(row.characters), two_digits(row.bytes)),
            row.added and Text("{0} token added", row.added, many="{0} tokens added"),
            lost and Text("{0} character of the text in no token", lost, many="{0} characters of the text in no token"),
        ),
    }


def gone(cells: Sequence[Sequence[int]], base: Sequence[Sequence[int]], looks: Looks) -> list[list[Any]]:
    """The baseline's cells where a row has nothing: first column, index after the last, text."""
    covered = {column for cell in cells for column in range(cell[0], cell[1])}
    return [
        [cell[0], cell[1], looks.made[cell[5]]["t"]] for cell in base if covered.isdisjoint(range(cell[0], cell[1]))
    ]


def heads(alignment: Alignment, columns: Columns) -> list[list[Any]]:
    """The text above each column of characters: [column, text, rows that cut behind it]."""
    known = cutters(alignment)
    return [
        [columns.text[number], alignment.text[start:end], known.get(end, 0)]
        for number, (start, end) in enumerate(pairwise(columns.cuts))
    ]


def drawn_cells(row: TokenRow, part: Span | None, size: int) -> range:
    """The cells of a row that overlap a part of the text; a cell without characters belongs to the cell after it."""
    cells = row.cells
    if part is None:
        return range(len(cells))
    first = bisect_left(cells, part.start, key=lambda cell: cell.end)
    while first < len(cells) and cells[first].kind == CellKind.TEXT and cells[first].end <= part.start:
        first += 1
    last = len(cells) if part.end >= size else bisect_left(cells, part.end, lo=first, key=lambda cell: cell.start)
    return range(first, last)


class Looks:
    """The distinct looks of cells: a long text repeats the same words.

    stored: tokens as the vocabulary spells them. itself: a token is drawn as it spells itself, not as the text it
    covers. widths: the estimated width of each look.
    """

    def __init__(self, stored: bool, itself: bool = False) -> None:
        self.stored, self.itself = stored, itself
        self.made: list[Record] = []
        self.widths: list[float] = []
        self.indices: dict[object, int] = {}
        self.known: dict[str, int] = {}
        self.spellers: dict[str, Speller] = {}

    def index(self, source: str, gaps: tuple[str, str], cell: Cell, row: TokenRow, tokenizer: Tokenizer) -> int:
        """The index of a cell's look. gaps: the characters before and after it that no cell covers."""
        tokens = row.encoding.tokens[cell.first : cell.last]
        key = row.label, source, gaps, cell.kind, tuple(token.id for token in tokens)
        if key not in self.indices:
            if row.label not in self.spellers:
                self.spellers[row.label] = speller_of(tokenizer.trace(""), self.stored)
            look = self.drawn(source, gaps, cell, row, tokenizer)
            # rows of one vocabulary look alike for the most part
            content = repr(look)
            if content not in self.known:
                self.known[content] = len(self.made)
                self.made.append(look)
                self.widths.append(width(look))
            self.indices[key] = self.known[content]
        return self.indices[key]

    def drawn(self, source: str, gaps: tuple[str, str], cell: Cell, row: TokenRow, tokenizer: Tokenizer) -> Record:
        """What a cell shows: its characters, the ids of its tokens, and the details of each.

        space: how many characters of the text are leading spaces. An id that is not in the vocabulary has no details.
        """
        encoding, spell = row.encoding, self.spellers[row.label].token
        tokens, vocabulary = encoding.tokens[cell.first : cell.last], encoding.vocabulary
        if any(not vocabulary.has(token.id) for token in tokens):
            said = (str(id) if vocabulary.has(id) else f"{id} {vocabulary.lacks(id)}" for id, *_ in tokens)
            tips = [[["id", each]] for each in said]
            return first_ids(tokens) | {"tips": tips[:SEVERAL], "look": "bad", "t": "?"}
        if len(tokens) > SEVERAL and self.itself:
            tips = [[["token", spell(id)]] for id, *_ in tokens[:SEVERAL]]
            return first_ids(tokens) | {"tips": tips, "t": as_text(source, LONG)}
        # the details are those of a text that is this piece alone; the cell has the position
        start = -1 if cell.kind == CellKind.ADDED else 0
        shares = shares_of(source, [encoding.bytes_of(token.id) for token in tokens], *gaps) if start == 0 else [()]
        parts = [
            token_details(source, Token(token.id, start, max(start, len(source))), encoding, owned, spell(token.id))
            for token, owned in zip(tokens, shares, strict=True)
        ]
        look: Record = {
            "ids": [token.id for token in tokens],
            "tips": [[["token", shown], *details] for shown, details in parts],
        }
        if cell.kind == CellKind.TEXT:
            label = False
            if self.stored:
                shown = shortened("".join(tokenizer.vocabulary.spelling(token.id) for token in tokens), LONG)
            else:
                if self.itself and len(tokens) == 1:
                    # part of a character, and a token that spells nothing, show the text they cover
                    source = strictly(encoding.bytes_of(tokens[0].id)) or source
                if len(source) == 1 and source != " ":
                    shown, label = visible_char(source)
                else:
                    shown = as_text(source, LONG)
                    look |= leading_spaces(source)
            # replaces unknown text, according to the vocabulary or the model
            unknown, kinds = tokenizer.model.unknown, tokenizer.vocabulary.kinds
            if any(token.id == unknown or kinds[token.id] == PieceKind.UNKNOWN for token in tokens):
                look["look"] = "bad"
        else:
            shown, label = parts[0][0], False
            look["look"] = "inserted"
        return look | {"t": shown} | ({"control": True} if label else {})


def cells_of(
    text: str,
    row: TokenRow,
    kinds: Sequence[int],
    shown: range,
    tokenizer: Tokenizer,
    columns: Columns,
    looks: Looks,
) -> list[list[int]]:
    """The drawn cells of one row: position in the grid, span in the text, look."""
    cells_drawn: list[list[int]] = []
    used: dict[int, int] = {}
    cells, kinds = row.cells[shown.start : shown.stop], kinds[shown.start : shown.stop]
    before = row.cells[shown.start - 1].end if shown.start else 0
    limit = row.cells[shown.stop].start if shown.stop < len(row.cells) else len(text)
    for cell, kind, after in zip(cells, kinds, (*(cell.start for cell in cells[1:]), limit), strict=False):
        if cell.kind == CellKind.TEXT:
            start, end = columns.text[columns.cut_at(cell.start)], columns.first[columns.cut_at(cell.end)]
        else:
            cut = columns.cut_at(cell.start)
            start = columns.first[cut] + used.get(cut, 0)
            used[cut] = used.get(cut, 0) + 1
            end = start + 1
        gaps = text[before : cell.start], text[cell.end : after]
        before = cell.end
        look = looks.index(text[cell.start : cell.end], gaps, cell, row, tokenizer)
        cells_drawn.append([start, end, cell.start, cell.end, int(kind), look])
    return cells_drawn


def first_ids(tokens: Sequence[Token]) -> Record:
    """The ids of a cell, of many the first ones and their number."""
    return {"ids": [token.id for token in tokens[:SEVERAL]]} | ({"n": len(tokens)} if len(tokens) > SEVERAL else {})


def strictly(data: bytes) -> str:
    """UTF-8 as text, "" if it is not valid."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


def blocks(alignment: Alignment, rows: Sequence[Record], columns: Columns, looks: Looks) -> list[list[float]]:
    """The blocks: [first column, index after the last, width] each."""
    if not columns.cuts:
        return []
    # an empty text has one cut
    first, last = columns.cuts[0], columns.cuts[-1]
    low, high = bisect_right(alignment.breaks, first), bisect_left(alignment.breaks, last)
    ends = [*(columns.first[columns.cut_at(offset)] for offset in alignment.breaks[low:high]), columns.text[-1]]
    widths = column_widths((cell for row in rows for cell in row["cells"]), looks, [LEAST] * ends[-1])
    return [[start, end, round(sum(widths[start:end]), 1)] for start, end in pairwise([0, *ends])]


def column_widths(cells: Iterable[list[int]], looks: Looks, widths: list[float]) -> list[float]:
    """The estimated widths of columns that have at least these. They share what a cell across them lacks, as in CSS."""
    for start, end, *_, look in sorted(cells, key=lambda cell: cell[1] - cell[0]):
        lack = looks.widths[look] - sum(widths[start:end])
        if lack > 0:
            for column in range(start, end):
                widths[column] += lack / (end - start)
    return widths


def width(look: Record) -> float:
    """The estimated width of a cell with this look, that of its text: an id that does not fit is not drawn."""
    letters = sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in look["t"])
    return PADDING + letters * (0.8 if look.get("control") else 1.1)


BOLD = "b"
FEWER, MORE, ELSEWHERE, FOCUS = "k1", "k2", "k3", "k4"
"""Styles: a color as `aligned.css` has it, by what it means; several are separated by spaces."""


class StyledLine:
    """Sentences and fixed texts in a row, each plain or with its style.

    >>> str(StyledLine("It is ", (Say("{0}", 7), BOLD), "."))
    'It is 7.'
    """

    def __init__(self, *parts: Say | str | tuple[Say | str, str]) -> None:
        pairs = (part if isinstance(part, tuple) else (part, "") for part in parts)
        self.parts = [(Say(each) if isinstance(each, str) else each, style) for each, style in pairs]

    def __str__(self) -> str:
        """The line without its styles."""
        return "".join(plain(say) for say, _ in self.parts)

    @property
    def data(self) -> list[Any]:
        """The line as the browser takes it."""
        return [[say._asdict(), style] for say, style in self.parts]


LEADING = 200
"""Characters drawn before the first difference in a long text."""


class Picture(NamedTuple):
    """Rows, and what stands around them: sentences, what to change, links by the parameters of the page's URL."""

    frame: Record
    drawn: Aligned | None = None


def part_at(text: str, difference: int) -> Span | None:
    """Of a long text the part around the first difference; None if all of it is drawn.

    >>> part_at("a" * 9000, 5000), part_at("a" * 100, 50)
    (Span(start=4800, end=6800), None)
    """
    if len(text) <= WINDOW:
        return None
    at = max(0, min(difference - LEADING, len(text) - WINDOW))
    return Span(at, at + WINDOW)


def part_words(part: Span | None, text: str) -> str:
    """Which part of a long text is drawn; "" if it is all of it."""
    if part is None:
        return ""
    return Text("Characters {0} to {1} of {2} are drawn.", part.start + 1, part.end, len(text))
