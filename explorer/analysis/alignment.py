"""Aligns the tokens of several tokenizers on the characters of the original text.

A row is one tokenizer's tokens, gathered in cells (`ownership.Cell`). Characters that no cell covers are lost under
that tokenizer; the row lists them.

All positions are code points of the original text, from 0. Vocabularies don't matter: two cells are the same cut if
they cover the same characters with the same number of tokens.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from explorer.analysis.ownership import Cell, CellKind, Span, cells_of, common_cuts, gaps, widened
from explorer.engine.tokenizer import Encoding
from explorer.errors import InputError

MOST = 6
"""The most rows that can be aligned at once."""


class TokenRow(NamedTuple):
    """One tokenizer's tokens on the text.

    label: the row's name. ringed: per cell, whether some other row lacks this cut. cuts: every position where a cell
    begins or ends. uncovered: characters that no cell covers, as spans. characters, bytes: per token of the text,
    without a truncated end; 0 if there are no tokens. relative: the number of tokens as a multiple of the baseline's.
    """

    label: str
    encoding: Encoding
    cells: tuple[Cell, ...]
    ringed: tuple[bool, ...]
    cuts: tuple[int, ...]
    uncovered: tuple[Span, ...]
    added: int
    characters: float
    bytes: float
    relative: float | None

    @property
    def tokens(self) -> int:
        """The number of tokens, added ones included."""
        return len(self.encoding.tokens)


class Alignment(NamedTuple):
    """Rows over one text.

    baseline: the row that `TokenRow.relative` refers to. breaks: the positions that no cell of any row crosses; a page
    may break its lines there.
    """

    text: str
    rows: tuple[TokenRow, ...]
    baseline: int
    breaks: tuple[int, ...]

    @property
    def smallest(self) -> int:
        """The fewest tokens of any row."""
        return min(row.tokens for row in self.rows)

    @property
    def largest(self) -> int:
        """The most tokens of any row."""
        return max(row.tokens for row in self.rows)

    @property
    def spread(self) -> float | None:
        """The most tokens divided by the fewest; None if a row has no tokens."""
        return self.largest / self.smallest if self.smallest else None


def align(text: str, rows: Sequence[tuple[str, Encoding]], baseline: int = 0, most: int = MOST) -> Alignment:
    """Aligns rows, given as (label, encoding of `text`).

    Raises InputError for no rows, more than `most`, or a baseline out of range.

    >>> import explorer
    >>> made = align("What is", [(name, explorer.load(name).encode("What is")) for name in ("llama-2", "gpt-2")])
    >>> [(row.label, [cell[:4] for cell in row.cells], row.ringed) for row in made.rows]
    [('llama-2', [(0, 0, 0, 1), (0, 4, 1, 2), (4, 7, 2, 3)], (True, False, False)), \
('gpt-2', [(0, 4, 0, 1), (4, 7, 1, 2)], (False, False))]
    """
    if not 1 <= len(rows) <= most:
        raise InputError(f"{len(rows)} tokenizers to compare; give 1 to {most}")
    if not 0 <= baseline < len(rows):
        raise InputError(f"the baseline is row {baseline + 1} of {len(rows)}; choose one of the rows")
    cells = [tuple(widened(cells_of(encoding.tokens, len(text)), text, encoding)) for _, encoding in rows]
    cuts = [[cell.cut for cell in each] for each in cells]
    everywhere = frozenset.intersection(*map(frozenset, cuts))
    size, base = len(text.encode()), len(rows[baseline][1].tokens)
    token_rows = []
    for (label, encoding), own, own_cuts in zip(rows, cells, cuts, strict=True):
        count = len(encoding.tokens)
        added = sum(cell.kind == CellKind.ADDED for cell in own)
        lost = tuple(gaps(own, len(text)))
        cut_off = "".join(text[slice(*span)] for span in lost if is_cut_off(span, text))
        token_rows.append(
            TokenRow(
                label=label,
                encoding=encoding,
                cells=own,
                ringed=tuple(cut not in everywhere for cut in own_cuts),
                cuts=tuple(sorted({edge for cell in own for edge in (cell.start, cell.end)})),
                uncovered=lost,
                added=added,
                characters=(len(text) - len(cut_off)) / (count - added) if count > added else 0.0,
                bytes=(size - len(cut_off.encode())) / (count - added) if count > added else 0.0,
                relative=count / base if base else None,
            )
        )
    return Alignment(text, tuple(token_rows), baseline, common_cuts(cells, len(text)))


def is_cut_off(span: Span, text: str) -> bool:
    """Whether uncovered characters were truncated: they are at an end of the text and not only white space.

    >>> is_cut_off(Span(2, 4), "ab c"), is_cut_off(Span(2, 3), "ab "), is_cut_off(Span(1, 2), "abc")
    (True, False, False)
    """
    return (span.start == 0 or span.end == len(text)) and not text[slice(*span)].isspace()


class CutKind(IntEnum):
    """How a cell is cut, beside the baseline's row. Cells between two cuts that both rows have are of one kind."""

    SAME = 0
    """The same characters, with as many tokens."""
    FEWER = 1
    MORE = 2
    ELSEWHERE = 3
    """As many tokens, cut elsewhere."""


def cut_kinds(row: TokenRow, base: TokenRow) -> list[CutKind]:
    """The kind of each cell of a row. A cell without characters is the same if the baseline has one at its place.

    >>> import explorer
    >>> made = align("is 1234567", [(name, explorer.load(name).encode("is 1234567")) for name in ("llama-3", "gpt-2")])
    >>> [kind.name for kind in cut_kinds(made.rows[1], made.rows[0])]   # ·123 beside · and 123, 45 67 beside 456 7
    ['SAME', 'FEWER', 'ELSEWHERE', 'ELSEWHERE']
    """
    shared = sorted(set(row.cuts) & set(base.cuts))
    sides = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    """by shared cut, the sizes of the cells before it"""
    for side, each in zip(sides, (row, base), strict=True):
        for cell in each.cells:
            if cell.kind == CellKind.TEXT:
                side[bisect_right(shared, cell.start)].append(cell.last - cell.first)
    empty = Counter((cell.start, cell.kind) for cell in base.cells if cell.kind != CellKind.TEXT)
    kinds = []
    for cell in row.cells:
        if cell.kind != CellKind.TEXT:
            known = empty[cell.start, cell.kind] > 0
            empty[cell.start, cell.kind] -= 1
            kinds.append(CutKind.SAME if known else CutKind.MORE)
            continue
        own, other = (side[bisect_right(shared, cell.start)] for side in sides)
        kinds.append(
            CutKind.FEWER if sum(own) < sum(other) else CutKind.MORE if sum(own) > sum(other) else
            CutKind.SAME if len(own) == len(other) == 1 else CutKind.ELSEWHERE
        )  # fmt: skip
    return kinds


def cutters(alignment: Alignment) -> dict[int, int]:
    """How many rows cut the text at each position inside it; positions at which none does are left out.

    >>> import explorer
    >>> made = align("What is", [(name, explorer.load(name).encode("What is")) for name in ("llama-2", "rwkv-world")])
    >>> cutters(made)
    {4: 2}
    """
    size = len(alignment.text)
    return dict(sorted(Counter(cut for row in alignment.rows for cut in row.cuts if 0 < cut < size).items()))


def parting(alignment: Alignment) -> Span | None:
    """Where the rows part most: of the stretches that they cut differently, that with the most tokens to spare.

    A stretch lies within a word: it ends where all rows cut beside white space, and where all go on alike. Of equals,
    the first; None if there is none.

    >>> import explorer
    >>> made = align("is 123456", [(name, explorer.load(name).encode("is 123456")) for name in ("llama-3", "llama-2")])
    >>> parting(made)
    Span(start=3, end=9)
    """
    best, most = None, -1
    counts: list[int] = []
    begun = 0
    rows = [defaultdict[int, list[Cell]](list) for _ in alignment.rows]
    """by the number of breaks up to their start, the cells with characters"""
    for stretches, row in zip(rows, alignment.rows, strict=True):
        for cell in row.cells:
            if cell.kind == CellKind.TEXT:
                stretches[bisect_right(alignment.breaks, cell.start)].append(cell)
    for number, (start, end) in enumerate(pairwise(alignment.breaks), 1):
        here = [stretches[number] for stretches in rows]
        if len({tuple(cell.cut for cell in cells) for cells in here}) == 1:
            counts = []
            continue
        if not counts or alignment.text[start].isspace() or alignment.text[start - 1].isspace():
            begun, counts = start, [0] * len(here)
        counts = [
            count + sum(cell.last - cell.first for cell in cells) for count, cells in zip(counts, here, strict=True)
        ]
        if max(counts) - min(counts) > most:
            best, most = Span(begun, end), max(counts) - min(counts)
    return best
