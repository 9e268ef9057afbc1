"""Longest match over bytes with a trie: RWKV World, and beside it the loop that many take it for.

`TrieMatch` walks from the root along the bytes of the text as far as there is a path, remembers the last node that was
a token, and falls back to it when the path ends. Nodes that are no token are walked through: `!--` is found although
`!-` is no token. Follows `TRIE.find_longest` of RWKV's tokenizer.

`FirstMiss` adds one UTF-8 character at a time for as long as what it has is a token, and stops at the first that is
not; a character that is no token alone gives a token for each byte, byte + 1. It needs no trie, and it is no longest
match: of RWKV World's 65,529 tokens 35,118 have a prefix of bytes that is no token, and 28,807 one of whole characters,
which that loop never finds.

Where no token is found at all (a byte the vocabulary does not hold) one byte is passed over as the unknown token, or it
is an error where there is none. llama.cpp walks such a path for ever.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.options import Options
from explorer.errors import InputError
from explorer.trace import Emit
from explorer.vocabulary import PieceKind, Vocabulary


class Walk(IntEnum):
    """What a `WalkRow` says."""

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
    CHARACTER = 8
    """First-miss loop: with the character that ends at byte `at` it is a token still."""
    MISS = 9
    """First-miss loop: with the character that ends at byte `at` it is no token, so the loop stops."""
    BYTE = 10
    """First-miss loop: no character fitted; the byte at `at` becomes the token of its value + 1."""


class WalkRow(NamedTuple):
    """One decision of the walk."""

    kind: int
    """A `Walk`."""
    at: int
    """The byte in question, from 0 within the segment; for TAKE and FALL_BACK one after the token's last."""
    start: int
    """The byte at which this walk began."""
    token: int
    """The id in question, -1 where there is none."""


class Trie:
    """A trie over bytes. Node 0 is the root.

    edges: node × 256 + byte → the node it leads to. token: per node its token's id or -1.

    >>> trie = Trie([(7, b"!"), (8, b"!--")])
    >>> [trie.token[node] for node in trie.path(b"!--x")]
    [7, -1, 8]
    """

    __slots__ = ("edges", "token")

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None:
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


class Found(NamedTuple):
    """A token over the bytes [start, end)."""

    id: int
    start: int
    end: int


class OverBytes(ABC):
    """What both have in common: segments in, tokens out, places in bytes turned into places in the text."""

    name = "model"
    row = WalkRow
    kinds = Walk

    def __init__(self, vocabulary: Vocabulary, unknown: int | None = None) -> None:
        self.vocabulary, self.unknown = vocabulary, unknown

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        for place, item in enumerate(items):
            if isinstance(item, Segment):
                data = item.text.encode()
                emit(Walk.SEGMENT, len(data), place, -1)
                of: list[int] = []
                for number, ch in enumerate(item.text):
                    of += [number] * (1 if ch < "\x80" else len(ch.encode()))
                done += [
                    Token(id, item.starts[of[start]], item.ends[of[end - 1]])
                    for id, start, end in self.tokenize(data, emit)
                ]
            else:
                done.append(item)
        return done

    @abstractmethod
    def tokenize(self, data: bytes, emit: Emit) -> list[Found]:
        """The tokens of any bytes, which need not be UTF-8."""

    def passed(self, data: bytes, at: int, emit: Emit) -> Found:
        """One byte as the unknown token. Raises InputError where there is none."""
        if self.unknown is None:
            raise InputError(
                f"byte {at}: no token of this vocabulary begins with 0x{data[at]:02X} here, and there is no unknown "
                "token to stand for it; remove the character"
            )
        emit(Walk.UNKNOWN, at + 1, at, self.unknown)
        return Found(self.unknown, at, at + 1)


class TrieMatch(OverBytes):
    """The model stage of RWKV World: the longest token, again and again.

    Tokens of a kind other than NORMAL are not looked for.

    >>> model = TrieMatch(Vocabulary.of([b"!", b"!--", b"-"]))
    >>> [found.id for found in model.tokenize(b"!--!-", lambda *row: None)]
    [1, 0, 2]
    """

    def __init__(self, vocabulary: Vocabulary, unknown: int | None = None) -> None:
        super().__init__(vocabulary, unknown)
        kinds = vocabulary.kinds
        self.trie = Trie([(id, piece) for id, piece in enumerate(vocabulary.pieces) if kinds[id] == PieceKind.NORMAL])

    def tokenize(self, data: bytes, emit: Emit) -> list[Found]:
        edges, token_of, size = self.trie.edges, self.trie.token, len(data)
        tokens: list[Found] = []
        start = 0
        while start < size:
            at, node, last, end = start, 0, -1, start
            while at < size:
                after = edges.get(node << 8 | data[at])
                if after is None:
                    emit(Walk.NO_EDGE, at, start, -1)
                    break
                node = after
                token = token_of[node]
                if token < 0:
                    emit(Walk.NODE, at, start, -1)
                else:
                    emit(Walk.SEEN, at, start, token)
                    last, end = token, at + 1
                at += 1
            else:
                emit(Walk.END, size, start, -1)
            if last < 0:
                tokens.append(self.passed(data, start, emit))
                start += 1
                continue
            emit(Walk.TAKE if end == at else Walk.FALL_BACK, end, start, last)
            tokens.append(Found(last, start, end))
            start = end
        return tokens


class FirstMiss(OverBytes):
    """The loop that stops at the first miss: not what RWKV does, but what a short description of it reads like.

    Needs the tokens 1 to 256 to be the bytes 0 to 255, as in RWKV World; InputError otherwise.
    """

    def __init__(self, vocabulary: Vocabulary, unknown: int | None = None) -> None:
        super().__init__(vocabulary, unknown)
        if vocabulary.pieces[1:257] != tuple(bytes([byte]) for byte in range(256)):
            raise InputError("the first-miss loop needs the ids 1 to 256 to be the bytes; take RWKV World's vocabulary")

    def tokenize(self, data: bytes, emit: Emit) -> list[Found]:
        ids, size = self.vocabulary.ids, len(data)
        tokens: list[Found] = []
        start = 0
        while start < size:
            end, last = start, -1
            stop = start
            while end < size:
                stop = min(size, end + width(data[end]))
                token = ids.get(data[start:stop])
                if token is None:
                    emit(Walk.MISS, stop - 1, start, -1)
                    break
                emit(Walk.CHARACTER, stop - 1, start, token)
                last, end = token, stop
            else:
                emit(Walk.END, size, start, -1)
            if last >= 0:
                emit(Walk.TAKE, end, start, last)
                tokens.append(Found(last, start, end))
            else:  # not even the first character: its bytes, each on its own
                end = stop
                for at in range(start, end):
                    emit(Walk.BYTE, at, start, data[at] + 1)
                    tokens.append(Found(data[at] + 1, at, at + 1))
            start = end
        return tokens


def width(lead: int) -> int:
    """How many bytes the character has that begins with this one; 1 for a byte that begins none.

    >>> [width(byte) for byte in (0x41, 0xC3, 0xE2, 0xF0, 0x9F, 0xFF)]
    [1, 2, 3, 4, 1, 1]
    """
    if 0xC2 <= lead < 0xE0:
        return 2
    if 0xE0 <= lead < 0xF0:
        return 3
    return 4 if 0xF0 <= lead < 0xF5 else 1
