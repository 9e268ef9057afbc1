"""A vocabulary as tables, from its pieces and numbers: symbols by their bytes, merges by pair, pieces as a trie.

Also arrays with addresses, and calls of compiled functions: one block of addresses and numbers for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build, tables, tries
from explorer.compiled.utf8 import END, PADDING, Model, Respelling

Words = NDArray[np.int64]
Numbers = NDArray[np.int32]
Octets = NDArray[np.uint8]


class Call:
    """A function of the sources with its arguments, by name. Arguments stay until they are given anew.

    functions: those that are compiled; another one runs in Python, on the same arrays.
    """

    def __init__(self, name: str, functions: build.Functions) -> None:
        self.function = getattr(build.source(build.ENTRIES[name]), name)
        self.run = functions.get(name)
        self.places: dict[str, tuple[int, list[str]]] = {}
        """for each parameter, its index in the block, and the kind of each word there"""
        count = 0
        for parameter, hint in build.parameters(self.function).items():
            kinds = [build.kind_of(each) for each in build.fields_of(hint).values() or (hint,)]
            self.places[parameter] = count, kinds
            count += len(kinds)
        self.block = np.zeros(count, np.int64)
        self.address = self.block.ctypes.data
        self.held: dict[str, Any] = {}
        """the arguments; arrays live as long as their addresses are used"""

    def give(self, **arguments: Any) -> None:
        """Sets arguments: numbers, arrays whose memory is read and written in place, and records of both."""
        for name, value in arguments.items():
            self.held[name] = value
            at, kinds = self.places[name]
            values = value if isinstance(value, tuple) else (value,)
            for index, (each, kind) in enumerate(zip(values, kinds, strict=True), at):
                if isinstance(each, np.ndarray):
                    assert each.dtype == kind, f"{name}: an array of {kind or 'nothing'} is needed, not {each.dtype}"
                    each = each.ctypes.data
                self.block[index] = each

    def __call__(self, **arguments: Any) -> int:
        """Calls the function. Arguments not given are those of the last call."""
        self.give(**arguments)
        if self.run is not None:
            return self.run(self.address)
        return int(self.function(**{name: viewed(value) for name, value in self.held.items()}))


def viewed(value: Any) -> Any:
    """Arguments with arrays as views, whose elements are Python's numbers, which don't overflow."""
    if isinstance(value, tuple):
        return type(value)(*map(viewed, value))
    return value.data if isinstance(value, np.ndarray) else value


def octets(data: bytes | Octets) -> Octets:
    """Bytes as an array, without copying them."""
    return np.frombuffer(data, np.uint8)


LONGEST: Final = 1024
"""Bytes of the longest piece of a trie: a walk from every byte may take as many steps."""

MOST_SLOTS: Final = 1 << 24
"""Slots of a trie, 200 MB: far more than its nodes, unless they were made to exclude each other."""


class Colliding(Exception):
    """The pieces were made to collide: a table cannot hold them."""


NO_MODEL: Final = Model(
    0,
    np.zeros(4, np.int64),
    0,
    octets(PADDING),
    np.zeros(256, np.int32),
    np.zeros(1, np.int32),
    np.full(2, -1, np.int64),
    0,
    np.full(tries.BLOCK, tries.NO_PARENT << 32, np.int64),
    np.zeros(1, np.int32),
    np.zeros(1, np.float64),
    np.zeros(4, np.int64),
)
"""Nothing merges, and nothing is a piece: every piece is solved in Python."""

AS_IT_IS: Final = Respelling(0, np.zeros(256, np.int64), octets(PADDING))
"""A model that sees a piece as it is."""


def joined(symbols: Iterable[bytes]) -> tuple[Octets, Words]:
    """The bytes of all symbols, one after the other, and where each begins."""
    texts = list(symbols)
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=starts[1:])
    return octets(b"".join(texts) + PADDING), starts


def slots_for(count: int) -> int:
    """The number of slots of a table for this many keys: a power of two, at least twice as many.

    >>> slots_for(5), slots_for(8)
    (16, 16)
    """
    return 1 << max(4, (2 * count - 1).bit_length())


def slots_of(texts: Octets, starts: Words, functions: build.Functions) -> tuple[Words, int]:
    """The table that numbers these keys (`tables.fill`), and its mask. Raises Colliding."""
    count = len(starts) - 1
    slots = np.zeros(slots_for(count) * tables.SLOT, np.int64)
    mask = len(slots) // tables.SLOT - 1
    if Call("fill", functions)(slots=slots, mask=mask, texts=texts, starts=starts, count=count) < count:
        raise Colliding
    return slots, mask


def pairs_by_rank(
    slots: Words, mask: int, texts: Octets, starts: Words, ranks: Words, functions: build.Functions
) -> Words:
    """The pairs whose bytes, joined, are a symbol with a rank. Raises Colliding."""
    split = Call("split_pairs", functions)
    split.give(slots=slots, mask=mask, texts=texts, starts=starts, ranks=ranks, count=len(ranks))
    pairs = no_pairs(split(pairs=np.zeros(2, np.int64), pair_mask=-1))
    if split(pairs=pairs, pair_mask=len(pairs) // 2 - 1) < 0:
        raise Colliding
    return pairs


def pairs_of(lefts: Words, rights: Words, values: Words, functions: build.Functions) -> Words:
    """The pairs of these symbols with their values. Raises Colliding."""
    pairs = no_pairs(len(lefts))
    fill = Call("fill_pairs", functions)
    fill.give(pairs=pairs, mask=len(pairs) // 2 - 1, lefts=lefts, rights=rights, values=values)
    if fill(count=len(lefts)) < len(lefts):
        raise Colliding
    return pairs


def no_pairs(count: int) -> Words:
    """An empty table for this many pairs."""
    return np.full(2 * slots_for(count), -1, np.int64)


def trie_of(ids: Iterable[tuple[bytes, int]], functions: build.Functions) -> tuple[Words, Numbers]:
    """The nodes of the trie of pieces and, by node, the id of the piece that ends there. Raises Colliding.

    Pieces that no text contains are left out.

    >>> nodes, tokens = trie_of([(b"ab", 7), (b"a", 3)], {})
    >>> found = tries.longest(nodes.data, 0, b"xab" + PADDING, 1)
    >>> found >> 32, int(tokens[found & tries.SLOT])
    (3, 7)
    """
    id_of = dict(ids)
    known = sorted(piece for piece in id_of if piece and END not in piece)
    if max(map(len, known), default=0) > LONGEST:
        raise Colliding
    texts, starts = joined(known)
    most_nodes = int(starts[-1]) + 1
    fill = Call("fill_trie", functions)
    fill.give(
        texts=texts,
        starts=starts,
        count=len(known),
        ids=np.fromiter(map(id_of.__getitem__, known), np.int32, len(known)),
        scratch=np.empty(tries.STACK + 4 * most_nodes, np.int64),
    )
    slots = tries.BLOCK << (most_nodes // tries.BLOCK).bit_length()
    while slots <= MOST_SLOTS:
        nodes, tokens = np.zeros(slots, np.int64), np.zeros(slots, np.int32)
        used = fill(nodes=nodes, room=slots, tokens=tokens)
        if used >= 0:
            return nodes[:used].copy(), tokens[:used].copy()
        slots *= 2
    raise Colliding
