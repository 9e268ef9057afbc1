"""User-defined symbols of sentencepiece, found by the longest match at each position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from explorer.errors import InputError

MAX_PREFIXES = 64
"""sentencepiece: how many user-defined pieces that begin at one place are looked at, the shortest first."""


MAX_SYMBOLS: Final = 1 << 19
"""Characters of all user-defined pieces together: each may take a node, which has 200 bytes. The largest known
vocabularies have some thousand such pieces."""


class SymbolTree:
    """The user-defined pieces, which no map changes: the longest that stands at a place of the text.

    Raises InputError for more characters than any vocabulary has.

    As in sentencepiece, which asks for them with room for 64 answers, of more that begin alike the shortest 64 count.

    stand_in: take the beginning of such a piece for the whole, as llama.cpp does, byte by byte: of a character that
    only begins like one of the piece's the bytes that are the same pass, and each byte left becomes U+FFFD. What is no
    text then is written as this character, which no piece of the vocabulary has.

    >>> SymbolTree(["[user]"]).length("[us", 0), SymbolTree(["[user]"], stand_in="\uffff").length("[us", 0)
    (0, 3)
    """

    __slots__ = ("_bytes", "_root", "stand_in")

    def __init__(self, symbols: Iterable[str], *, stand_in: str = "") -> None:
        symbols = tuple(symbols)
        size = sum(map(len, symbols))
        if size > MAX_SYMBOLS:
            raise InputError(
                f"the user-defined pieces have {size} characters together, at most {MAX_SYMBOLS} are read; give "
                "another file"
            )
        self.stand_in = stand_in
        self._root: dict[str, Any] = {}
        self._bytes: set[tuple[int, bytes]] = set()
        """nodes of the tree, by `id`, with what the characters behind them begin with in bytes"""
        for symbol in symbols:
            node = self._root
            for ch in symbol:
                if stand_in and ch not in node:
                    data = ch.encode("utf-8", "surrogateescape")
                    self._bytes.update((id(node), data[:size]) for size in range(1, len(data)))
                node = node.setdefault(ch, {})
            node[""] = True

    def length(self, text: str, at: int) -> int:
        """How many code points of `text[at:]` pass unchanged."""
        node, found, place = self._root, 0, at
        left = MAX_PREFIXES
        while left and place < len(text) and (after := node.get(text[place])) is not None:
            node, place = after, place + 1
            if self.stand_in:
                found = place - at
            elif "" in node:
                found = place - at
                left -= 1
        return found

    def symbols(self) -> Iterator[str]:
        """All of them.

        >>> sorted(SymbolTree(["ab", "a"]).symbols())
        ['a', 'ab']
        """
        ways: list[tuple[str, dict[str, Any]]] = [("", self._root)]
        while ways:
            symbol, node = ways.pop()
            for ch, after in node.items():
                if ch:
                    ways.append((symbol + ch, after))
                else:
                    yield symbol

    @property
    def breaks_characters(self) -> bool:
        """Whether a character may pass in part, and take what follows along."""
        return bool(self._bytes)

    def cut(self, text: str, at: int, size: int) -> int:
        """How many bytes of the character behind `text[at : at + size]` pass with that.

        >>> SymbolTree(["é"], stand_in="\uffff").cut("è", 0, 0), SymbolTree(["é"]).cut("è", 0, 0)
        (1, 0)
        """
        place = at + size
        if not self._bytes or place == len(text) or text[place] < "\x80":
            return 0
        node = self._root
        for ch in text[at:place]:
            node = node[ch]
        data = text[place].encode()
        return next((end for end in range(len(data) - 1, 0, -1) if (id(node), data[:end]) in self._bytes), 0)

    def cut_up(self, ch: str, passed: int) -> str:
        """What is read of a character of which so many bytes pass, with U+FFFD, of three bytes, for each other one.

        Whoever reads that goes by the first byte, so it takes as many of what follows for the character as that had.
        """
        left = len(ch.encode()) - passed
        return self.stand_in * (4 - left) + "\ufffd" * (left - 1)

    def is_whole(self, symbol: str) -> bool:
        node = self._root
        for ch in symbol:
            node = node[ch]
        return "" in node
