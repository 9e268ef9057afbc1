"""WordPiece: the longest piece that matches, repeatedly, until the word is used up. Two originals.

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

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Final, NamedTuple

from explorer.engine.budget import MODEL, SHORT, asking, turns
from explorer.engine.models.prefixes import Prefixes
from explorer.engine.part import Emit, Model, Segment, Token, needed
from explorer.text.input import character_of_each_byte, character_offsets
from explorer.vocabulary import SPACE_MARK, Vocabulary

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


LEAST_WINDOW: Final = 100
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
