"""Aligned rows of several tokenizers as one grid, in which the same characters share columns; sentences around it.

Only a part of a long text is drawn: in each row, the cells that overlap it, each of them whole, so rows may begin and
end at different characters.

A *column* lies between two neighboring cuts of any row, so every token covers a whole number of columns. A token
without characters (BOS, a lone prefix space) has a column of its own. A *block* is a run of columns whose ends no token
crosses; the browser fills its lines with blocks. The width of a block is estimated here, in widths of a digit, because
the browser doesn't measure.

A `StyledLine` is sentences parts of which stand out: in bold, or in the color of what they are about. A `Picture` is a
grid with lines around it.

Where tokenizers part: token counts and the stretch that rows cut most differently, and two of them stage by stage.

The picture of two has both rows of stages, the text with a mark at each place, and one place. Stages with the same name
share a column. Before the first column that differs, stages with the same result are one. Where characters differ, or a
side lacks the stage, the place is three rows on the same columns: the text, and each side's output of that stage; a
character or piece is in the columns of the text that it comes from.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, groupby, pairwise
from operator import add
from typing import Any, NamedTuple

from explorer.analysis.divergence.changes import FORMED
from explorer.analysis.divergence.result import (
    MODEL,
    POST_PROCESS,
    TEXT_STAGES,
    Comparison,
    DifferenceKind,
    Divergence,
    Place,
    Plain,
    Run,
    Side,
    states,
)
from explorer.analysis.ownership import (
    Alignment,
    Cell,
    CellKind,
    Shares,
    Span,
    TokenRow,
    cut_kinds,
    cutters,
    parting,
    says,
    shares_of,
    where_changed,
)
from explorer.engine.part import Token
from explorer.engine.tokenizer import Encoding, Tokenizer
from explorer.facts import listed
from explorer.languages import ENGLISH, Phrases, phrases
from explorer.script.script import WINDOW
from explorer.stages.spelling import Speller, kind_of, speller_of
from explorer.tables import Json, Record
from explorer.text import label, name, visible, visible_char
from explorer.text.say import (
    Say,
    Text,
    dotted,
    hexadecimal,
    in_a_row,
    number,
    plain,
    plural,
    shortened,
    two_digits,
    worded,
)
from explorer.views.overview import Node, as_text, leading_spaces
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


# --- where two tokenizers part ----------------------------------------------------------------------------------------


LONGEST = 40
"""Characters of a stretch, and of what is shown of its cuts."""
MOST_GROUPS = 4
"""Ways to cut a stretch that are told apart."""


def rows_say(alignment: Alignment) -> Say:
    """The result in a sentence: fewest tokens, most tokens, and the cuts that all have."""
    if not alignment.text:
        return Say("The text is empty. Type something to compare.")
    # fewer tokens for lost text are no bargain
    fewest = min(alignment.rows, key=lambda row: (unknown(row.encoding) > 0, row.tokens))
    most = max(alignment.rows, key=lambda row: row.tokens)
    if fewest.tokens == most.tokens:
        fewest = min(alignment.rows, key=lambda row: row.tokens)
    few = plural(fewest.tokens, "token")
    if len(alignment.rows) == 1:
        return Say("{0:t} with {1:t}. Choose a second tokenizer to compare.", few, fewest.label)
    size = plural(len(alignment.text), "character")
    if len({row.tokens for row in alignment.rows}) == 1:
        every = Say("{0:t} with each of them, for the same {1:t}.", few, size)
        return every.then(cuts_say(alignment), *lost_say(alignment))
    return Say(
        "{0:t} with {1:t}, {2:t} with {3:t}, for the same {4:t}.",
        *(few, fewest.label, number(most.tokens), most.label, size),
    ).then(cuts_say(alignment), *lost_say(alignment))


def cuts_say(alignment: Alignment) -> Say:
    """How many of the cuts inside the text all rows have."""
    rows, counts = len(alignment.rows), cutters(alignment).values()
    shared = sum(count == rows for count in counts)
    if not counts:
        return Say("None of them cuts inside the text.")
    return Say("All {0} agree on {1} of {2:t}.", rows, shared, plural(len(counts), "cut"))


def lost_say(alignment: Alignment) -> list[Say]:
    """Who loses text: its tokens are unknown."""
    lost = [(row.label, count) for row in alignment.rows if (count := unknown(row.encoding))]
    return [Say("{0:t} loses text: {1:t}.", label, plural(count, "unknown token")) for label, count in lost]


def unknown(encoding: Encoding) -> int:
    """How many tokens stand for text that the vocabulary can't spell."""
    kinds = encoding.vocabulary.kinds
    return sum(kinds[token.id] == PieceKind.UNKNOWN for token in encoding.tokens)


def parting_of(alignment: Alignment) -> Record | None:
    """Where the rows part most: the stretch, and how each cuts it, those that cut it alike together.

    sides: the rows with the fewest and with the most tokens of it, by their places in the alignment.
    """
    where = parting(alignment)
    if where is None or len(alignment.rows) < 2:
        return None
    found = [cut_up(alignment, row, where) for row in alignment.rows]
    groups: dict[tuple[str, ...], list[str]] = {}
    counts = [sum(count for _, count in pieces) for pieces in found]
    for row, pieces, count in zip(alignment.rows, found, counts, strict=True):
        texts = tuple(text if one == 1 else f"{text} ×{one}" for text, one in pieces)
        too_long = sum(map(len, texts)) + len(texts) > LONGEST
        groups.setdefault((plural(count, "token"),) if too_long else texts, []).append(row.label)
    order = sorted(groups, key=len)[:MOST_GROUPS]
    return {
        "text": as_text(alignment.text[slice(*where)], LONGEST),
        "at": list(where),
        "groups": [[listed(groups[texts]), list(texts)] for texts in order],
        "sides": [counts.index(min(counts)), len(counts) - 1 - counts[::-1].index(max(counts))],
    }


def cut_up(alignment: Alignment, row: TokenRow, where: Span) -> list[tuple[str, int]]:
    """A row's cells of a stretch: their text, and the number of their tokens."""
    cells = (each for each in row.cells if each.kind == CellKind.TEXT)
    return [
        (as_text(alignment.text[each.start : each.end], LONGEST), each.last - each.first)
        for each in cells
        if where.start <= each.start and each.end <= where.end
    ]


MOST = 500
"""Places drawn at most; downloads have them all."""
AROUND = 12
"""Characters of a place that are drawn at most."""
TOKENS = 8
"""Tokens of a place that are drawn at most."""


class Parting(NamedTuple):
    """What the browser draws of two tokenizers above the panels of the steppers, by the names it has there.

    sides: name, a line about it, what it does, and the tokens of the place. content_id: names the content. label: the
    answer as one sentence. head: title and note of the panels. rows: `three_rows`. default: the place not in the URL.
    """

    picture: Record
    sides: list[dict[str, object]]
    content_id: str
    label: str
    head: dict[str, str] | None = None
    rows: Record | None = None
    default: int | None = None


def column(left: Node | None, right: Node | None, same: bool) -> Record:
    """A stage of both sides, or of one: name, result and whether it changed anything, for each side.

    same: with the same result, before anything differs.
    """
    sides = [None if node is None else [worded(node.name), worded(node.result), node.changed] for node in (left, right)]
    return {"sides": sides, "same": same}


def columns_of(left: Sequence[Node], right: Sequence[Node]) -> list[tuple[int | None, int | None]]:
    """The stages of two rows by column, as indices.

    >>> row = [Node(key, "", "", True) for key in ("utf8", "normalize", "model")]
    >>> columns_of(row, [row[0], row[2]])
    [(0, 0), (1, None), (2, 1)]
    """
    one, other = ([node.key for node in nodes] for nodes in (left, right))
    columns: list[tuple[int | None, int | None]] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        alike = kind == "equal"
        columns += [(a + at, c + at if alike else None) for at in range(b - a)]
        columns += [] if alike else [(None, index) for index in range(c, d)]
    return columns


def picture(comparison: Comparison, number: int | None, rows: tuple[Sequence[Node], Sequence[Node]]) -> Record:
    """Everything that is drawn but the panels of the steppers. number: of the place chosen; None if nothing differs.

    rows: the stages of both sides.
    """
    columns = columns_of(*rows)
    places = comparison.places
    at = [column_of(place.difference, columns, rows) for place in places]
    differ = min((column for column, place in zip(at, places, strict=True) if not place.harmless), default=len(columns))
    harmless = {column for column, place in zip(at, places, strict=True) if place.harmless}
    stages = []
    for index, (left, right) in enumerate(columns):
        pair = None if left is None else rows[0][left], None if right is None else rows[1][right]
        same = index < differ and index not in harmless and pair[0] is not None and pair[0][1:3] == (pair[1] or ())[1:3]
        stages.append(column(*pair, same))
    start = window_start(comparison, places[number].difference if number is not None else None)
    text = comparison.left.text[start : start + WINDOW]
    return {
        "stages": stages,
        "differ": differ,
        "harmless": sorted(harmless),
        "here": None if number is None else at[number],
        "start": start,
        "size": len(comparison.left.text),
        "text": ["·" if ch == " " else visible_char(ch)[0] for ch in text],
        "places": [[*place.difference.region, place.harmless, place.only_ids] for place in places[:MOST]],
        "count": len(comparison.divergences),
        "place": number,
    }


def picture_of_one(row: Sequence[Node]) -> Record:
    """The stages of one tokenizer, as a picture."""
    stages = [column(node, None, True) for node in row]
    return {"stages": stages, "differ": len(stages), "harmless": [], "here": None, "start": 0, "size": 0, "text": [],
            "places": [], "count": 0, "place": None}  # fmt: skip


def window_start(comparison: Comparison, difference: Divergence | None) -> int:
    """Where the part of the text begins that is drawn: some context before a difference in a long text."""
    long = len(comparison.left.text) > WINDOW
    return max(0, difference.spot.start - WINDOW // 4) if long and difference is not None else 0


def column_of(
    difference: Divergence,
    columns: Sequence[tuple[int | None, int | None]],
    rows: tuple[Sequence[Node], Sequence[Node]],
) -> int:
    """The column of the stage at fault; where only ids differ, that of the ids."""
    if difference.kind == DifferenceKind.OTHER_IDS and difference.stage == MODEL:
        key = next((key for key in (POST_PROCESS, MODEL) if any(node.key == key for node in rows[0])), MODEL)
        found = (at for at, (left, _) in enumerate(columns) if left is not None and rows[0][left].key == key)
        return next(found, len(columns) - 1)
    # the first node is the bytes, which are no stage of the trace
    wanted = [None if side.stage is None else side.stage + 1 for side in (difference.left, difference.right)]
    return next(
        (
            index for index, sides in enumerate(columns)
            if any(stage is not None and stage == side for stage, side in zip(sides, wanted, strict=True))
        ),
        0,
    )  # fmt: skip


# --- one place ------------------------------------------------------------------------------------------------------


def tokens_of(run: Run, side: Side) -> list[list[Any]]:
    """The first tokens of a side as [text, id]; after them, how many more there are, as one number."""
    speller = speller_of(run.trace, stored=False)
    shown: list[list[Any]] = [[speller.token(token.id), token.id] for token in side.tokens[:TOKENS]]
    return [*shown, [len(side.tokens) - TOKENS]] if len(side.tokens) > TOKENS else shown


def three_rows(comparison: Comparison, place: Place) -> Record | None:
    """The text of a place and what both sides make of it, where they differ in characters or a side lacks the stage.

    None for other differences: their steppers show them. A cell is [text, code point or "", first column, column after
    the last, whether it differs].
    """
    difference = place.difference
    text, stage = comparison.left.text, difference.stage
    pieces, characters = difference.kind == DifferenceKind.PRE_TOKEN, stage in TEXT_STAGES
    both = difference.left.stage is not None and difference.right.stage is not None
    if both and (pieces or not characters):
        return None
    if not characters:
        return {"columns": 0, "text": [], "sides": [[], []]}
    plains = [states(run).plain[stage] for run in comparison.sides]
    start, end = shown_span(difference, text)
    inserts = sorted({begin for plain in plains for _, begin, end_ in items_of(plain, start, end) if begin == end_})
    column = {offset: offset - start + sum(at < offset for at in inserts) for offset in range(start, end + 1)}

    def cell(shown: str, code: str, begin: int, stop: int, differs: bool) -> list[Any]:
        first = column[begin] + (begin in inserts and begin < stop)
        last = column[stop] if begin < stop else column[begin] + 1
        return [shown, code, first, last, differs]

    def row(plain: Plain) -> Iterator[list[Any]]:
        found = list(items_of(plain, start, end))
        for index, (ch, begin, stop) in enumerate(found):
            if difference.kind in FORMED and begin < stop:
                # a character that was composed covers what it swallowed
                stop = max(stop, found[index + 1][1] if index + 1 < len(found) else end)
            yield cell(shown_char(ch), code_of(ch), begin, stop, touches(begin, stop, difference))

    def cut(plain: Plain) -> Iterator[list[Any]]:
        within = plain.within(start, end)
        for _, group in groupby(range(within.start, within.stop), plain.items.__getitem__):
            indices = list(group)
            begin, stop = plain.starts[indices[0]], min(end, plain.ends[indices[-1]])
            differs = begin <= difference.spot.start <= stop
            yield cell(dotted("".join(plain.text[each] for each in indices)), "", begin, stop, differs)

    whole = [cell(shown_char(ch), "" if pieces else code_of(ch), start + at, start + at + 1, False)
             for at, ch in enumerate(text[start:end])]  # fmt: skip
    sides = [list(cut(plain) if pieces else row(plain)) for plain in plains]
    return {"columns": column[end], "text": whole, "sides": sides}


def items_of(plain: Plain, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The characters that come from [start, end) of the original, each with its span there."""
    within = plain.within(start, end)
    for index in range(within.start, within.stop):
        yield plain.text[index], max(start, plain.starts[index]), min(end, plain.ends[index])


def shown_span(difference: Divergence, text: str) -> tuple[int, int]:
    """The characters of a place that are drawn: those whose ids differ and one more on each side."""
    start, end = max(0, difference.region.start - 1), min(len(text), difference.region.end + 1)
    if end - start > AROUND:
        start = max(start, min(difference.spot.start - AROUND // 2, end - AROUND))
        end = min(end, start + AROUND)
    return start, end


def touches(start: int, end: int, difference: Divergence) -> bool:
    """Whether a span shares characters with a difference, or is inserted where it is."""
    spot = difference.spot
    if start == end or spot.start == spot.end:
        return start == end and spot.start <= start <= spot.end
    return start < spot.end and spot.start < end


def shown_char(ch: str) -> str:
    """One character in a cell."""
    return "·" if ch == " " else visible_char(ch)[0]


def code_of(ch: str) -> str:
    """The number of a code point in hexadecimal."""
    return f"{ord(ch):04X}"
