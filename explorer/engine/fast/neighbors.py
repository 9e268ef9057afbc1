"""Which two characters are adjacent in some piece of a vocabulary.

Where two adjacent characters of a text are adjacent in no piece, no token crosses the boundary between them: no merge
can join them, and no longest match and no path through a lattice reaches across. So the text can be cut there before
the algorithm runs, and the parts cached. A long piece, such as a sentence of Chinese, becomes short ones.

A piece may begin or end within a character (byte-level BPE, RWKV). Then a character's bytes are compared with the
bytes at the piece's end or beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import add
from typing import Final

BETWEEN: Final = "\udcff"
"""Separates joined pieces: a character that no text contains."""

MOST: Final = 1 << 18
"""Pairs of characters that are cached."""


class Neighbors(dict[str, bool]):
    """Two characters → whether they are adjacent in a piece; filled on demand.

    pieces: everything the model can make, as bytes.

    >>> neighbors = Neighbors([b"ab", b"b", "é".encode()[1:] + b"x"])
    >>> neighbors.cut("abbéx"), neighbors["éx"], neighbors["ax"]
    (['ab', 'b', 'éx'], True, False)
    """

    __slots__ = ("broken", "whole")

    def __init__(self, pieces: Iterable[bytes]) -> None:
        texts: list[str] = []
        self.broken: set[tuple[bytes, bytes]] = set()
        """adjacent bytes in pieces that contain part of a character"""
        for piece in pieces:
            try:
                texts.append(piece.decode())
            except UnicodeDecodeError:
                self.broken.update(adjacent_characters(piece))
        text = BETWEEN.join(texts)
        self.whole = frozenset(map(add, text, text[1:]))
        """adjacent characters in all other pieces"""

    def __missing__(self, pair: str) -> bool:
        found = pair in self.whole or (bool(self.broken) and self.is_crossed(pair[0].encode(), pair[1].encode()))
        if len(self) < MOST:
            self[pair] = found
        return found

    def is_crossed(self, left: bytes, right: bytes) -> bool:
        """Whether a piece that contains part of a character crosses the boundary between these two."""
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


def adjacent_characters(piece: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The bytes of each two adjacent characters, as far as the piece contains them.

    >>> list(adjacent_characters(b"\\xa9x\\xe4"))
    [(b'\\xa9', b'x'), (b'x', b'\\xe4')]
    """
    # a character begins at each byte that is not a continuation byte
    begins = [at for at, byte in enumerate(piece) if at == 0 or byte & 0xC0 != 0x80]
    ends = [*begins[1:], len(piece)]
    parts = [piece[start:end] for start, end in zip(begins, ends, strict=True)]
    yield from pairwise(parts)
