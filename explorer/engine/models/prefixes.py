"""The tokens of a vocabulary sorted by their bytes, so that all tokens with one prefix are neighbors.

It answers what a drawing of a trie asks: how many tokens begin with a prefix, and with which bytes or characters they
go on. No walk through a text uses it. Leaves out ids.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from explorer.text.utf8 import width


class Continuation(NamedTuple):
    """The tokens that go on with the same byte or character after a prefix."""

    data: bytes
    tokens: int


class Prefixes:
    """Tokens in the order of their bytes.

    >>> prefixes = Prefixes([b"a", b"ab", b"ac", b"acd", b"b"])
    >>> prefixes.count(b"a"), prefixes.by_byte(b"a")
    (4, [Continuation(data=b'c', tokens=2), Continuation(data=b'b', tokens=1)])
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.pieces = sorted(pieces)
        self._roots: dict[Callable[[bytes, int], int], list[Continuation]] = {}

    def count(self, prefix: bytes) -> int:
        """How many tokens begin with a prefix, itself included."""
        low, high = self._range(prefix)
        return high - low

    def by_byte(self, prefix: bytes) -> list[Continuation]:
        """The bytes that follow a prefix, those with most tokens first."""
        return self._after(prefix, one_byte)

    def by_character(self, prefix: bytes) -> list[Continuation]:
        """The characters that follow a prefix, those with most tokens first. Half a character is left out.

        >>> Prefixes(["é".encode(), "éa".encode(), b"\\xc3", b"a"]).by_character(b"")
        [Continuation(data=b'\\xc3\\xa9', tokens=2), Continuation(data=b'a', tokens=1)]
        """
        return self._after(prefix, one_character)

    def _after(self, prefix: bytes, size: Callable[[bytes, int], int]) -> list[Continuation]:
        if prefix:
            return sorted(self._continuations(prefix, size), key=most_first)
        if size not in self._roots:  # every walk begins there, and it has the most
            self._roots[size] = sorted(self._continuations(prefix, size), key=most_first)
        return self._roots[size]

    def _continuations(self, prefix: bytes, size: Callable[[bytes, int], int]) -> Iterator[Continuation]:
        at, high = self._range(prefix)
        begin = len(prefix)
        while at < high:
            piece = self.pieces[at]
            end = begin + size(piece, begin)
            if end == begin or end > len(piece):  # the prefix itself, or half a character
                at += 1
                continue
            _, after = self._range(piece[:end], at, high)
            yield Continuation(piece[begin:end], after - at)
            at = after

    def _range(self, prefix: bytes, low: int = 0, high: int | None = None) -> tuple[int, int]:
        """The tokens with a prefix, searched between two of them."""
        high = len(self.pieces) if high is None else high
        low, after = bisect_left(self.pieces, prefix, low, high), successor(prefix)
        return low, bisect_left(self.pieces, after, low, high) if after else high


def most_first(continuation: Continuation) -> tuple[int, bytes]:
    """Sorts by the number of tokens, equal numbers by their bytes."""
    return -continuation.tokens, continuation.data


def one_byte(piece: bytes, at: int) -> int:
    """The size of a byte; 0 at the end of a piece."""
    return at < len(piece)


def one_character(piece: bytes, at: int) -> int:
    """The size of the character at a position; 0 at the end of a piece."""
    return width(piece[at]) if at < len(piece) else 0


def successor(prefix: bytes) -> bytes:
    """The first bytes in order that do not begin with a prefix; empty if there are none.

    >>> successor(b"ab"), successor(b"a\\xff"), successor(b"\\xff")
    (b'ac', b'b', b'')
    """
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else b""
