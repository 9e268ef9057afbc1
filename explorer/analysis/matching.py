"""Two plain texts side by side: which characters match, which differ, and where only one side cuts.

Both texts come from one original, so they are matched first by the spans of their characters: characters between two
common cuts belong together (`grouped`). Spans alone aren't enough. Implementations disagree about the span of a
character that the original doesn't have: llama.cpp and sentencepiece give an inserted space an empty span, Hugging
Face gives it its neighbor's; and of three spaces that become two, one side may drop the first and the other the last.
So a surplus on one side is matched with the same surplus that the other side has a little later (`settled`): what is
left is a difference of the texts themselves. Two equal texts have no spots, whatever their spans.

Leaves out: the shortest edit script. Characters with different spans are matched only across text that is equal on
both sides.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from explorer.analysis.alignment import Cell, cells_of, common_cuts, joins
from explorer.analysis.plain import Plain
from explorer.engine.items import Token


class Group(NamedTuple):
    """The smallest stretch [start, end) of the original at whose ends both sides have a cut, and what each has there.

    left, right: ranges of what was aligned. start == end: inserted there.
    """

    start: int
    end: int
    left: range
    right: range


def grouped(left: Sequence[Cell], right: Sequence[Cell], size: int) -> Iterator[Group]:
    """Two rows of cells over `size` characters as groups, in order.

    >>> one, other = [Cell(0, 2, 0, 1)], [Cell(0, 0, 0, 1), Cell(0, 1, 1, 2), Cell(1, 2, 2, 3)]
    >>> [(group.left, group.right) for group in grouped(one, other, 2)]
    [(range(0, 0), range(0, 1)), (range(0, 1), range(1, 3))]
    """
    rows = (left, right)
    at = [0, 0]
    reached = [0, 0]

    def take(side: int, empty: int | None, before: int) -> range:
        """The cells with an empty span at `empty`, or those that begin before `before`."""
        cells, index = rows[side], at[side]
        while index < len(cells) and (
            cells[index].start < before if empty is None else cells[index].start == cells[index].end == empty
        ):
            index += 1
        first = reached[side]
        if at[side] < index:
            first, reached[side] = cells[at[side]].first, cells[index - 1].last
        at[side] = index
        return range(first, reached[side])

    cuts = common_cuts(rows, size)
    for number, cut in enumerate(cuts):
        inserted = [take(side, cut, 0) for side in (0, 1)]
        if any(inserted):
            yield Group(cut, cut, *inserted)
        if number + 1 < len(cuts):
            yield Group(cut, cuts[number + 1], *(take(side, None, cuts[number + 1]) for side in (0, 1)))


class Spot(NamedTuple):
    """Characters [start, end) of the original that are `left` on one side and `right` on the other.

    lefts, rights: the same characters by their index in each side's plain text.
    """

    start: int
    end: int
    left: str
    right: str
    lefts: range
    rights: range


@dataclass(slots=True)
class Difference:
    """A group whose texts differ, while it is being settled: [start, end) of the original, and indexes of both sides."""

    start: int
    end: int
    left: range
    right: range


def spots(left: Plain, right: Plain, original: str) -> list[Spot]:
    """Where two plain texts differ, smallest stretches first to last; none where the texts are equal.

    A letter and its marks are one stretch where they were only reordered or composed, wherever a side puts them.

    >>> one = Plain.of_characters(" H", [0, 0], [1, 1])    # as Hugging Face aligns an inserted space
    >>> other = Plain.of_characters(" H", [0, 0], [0, 1])  # as llama.cpp does
    >>> spots(one, other, "H")
    []
    >>> [spot[:4] for spot in spots(one, Plain.of_characters(" h", [0, 0], [0, 1]), "H")]
    [(0, 1, 'H', 'h')]
    """
    if left.text == right.text:
        return []
    found: list[Spot] = []
    chain: list[Spot] = []
    """spots of one letter and its marks"""

    def spot(first: Spot | Difference, last: Spot | Difference, lefts: range, rights: range) -> Spot:
        one, other = left.text[lefts.start : lefts.stop], right.text[rights.start : rights.stop]
        return Spot(first.start, last.end, one, other, lefts, rights)

    def close() -> None:
        if len(chain) > 1:
            lefts = range(chain[0].lefts.start, chain[-1].lefts.stop)
            whole = spot(chain[0], chain[-1], lefts, range(chain[0].rights.start, chain[-1].rights.stop))
            if unicodedata.normalize("NFD", whole.left) == unicodedata.normalize("NFD", whole.right):
                chain[:] = [whole]
        found.extend(chain)
        chain.clear()

    for each in settled(left, right, original):
        between = original[chain[-1].end : each.start + 1] if chain else ""
        if each.start == each.end or not all(map(joins, between)):
            close()
        chain.append(spot(each, each, each.left, each.right))
    close()
    return found


def settled(left: Plain, right: Plain, original: str) -> list[Difference]:
    """The groups that differ, once a surplus has been matched with the same surplus in the next group that differs."""
    size = len(original)
    done: list[Difference] = []
    for group in grouped(characters(left, size), characters(right, size), size):
        if left.text[group.left.start : group.left.stop] == right.text[group.right.start : group.right.stop]:
            continue
        now = Difference(*group)
        while done and settle(done[-1], now, left.text, right.text):
            if not is_same(done[-1], left.text, right.text):
                break
            done.pop()
        if not is_same(now, left.text, right.text):
            done.append(now)
    return done


def is_same(each: Difference, left: str, right: str) -> bool:
    """Whether a difference has been settled."""
    return left[each.left.start : each.left.stop] == right[each.right.start : each.right.stop]


def settle(one: Difference, other: Difference, left: str, right: str) -> bool:
    """Matches a surplus at the end of one difference with the same text in the next; whether either became equal.

    What stands between the two is equal on both sides and moves along, so it has to read the same after the move.
    """
    for mine, text, its, its_text in (("left", left, "right", right), ("right", right, "left", left)):
        poor, poor_next = getattr(one, its), getattr(other, its)
        rich, rich_next = getattr(one, mine), getattr(other, mine)
        between = text[rich.stop : rich_next.start]
        # the surplus of the first, which the other side has at the beginning of the second
        written, lacking = text[rich.start : rich.stop], its_text[poor.start : poor.stop]
        if len(written) > len(lacking) and written.startswith(lacking):
            count = len(written) - len(lacking)
            if moves(written[len(lacking) :], between, its_text[poor_next.start : poor_next.stop]):
                setattr(one, its, range(poor.start, poor.stop + count))
                setattr(other, its, range(poor_next.start + count, poor_next.stop))
                return True
        # the surplus of the second, which the other side has at the end of the first
        written, lacking = text[rich_next.start : rich_next.stop], its_text[poor_next.start : poor_next.stop]
        if len(written) > len(lacking) and written.endswith(lacking):
            count = len(written) - len(lacking)
            if moves(written[:count][::-1], between[::-1], its_text[poor.start : poor.stop][::-1]):
                setattr(one, its, range(poor.start, poor.stop - count))
                setattr(other, its, range(poor_next.start - count, poor_next.stop))
                return True
    return False


def moves(surplus: str, between: str, rest: str) -> bool:
    """Whether `surplus` + `between` reads like `between` + the beginning of `rest`.

    >>> moves(" ", "", " H"), moves(" ", "  ", " "), moves(" ", "a", " ")
    (True, True, False)
    """
    whole = surplus + between if between.startswith(surplus[: len(between)]) else ""
    return whole.startswith(between) and bool(whole) and rest.startswith(whole[len(between) :])


def characters(side: Plain, size: int) -> list[Cell]:
    """The characters as cells: those of one span in one cell."""
    return list(cells_of([Token(0, start, end) for start, end in zip(side.starts, side.ends, strict=True)], size))


class Boundary(NamedTuple):
    """A place of the original where one side ends a piece and the other does not."""

    at: int
    left: bool
    """Whether it is the left side that cuts."""


def boundaries(left: Plain, right: Plain, apart: Sequence[Spot]) -> list[Boundary]:
    """Between which matching characters only one side cuts; not beside characters that differ.

    >>> one = Plain.of_characters("ab", [0, 1], [1, 2], [0, 1])
    >>> boundaries(one, Plain.of_characters("ab", [0, 1], [1, 2], [0, 0]), [])
    [Boundary(at=1, left=True)]
    """
    if not apart and left.items == right.items:
        return []
    found: set[Boundary] = set()
    edges = [(0, 0), *((spot.lefts.stop, spot.rights.stop) for spot in apart)]
    ends = [*((spot.lefts.start, spot.rights.start) for spot in apart), (len(left.text), len(right.text))]
    for (first, other), (last, _) in zip(edges, ends, strict=True):
        shift = other - first
        for index, (before, after) in enumerate(pairwise(left.items[first:last]), first + 1):
            cuts = right.items[index + shift] != right.items[index + shift - 1]
            if cuts != (before != after):
                found.add(Boundary(right.starts[index + shift] if cuts else left.starts[index], not cuts))
    return sorted(found)
