"""Two lists of ids side by side, by what they say and not by their numbers.

Tokens in front of the text and behind it are put beside each other first. Between them, lists that spell the same bytes
are cut wherever both have a token's end. Where they do not, ids that both have are anchors (`difflib`), and what is
between two anchors is cut where bytes that both spell have a token's end on both sides. Longer gaps are anchored by ids
that occur once in each list. A gap without such an id is gone through from its beginning, past each difference to the
nearest place where the lists are the same again; where there is none at hand, the rest is one stretch.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from explorer.analysis.expected.answers import Place, Stretch
from explorer.analysis.other_text import common_ends

MOST: Final = 2_000
"""Up to so many ids or bytes are compared one by one."""

REACH: Final = 32
"""So many ids beyond a difference are looked at for the place where both lists are the same again."""

AGAIN: Final = 8
"""So many ids in a row say that they are."""

BLOCK: Final = 256

Ids = Sequence[int]


class Piece(NamedTuple):
    """A part of both lists: [a, b) of the one, [c, d) of the other; the same, or not."""

    same: bool
    a: int
    b: int
    c: int
    d: int


def stretches(
    expected: Ids,
    given: Ids,
    ends: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0)),
    contents: Callable[[Ids], list[bytes]] = lambda ids: [str(id).encode() for id in ids],
) -> list[Stretch]:
    """Both lists, as stretches that are the same and stretches that are not.

    ends: how many special tokens stand in front of the text and behind it, of the expected ids and of the given ones.
    contents: what each of these ids says, all of them between the ends.

    >>> [(each.same, list(each.expected), list(each.given)) for each in stretches([1, 2, 3], [1, 3])]
    [(True, [0], [0]), (False, [1], []), (True, [2], [1])]
    """
    (e, f), (g, h) = ends
    parts = (
        (Place.FRONT, (0, e), (0, g)),
        (Place.TEXT, (e, len(expected) - f), (g, len(given) - h)),
        (Place.BEHIND, (len(expected) - f, len(expected)), (len(given) - h, len(given))),
    )
    made: list[Stretch] = []
    for place, (a, b), (c, d) in parts:
        one, other = expected[a:b], given[c:d]
        pieces = in_text(one, other, contents) if place == Place.TEXT else by_ids(one, other)
        made += [
            Stretch(piece.same, range(a + piece.a, a + piece.b), range(c + piece.c, c + piece.d), place)
            for piece in joined(pieces)
        ]
    return made


def joined(pieces: Iterator[Piece]) -> list[Piece]:
    """Neighbours that are the same as one; nothing empty."""
    made: list[Piece] = []
    for piece in pieces:
        if piece.a == piece.b and piece.c == piece.d:
            continue
        if made and piece.same and made[-1].same:
            made[-1] = made[-1]._replace(b=piece.b, d=piece.d)
        else:
            made.append(piece)
    return made


def in_text(one: Ids, other: Ids, contents: Callable[[Ids], list[bytes]]) -> Iterator[Piece]:
    """What is between the ends."""
    if one == other:
        yield Piece(True, 0, len(one), 0, len(other))
        return
    left, right = contents(one), contents(other)
    if b"".join(left) == b"".join(right):
        yield from by_cuts(one, other, left, right, [(0, 0, sum(map(len, left)))])
        return
    for piece in by_ids(one, other):
        if piece.same:
            yield piece
            continue
        _, a, b, c, d = piece
        mine, theirs = left[a:b], right[c:d]
        blocks = by_bytes(b"".join(mine), b"".join(theirs))
        yield from (moved(each, a, c) for each in by_cuts(one[a:b], other[c:d], mine, theirs, blocks))


def moved(piece: Piece, a: int, c: int) -> Piece:
    """A piece of parts that begin at a and c."""
    return Piece(piece.same, a + piece.a, a + piece.b, c + piece.c, c + piece.d)


def by_bytes(one: bytes, other: bytes) -> list[tuple[int, int, int]]:
    """Where two texts have the same bytes, as `difflib` says it: at, at, how many."""
    front, behind = common_ends(one, other)
    blocks = [(0, 0, front)]
    ends = len(one) - behind, len(other) - behind
    if max(ends) - front <= MOST:
        matcher = SequenceMatcher(None, one[front : ends[0]], other[front : ends[1]], autojunk=False)
        blocks += [(front + a, front + b, size) for a, b, size in matcher.get_matching_blocks()]
    return [block for block in (*blocks, (*ends, behind)) if block[2]]


def by_cuts(
    one: Ids, other: Ids, left: Sequence[bytes], right: Sequence[bytes], blocks: Sequence[tuple[int, int, int]]
) -> Iterator[Piece]:
    """Cut wherever a token ends on both sides in bytes that both have."""
    # a token without bytes stays with the one behind it: the first place that reaches an offset counts
    first, second = offsets(left), offsets(right)
    cuts = [(0, 0)]
    for a, b, size in blocks:
        for at in range(bisect_left(first[0], a), len(first[0])):
            offset = first[0][at]
            if offset > a + size:
                break
            place = bisect_left(second[0], offset - a + b)
            if place < len(second[0]) and second[0][place] == offset - a + b:
                cut = first[1][at], second[1][place]
                if cut[0] >= cuts[-1][0] and cut[1] >= cuts[-1][1]:
                    cuts.append(cut)
    cuts.append((len(one), len(other)))
    for (a, c), (b, d) in pairwise(cuts):
        front, behind = common_ends(one[a:b], other[c:d])
        yield Piece(True, a, a + front, c, c + front)
        yield Piece(False, a + front, b - behind, c + front, d - behind)
        yield Piece(True, b - behind, b, d - behind, d)


def offsets(parts: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """The bytes before a token, each once and in order, and the first token that has so many before it.

    >>> offsets([b"ab", b"", b"c"])
    ([0, 2, 3], [0, 1, 3])
    """
    found: dict[int, int] = {}
    for place, offset in enumerate(accumulate(map(len, parts), initial=0)):
        found.setdefault(offset, place)
    return list(found), list(found.values())


def by_ids(one: Ids, other: Ids) -> Iterator[Piece]:
    """By the ids that both have in the same order."""
    front, behind = common_ends(one, other)
    yield Piece(True, 0, front, 0, front)
    b, d = len(one) - behind, len(other) - behind
    mine, theirs = one[front:b], other[front:d]
    if max(len(mine), len(theirs)) <= MOST:
        for what, i, j, k, m in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
            yield Piece(what == "equal", front + i, front + j, front + k, front + m)
    else:
        yield from (moved(piece, front, front) for piece in by_rare_ids(mine, theirs))
    yield Piece(True, b, len(one), d, len(other))


def by_rare_ids(one: Ids, other: Ids) -> Iterator[Piece]:
    """Long lists between ids that each has once; without any, step by step."""
    anchors = in_order(one, other)
    if not anchors:
        yield from by_steps(one, other)
        return
    a = c = 0
    for i, k in (*anchors, (len(one), len(other))):
        yield from (moved(piece, a, c) for piece in by_ids(one[a:i], other[c:k]))
        if i < len(one):
            yield Piece(True, i, i + 1, k, k + 1)
        a, c = i + 1, k + 1


def by_steps(one: Ids, other: Ids) -> Iterator[Piece]:
    """Long lists from their beginning, past one difference after the other.

    >>> [piece[1:] for piece in by_steps([1] * 9 + [5] + [1] * 9, [1] * 19) if not piece.same]
    [(9, 10, 9, 10), (19, 19, 19, 19)]
    """
    one, other = list(one), list(other)  # a tuple is never equal to a list
    a = c = 0
    while True:
        count = same_from(one, a, other, c)
        yield Piece(True, a, a + count, c, c + count)
        a, c = a + count, c + count
        step = past(one[a : a + REACH + AGAIN], other[c : c + REACH + AGAIN])
        if step is None:
            break
        yield Piece(False, a, a + step[0], c, c + step[1])
        a, c = a + step[0], c + step[1]
    yield Piece(False, a, len(one), c, len(other))


def same_from(one: Ids, a: int, other: Ids, c: int) -> int:
    """How many ids are the same from these places on."""
    count, most = 0, min(len(one) - a, len(other) - c)
    while count < most and one[a + count : a + count + BLOCK] == other[c + count : c + count + BLOCK]:
        count += BLOCK
    while count < most and one[a + count] == other[c + count]:
        count += 1
    return min(count, most)


def past(one: Ids, other: Ids) -> tuple[int, int] | None:
    """How many ids of each side a difference takes at least; None where that is not seen.

    >>> past([5, *range(9)], [6, *range(9)]), past([5, *range(9)], list(range(9))), past([5, 6], [7, 8])
    ((1, 1), (1, 0), None)
    """
    for most in range(1, REACH + 1):
        pairs = [(most, most), *((least, most) for least in range(most)), *((most, least) for least in range(most))]
        for i, k in pairs:
            again = one[i : i + AGAIN]
            if len(again) == AGAIN and again == other[k : k + AGAIN]:
                return i, k
    return None


def in_order(one: Ids, other: Ids) -> list[tuple[int, int]]:
    """The places of ids that each list has once: the most that are in the same order in both.

    >>> in_order([5, 6, 7, 6], [7, 5, 8])
    [(2, 0)]
    """
    times, others = Counter(one), Counter(other)
    there = {id: place for place, id in enumerate(other)}
    pairs = [(place, there[id]) for place, id in enumerate(one) if times[id] == 1 == others[id]]
    # the longest rising row of the second places, by patience
    tails: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
        lasts[at : at + 1] = [number]
        before.append(lasts[at - 1] if at else -1)
    found = []
    number = lasts[-1] if lasts else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
