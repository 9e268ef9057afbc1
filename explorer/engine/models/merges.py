"""Merging: a chain of symbols and a queue of pairs, the best pair first.

What SentencePiece-type BPE and byte-level BPE share. A text is cut into symbols that form a doubly linked chain.
Every pair of neighbours that may be joined is put in a priority queue; the best is popped, its right symbol is
absorbed by its left one, and the two new pairs beside it are pushed. An entry whose symbols have changed since it
was pushed is stale and is skipped when it comes up. Follows llama.cpp (`llm_symbol`, `llm_bigram_spm`, the work
queue), which follows sentencepiece's agenda.

What a pair is worth is not known here: the caller's `worth` says. Time is n log n in the number of symbols as long
as the pieces of the vocabulary are of bounded length. Where nobody watches, the same merges are made without an entry
for each decision; a property holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from heapq import heapify, heappop, heappush
from itertools import pairwise
from struct import pack, unpack
from typing import NamedTuple, Protocol

from explorer.engine.limits.budget import MODEL, ask, turns
from explorer.engine.trace import Emit, silent
from explorer.text.utf8 import character_of_each_byte


class Merge(IntEnum):
    """What a `MergeRow` says."""

    SEGMENT = 0
    """A new segment is begun: left = its place among the stage's items, right = its number of symbols."""
    PUSH = 1
    """The pair is a piece: it is put in the queue."""
    MISS = 2
    """The pair is no piece: nothing to push."""
    MERGE = 3
    """The best pair was popped; left absorbs right."""
    STALE_LEFT = 4
    """Popped and skipped: the left symbol was absorbed by another one."""
    STALE_RIGHT = 5
    """Popped and skipped: the right symbol was absorbed by another one."""
    STALE_SIZE = 6
    """Popped and skipped: both are there, but the right one has grown since. (The left grows only by absorbing it.)"""
    TOKEN = 7
    """The symbol `left` is a piece and becomes a token."""
    UNMERGE = 8
    """The symbol is a piece that may not be used: it is taken apart again at the symbols left and right."""
    BYTE = 9
    """The symbol `left` is no piece; its byte number `right` becomes a byte token."""
    RAW_BYTE = 10
    """The same, where the vocabulary spells that byte as itself and has no token `<0xXX>`."""
    UNKNOWN = 11
    """The same, where the vocabulary has neither: the unknown token."""
    UNKNOWN_SYMBOL = 12
    """The symbol `left` is no piece and becomes the unknown token, whole."""
    UNKNOWN_JOINED = 13
    """The symbol `left` is no piece either and joins the unknown token before it."""
    WHOLE = 14
    """The segment of `right` symbols is a token as it stands: it is taken whole, and nothing is merged."""
    NOT_WHOLE = 15
    """The segment of `right` symbols was looked up as a whole and is no token: it has to be merged."""
    DROPPED = 16
    """The symbol `left` is no piece, and its byte number `right` has no token either: it is left out."""
    FALLBACK = 17
    """Before merging: a character is no piece; its bytes become the `right` symbols from `left` on."""
    UNKNOWN_RUN = 18
    """Before merging: `right` characters are no pieces; the symbol `left` is the unknown token for all of them."""
    SKIPPED = 19
    """Before merging: the character `right` of the segment is no piece and is left out; `left` would be its symbol."""
    PREFIXED = 60
    """Before merging: all `right` symbols but the first are spelled with the prefix of pieces that go on in a word."""
    SUFFIXED = 61
    """Before merging: the last of the `right` symbols is spelled with the suffix of pieces that end a word."""


class MergeRow(NamedTuple):
    """One decision of the merging."""

    kind: int
    """A `Merge`."""
    left: int
    """Symbol on the left, counted from 0 within the segment."""
    right: int
    """Symbol on the right."""
    token: int
    """The id of the piece in question, -1 where there is none."""


Worth = Callable[[bytes, bytes], tuple[float, bytes, int] | None]
"""Given what two neighbours spell: the priority of the pair (lowest first), what it spells as one symbol and its id, -1
where that is no piece; None where the pair may not merge. All priorities are whole numbers, or all are floats."""


class Chain(NamedTuple):
    """Symbols in order: of each the number of the first unit it was made of, and what it spells."""

    first: list[int]
    pieces: list[bytes]


class Units(NamedTuple):
    """The symbols of a segment before anything is merged.

    pieces: what each symbol spells. starts, ends: the characters [start, end) of the segment's text it stands for.
    sizes: how many bytes of the text each symbol is counted for, where the original tells spans by adding these up and
    that is not the same; else None.
    """

    pieces: list[bytes]
    starts: Sequence[int]
    ends: Sequence[int]
    sizes: Sequence[int] | None = None


def code_point_units(text: str) -> Units:
    """One symbol a code point.

    >>> code_point_units("né").pieces
    [b'n', b'\\xc3\\xa9']
    """
    return Units([ch.encode() for ch in text], range(len(text)), range(1, len(text) + 1))


def spans(units: Units, text: str) -> tuple[Sequence[int], Sequence[int]]:
    """The characters [start, end) of the text each symbol stands for, as the original tells them.

    >>> spans(Units([b"a"], [1], [2], [1]), "éa")
    ([0], [1])
    """
    if units.sizes is None:
        return units.starts, units.ends
    of = character_of_each_byte(text.encode())
    starts, ends, at = [], [], 0
    for size in units.sizes:
        starts.append(of[min(at, len(of) - 1)])
        at += size
        ends.append(of[min(at, len(of)) - 1] + 1)
    return starts, ends


class MergeModel(Protocol):
    """What the model stages that merge on a chain of symbols have in common, for whoever draws them.

    worth: what a pair is judged by: the "score" of a piece, its place in a list ("merge"), or the "rank" of its bytes.
    """

    @property
    def worth(self) -> str: ...

    def units(self, text: str) -> Units:
        """The symbols of a segment's text before anything is merged."""

    def join(self, pieces: Sequence[bytes]) -> bytes:
        """What a symbol spells that was merged from symbols with these spellings."""

    def priority(self, left: bytes, right: bytes) -> float | None:
        """The priority of a pair of symbols with these texts, lowest first; None where it may not merge."""


def merge(pieces: Sequence[bytes], pairs: Pairs, emit: Emit) -> Chain:
    """The symbols that are left when no pair may be merged any more. Pairs of equal priority are merged from the left.

    >>> known = {b"ab": 1, b"bc": 0}
    >>> def worth(left, right):
    ...     return (known[left + right], left + right, 9) if left + right in known else None
    >>> merge([b"a", b"b", b"c"], Pairs(worth), silent).pieces
    [b'a', b'bc']
    """
    return merge_unwatched(pieces, pairs) if emit is silent else merge_by_queue(pieces, pairs, emit)


class Pairs(dict[int, tuple[int, int] | None]):
    """Two symbols by their numbers, left << 32 | right → their rank and the number of the symbol they become.

    worth: is asked about each pair of texts once, or whenever such a pair is pushed where nothing is to be remembered.
    One serves all pieces of a text: the same words come again. pieces: what each symbol spells, by its number; tokens:
    its id, of a symbol that was merged.
    """

    __slots__ = ("numbers", "pieces", "remember", "tokens", "worth")

    def __init__(self, worth: Worth, remember: bool = True) -> None:
        self.worth, self.remember = worth, remember
        self.pieces: list[bytes] = []
        self.tokens: list[int] = []
        self.numbers: dict[bytes, int] = {}

    def __missing__(self, pair: int) -> tuple[int, int] | None:
        found = self.worth(self.pieces[pair >> 32], self.pieces[pair & 0xFFFFFFFF])
        made = None if found is None else (rank_of(found[0]), self.number(*found[1:]))
        if self.remember:
            self[pair] = made
            if not len(self) & 31:
                ask(MODEL)
        return made

    def number(self, piece: bytes, token: int) -> int:
        number = self.numbers.setdefault(piece, len(self.pieces))
        if number == len(self.pieces):
            self.pieces.append(piece)
            self.tokens.append(token)
        else:
            self.tokens[number] = token
        return number

    def symbols(self, pieces: Sequence[bytes]) -> list[int]:
        """The numbers of these symbols."""
        numbers = self.numbers
        try:
            return [numbers[piece] for piece in pieces]
        except KeyError:
            for piece in pieces:
                if piece not in numbers:
                    self.number(piece, -1)
            return [numbers[piece] for piece in pieces]


def rank_of(priority: float) -> int:
    """A priority as a whole number, in the same order: of a float its bits.

    >>> rank_of(7), rank_of(-1.5) < rank_of(-0.0) == rank_of(0.0) < rank_of(1e-300) < rank_of(2.0)
    (7, True)
    """
    if isinstance(priority, int):
        return priority
    bits: int = unpack("<q", pack("<d", priority))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def merge_by_queue(pieces: Sequence[bytes], pairs: Pairs, emit: Emit) -> Chain:
    """The same with every decision, the stale entries of the queue among them."""
    count = len(pieces)
    symbols, size = pairs.symbols(pieces), [len(piece) for piece in pieces]
    """by place; a symbol that was absorbed has size 0"""
    prev, next = list(range(-1, count - 1)), [*range(1, count), -1]
    tokens = pairs.tokens
    # an entry is one number: the rank of the pair, its left symbol, its right one, its size, and what it becomes
    for_place, for_size = count.bit_length(), sum(size).bit_length()
    place_mask, size_mask = (1 << for_place) - 1, (1 << for_size) - 1
    queue: list[int] = []

    def try_pair(left: int, right: int) -> None:
        found = pairs[symbols[left] << 32 | symbols[right]]
        if found is None:
            emit(MISS, left, right, -1)
            return
        rank, both = found
        entry = ((rank << for_place | left) << for_place | right) << for_size | size[left] + size[right]
        heappush(queue, entry << 32 | both)
        emit(PUSH, left, right, tokens[both])

    for right in range(1, count):
        try_pair(right - 1, right)

    for _ in turns(count, MODEL):
        if not queue:
            break
        entry = heappop(queue)
        both = entry & 0xFFFFFFFF
        entry >>= 32
        pair_size = entry & size_mask
        entry >>= for_size
        right, left = entry & place_mask, entry >> for_place & place_mask
        if not size[left]:
            emit(STALE_LEFT, left, right, tokens[both])
            continue
        if not size[right]:
            emit(STALE_RIGHT, left, right, tokens[both])
            continue
        if size[left] + size[right] != pair_size:
            emit(STALE_SIZE, left, right, tokens[both])
            continue
        size[left], size[right], symbols[left] = pair_size, 0, both
        after = next[right]
        next[left] = after
        if after >= 0:
            prev[after] = left
        emit(MERGE, left, right, tokens[both])
        if prev[left] >= 0:
            try_pair(prev[left], left)
        if after >= 0:
            try_pair(left, after)

    left_over = [place for place in range(count) if size[place]]
    return Chain(left_over, [pairs.pieces[symbols[place]] for place in left_over])


# a member of an enumeration costs a look-up and more, a million times
PUSH, MISS, MERGE = int(Merge.PUSH), int(Merge.MISS), int(Merge.MERGE)
STALE_LEFT, STALE_RIGHT, STALE_SIZE = int(Merge.STALE_LEFT), int(Merge.STALE_RIGHT), int(Merge.STALE_SIZE)


def merge_unwatched(pieces: Sequence[bytes], pairs: Pairs) -> Chain:
    """The same merges in the same order, several times as fast: symbols are numbers, and each pair is asked about once.

    An entry of the queue is one number: the rank of a pair and the place of its left symbol. The chain says whether it
    is stale: the pair at that place now has another rank. If it has the same rank it is the best pair there is,
    whichever entry was made for it.
    """
    count = len(pieces)
    symbols = pairs.symbols(pieces)
    """by place; -1 where a symbol was absorbed"""
    prev, next = list(range(-1, count - 1)), [*range(1, count), -1]
    shift = count.bit_length()
    mask = (1 << shift) - 1
    queue = [
        found[0] << shift | place
        for place, (left, right) in enumerate(pairwise(symbols))
        if (found := pairs[left << 32 | right]) is not None
    ]
    heapify(queue)
    for _ in turns(count, MODEL):
        if not queue:
            break
        entry = heappop(queue)
        place = entry & mask
        left, other = symbols[place], next[place]
        if left < 0 or other < 0:
            continue
        found = pairs[left << 32 | symbols[other]]
        if found is None or found[0] != entry >> shift:
            continue
        symbols[place], symbols[other] = found[1], -1
        after = next[place] = next[other]
        if after >= 0:
            prev[after] = place
            beside = pairs[found[1] << 32 | symbols[after]]
            if beside is not None:
                heappush(queue, beside[0] << shift | place)
        before = prev[place]
        if before >= 0:
            beside = pairs[symbols[before] << 32 | found[1]]
            if beside is not None:
                heappush(queue, beside[0] << shift | before)
    left_over = [place for place, symbol in enumerate(symbols) if symbol >= 0]
    return Chain(left_over, [pairs.pieces[symbols[place]] for place in left_over])
