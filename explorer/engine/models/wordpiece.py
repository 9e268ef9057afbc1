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

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.limits.budget import MODEL, SHORT, asking, turns
from explorer.engine.models.unknown import needed
from explorer.engine.options import Options
from explorer.engine.part import Model
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.text.utf8 import character_of_each_byte, character_offsets
from explorer.vocabulary import SPACE_MARK, Vocabulary

_PHANTOM = SPACE_MARK.encode()
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
    """The id of the piece in question, -1 where there is none."""


class LongestMatch(Model, ABC):
    """What both originals share: the loop over words.

    vocabulary: pieces by spelling. unknown: id of the token for a word that pieces cannot spell, None where there is
    none (`unknown.py`).
    """

    row = WordPieceRow
    kinds = WordPieceEvent
    unit: str
    """What a window is measured in, for sentences."""

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, ids: Mapping[bytes, int] | None = None) -> None:
        """ids: the pieces the model may make, by default the whole vocabulary."""
        if unknown is not None and not 0 <= unknown < len(vocabulary):
            raise InputError(
                f"the unknown token {unknown} is not in this vocabulary of {len(vocabulary)}; repair the file"
            )
        self.vocabulary, self.unknown = vocabulary, unknown
        self.ids = vocabulary.ids if ids is None else ids

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every word turned into tokens."""
        return tokenized(items, lambda segment, index: self.tokenize(segment, index, emit))

    @abstractmethod
    def tokenize(self, word: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one word. index: of the word among the stage's items, for the trace."""

    def whole(self, word: Segment) -> list[Token]:
        """The word as the unknown token."""
        return [Token(needed(self.unknown, word), min(word.starts), max(word.ends))]


LEAST_WINDOW: Final = 100
"""Characters of the longest word that the first BERT tries."""


class WordPiece(LongestMatch):
    """The model stage of BERT as Hugging Face runs it.

    prefix: in front of a piece that continues a word. max_characters: of the longest word that is tried; a window
    longer than both 100 characters and every piece cannot match and is skipped.

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

    def tokenize(self, word: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one word. index: of the word among the stage\'s items, for the trace."""
        text, size = word.text, len(word.text)
        emit(WordPieceEvent.WORD, index, size, -1)
        if size > self.max_characters:
            emit(WordPieceEvent.TOO_LONG, size, self.max_characters, needed(self.unknown, word))
            return self.whole(word)
        ids, data = self.ids, text.encode()
        begin = character_offsets(data)
        tokens: list[Token] = []
        start = 0
        for _ in turns(size, MODEL):
            if start >= size:
                break
            front, rest = (self.prefix if start else b""), begin[start]
            ends = range(min(size, start + self.window), start, -1)
            for end in ends if size < SHORT else asking(ends, MODEL):
                token = ids.get(front + data[rest : begin[end]])
                if token is not None:
                    break
                emit(WordPieceEvent.MISS, start, end, -1)
            else:
                emit(WordPieceEvent.DISCARD, start, len(tokens), needed(self.unknown, word))
                return self.whole(word)
            emit(WordPieceEvent.HIT, start, end, token)
            tokens.append(Token(token, min(word.starts[start:end]), max(word.ends[start:end])))
            start = end
        emit(WordPieceEvent.DONE, index, len(tokens), -1)
        return tokens


class Wpm(LongestMatch):
    """The model stage of BERT as llama.cpp runs it.

    max_token_len (llama.cpp's name): bytes of the longest piece as spelled, ▁ counting three. window: bytes of the
    longest attempt, one more.

    >>> model = Wpm(Vocabulary.of([b"[UNK]", "▁a".encode(), b"b"]), 0)
    >>> [token.id for token in model.run([Segment.of("abb"), Segment.of("ac")], Options(), lambda *row: None)]
    [1, 2, 2, 0]
    """

    unit = "byte"

    def __init__(self, vocabulary: Vocabulary, unknown: int) -> None:
        super().__init__(vocabulary, unknown)
        self.max_token_len = max(map(len, vocabulary.pieces))
        self.window = self.max_token_len + 1

    def tokenize(self, word: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one word. index: of the word among the stage\'s items, for the trace."""
        spelled = word.text.encode()
        data = _PHANTOM + spelled
        size = len(data)
        emit(WordPieceEvent.WORD, index, size, -1)
        # per byte the character it belongs to; those of the phantom belong to none
        of = [-1] * len(_PHANTOM) + character_of_each_byte(spelled)
        ids, window = self.ids, self.window
        tokens: list[Token] = []
        start = 0
        for _ in turns(size, MODEL):
            if start >= size:
                break
            ends = range(min(size, start + window), start, -1)
            for end in ends if size < SHORT else asking(ends, MODEL):
                token = ids.get(data[start:end])
                if token is not None:
                    break
                emit(WordPieceEvent.MISS, start, end, -1)
            else:
                emit(WordPieceEvent.DISCARD, start, len(tokens), needed(self.unknown, word))
                return self.whole(word)
            emit(WordPieceEvent.HIT, start, end, token)
            first, last = max(of[start], 0), of[end - 1]
            if last < 0:  # nothing but the phantom
                tokens.append(Token(token, word.starts[0], word.starts[0]))
            else:
                span = slice(first, last + 1)
                tokens.append(Token(token, min(word.starts[span]), max(word.ends[span])))
            start = end
        emit(WordPieceEvent.DONE, index, len(tokens), -1)
        return tokens
