"""A common misreading of RWKV's longest match: extend by one character while the prefix is a token.

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
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from explorer.engine.budget import MODEL, turns
from explorer.engine.models.trie import ByteMatch, ByteModel, TrieMatch
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.text.utf8 import width
from explorer.vocabulary import Vocabulary


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
