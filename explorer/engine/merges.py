"""Merging: a chain of symbols and a queue of pairs, the best pair first.

What SentencePiece-type BPE and byte-level BPE share. A text is cut into symbols that form a doubly linked chain.
Every pair of neighbours that may be joined is put in a priority queue; the best is popped, its right symbol is
absorbed by its left one, and the two new pairs beside it are pushed. An entry whose symbols have changed since it
was pushed is stale and is skipped when it comes up. Follows llama.cpp (`llm_symbol`, `llm_bigram_spm`, the work
queue), which follows sentencepiece's agenda.

What a pair is worth is not known here: the caller's `lookup` says. Time is n log n in the number of symbols as long
as the pieces of the vocabulary are of bounded length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from explorer.trace import Emit


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


Lookup = Callable[[int, int, int], tuple[float, int] | None]
"""Given byte offsets (start, middle, end) of a pair: its priority (lowest first) and id, or None if it is no pair."""


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
    of = [place for place, ch in enumerate(text) for _ in ch.encode()]
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


class Symbols:
    """A chain of symbols over one byte string; symbol i begins at byte `begin[i]` and is `size[i]` bytes long.

    prev, next: neighbours in the chain, -1 at its ends. A symbol that was absorbed has size 0.
    """

    __slots__ = ("begin", "next", "prev", "size")

    def __init__(self, sizes: list[int]) -> None:
        count = len(sizes)
        self.size = list(sizes)
        self.begin = [0] * count
        at = 0
        for i, size in enumerate(sizes):
            self.begin[i] = at
            at += size
        self.prev = list(range(-1, count - 1))
        self.next = [*range(1, count), -1] if count else []

    def chain(self) -> list[int]:
        """The symbols still alive, in order."""
        return [i for i, size in enumerate(self.size) if size]


def merge(symbols: Symbols, lookup: Lookup, emit: Emit) -> None:
    """Merges until no pair is left; `symbols` is changed in place.

    Pairs of equal priority are merged from the left.

    >>> pieces = {b"ab": 1, b"bc": 0}
    >>> symbols = Symbols([1, 1, 1])
    >>> merge(symbols, lambda start, middle, end: (pieces[b"abc"[start:end]], 9)
    ...       if b"abc"[start:end] in pieces else None, lambda *row: None)
    >>> symbols.size
    [1, 2, 0]
    """
    begin, size, prev, next = symbols.begin, symbols.size, symbols.prev, symbols.next
    queue: list[tuple[float, int, int, int, int]] = []

    def try_pair(left: int, right: int) -> None:
        middle = begin[right]
        end = middle + size[right]
        found = lookup(begin[left], middle, end)
        if found is None:
            emit(Merge.MISS, left, right, -1)
            return
        priority, token = found
        heappush(queue, (priority, left, right, end - begin[left], token))
        emit(Merge.PUSH, left, right, token)

    for right in range(1, len(size)):
        try_pair(right - 1, right)

    while queue:
        _, left, right, pair_size, token = heappop(queue)
        if not size[left]:
            emit(Merge.STALE_LEFT, left, right, token)
            continue
        if not size[right]:
            emit(Merge.STALE_RIGHT, left, right, token)
            continue
        if size[left] + size[right] != pair_size:
            emit(Merge.STALE_SIZE, left, right, token)
            continue
        size[left], size[right] = pair_size, 0
        after = next[right]
        next[left] = after
        if after >= 0:
            prev[after] = left
        emit(Merge.MERGE, left, right, token)
        if prev[left] >= 0:
            try_pair(prev[left], left)
        if after >= 0:
            try_pair(left, after)
