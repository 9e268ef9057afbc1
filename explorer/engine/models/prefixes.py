"""The tokens of a vocabulary sorted by their bytes, so that all tokens with one prefix are neighbors.

It answers what a drawing of a trie asks: how many tokens begin with a prefix, and with which bytes or characters they
go on. No walk through a text uses it. Leaves out ids.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from explorer.text.input import width

WHOLE = 16
"""Prefixes all of whose continuations are kept: every walk begins at the root, which has the most."""
KEPT = 4_000
"""Answers about prefixes that are kept: those of a text come again with the next key press."""


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
        self._after = lru_cache(WHOLE)(self._sorted)
        self.count = lru_cache(KEPT)(self._count)
        """How many tokens begin with a prefix, itself included."""
        self.besides = lru_cache(KEPT)(self._besides)
        """The first `most` continuations of a prefix but one, by byte or by character, and the number of all but it."""

    def _count(self, prefix: bytes) -> int:
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

    def _besides(self, prefix: bytes, but: bytes, by_byte: bool, most: int) -> tuple[list[Continuation], int]:
        found = self.by_byte(prefix) if by_byte else self.by_character(prefix)
        others = [each for each in found if each.data != but]
        return others[:most], len(others)

    def _sorted(self, prefix: bytes, size: Callable[[bytes, int], int]) -> list[Continuation]:
        return sorted(self._continuations(prefix, size), key=lambda each: (-each.tokens, each.data))

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
        low = bisect_left(self.pieces, prefix, low, high)
        return low, bisect_right(self.pieces, prefix, low, high, key=lambda piece: piece[: len(prefix)])


def one_byte(piece: bytes, at: int) -> int:
    """The size of a byte; 0 at the end of a piece."""
    return at < len(piece)


def one_character(piece: bytes, at: int) -> int:
    """The size of the character at a position; 0 at the end of a piece."""
    return width(piece[at]) if at < len(piece) else 0
