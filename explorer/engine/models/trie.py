"""Longest match over bytes with a trie: RWKV World.

`TrieMatch` walks from the root along the bytes of the text as far as there is a path, remembers the last node that was
a token, and falls back to it when the path ends. Nodes that are no token are walked through: `!--` is found although
`!-` is no token. Follows `TRIE.find_longest` of RWKV's tokenizer.

`first_miss.py` holds the loop that many take it for.

Where no token is found at all (a byte the vocabulary does not hold) one byte is passed over as the unknown token, or it
is an error where there is none. llama.cpp walks such a path for ever.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Container
from enum import IntEnum
from typing import Any, ClassVar, Final, NamedTuple

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.limits.budget import MODEL, asking, turns
from explorer.engine.options import Options
from explorer.engine.part import Model
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import PieceKind, Vocabulary


class TrieEvent(IntEnum):
    """What a `TrieRow` says."""

    SEGMENT = 0
    """A new segment: at = its number of bytes, start = its place among the stage's items."""
    NODE = 1
    """The path goes on over the byte at `at`, to a node that is no token."""
    SEEN = 2
    """The path goes on over the byte at `at`, to a node that is a token: it is remembered."""
    NO_EDGE = 3
    """No path goes on over the byte at `at`: the walk ends."""
    END = 4
    """The text ends at `at`, and with it the walk."""
    TAKE = 5
    """The walk ended where the last token was seen: [start, at) becomes it."""
    FALL_BACK = 6
    """The walk went further than the last token seen: back to it, [start, at) becomes that token."""
    UNKNOWN = 7
    """No token was seen: the byte [start, at) becomes the unknown token."""


class TrieRow(NamedTuple):
    """One decision of the walk."""

    kind: int
    """A `TrieEvent`."""
    at: int
    """The byte in question, from 0 within the segment; for TAKE and FALL_BACK one after the token's last."""
    start: int
    """The byte at which this walk began."""
    token: int
    """The id in question, -1 where there is none."""


class ByteMatch(NamedTuple):
    """A token over the bytes [start, end)."""

    id: int
    start: int
    end: int


MAX_BYTES: Final = 1 << 21
"""Of all tokens together: each may take a node, which has a hundred bytes. RWKV World's have half a million."""


class Trie:
    """A trie over bytes. Node 0 is the root. Raises InputError for more bytes than any vocabulary has.

    edges: node × 256 + byte → the node it leads to. token: per node its token's id or -1.

    >>> trie = Trie([(7, b"!"), (8, b"!--")])
    >>> [trie.token[node] for node in trie.path(b"!--x")]
    [7, -1, 8]
    """

    __slots__ = ("edges", "token")

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None:
        size = sum(len(piece) for _, piece in tokens)
        if size > MAX_BYTES:
            raise InputError(f"the tokens have {size} bytes together, at most {MAX_BYTES} are read; give another file")
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
        Found(id=7, start=1, end=2)
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
        """The nodes from below the root along `data`, as far as they go."""
        nodes, node = [], 0
        for byte in data:
            after = self.edges.get(node << 8 | byte)
            if after is None:
                break
            nodes.append(after)
            node = after
        return nodes


class ByteModel(Model, ABC):
    """What both have in common: segments in, tokens out, places in bytes turned into places in the text."""

    row: ClassVar[type[Any]]
    """Its kind SEGMENT is 0, as in `TrieEvent`."""
    kinds: ClassVar[type[IntEnum]]

    def __init__(self, vocabulary: Vocabulary, unknown: int | None = None) -> None:
        self.vocabulary, self.unknown = vocabulary, unknown

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        for place, item in enumerate(asking(items, MODEL)):
            if isinstance(item, Segment):
                data = item.text.encode()
                emit(TrieEvent.SEGMENT, len(data), place, -1)
                of = character_of_each_byte(data)
                done += [
                    Token(id, item.starts[of[start]], item.ends[of[end - 1]])
                    for id, start, end in self.tokenize(data, emit)
                ]
            else:
                done.append(item)
        return done

    @abstractmethod
    def tokenize(self, data: bytes, emit: Emit) -> list[ByteMatch]:
        """The tokens of any bytes, which need not be UTF-8."""

    def passed(self, data: bytes, at: int, emit: Emit) -> ByteMatch:
        """One byte as the unknown token. Raises InputError where there is none."""
        if self.unknown is None:
            raise InputError(
                f"byte at offset {at}: no token of this vocabulary begins with 0x{data[at]:02X} here, and there is no "
                "unknown token to stand for it; remove the character"
            )
        emit(TrieEvent.UNKNOWN, at + 1, at, self.unknown)
        return ByteMatch(self.unknown, at, at + 1)


class TrieMatch(ByteModel):
    """The model stage of RWKV World: the longest token, again and again.

    kinds: of the tokens that are looked for.

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

    def tokenize(self, data: bytes, emit: Emit) -> list[ByteMatch]:
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
                tokens.append(self.passed(data, start, emit))
                start += 1
                continue
            emit(TrieEvent.TAKE if end == at else TrieEvent.FALL_BACK, end, start, last)
            tokens.append(ByteMatch(last, start, end))
            start = end
        return tokens
