"""Longest match over bytes with a trie: RWKV World.

`TrieMatch` walks from the root along the bytes of the text as far as the trie goes, remembers the last node that is a
token, and falls back to it when the walk ends. It walks through nodes that are not tokens: `!--` is found although `!-`
is not a token. Follows `TRIE.find_longest` of RWKV's tokenizer. `first_miss.py` is the loop often mistaken for it.

Where no token is found at all (a byte outside the vocabulary), one byte becomes the unknown token; without such a
token that is an error. llama.cpp loops forever there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Container
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple

from explorer.engine.budget import MODEL, turns
from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.models.prefixes import Prefixes
from explorer.engine.part import Model, Options
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import PieceKind, Vocabulary


class TrieEvent(IntEnum):
    """What a `TrieRow` says."""

    SEGMENT = 0
    """A segment begins: at = its number of bytes, start = its index among the stage's items."""
    NODE = 1
    """The byte at `at` leads to a node that is not a token."""
    SEEN = 2
    """The byte at `at` leads to a node that is a token, which is remembered."""
    NO_EDGE = 3
    """The byte at `at` leads nowhere: the walk ends."""
    END = 4
    """The text ends at `at`, and so does the walk."""
    TAKE = 5
    """The walk ended at the last token seen: [start, at) becomes it."""
    FALL_BACK = 6
    """The walk went beyond the last token seen: it falls back, and [start, at) becomes that token."""
    UNKNOWN = 7
    """No token was seen: the byte [start, at) becomes the unknown token."""


class TrieRow(NamedTuple):
    """One decision of the walk."""

    kind: int
    """A `TrieEvent`."""
    at: int
    """The byte in question, from 0 within the segment; for TAKE and FALL_BACK, the end of the token."""
    start: int
    """The byte at which this walk began."""
    token: int
    """The id in question, or -1."""


class ByteMatch(NamedTuple):
    """A token over the bytes [start, end)."""

    id: int
    start: int
    end: int


MAX_BYTES: Final = 1 << 21
"""Bytes of all tokens together: each may need a node of a hundred bytes. RWKV World's tokens have half a million."""


class Trie:
    """A trie over bytes. Node 0 is the root. Raises InputError for more bytes than any vocabulary has.

    edges: node × 256 + byte → the node it leads to. token: by node, its token's id or -1.

    >>> trie = Trie([(7, b"!"), (8, b"!--")])
    >>> [trie.token[node] for node in trie.path(b"!--x")]
    [7, -1, 8]
    """

    __slots__ = ("edges", "token")

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None:
        size = sum(len(piece) for _, piece in tokens)
        if size > MAX_BYTES:
            raise InputError(f"the tokens have {size} bytes in total, at most {MAX_BYTES} are read; give another file")
        edges: dict[int, int] = {}
        token = array("i", [-1])
        for id, piece in tokens:
            node = 0
            for byte in piece:
                key = node << 8 | byte
                after = edges.get(key)
                if after is None:
                    after = edges[key] = len(token)
                    token.append(-1)
                node = after
            token[node] = id
        self.edges, self.token = edges, token

    def longest(self, data: bytes, start: int) -> ByteMatch | None:
        """The longest token that begins at `start`.

        >>> Trie([(7, b"!"), (8, b"!--")]).longest(b"<!-x", 1)
        ByteMatch(id=7, start=1, end=2)
        """
        found, node = None, 0
        for at in range(start, len(data)):
            after = self.edges.get(node << 8 | data[at])
            if after is None:
                break
            node = after
            if self.token[node] >= 0:
                found = ByteMatch(self.token[node], start, at + 1)
        return found

    def path(self, data: bytes) -> list[int]:
        """The nodes along `data`, without the root, as far as the trie goes."""
        nodes, node = [], 0
        for byte in data:
            after = self.edges.get(node << 8 | byte)
            if after is None:
                break
            nodes.append(after)
            node = after
        return nodes


class ByteModel(Model, ABC):
    """A model that works on bytes: converts segments to bytes, and byte offsets back to spans of the text."""

    row: ClassVar[type[Any]]
    """A type with SEGMENT = 0, as in `TrieRow`."""
    kinds: ClassVar[type[IntEnum]]

    def __init__(self, vocabulary: Vocabulary, unknown: int | None = None) -> None:
        self.vocabulary, self.unknown = vocabulary, unknown

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment turned into tokens."""

        def tokens(segment: Segment, index: int) -> list[Token]:
            text, starts, ends = segment
            data = text.encode()
            emit(TrieEvent.SEGMENT, len(data), index, -1)
            of = character_of_each_byte(data)
            return [Token(id, starts[of[start]], ends[of[end - 1]]) for id, start, end in self.tokenize(data, emit)]

        return tokenized(items, tokens)

    @abstractmethod
    def tokenize(self, data: bytes, emit: Emit) -> list[ByteMatch]:
        """The tokens of bytes, which need not be UTF-8."""

    def unknown_byte(self, data: bytes, at: int, emit: Emit) -> ByteMatch:
        """One byte as the unknown token. Raises InputError if it is missing."""
        if self.unknown is None:
            raise InputError(
                f"byte at offset {at}: no token of this vocabulary begins with 0x{data[at]:02X} here, and there is no "
                "unknown token; remove the character"
            )
        emit(TrieEvent.UNKNOWN, at + 1, at, self.unknown)
        return ByteMatch(self.unknown, at, at + 1)


class TrieMatch(ByteModel):
    """The model stage of RWKV World: the longest token, repeatedly.

    kinds: which kinds of piece the trie contains.

    >>> model = TrieMatch(Vocabulary.of([b"!", b"!--", b"-"]))
    >>> [found.id for found in model.tokenize(b"!--!-", lambda *row: None)]
    [1, 0, 2]
    """

    row = TrieRow
    kinds = TrieEvent

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: int | None = None,
        kinds: Container[int] = frozenset({PieceKind.NORMAL}),
    ) -> None:
        super().__init__(vocabulary, unknown)
        usable = bytes(kind in kinds for kind in PieceKind)
        self.trie = Trie([(id, piece) for id, piece in enumerate(vocabulary.pieces) if usable[vocabulary.kinds[id]]])

    @cached_property
    def prefixes(self) -> Prefixes:
        """The tokens of the trie by their prefixes, for drawings of it."""
        return Prefixes(self.vocabulary.pieces[id] for id in self.trie.token if id >= 0)

    def tokenize(self, data: bytes, emit: Emit) -> list[ByteMatch]:
        """The tokens of bytes, which need not be UTF-8."""
        edges, token_of, size = self.trie.edges, self.trie.token, len(data)
        tokens: list[ByteMatch] = []
        start = 0
        for _ in turns(size, MODEL):
            if start >= size:
                break
            at, node, last, end = start, 0, -1, start
            while at < size:
                after = edges.get(node << 8 | data[at])
                if after is None:
                    emit(TrieEvent.NO_EDGE, at, start, -1)
                    break
                node = after
                token = token_of[node]
                if token < 0:
                    emit(TrieEvent.NODE, at, start, -1)
                else:
                    emit(TrieEvent.SEEN, at, start, token)
                    last, end = token, at + 1
                at += 1
            else:
                emit(TrieEvent.END, size, start, -1)
            if last < 0:
                tokens.append(self.unknown_byte(data, start, emit))
                start += 1
                continue
            emit(TrieEvent.TAKE if end == at else TrieEvent.FALL_BACK, end, start, last)
            tokens.append(ByteMatch(last, start, end))
            start = end
        return tokens
