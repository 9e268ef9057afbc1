"""User-defined symbols of a SentencePiece BPE model: found first, never merged.

sentencepiece (`bpe_model.cc`) makes each of them one symbol of the merge and freezes it. A frozen symbol is in no pair,
so the text left and right of it never merges; cutting the symbol out as its token gives the same ids. It happens after
normalization: a symbol that contains a space does not match, because the space has become ▁.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from explorer.engine.budget import turns
from explorer.engine.items import Item, Items, Segment, Token, tokenized
from explorer.engine.part import Options
from explorer.engine.partition.symbol_tree import SymbolTree
from explorer.engine.trace import Emit

WHAT: Final = "the pre-tokenizer"
"""The name of the stage in errors."""


class UserDefinedEvent(IntEnum):
    """What a `UserDefinedRow` says."""

    SYMBOL = 0
    """A user-defined symbol was found at [start, end): it is a token."""
    TEXT = 1
    """[start, end) stays text."""


class UserDefinedRow(NamedTuple):
    """One fragment of the text."""

    kind: int
    """A `UserDefinedEvent`."""
    start: int
    """First code point of the original text."""
    end: int
    """One after the last."""
    token: int
    """The symbol's id, -1 for TEXT."""


class UserDefinedSplit:
    """The stage: from the left, the longest symbol at each position.

    symbols: id by spelling.

    >>> items = UserDefinedSplit({"<a>": 7}).run([Segment.of("x<a>")], Options(), lambda *row: None)
    >>> [item if isinstance(item, Token) else item.text for item in items]
    ['x', Token(id=7, start=1, end=4)]
    """

    name = "pre-tokenize"
    row = UserDefinedRow
    kinds = UserDefinedEvent

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self.symbols = dict(symbols)
        self._search = SymbolTree(self.symbols)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with user-defined symbols turned into `Token`s."""
        return tokenized(items, lambda segment, index: self.split(segment, emit), WHAT)

    def split(self, segment: Segment, emit: Emit) -> list[Item]:
        """One segment: text, and the tokens of the symbols in it."""
        text, starts, ends = segment
        items: list[Item] = []
        begin = at = 0

        def close(stop: int) -> None:
            if stop > begin:
                emit(UserDefinedEvent.TEXT, starts[begin], ends[stop - 1], -1)
                items.append(segment.slice(begin, stop))

        for _ in turns(len(text), WHAT):
            if at >= len(text):
                break
            length = self._search.length(text, at)
            if not length:
                at += 1
                continue
            close(at)
            begin = at + length
            token = Token(self.symbols[text[at:begin]], starts[at], ends[begin - 1])
            emit(UserDefinedEvent.SYMBOL, token.start, token.end, token.id)
            items.append(token)
            at = begin
        close(at)
        return items
