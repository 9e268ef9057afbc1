"""What differs between the text stages of two runs: characters, special tokens, and cuts of the pre-tokenizers.

Everything here is found once, before any id is looked at (`TextDifferences`). Whether a difference matters for the ids
is decided in `comparer`, and why it exists in `text_causes`.

Two plain texts come from one original, so they are matched first by the spans of their characters: characters between
two common cuts belong together (`aligned_groups`). Spans alone aren't enough. Implementations disagree about the span
of a character that the original doesn't have: llama.cpp and sentencepiece give an inserted space an empty span, Hugging
Face gives it its neighbor's; and of three spaces that become two, one side may drop the first and the other the last.
So a surplus on one side is matched with the same surplus that the other side has a little later (`SurplusMatcher`).
What is left is a difference of the texts themselves. Two equal texts have no spots, whatever their spans.

Most of two long texts is equal, and Python compares lists in C. So both texts are halved at a position where each side
has a cut, until the parts are equal or short. Only short parts are compared character by character.

Leaves out: the shortest edit script. Characters with different spans are matched only across text that is equal on
both sides.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

from explorer.analysis.divergence.result import NORMALIZE, PARTITION, PRE_TOKENIZE, TEXT_STAGES, Plain, States
from explorer.analysis.ownership import Cell, Span, cells_of, common_cuts, joins
from explorer.engine.part import Token


class AlignedGroup(NamedTuple):
    """The smallest stretch [start, end) of the original at whose ends both sides have a cut, and what each has there.

    ranges: each side's tokens or characters; the border to the next group may still move. start == end: inserted at
    that position.
    """

    start: int
    end: int
    ranges: list[range]


def aligned_groups(left: Sequence[Cell], right: Sequence[Cell], size: int) -> Iterator[AlignedGroup]:
    """Two rows of cells over `size` characters as groups, in order. An insertion is a group of its own.

    >>> one, other = [Cell(0, 2, 0, 1)], [Cell(0, 0, 0, 1), Cell(0, 1, 1, 2), Cell(1, 2, 2, 3)]
    >>> [group.ranges for group in aligned_groups(one, other, 2)]
    [[range(0, 0), range(0, 1)], [range(0, 1), range(1, 3)]]
    """
    rows = (left, right)
    at = [0, 0]
    reached = [0, 0]

    def take(side: int, empty: int | None, before: int) -> range:
        """The cells with an empty span at `empty`, or else those that begin before `before`."""
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
            yield AlignedGroup(cut, cut, inserted)
        if number + 1 < len(cuts):
            after = cuts[number + 1]
            yield AlignedGroup(cut, after, [take(side, None, after) for side in (0, 1)])


class Spot(NamedTuple):
    """Characters [start, end) of the original that are `left` on one side and `right` on the other.

    lefts, rights: the same characters as indices into each side's plain text.
    """

    start: int
    end: int
    left: str
    right: str
    lefts: range
    rights: range


class Matching(NamedTuple):
    """How the characters of two plain texts match.

    spots: where the texts differ. moved: stretches of the original in which equal characters have different spans.
    """

    spots: list[Spot]
    moved: list[Span]


def match(left: Plain, right: Plain, original: str) -> Matching:
    """Matches the characters of two plain texts: the smallest stretches in which they differ, in order.

    >>> one = Plain.of_characters(" H", [0, 0], [1, 1])    # as Hugging Face aligns an inserted space
    >>> other = Plain.of_characters(" H", [0, 0], [0, 1])  # as llama.cpp does
    >>> match(one, other, "H").spots
    []
    >>> [spot[:4] for spot in match(one, Plain.of_characters(" h", [0, 0], [0, 1]), "H").spots]
    [(0, 1, 'H', 'h')]

    A letter and its marks are one spot if they were only reordered or composed, wherever a side puts them.
    """
    if left[:3] == right[:3]:
        return Matching([], [])
    matcher = SurplusMatcher(left, right)
    found: list[Spot] = []
    chain: list[Spot] = []
    """spots of one letter and its marks"""

    def spot(start: int, end: int, lefts: range, rights: range) -> Spot:
        one, other = left.text[lefts.start : lefts.stop], right.text[rights.start : rights.stop]
        return Spot(start, end, one, other, lefts, rights)

    def close() -> None:
        if len(chain) > 1:
            lefts = range(chain[0].lefts.start, chain[-1].lefts.stop)
            whole = spot(chain[0].start, chain[-1].end, lefts, range(chain[0].rights.start, chain[-1].rights.stop))
            if unicodedata.normalize("NFD", whole.left) == unicodedata.normalize("NFD", whole.right):
                chain[:] = [whole]
        found.extend(chain)
        chain.clear()

    for each in matcher.differences(original):
        if each.start == each.end or not all(map(joins, original[chain[-1].end : each.start + 1] if chain else "")):
            close()
        chain.append(spot(each.start, each.end, *each.ranges))
    close()
    return Matching(found, matcher.moved)


class SurplusMatcher:
    """Moves the borders of groups that differ, where a surplus of one side turns up later on the other.

    moved: as in `Matching`.
    """

    def __init__(self, left: Plain, right: Plain) -> None:
        self.sides = (left, right)
        self.specials = sorted({*left.specials, *right.specials})
        self.moved: list[Span] = []

    def differences(self, original: str) -> list[AlignedGroup]:
        """The groups that still differ, in the order of the text."""
        done: list[AlignedGroup] = []
        for now in uneven_groups(*self.sides, len(original)):
            while done and not self.is_same(now) and self.settle(done[-1], now):
                if not self.is_same(done[-1]):
                    break
                done.pop()
            if not self.is_same(now):
                self.settle_far(done, now)
            if not self.is_same(now):
                done.append(now)
        return done

    def text(self, side: int, each: AlignedGroup) -> str:
        """A side's characters of a group."""
        return self.sides[side].text[each.ranges[side].start : each.ranges[side].stop]

    def is_same(self, each: AlignedGroup) -> bool:
        """Whether both sides have the same characters in a group."""
        return self.text(0, each) == self.text(1, each)

    def settle(self, one: AlignedGroup, other: AlignedGroup) -> bool:
        """Matches a surplus in one group with the same text in the next; returns whether there was one.

        The text between the groups is equal on both sides and moves along, so it has to read the same after the move.
        Nothing moves across a special token.
        """
        if not self.may_cross(one, other):
            return False
        for rich, poor in ((0, 1), (1, 0)):
            between = self.sides[rich].text[one.ranges[rich].stop : other.ranges[rich].start]
            # the surplus at the end of the first group, which the other side has at the beginning of the second …
            written, lacking = self.text(rich, one), self.text(poor, one)
            surplus = written[len(lacking) :] if written.startswith(lacking) else ""
            if surplus and moves(surplus, between, self.text(poor, other)):
                return self.move(one, other, poor, len(surplus))
            # … or at its end, before this side's characters there
            if surplus and not between and self.text(poor, other).endswith(surplus + self.text(rich, other)):
                return self.move(one, other, rich, -len(surplus))
            # the surplus at the beginning of the second, which the other side has at the end of the first …
            surplus = self.surplus_in_front(rich, other)
            if surplus and moves(surplus[::-1], between[::-1], self.text(poor, one)[::-1]):
                return self.move(one, other, poor, -len(surplus))
            # … or at its beginning, after this side's characters there
            if surplus and not between and self.text(poor, one).startswith(self.text(rich, one) + surplus):
                return self.move(one, other, rich, len(surplus))
        return False

    def settle_far(self, done: list[AlignedGroup], now: AlignedGroup) -> None:
        """Matches a surplus at the beginning of a group across groups in which that side has nothing left.

        One side drops white space and then puts a space before a word, the other puts it before the white space.
        """
        for rich, poor in ((0, 1), (1, 0)):
            surplus = self.surplus_in_front(rich, now)
            if not surplus:
                continue
            at = now.ranges[rich].start
            first = len(done)
            while first and done[first - 1].ranges[rich].start == at and self.may_cross(done[first - 1], now):
                first -= 1
            gone = done[first:]
            if gone and self.text(poor, gone[0]).startswith(surplus):
                end = at + len(surplus)
                gone[0].ranges[rich], now.ranges[rich] = range(at, end), range(end, now.ranges[rich].stop)
                for each in gone[1:]:
                    each.ranges[rich] = range(end, end)
                self.note(gone[0], now)
                if self.is_same(gone[0]):
                    del done[first]
                return

    def surplus_in_front(self, rich: int, each: AlignedGroup) -> str:
        """What one side has in a group before all that the other has."""
        written, lacking = self.text(rich, each), self.text(1 - rich, each)
        return written.removesuffix(lacking) if written.endswith(lacking) else ""

    def may_cross(self, one: AlignedGroup, other: AlignedGroup) -> bool:
        """Whether no special token lies between the beginning of one group and the end of another."""
        at = bisect_left(self.specials, one.start)
        return at == len(self.specials) or self.specials[at] >= other.end

    def move(self, one: AlignedGroup, other: AlignedGroup, side: int, count: int) -> bool:
        """Moves the border between two groups by `count` characters on one side."""
        first, second = one.ranges[side], other.ranges[side]
        one.ranges[side] = range(first.start, first.stop + count)
        other.ranges[side] = range(second.start + count, second.stop)
        self.note(one, other)
        return True

    def note(self, one: AlignedGroup, other: AlignedGroup) -> None:
        """Records a stretch whose characters have different spans; overlapping stretches are joined."""
        start = one.start
        while self.moved and start < self.moved[-1].end:
            start = min(start, self.moved.pop().start)
        self.moved.append(Span(start, other.end))


def moves(surplus: str, between: str, rest: str) -> bool:
    """Whether `surplus` + `between` reads like `between` + the beginning of `rest`.

    >>> moves(" ", "", " H"), moves(" ", "  ", " "), moves(" ", "a", " ")
    (True, True, False)
    """
    if not between.startswith(surplus[: len(between)]):
        return False
    whole = surplus + between
    return whole.startswith(between) and rest.startswith(whole[len(between) :])


def uneven_groups(left: Plain, right: Plain, size: int) -> Iterator[AlignedGroup]:
    """Two plain texts as groups, in order, without most of those that are equal on both sides."""
    for part in uneven(left, right):
        for group in aligned_groups(characters(left, part.lefts), characters(right, part.rights), size):
            if any(group.ranges):
                ranges = [
                    range(each.start + whole.start, each.stop + whole.start)
                    for each, whole in zip(group.ranges, part, strict=True)
                ]
                yield group._replace(ranges=ranges)


def characters(side: Plain, within: range) -> list[Cell]:
    """The characters of a range as cells: those with the same span share one."""
    starts, ends = side.starts[within.start : within.stop], side.ends[within.start : within.stop]
    return list(cells_of([Token(0, start, end) for start, end in zip(starts, ends, strict=True)], 0))


class Boundary(NamedTuple):
    """A position of the original where one side ends a piece and the other doesn't."""

    at: int
    left: bool
    """Whether the left side cuts."""
    since: int
    """Where the character before the cut begins: `at` itself if it was inserted there."""


def boundaries(left: Plain, right: Plain, apart: Sequence[Spot]) -> list[Boundary]:
    """Between which matching characters only one side cuts; not next to characters that differ.

    >>> one = Plain.of_characters("ab", [0, 1], [1, 2], [0, 1])
    >>> boundaries(one, Plain.of_characters("ab", [0, 1], [1, 2], [0, 0]), [])
    [Boundary(at=1, left=True, since=0)]
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
                whole, after = (right, index + shift) if cuts else (left, index)
                found.add(Boundary(whole.starts[after], not cuts, whole.starts[after - 1]))
    return sorted(found)


SHORT = 24
"""Characters. A part of this length is not halved any further."""

TRIED = 32
"""Characters on either side of the middle at which a part may be halved."""


class PlainPair(NamedTuple):
    """Characters of both sides by index. Both sides have a cut at the ends, and nothing is inserted there."""

    lefts: range
    rights: range


class CutFinder:
    """Finds the cuts of a plain text."""

    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.until = list(accumulate(plain.ends, max))
        """per character: the largest end of it and those before it"""
        self.since = list(accumulate(reversed(plain.starts), min))[::-1]
        """per character: the smallest start of it and those after it"""

    def cuts(self, index: int) -> bool:
        """Whether a character of the original begins at an index, and no other span reaches across its start."""
        start = self.plain.starts[index]
        return (
            start < self.plain.ends[index]
            and self.since[index] == start
            and (index == 0 or self.until[index - 1] <= start)
        )


def uneven(left: Plain, right: Plain) -> Iterator[PlainPair]:
    """The stretches outside which both sides are equal, in order.

    >>> text = "in the beginning there was a difference here"
    >>> one, other = (Plain.of_characters(each, range(44), range(1, 45)) for each in (text, text.replace("was", "WAS")))
    >>> [(text[found.lefts.start : found.lefts.stop]) for found in uneven(one, other)]
    ['re was a difference here']
    """
    sides = CutFinder(left), CutFinder(right)
    parts = [PlainPair(range(len(left.text)), range(len(right.text)))]
    while parts:
        part = parts.pop()
        if is_equal(left, right, part):
            continue
        halves = halved(*sides, part)
        if halves is None:
            yield part
        else:
            parts += reversed(halves)


def is_equal(left: Plain, right: Plain, part: PlainPair) -> bool:
    """Whether both sides have the same characters with the same spans."""
    lefts, rights = (slice(each.start, each.stop) for each in part)
    return (
        left.text[lefts] == right.text[rights]
        and left.starts[lefts] == right.starts[rights]
        and left.ends[lefts] == right.ends[rights]
    )


def halved(left: CutFinder, right: CutFinder, part: PlainPair) -> tuple[PlainPair, PlainPair] | None:
    """A part in two; None if it is short or has no cut near its middle."""
    lefts, rights = part
    if max(len(lefts), len(rights)) <= SHORT or not rights:
        return None
    middle = (lefts.start + lefts.stop) // 2
    for index in range(max(middle - TRIED, lefts.start + 1), min(middle + TRIED, lefts.stop)):
        if left.cuts(index):
            start = left.plain.starts[index]
            other = bisect_left(right.plain.reached, start, rights.start, rights.stop)
            if other < rights.stop and right.plain.starts[other] == start and right.cuts(other):
                return (
                    PlainPair(range(lefts.start, index), range(rights.start, other)),
                    PlainPair(range(index, lefts.stop), range(other, rights.stop)),
                )
    return None


T = TypeVar("T", bound=tuple[Any, ...])


def touching(spans: Sequence[T], start: int, end: int) -> Sequence[T]:
    """Those of sorted, disjoint spans that overlap or touch [start, end].

    >>> touching([Span(0, 1), Span(2, 4), Span(6, 7)], 4, 5)
    [Span(start=2, end=4)]
    """
    low = bisect_left(spans, start, key=lambda span: span[1])
    return spans[low : bisect_right(spans, end, lo=low, key=lambda span: span[0])]


def adjacent_joined(spots: Iterable[Spot]) -> list[Span]:
    """Each run of adjacent spots as one span.

    >>> adjacent_joined([Spot(*span, "", "", range(0), range(0)) for span in ((0, 1), (1, 1), (1, 3), (4, 5))])
    [Span(start=0, end=3), Span(start=4, end=5)]
    """
    spans: list[Span] = []
    for spot in spots:
        if spans and spans[-1].end == spot.start:
            spans[-1] = Span(spans[-1].start, spot.end)
        else:
            spans.append(Span(spot.start, spot.end))
    return spans


def overlap(one: Spot, other: Spot) -> bool:
    """Whether two spots share a character, or are insertions at the same position."""
    if one.start == one.end or other.start == other.end:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end


class UnmatchedSpecial(NamedTuple):
    """A special token that only one side finds at this span, and which side."""

    start: int
    end: int
    side: int
    token: Token


class TextDifferences:
    """The differences between two runs before the model, by stage.

    spots: by stage, the stretches whose characters differ. moved: stretches of equal characters with different spans.
    specials: the special tokens that only one side finds. boundaries: positions where only one side cuts.
    """

    def __init__(self, left: States, right: States) -> None:
        self.sides = (left, right)
        self.text = left.run.text
        matchings = {name: match(left.plain[name], right.plain[name], self.text) for name in TEXT_STAGES}
        self.spots = {name: matching.spots for name, matching in matchings.items()}
        self.moved = matchings[PRE_TOKENIZE].moved
        spans = [{(token.start, token.end) for token in side.specials} for side in self.sides]
        self.specials = sorted(
            UnmatchedSpecial(token.start, token.end, number, token)
            for number, side in enumerate(self.sides)
            for token in side.specials
            if (token.start, token.end) not in spans[1 - number]
        )
        self._specials_by_side = [[each for each in self.specials if each.side == side] for side in (0, 1)]
        self.boundaries = boundaries(left.before_model, right.before_model, self.spots[PRE_TOKENIZE])
        spots = self.spots
        self._stretches = cache(lambda stage: adjacent_joined(spots[stage]))

    @cached_property
    def special_ends(self) -> frozenset[int]:
        """Where special tokens end, on either side."""
        return frozenset(token.end for side in self.sides for token in side.specials)

    def is_moved(self, position: int) -> bool:
        """Whether a position lies inside a stretch of equal characters with different spans."""
        near = bisect_left(self.moved, position, key=lambda span: span.end)
        return near < len(self.moved) and self.moved[near].start < position < self.moved[near].end

    def specials_touching(self, start: int, end: int) -> list[UnmatchedSpecial]:
        """The special tokens of one side only that overlap or touch [start, end], in order."""
        return sorted(each for side in self._specials_by_side for each in touching(side, start, end))

    def special_touching(self, start: int, end: int) -> UnmatchedSpecial | None:
        """The first of them."""
        return next(iter(self.specials_touching(start, end)), None)

    def stretch(self, stage: str, spot: Spot) -> Span:
        """The run of adjacent spots of a stage that contains this one."""
        stretches = self._stretches(stage)
        return stretches[bisect_left(stretches, spot.end, key=lambda each: each.end)]

    def first_stage(self, spot: Spot) -> tuple[str, Spot]:
        """The stage at which a difference seen before the model appears first, and its spot there."""
        stage = PRE_TOKENIZE
        for earlier in (NORMALIZE, PARTITION):
            found = [each for each in touching(self.spots[earlier], spot.start, spot.end) if overlap(each, spot)]
            if not found:
                break
            stage, spot = earlier, found[0]
        return stage, spot

    def belongs(self, spot: Spot, region: Span) -> bool:
        """Whether a spot lies in a region. An insertion belongs to the region after it; at the end, to the last one."""
        if spot.start == spot.end:
            return region.start <= spot.start < region.end or spot.start == region.end == len(self.text)
        return spot.start < region.end and region.start < spot.end
