"""PLaMo-2's Unigram: the best path computed from the end, as llama.cpp runs it.

As in `unigram.py` the positions of a text and the pieces between them form a lattice, and the path with the highest sum
of scores wins. But the pass runs from the right: each index has its best path to the *end*, so the path can be read off
from the left. Scores are integers (ten-thousandths), of equal sums the longest piece stays, and any character may
become its bytes, with a score so low that it is the last resort.

The pieces that begin at an index are found without trying all of them: the longest prefix of the text there that is a
suffix of some piece determines them. It is found from that of the next index by prepending the character. Follows
`llm_tokenizer_plamo2` in llama.cpp's `src/llama-vocab.cpp`, whose table of suffixes has the same content in rows.

A piece whose score is exactly the last resort's (-1000, which llama.cpp's converter gives to filler tokens) ends the
rows there, so shorter pieces are never tried; this is reproduced. A byte order mark at the beginning is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, isfinite
from typing import Final

from explorer.engine.budget import MODEL, asking
from explorer.engine.models.unigram import UnigramEvent, UnigramRow
from explorer.engine.part import Emit, Model, Segment, Token
from explorer.errors import InputError
from explorer.text.input import text_of
from explorer.vocabulary import PieceKind, Vocabulary

UNIT = 10_000
"""Integer units per 1.0 of a score."""
NEVER = -20_000_000
"""A piece with this score or less is never used."""
LAST_RESORT = -10_000_000
"""The score of a character as its bytes."""
AS_BYTES: Final = -1
"""Instead of an id in an event: the character becomes its bytes."""
BOM = "\ufeff"

MAX_SUFFIXES: Final = 1 << 22
MAX_CHARACTERS: Final = 1 << 26
"""Limits for all pieces together: every suffix of a piece is stored, and their characters grow with the square of its
length. PLaMo's 100,000 pieces have less than a million suffixes."""


class Plamo2(Model):
    """The model stage of a PLaMo-2 vocabulary.

    scores: as in the file; a piece whose score is not finite is never used. bytes: the token of each byte. Text may
    become pieces of all kinds except BYTE.

    >>> from explorer.engine.part import Options
    >>> v = Vocabulary.of([b"a", b"b", b"ab", b"bc", *(b"<0x%02X>" % byte for byte in range(256))], (),
    ...                   [1] * 4 + [6] * 256)
    >>> model = Plamo2(v, [-1.0, -1.0, -1.5, -1.0] + [0.0] * 256, range(4, 260))
    >>> [v.spelling(token.id) for token in model.run([Segment.of("abc!")], Options(), lambda *row: None)]
    ['a', 'bc', '<0x21>']
    """

    row = UnigramRow
    kinds = UnigramEvent

    def __init__(self, vocabulary: Vocabulary, scores: Sequence[float], bytes: Sequence[int]) -> None:
        self.vocabulary, self.bytes = vocabulary, bytes
        self.pieces: dict[str, tuple[int, int]] = {}
        """piece → its score in units and its id"""
        self.suffixes: set[str] = set()
        """all suffixes of pieces, the pieces included"""
        suffixes = characters = 0
        for id, (piece, score, kind) in enumerate(zip(vocabulary.pieces, scores, vocabulary.kinds, strict=True)):
            # no text contains a piece that is not UTF-8
            if kind == PieceKind.BYTE or (text := text_of(piece)) is None:
                continue
            suffixes, characters = suffixes + len(text), characters + len(text) * (len(text) + 1) // 2
            if suffixes > MAX_SUFFIXES or characters > MAX_CHARACTERS:
                raise InputError(
                    f"up to token {id} the pieces have more than {MAX_SUFFIXES} suffixes, or {MAX_CHARACTERS} "
                    "characters in them, far more than any real vocabulary; give another file"
                )
            self.pieces[text] = (in_units(score), id)
            self.suffixes.update(text[start:] for start in range(len(text)))

    def score(self, token: int) -> int:
        """The score of a piece, in units."""
        return LAST_RESORT if token == AS_BYTES else self.pieces[self.vocabulary.spelling(token)][0]

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(UnigramEvent.SEGMENT, index, len(segment.text), -1)
        text, starts, ends = segment
        begin = 0
        if text.startswith(BOM):
            emit(UnigramEvent.DROPPED, 0, 1, -1)
            begin = 1
        to, by = self.best_paths(text, begin, emit)
        tokens: list[Token] = []
        at = begin
        while at < len(text):
            after, token = to[at], by[at]
            emit(UnigramEvent.BACK, at, after, token)
            span = starts[at], ends[after - 1]
            if token == AS_BYTES:
                for byte in text[at].encode():
                    emit(UnigramEvent.BYTE, at, after, self.bytes[byte])
                    tokens.append(Token(self.bytes[byte], *span))
            else:
                emit(UnigramEvent.TOKEN, at, after, token)
                tokens.append(Token(token, *span))
            at = after
        return tokens

    def best_paths(self, text: str, begin: int, emit: Emit) -> tuple[list[int], list[int]]:
        """By index, for the best path from there to the end: where its first piece ends, and its id."""
        count = len(text)
        best, to, by = [0] * (count + 1), [-1] * (count + 1), [-1] * (count + 1)
        known = 0
        """characters of the longest prefix of the text at the index that is a suffix of some piece"""
        for start in asking(range(count - 1, begin - 1, -1), MODEL):
            known = self.grown(text, start, known)
            for end, score, token in self.candidates(text, start, known):
                total = best[end] + score
                won = to[start] < 0 or total > best[start]
                if won:
                    best[start], to[start], by[start] = total, end, token
                if token == AS_BYTES:
                    emit(UnigramEvent.UNKNOWN_BEST if won else UnigramEvent.UNKNOWN_LOST, start, end, token)
                else:
                    emit(UnigramEvent.BEST if won else UnigramEvent.LOST, start, end, token)
        return to, by

    def candidates(self, text: str, start: int, known: int) -> Iterator[tuple[int, int, int]]:
        """The pieces that begin at an index, longest first: the end, score and id of each."""
        for length in range(known, 0, -1):
            score, token = self.pieces.get(text[start : start + length], (NEVER, -1))
            if score > NEVER:
                yield start + length, score, token
            if score == LAST_RESORT:
                return
        yield start + 1, LAST_RESORT, AS_BYTES

    def grown(self, text: str, start: int, known: int) -> int:
        """`known` for the index `start`, computed from that of the next index."""
        ch = text[start]
        for length in range(known, 0, -1):
            after = text[start + 1 : start + 1 + length]
            if after not in self.suffixes:
                continue
            if ch + after in self.suffixes:
                return length + 1
            if self.pieces.get(after, (NEVER, -1))[0] == LAST_RESORT:
                return 0
        return int(ch in self.suffixes)


def in_units(score: float) -> int:
    """A score in units, rounded half away from zero; `NEVER` if it is not finite or does not fit into 32 bits.

    >>> in_units(-1.5), in_units(-0.00005), in_units(float("nan"))
    (-15000, -1, -20000000)
    """
    if not isfinite(score):
        return NEVER
    units = floor(abs(score) * UNIT + 0.5)
    return (units if score > 0 else -units) if units < 1 << 31 else NEVER
