"""Longest match: over bytes with a trie (RWKV World), over words with a shrinking window (WordPiece).

Longest match over bytes with a trie: RWKV World, and a loop that is often mistaken for it.

`TrieMatch` walks from the root along the bytes of the text as far as the trie goes, remembers the last node that is a
token, and falls back to it when the walk ends. It walks through nodes that are not tokens: `!--` is found although `!-`
is not a token. Follows `TRIE.find_longest` of RWKV's tokenizer. Where no token is found at all (a byte outside the
vocabulary), one byte becomes the unknown token; without such a token that is an error. llama.cpp loops forever there.

`FirstMiss` adds one UTF-8 character at a time and stops at the first one after which the prefix is not a token. A
character that is not a token by itself becomes one token per byte, byte + 1. It needs no trie, and it does not find
longest matches: of RWKV World's 65,529 tokens, 35,118 have a prefix of bytes that is not a token, and 28,807 one of
whole characters; the loop never finds those 28,807. `FirstMiss.trie` gives the true longest match for comparison.

Two faults are easy to write into this loop, and each can be kept:

- `unchecked_end`: after the last character the loop outputs the last id found without checking that there is one. After
  a character that became bytes there is none, so it outputs −1. That is not an id: the event says so, and no token is
  made of it.
- `first_length`: the index that gives the length of the next character does not move within a round, so every step
  takes as many bytes as the round's first character has. It may end within a character, and read past the end of the
  text; what is there is not of the text, so nothing matches.

WordPiece: the longest piece that matches, repeatedly, until the word is used up. Two originals.

`WordPiece` follows Hugging Face's BERT: a piece within a word is spelled with `##` in front, the window shrinks from
the end one character at a time, a word of more than 100 characters is not tried, and if no piece matches the whole word
becomes [UNK]. See `models/wordpiece/mod.rs` of `tokenizers`.

`Wpm` follows llama.cpp: it puts ▁ in front of the word instead (a phantom: it is in no text), so `▁hat` begins a word
and `hat` continues one. The window is one byte longer than the longest piece and shrinks one *byte* at a time, through
the middle of characters too. If no piece matches, the pieces found so far are discarded and the word becomes the
unknown token. See `llm_tokenizer_wpm_session` in `src/llama-vocab.cpp`.

Every attempt is an event. Neither original uses a queue or scores: a match is never reconsidered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Container, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from explorer.engine.budget import MODEL, SHORT, asking, turns
from explorer.engine.models.prefixes import Prefixes
from explorer.engine.part import Emit, Model, Segment, Token, needed
from explorer.errors import InputError
from explorer.text.input import character_of_each_byte, character_offsets, width
from explorer.vocabulary import SPACE_MARK, PieceKind, SortedIds, Vocabulary, order_of


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


MAX_BYTES = 1 << 21
"""Bytes of all tokens together: each may need a node of a hundred bytes. RWKV World's tokens have half a million."""


class Trie:
    """A trie over bytes. Node 0 is the root. Raises InputError for more bytes than any vocabulary has.

    edges: node × 256 + byte → the node it leads to, which are 1, 2, 3 … in the order of the edges; −1 leads to the
    root. token: by node, its token's id or -1.

    >>> trie = Trie([(7, b"!"), (8, b"!--")])
    >>> [trie.token[node] for node in trie.path(b"!--x")]
    [7, -1, 8]
    """

    __slots__ = ("edges", "token")

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None:
        size = sum(len(piece) for _, piece in tokens)
        if size > MAX_BYTES:
            raise InputError(f"the tokens have {size} bytes in total, at most {MAX_BYTES} are read; give another file")
        edges: dict[int, int] = {-1: 0}
        self.edges: Mapping[int, int] = edges
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
        self.token = token

    @classmethod
    def restored(cls, edges: bytes, order: bytes, token: bytes) -> Trie:
        """A trie of what `stored` gave.

        >>> Trie.restored(*Trie([(7, b"!")]).stored()).token
        array('i', [-1, 7])
        """
        trie = cls([])
        trie.edges = SortedIds(array("q", edges), array("i", order))
        trie.token = array("i", token)
        return trie

    def stored(self) -> tuple[bytes, bytes, bytes]:
        """The edges, their order and the tokens of the nodes, to make it again."""
        edges = array("q", self.edges)
        return edges.tobytes(), order_of(edges), self.token.tobytes()

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

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        text, starts, ends = segment
        data = text.encode()
        emit(TrieEvent.SEGMENT, len(data), index, -1)
        of = character_of_each_byte(data)
        return [Token(id, starts[of[start]], ends[of[end - 1]]) for id, start, end in self.tokenize(data, emit)]

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

    kinds: which kinds of piece the trie contains. trie: of these pieces, where it was made before.

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
        trie: Trie | None = None,
    ) -> None:
        super().__init__(vocabulary, unknown)
        usable = bytes(kind in kinds for kind in PieceKind)
        self.trie = trie or Trie(
            [(id, piece) for id, piece in enumerate(vocabulary.pieces) if usable[vocabulary.kinds[id]]]
        )

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


class FirstMissEvent(IntEnum):
    """What a `FirstMissRow` says."""

    SEGMENT = 0
    """A segment begins: at = its number of bytes, start = its index among the stage's items."""
    CHARACTER = 1
    """With the character that ends at byte `at`, the prefix is still a token."""
    MISS = 2
    """With the character that ends at byte `at`, the prefix is not a token: the loop stops."""
    END = 3
    """The text ends at `at`, and so does the loop."""
    TAKE = 4
    """[start, at) becomes the last token found."""
    BYTE = 5
    """The first character is not a token; the byte at `at` becomes the token of its value + 1."""
    NO_ID = 6
    """The text ends after a character that became bytes, and −1 is output: the fault of `unchecked_end`."""
    PAST_END = 7
    """The next bytes end after the text, at `at`: the loop stops. Only with the fault of `first_length`."""


class FirstMissRow(NamedTuple):
    """One decision of the loop."""

    kind: int
    """A `FirstMissEvent`."""
    at: int
    """The byte in question, from 0 within the segment; for TAKE, the end of the token."""
    start: int
    """The byte at which this round began."""
    token: int
    """The id in question, or -1."""


class FirstMiss(ByteModel):
    """The loop as a model stage.

    unchecked_end, first_length: which faults are kept.

    Raises InputError unless the tokens 1 to 256 are the bytes 0 to 255, as in RWKV World.
    """

    row = FirstMissRow
    kinds = FirstMissEvent

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: int | None = None,
        *,
        unchecked_end: bool = False,
        first_length: bool = False,
    ) -> None:
        super().__init__(vocabulary, unknown)
        self.unchecked_end, self.first_length = unchecked_end, first_length
        if vocabulary.pieces[1:257] != tuple(bytes([byte]) for byte in range(256)):
            raise InputError("the first-miss loop needs the ids 1 to 256 to be the bytes; use RWKV World's vocabulary")

    @cached_property
    def trie(self) -> TrieMatch:
        """The true longest match with the same vocabulary, for comparison."""
        return TrieMatch(self.vocabulary, self.unknown)

    def tokenize(self, data: bytes, emit: Emit) -> list[ByteMatch]:
        """The tokens of bytes, which need not be UTF-8."""
        ids, size = self.vocabulary.ids, len(data)
        tokens: list[ByteMatch] = []
        start, last = 0, 0
        for _ in turns(size, MODEL):
            if start >= size:
                break
            end, last = start, -1
            stop = start
            while end < size:
                stop = end + width(data[start if self.first_length else end])
                if stop > size and self.first_length and end > start:
                    emit(FirstMissEvent.PAST_END, size, start, -1)
                    break
                stop = min(size, stop)
                token = ids.get(data[start:stop])
                if token is None:
                    emit(FirstMissEvent.MISS, stop - 1, start, -1)
                    break
                emit(FirstMissEvent.CHARACTER, stop - 1, start, token)
                last, end = token, stop
            else:
                emit(FirstMissEvent.END, size, start, -1)
            if last >= 0:
                emit(FirstMissEvent.TAKE, end, start, last)
                tokens.append(ByteMatch(last, start, end))
            else:  # the first character is not a token: each of its bytes
                end = stop
                for at in range(start, end):
                    emit(FirstMissEvent.BYTE, at, start, data[at] + 1)
                    tokens.append(ByteMatch(data[at] + 1, at, at + 1))
            start = end
        if self.unchecked_end and last < 0:
            emit(FirstMissEvent.NO_ID, size, size, -1)
        return tokens


PHANTOM = SPACE_MARK.encode()
"""The prefix that llama.cpp adds to every word."""


class WordPieceEvent(IntEnum):
    """What a `WordPieceRow` says."""

    WORD = 0
    """A word begins: start = its index among the stage's items, end = its length in units."""
    TOO_LONG = 1
    """The word has more characters than allowed (start = how many, end = the limit): it becomes `token`."""
    MISS = 2
    """[start, end) is not a piece: the window shrinks by one unit."""
    HIT = 3
    """[start, end) is the piece `token`, the longest match; the next window begins at `end`."""
    DISCARD = 4
    """No piece matches at `start`: the `end` pieces found so far are discarded, and the word becomes `token`."""
    DONE = 5
    """The word is used up: its `end` pieces become tokens. start = its index among the stage's items."""


class WordPieceRow(NamedTuple):
    """One decision of the longest match. A unit is a character of the word; in llama.cpp, a byte of ▁ and the word."""

    kind: int
    """A `WordPieceEvent`."""
    start: int
    """First unit of the window, from 0 within the word."""
    end: int
    """One after the last."""
    token: int
    """The id of the piece in question, or -1."""


class LongestMatch(Model):
    """What both originals share: the loop over words, and the search for the longest match.

    vocabulary: pieces by spelling. unknown: id of the token for a word that pieces cannot spell, None where there is
    none (`part.needed`).
    """

    row = WordPieceRow
    kinds = WordPieceEvent
    unit: str
    """What a window is measured in, for sentences."""
    prefix: bytes = b""
    """Spelled in front of a piece that continues a word."""
    window: int
    """Units of the longest attempt."""

    @cached_property
    def prefixes(self) -> tuple[Prefixes, Prefixes]:
        """The pieces that begin a word and those that continue one, by their prefixes, for drawings of a trie."""
        front = self.prefix
        if not front:
            whole = Prefixes(self.ids)
            return whole, whole
        begin = Prefixes(piece for piece in self.ids if not piece.startswith(front) or piece == front)
        return begin, Prefixes(piece[len(front) :] for piece in self.ids if piece.startswith(front) and piece != front)

    def matches(
        self, word: Segment, index: int, data: bytes, begin: Sequence[int], emit: Emit
    ) -> list[tuple[int, int, int]] | None:
        """The windows that match, in order: first unit, end and id. None if some part of the word has no piece.

        data: the word as it is spelled. begin: per unit the byte it begins at, and at last the length of `data`.
        """
        ids, size, window = self.ids, len(begin) - 1, self.window
        matched: list[tuple[int, int, int]] = []
        start = 0
        for _ in turns(size, MODEL):
            if start >= size:
                break
            front, stop = (self.prefix if start else b""), min(size, start + window)
            tried = front + data[begin[start] : begin[stop]]
            skip = begin[start] - len(front)
            ends = range(stop, start, -1)
            for end in ends if size < SHORT else asking(ends, MODEL):
                token = ids.get(tried[: begin[end] - skip])
                if token is not None:
                    break
                emit(WordPieceEvent.MISS, start, end, -1)
            else:
                emit(WordPieceEvent.DISCARD, start, len(matched), needed(self.unknown, word))
                return None
            emit(WordPieceEvent.HIT, start, end, token)
            matched.append((start, end, token))
            start = end
        emit(WordPieceEvent.DONE, index, len(matched), -1)
        return matched

    def whole(self, word: Segment) -> list[Token]:
        """The word as the unknown token."""
        return [Token(needed(self.unknown, word), min(word.starts), max(word.ends))]


LEAST_WINDOW = 100
"""Characters of the longest word that the first BERT tries."""


class WordPiece(LongestMatch):
    """The model stage of BERT as Hugging Face runs it.

    prefix: in front of a piece that continues a word. max_characters: of the longest word that is tried; a window
    longer than both 100 characters and every piece cannot match and is skipped.

    >>> from explorer.engine.part import Options
    >>> model = WordPiece(Vocabulary.of([b"[UNK]", b"a", b"##b", b"ab", b"##c"]), 0)
    >>> [token.id for token in model.run([Segment.of("abc")], Options(), lambda *row: None)]
    [3, 4]
    """

    unit = "character"

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: int | None,
        *,
        prefix: str = "##",
        max_characters: int = 100,
        ids: Mapping[bytes, int] | None = None,
    ) -> None:
        super().__init__(vocabulary, unknown, ids)
        self.prefix, self.max_characters = prefix.encode(), max_characters
        self.window = max(LEAST_WINDOW, max(map(len, self.ids), default=0))

    def items_of(self, word: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one word. index: of the word among the stage's items, for the trace."""
        text, size = word.text, len(word.text)
        emit(WordPieceEvent.WORD, index, size, -1)
        if size > self.max_characters:
            emit(WordPieceEvent.TOO_LONG, size, self.max_characters, needed(self.unknown, word))
            return self.whole(word)
        data = text.encode()
        found = self.matches(word, index, data, character_offsets(data), emit)
        if found is None:
            return self.whole(word)
        return [Token(token, min(word.starts[start:end]), max(word.ends[start:end])) for start, end, token in found]


class Wpm(LongestMatch):
    """The model stage of BERT as llama.cpp runs it.

    max_token_len (llama.cpp's name): bytes of the longest piece as spelled, ▁ counting three. window: bytes of the
    longest attempt, one more.

    >>> from explorer.engine.part import Options
    >>> model = Wpm(Vocabulary.of([b"[UNK]", "▁a".encode(), b"b"]), 0)
    >>> [token.id for token in model.run([Segment.of("abb"), Segment.of("ac")], Options(), lambda *row: None)]
    [1, 2, 2, 0]
    """

    unit = "byte"

    def __init__(self, vocabulary: Vocabulary, unknown: int) -> None:
        super().__init__(vocabulary, unknown)
        self.max_token_len = max(map(len, vocabulary.pieces))
        self.window = self.max_token_len + 1

    def items_of(self, word: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one word. index: of the word among the stage's items, for the trace."""
        spelled = word.text.encode()
        data = PHANTOM + spelled
        size = len(data)
        emit(WordPieceEvent.WORD, index, size, -1)
        found = self.matches(word, index, data, list(range(size + 1)), emit)
        if found is None:
            return self.whole(word)
        # per byte the character it belongs to; those of the phantom belong to none
        of = [-1] * len(PHANTOM) + character_of_each_byte(spelled)
        tokens: list[Token] = []
        for start, end, token in found:
            first, last = max(of[start], 0), of[end - 1]
            if last < 0:  # nothing but the phantom
                tokens.append(Token(token, word.starts[0], word.starts[0]))
            else:
                span = slice(first, last + 1)
                tokens.append(Token(token, min(word.starts[span]), max(word.ends[span])))
        return tokens
