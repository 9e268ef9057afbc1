"""Character and word models: the text is split without the vocabulary, then every unit is looked up.

The two simplest models of sentencepiece. In a character model a unit is one character, or the longest user-defined
piece; in a word model a unit begins at each ▁. A unit that is a piece becomes its token. A unit that is not a piece, or
is marked UNUSED, is unknown: it becomes bytes if the model has byte fallback, otherwise a run of unknown units becomes
one unknown token. Follows `char_model.cc` and `word_model.cc`, and `PopulateSentencePieceText` for unknown units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.limits.budget import MODEL, ask
from explorer.engine.options import Options
from explorer.engine.part import Model
from explorer.engine.partition.symbol_tree import SymbolTree
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary

UnitEnds = Callable[[str], Iterator[int]]
"""From a text to the ends of its units, in order; the last one is the end of the text."""


class CharWordEvent(IntEnum):
    """What a `CharWordRow` says."""

    SEGMENT = 0
    """A segment begins: start = its index among the stage's items, end = its number of code points."""
    FOUND = 1
    """The unit [start, end) is a piece: its token."""
    UNUSED = 2
    """The unit is a piece marked UNUSED, and is handled as unknown."""
    UNKNOWN = 3
    """The unit is not a piece: the unknown token."""
    JOINED = 4
    """The unit is not a piece either and joins the unknown token before it."""
    BYTE = 5
    """The unit is not a piece; this is the next of its byte tokens."""
    BYTE_VALUE = 6
    """The next byte of the unit: its id is its value plus a constant (`code_values`)."""
    CODE_POINT = 7
    """The unit's id is its code point (`code_values`)."""
    LOST = 8
    """The unit is not a piece: the unknown token, one for each (`looked_up`)."""


class CharWordRow(NamedTuple):
    """One decision."""

    kind: int
    """A `CharWordEvent`."""
    start: int
    """First code point of the segment."""
    end: int
    """One after the last."""
    token: int
    """The id of the token, -1 for SEGMENT."""


def characters(symbols: Mapping[str, int]) -> UnitEnds:
    """One unit per character; user-defined pieces stay whole, the longest first.

    >>> list(characters({"<a>": 7, "<": 8})("x<a><"))
    [1, 4, 5]
    """
    search = SymbolTree(symbols)

    def unit_ends(text: str) -> Iterator[int]:
        at = 0
        while at < len(text):
            at += search.length(text, at) or 1
            yield at

    return unit_ends


def words(text: str) -> Iterator[int]:
    """A unit begins at each ▁, whatever it comes from.

    >>> list(words("▁a▁▁bc"))
    [2, 3, 6]
    """
    at = text.find(SPACE_MARK, 1)
    while at > 0:
        yield at
        at = text.find(SPACE_MARK, at + 1)
    if text:
        yield len(text)


class CharWord(Model):
    """The model stage.

    unit_ends: splits the text. unknown: id of the unknown token or None. byte_tokens: the 256 byte tokens if unknown
    text falls back to bytes. Raises InputError for an unknown unit where there is neither.

    >>> v = Vocabulary.of([b"<unk>", b"a", b"b"], kinds=[2, 1, 1])
    >>> [token.id for token in CharWord(v, 0, characters({})).run([Segment.of("abxya")], Options(), lambda *row: None)]
    [1, 2, 0, 1]
    """

    row = CharWordRow
    kinds = CharWordEvent

    def __init__(
        self, vocabulary: Vocabulary, unknown: int | None, unit_ends: UnitEnds, byte_tokens: Sequence[int] = ()
    ) -> None:
        self.vocabulary, self.unknown, self.unit_ends, self.byte_tokens = vocabulary, unknown, unit_ends, byte_tokens

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment turned into tokens."""
        return tokenized(items, lambda segment, index: self.tokenize(segment, index, emit))

    def tokenize(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(CharWordEvent.SEGMENT, index, len(segment.text), -1)
        ids, kinds, unknown = self.vocabulary.ids, self.vocabulary.kinds, self.unknown
        tokens: list[Token] = []
        start = 0
        after_unknown = False
        for number, end in enumerate(self.unit_ends(segment.text)):
            if not number & 63:
                ask(MODEL)
            data = segment.text[start:end].encode()
            span = segment.starts[start], segment.ends[end - 1]
            token = ids.get(data)
            kind = PieceKind.UNDEFINED if token is None else kinds[token]
            if kind == PieceKind.UNUSED:
                emit(CharWordEvent.UNUSED, start, end, token)  # type: ignore[arg-type]  # None has no kind
            known = kind in (PieceKind.NORMAL, PieceKind.USER_DEFINED)
            if known and token is not None:
                emit(CharWordEvent.FOUND, start, end, token)
                tokens.append(Token(token, *span))
            elif self.byte_tokens:
                for byte in data:
                    emit(CharWordEvent.BYTE, start, end, self.byte_tokens[byte])
                    tokens.append(Token(self.byte_tokens[byte], *span))
            elif unknown is None:
                raise InputError(
                    f"character {span[0] + 1}: {segment.text[start:end][:40]!r} is not a piece of this vocabulary, "
                    "which has no unknown token either; remove the character"
                )
            elif after_unknown:
                emit(CharWordEvent.JOINED, start, end, unknown)
                tokens[-1] = tokens[-1]._replace(end=span[1])
            else:
                emit(CharWordEvent.UNKNOWN, start, end, unknown)
                tokens.append(Token(unknown, *span))
            after_unknown = not known
            start = end
        return tokens
