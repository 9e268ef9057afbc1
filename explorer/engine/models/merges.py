"""Merging: a chain of symbols and a queue of pairs, the best pair first.

Shared by SentencePiece's BPE and byte-level BPE. A text is split into symbols that form a doubly linked chain. Every
pair of neighbors that may merge is pushed to a priority queue. The best pair is popped, its left symbol absorbs its
right one, and the two new pairs with its neighbors are pushed. An entry whose symbols have changed since it was pushed
is stale and is skipped when popped. Follows llama.cpp (`llm_symbol`, `llm_bigram_spm`, the work queue), which follows
sentencepiece's agenda.

The caller's `PairLookup` gives the priority of a pair. Time is n log n in the number of symbols as long as the pieces
of the vocabulary have bounded length. Without a trace the same merges are made without an entry per decision; a
property test holds the two equal.

`MergeReplay` replays the merges of one fragment from its events. Symbols are counted there as they were before merging.
The symbol at index i covers the initial symbols [i, ends[i]); a merge removes the boundary in front of its right symbol
for good, so each boundary within a token is removed by exactly one merge.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from heapq import heapify, heappop, heappush
from itertools import pairwise
from struct import pack, unpack
from typing import NamedTuple

from explorer.engine.budget import MODEL, ask, turns
from explorer.engine.part import Emit, Model, silent
from explorer.text.input import character_of_each_byte


class MergeEvent(IntEnum):
    """What a `MergeRow` says."""

    SEGMENT = 0
    """A segment begins: left = its index among the stage's items, right = its number of symbols."""
    PUSH = 1
    """The pair may merge: it is pushed to the queue."""
    MISS = 2
    """The pair may not merge: nothing is pushed."""
    MERGE = 3
    """The best pair was popped; left absorbs right."""
    STALE_LEFT = 4
    """Popped and skipped: another symbol has absorbed the left one."""
    STALE_RIGHT = 5
    """Popped and skipped: another symbol has absorbed the right one."""
    STALE_SIZE = 6
    """Popped and skipped: the right symbol has grown since. (The left one grows only by absorbing it.)"""
    TOKEN = 7
    """The symbol `left` is a piece and becomes a token."""
    UNMERGE = 8
    """The symbol is a piece that may not be output: it is taken apart into the symbols `left` and `right`."""
    BYTE = 9
    """The symbol `left` is not a piece; its byte number `right` becomes a byte token."""
    RAW_BYTE = 10
    """The same, but the vocabulary spells that byte as itself and has no token `<0xXX>`."""
    UNKNOWN = 11
    """The same, but the vocabulary has neither: the byte becomes the unknown token."""
    UNKNOWN_SYMBOL = 12
    """The symbol `left` is not a piece and becomes the unknown token as a whole."""
    UNKNOWN_JOINED = 13
    """The symbol `left` is not a piece either and joins the unknown token before it."""
    WHOLE = 14
    """The segment of `right` symbols is a token: it is taken whole, and nothing is merged."""
    NOT_WHOLE = 15
    """The segment of `right` symbols was looked up as a whole and is not a token: it has to be merged."""
    DROPPED = 16
    """The symbol `left` is not a piece, and its byte number `right` has no token either: the byte is dropped."""
    FALLBACK = 17
    """Before merging: a character is not a piece; its bytes become the `right` symbols from `left` on."""
    UNKNOWN_RUN = 18
    """Before merging: `right` characters are not pieces; the symbol `left` is the unknown token for all of them."""
    SKIPPED = 19
    """Before merging: the character `right` is not a piece and is dropped; `left` would be its symbol."""
    PREFIXED = 20
    """Before merging: of the `right` symbols, all but the first get the prefix of pieces that continue a word."""
    SUFFIXED = 21
    """Before merging: the last of the `right` symbols gets the suffix of pieces that end a word."""


# integers: to look up a member of an enum takes longer than to store an event
SEGMENT, PUSH, MISS, MERGE, STALE_LEFT, STALE_RIGHT, STALE_SIZE, TOKEN = map(int, list(MergeEvent)[:8])
WHOLE, NOT_WHOLE = int(MergeEvent.WHOLE), int(MergeEvent.NOT_WHOLE)

STALE = frozenset({MergeEvent.STALE_LEFT, MergeEvent.STALE_RIGHT, MergeEvent.STALE_SIZE})
"""Kinds that skip an entry of the queue because one of its symbols has changed."""

PAIRS = STALE | {MergeEvent.PUSH, MergeEvent.MISS, MergeEvent.MERGE}
"""Kinds about a pair: `right` is its second symbol."""

BEFORE_MERGING = frozenset(
    {
        MergeEvent.NOT_WHOLE,
        MergeEvent.FALLBACK,
        MergeEvent.UNKNOWN_RUN,
        MergeEvent.SKIPPED,
        MergeEvent.PREFIXED,
        MergeEvent.SUFFIXED,
    }
)
"""Kinds that come before the first pair is looked up."""

OUTPUT = frozenset(
    {
        MergeEvent.TOKEN,
        MergeEvent.BYTE,
        MergeEvent.RAW_BYTE,
        MergeEvent.UNKNOWN,
        MergeEvent.UNKNOWN_SYMBOL,
        MergeEvent.UNKNOWN_JOINED,
    }
)
"""Kinds that turn a symbol, or one of its bytes, into a token."""


class MergeRow(NamedTuple):
    """One decision of merging."""

    kind: int
    """A `MergeEvent`."""
    left: int
    """The left symbol, counted from 0 within the segment."""
    right: int
    """The right symbol."""
    token: int
    """The id of the piece in question, or -1."""


PairLookup = Callable[[bytes, bytes], tuple[float, bytes, int] | None]
"""From the spellings of two neighbors to the priority of the pair (lowest first), the spelling of the merged symbol
and its id, -1 where that is not a piece; None where the pair may not merge. Priorities are all integers or all
floats."""


class Chain(NamedTuple):
    """Symbols in order. first: the index of the first initial symbol of each. pieces: the spelling of each."""

    first: list[int]
    pieces: list[bytes]


class Symbols(NamedTuple):
    """The symbols of a segment before anything is merged.

    pieces: the spelling of each symbol. starts, ends: the characters [start, end) of the segment's text.
    sizes: the bytes each symbol counts for in an original that computes spans by adding these up; None where that gives
    the same spans.
    """

    pieces: list[bytes]
    starts: Sequence[int]
    ends: Sequence[int]
    sizes: Sequence[int] | None = None


def code_point_symbols(text: str) -> Symbols:
    """One symbol per code point.

    >>> code_point_symbols("né").pieces
    [b'n', b'\\xc3\\xa9']
    """
    return Symbols([ch.encode() for ch in text], range(len(text)), range(1, len(text) + 1))


def counted_spans(symbols: Symbols, text: str) -> tuple[Sequence[int], Sequence[int]]:
    """The characters [start, end) of each symbol as the original counts them, except that they end with the text: where
    a prefix or suffix becomes bytes, the original counts those as well.

    >>> counted_spans(Symbols([b"a"], [1], [2], [1]), "éa")
    ([0], [1])
    """
    if symbols.sizes is None:
        return symbols.starts, symbols.ends
    of = character_of_each_byte(text.encode())
    starts, ends, at = [], [], 0
    for size in symbols.sizes:
        starts.append(of[min(at, len(of) - 1)])
        at += size
        ends.append(of[min(at, len(of)) - 1] + 1)
    return starts, ends


class MergeModel(Model, ABC):
    """A model that merges a chain of symbols, as the views replay it."""

    priority: str

    @abstractmethod
    def initial_symbols(self, text: str) -> Symbols:
        """The symbols of a segment's text before anything is merged."""

    @abstractmethod
    def join(self, pieces: Sequence[bytes]) -> bytes:
        """The spelling of a symbol merged from symbols with these spellings."""

    @abstractmethod
    def priority_of(self, left: bytes, right: bytes) -> float | None:
        """The priority of a pair of symbols with these spellings, lowest first; None where it may not merge."""


def merge(pieces: Sequence[bytes], pairs: Pairs, emit: Emit) -> Chain:
    """The symbols left when no pair may merge any more. Pairs of equal priority merge from the left.

    >>> known = {b"ab": 1, b"bc": 0}
    >>> def pair(left, right):
    ...     return (known[left + right], left + right, 9) if left + right in known else None
    >>> merge([b"a", b"b", b"c"], Pairs(pair), silent).pieces
    [b'a', b'bc']
    """
    return merge_silently(pieces, pairs) if emit is silent else merge_by_queue(pieces, pairs, emit)


class Pairs(dict[int, tuple[int, int] | None]):
    """Two symbols by number, left << 32 | right → their rank and the number of the symbol they merge into.

    One instance serves all pieces of a text, because words recur.

    lookup: called once for each pair of spellings; without `remember`, whenever such a pair is pushed.
    pieces: by symbol number, its spelling. tokens: by symbol number, its id if it was merged, else -1.
    """

    __slots__ = ("lookup", "numbers", "pieces", "remember", "tokens")

    def __init__(self, lookup: PairLookup, remember: bool = True) -> None:
        self.lookup, self.remember = lookup, remember
        self.pieces: list[bytes] = []
        self.tokens: list[int] = []
        self.numbers: dict[bytes, int] = {}

    def __missing__(self, pair: int) -> tuple[int, int] | None:
        allowed = self.lookup(self.pieces[pair >> 32], self.pieces[pair & 0xFFFFFFFF])
        merge = None if allowed is None else (rank_of(allowed[0]), self.number(*allowed[1:]))
        if self.remember:
            self[pair] = merge
            if not len(self) & 31:
                ask(MODEL)
        return merge

    def number(self, piece: bytes, token: int) -> int:
        """The number of the symbol with this spelling; sets its id."""
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
    """A priority as an integer in the same order; for a float, from its bits.

    >>> rank_of(7), rank_of(-1.5) < rank_of(-0.0) == rank_of(0.0) < rank_of(1e-300) < rank_of(2.0)
    (7, True)
    """
    if isinstance(priority, int):
        return priority
    bits: int = unpack("<q", pack("<d", priority))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def merge_by_queue(pieces: Sequence[bytes], pairs: Pairs, emit: Emit) -> Chain:
    """Merges and emits every decision, stale entries of the queue included."""
    count = len(pieces)
    symbols, size = pairs.symbols(pieces), [len(piece) for piece in pieces]
    """by index; an absorbed symbol has size 0"""
    prev, next = list(range(-1, count - 1)), [*range(1, count), -1]
    tokens = pairs.tokens
    # an entry is one integer: the rank of the pair, its left and right symbol, its size, and the merged symbol
    for_index, for_size = count.bit_length(), sum(size).bit_length()
    index_mask, size_mask = (1 << for_index) - 1, (1 << for_size) - 1
    queue: list[int] = []

    def try_pair(left: int, right: int) -> None:
        found = pairs[symbols[left] << 32 | symbols[right]]
        if found is None:
            emit(MISS, left, right, -1)
            return
        rank, both = found
        entry = ((rank << for_index | left) << for_index | right) << for_size | size[left] + size[right]
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
        right, left = entry & index_mask, entry >> for_index & index_mask
        if not size[left] or not size[right] or size[left] + size[right] != pair_size:
            stale = STALE_LEFT if not size[left] else STALE_SIZE if size[right] else STALE_RIGHT
            emit(stale, left, right, tokens[both])
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

    left_over = [index for index in range(count) if size[index]]
    return Chain(left_over, [pairs.pieces[symbols[index]] for index in left_over])


def merge_silently(pieces: Sequence[bytes], pairs: Pairs) -> Chain:
    """Makes the same merges in the same order without events, several times as fast.

    An entry of the queue is one integer: the rank of a pair and the index of its left symbol. It is stale if the pair
    at that index now has another rank. If the rank is the same, this is the best pair, whichever entry was pushed for
    it.
    """
    count = len(pieces)
    symbols = pairs.symbols(pieces)
    """by index; -1 for an absorbed symbol"""
    prev, next = list(range(-1, count - 1)), [*range(1, count), -1]
    shift = count.bit_length()
    mask = (1 << shift) - 1
    queue = [
        found[0] << shift | index
        for index, (left, right) in enumerate(pairwise(symbols))
        if (found := pairs[left << 32 | right]) is not None
    ]
    heapify(queue)
    for _ in turns(count, MODEL):
        if not queue:
            break
        entry = heappop(queue)
        index = entry & mask
        left, other = symbols[index], next[index]
        if left < 0 or other < 0:
            continue
        found = pairs[left << 32 | symbols[other]]
        if found is None or found[0] != entry >> shift:
            continue
        symbols[index], symbols[other] = found[1], -1
        after = next[index] = next[other]
        if after >= 0:
            prev[after] = index
            pair = pairs[found[1] << 32 | symbols[after]]
            if pair is not None:
                heappush(queue, pair[0] << shift | index)
        before = prev[index]
        if before >= 0:
            pair = pairs[symbols[before] << 32 | found[1]]
            if pair is not None:
                heappush(queue, pair[0] << shift | before)
    left_over = [index for index, symbol in enumerate(symbols) if symbol >= 0]
    return Chain(left_over, [pairs.pieces[symbols[index]] for index in left_over])


class Pair(NamedTuple):
    """An event about two neighboring symbols.

    start, middle, end: the left symbol is [start, middle), the right one [middle, end), when the pair was looked up. A
    stale entry has the symbols of its push. left, right: their spellings then.
    """

    event: int
    kind: int
    start: int
    middle: int
    end: int
    left: bytes
    right: bytes
    token: int


class MergeReplay:
    """One fragment.

    symbols: before merging. pairs: all events about pairs, in order. merges: the merge that removed each boundary, by
    boundary. ends: by initial symbol, the end of the symbol that begins there now. last_merge: the last merge's event,
    -1 for none. unmerged: by the boundary that it opened, the event that took a piece apart, and the piece's id.
    fallback: by initial symbol that is a byte of a character, the event and the symbols [start, end) of the character.
    stand_ins: by initial symbol that is the unknown token, its event and the number of characters it replaces.
    """

    def __init__(self, model: MergeModel, text: str, rows: Iterable[tuple[int, MergeRow]]) -> None:
        self.model, self.text = model, text
        self.symbols: Symbols = model.initial_symbols(text)
        self.ends = list(range(1, len(self.symbols.pieces) + 1))
        self.pairs: list[Pair] = []
        self.merges: dict[int, Pair] = {}
        self.last_merge = -1
        self.unmerged: dict[int, tuple[int, int]] = {}
        self.fallback: dict[int, tuple[int, int, int]] = {}
        self.stand_ins: dict[int, tuple[int, int]] = {}
        self._pushed: dict[tuple[int, int, int], Pair] = {}
        for event, row in rows:
            self._replay(event, row)

    def _replay(self, event: int, row: MergeRow) -> None:
        kind, left, right, token = row
        if kind in PAIRS:
            self._pair(event, row)
        elif kind == MergeEvent.UNMERGE:
            self.unmerged[right] = event, token
        elif kind == MergeEvent.FALLBACK:
            for symbol in range(left, left + right):
                self.fallback[symbol] = event, left, left + right
        elif kind == MergeEvent.UNKNOWN_RUN:
            self.stand_ins[left] = event, right

    def _pair(self, event: int, row: MergeRow) -> None:
        kind, left, right, token = row
        if kind in (MergeEvent.PUSH, MergeEvent.MISS, MergeEvent.MERGE):
            pair = self._now(event, row)
            if kind == MergeEvent.PUSH:
                self._pushed[left, right, token] = pair
            elif kind == MergeEvent.MERGE:
                self.merges[right] = pair
                self.ends[left] = pair.end
                self.last_merge = event
        else:
            pair = self._pushed[left, right, token]._replace(event=event, kind=kind)
        self.pairs.append(pair)

    def _now(self, event: int, row: MergeRow) -> Pair:
        start, middle, end = row.left, row.right, self.ends[row.right]
        return Pair(event, row.kind, start, middle, end, self.piece(start, middle), self.piece(middle, end), row.token)

    def piece(self, start: int, end: int) -> bytes:
        """The spelling of the symbol that the initial symbols [start, end) merge into."""
        return self.model.join(self.symbols.pieces[start:end])

    def within(self, start: int, end: int) -> list[Pair]:
        """The merges that made the symbol [start, end), in order."""
        found = (self.merges[boundary] for boundary in range(start + 1, end) if boundary in self.merges)
        return sorted(merge for merge in found if merge.start >= start and merge.end <= end)

    def at_seam(self, boundary: int) -> list[Pair]:
        """The events about the two symbols at a boundary: lookups of the pair, and merges that changed one of them."""
        return [
            pair
            for pair in self.pairs
            if pair.middle == boundary or (pair.kind == MergeEvent.MERGE and boundary in (pair.start, pair.end))
        ]

    def characters(self, start: int, end: int) -> str:
        """The text of the initial symbols [start, end)."""
        return self.text[self.symbols.starts[start] : self.symbols.ends[end - 1]]


def priority_value(model: MergeModel, left: bytes, right: bytes) -> float | None:
    """The score, the rank, or the index in the list of merges of a pair; None if it may not merge."""
    priority = model.priority_of(left, right)
    return -priority if priority is not None and model.priority == "score" else priority
