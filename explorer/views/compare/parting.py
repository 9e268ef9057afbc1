"""Where tokenizers part: token counts and the stretch that rows cut most differently, and two of them stage by stage.

The picture of two has both rows of stages, the text with a mark at each place, and one place. Stages with the same name
share a column. Before the first column that differs, stages with the same result are one. Where characters differ, or a
side lacks the stage, the place is three rows on the same columns: the text, and each side's output of that stage; a
character or piece is in the columns of the text that it comes from.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
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
from explorer.analysis.ownership import Alignment, CellKind, Span, TokenRow, cutters, parting
from explorer.engine.tokenizer import Encoding
from explorer.facts import listed
from explorer.script.script import WINDOW
from explorer.stages.spelling import speller_of
from explorer.tables import Record
from explorer.text.say import Say, dotted, number, plural, visible_char, worded
from explorer.views.overview import Node, as_text
from explorer.vocabulary import PieceKind

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
