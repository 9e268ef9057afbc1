"""Which characters stand side by side in some piece of a vocabulary.

Where two neighbouring characters of a text stand side by side in no piece, no token crosses the place between them: no
merge can join them, no longest match and no way through a lattice reaches over. The text can be cut there before the
algorithm is run, and the parts remembered. A long piece, such as a sentence of Chinese, becomes short ones.

A piece may begin or end within a character (byte-level BPE, RWKV); then it is asked whether a character's bytes end, or
begin, as the piece does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import add
from typing import Final

BETWEEN: Final = "\udcff"
"""Stands between pieces that are joined: a character of no text."""

MOST: Final = 1 << 18
"""Pairs of characters that are remembered."""


class Neighbours(dict[str, bool]):
    """Two characters → whether they stand side by side in a piece; filled as texts are met.

    pieces: all that the model can make, as bytes.

    >>> neighbours = Neighbours([b"ab", b"b", "é".encode()[1:] + b"x"])
    >>> neighbours.cut("abbéx"), neighbours["éx"], neighbours["ax"]
    (['ab', 'b', 'éx'], True, False)
    """

    __slots__ = ("broken", "whole")

    def __init__(self, pieces: Iterable[bytes]) -> None:
        texts: list[str] = []
        self.broken: set[tuple[bytes, bytes]] = set()
        """what stands side by side in pieces that hold a part of a character"""
        for piece in pieces:
            try:
                texts.append(piece.decode())
            except UnicodeDecodeError:
                self.broken.update(side_by_side(piece))
        text = BETWEEN.join(texts)
        self.whole = frozenset(map(add, text, text[1:]))
        """pairs of characters in all other pieces"""

    def __missing__(self, pair: str) -> bool:
        found = pair in self.whole or (bool(self.broken) and self.is_crossed(pair[0].encode(), pair[1].encode()))
        if len(self) < MOST:
            self[pair] = found
        return found

    def is_crossed(self, left: bytes, right: bytes) -> bool:
        """Whether a piece that holds a part of a character goes over the place between these two."""
        return any(
            (left[-size:], right[:length]) in self.broken
            for size in range(1, len(left) + 1)
            for length in range(1, len(right) + 1)
        )

    def cut(self, text: str) -> list[str]:
        """The text, cut wherever no piece crosses."""
        crossed = list(map(self.__getitem__, map(add, text, text[1:])))
        parts = []
        start = 0
        for _ in range(crossed.count(False)):
            end = crossed.index(False, start) + 1
            parts.append(text[start:end])
            start = end
        parts.append(text[start:])
        return parts


def side_by_side(piece: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The bytes of each two neighbouring characters, as much of them as the piece holds.

    >>> list(side_by_side(b"\\xa9x\\xe4"))
    [(b'\\xa9', b'x'), (b'x', b'\\xe4')]
    """
    # a character begins at each byte that continues none
    begins = [at for at, byte in enumerate(piece) if at == 0 or byte & 0xC0 != 0x80]
    ends = [*begins[1:], len(piece)]
    parts = [piece[start:end] for start, end in zip(begins, ends, strict=True)]
    yield from pairwise(parts)
