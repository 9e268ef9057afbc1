"""Character and word models: the text is cut without looking at the vocabulary, then every unit is looked up.

The two plainest models of sentencepiece. In a character model a unit is one character, or a user-defined piece where
the longest one stands; in a word model a unit begins at each ▁. A unit that is a piece is its token. One that is none,
or one that is marked UNUSED, is unknown: bytes where the model has byte fallback, else one unknown token for a run of
them. Follows `char_model.cc` and `word_model.cc`, and `PopulateSentencePieceText` for what is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.limits.budget import MODEL, ask
from explorer.engine.options import Options
from explorer.engine.part import Model
from explorer.engine.symbol_tree import SymbolTree
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary

Cut = Callable[[str], Iterator[int]]
"""Where the units of a text end, in order; the last end is the end of the text."""


class CharWordEvent(IntEnum):
    """What a `CharWordRow` says."""

    SEGMENT = 0
    """A new segment is begun: start = its place among the stage's items, end = its number of code points."""
    FOUND = 1
    """The unit from start to end is a piece: its token."""
    UNUSED = 2
    """The unit is a piece marked unused: what follows is as if it were none."""
    UNKNOWN = 3
    """The unit is no piece: the unknown token."""
    JOINED = 4
    """The unit is no piece either and joins the unknown token before it."""
    BYTE = 5
    """The unit is no piece; this is the next of its byte tokens."""


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


def characters(symbols: Mapping[str, int]) -> Cut:
    """One unit a character; user-defined pieces stay whole, the longest first.

    >>> list(characters({"<a>": 7, "<": 8})("x<a><"))
    [1, 4, 5]
    """
    search = SymbolTree(symbols)

    def cut(text: str) -> Iterator[int]:
        at = 0
        while at < len(text):
            at += search.length(text, at) or 1
            yield at

    return cut


def words(text: str) -> Iterator[int]:
    """A unit begins at each ▁, wherever it comes from.

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

    cut: what a unit is. unknown: id of the unknown token or None. byte_tokens: the 256 of them where unknown text
    falls back to bytes. Raises InputError for a unit that is no piece where there is neither.

    >>> v = Vocabulary.of([b"<unk>", b"a", b"b"], kinds=[2, 1, 1])
    >>> [token.id for token in CharWord(v, 0, characters({})).run([Segment.of("abxya")], Options(), lambda *row: None)]
    [1, 2, 0, 1]
    """

    row = CharWordRow
    kinds = CharWordEvent

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, cut: Cut, byte_tokens: Sequence[int] = ()) -> None:
        self.vocabulary, self.unknown, self.cut, self.byte_tokens = vocabulary, unknown, cut, byte_tokens

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        for place, item in enumerate(items):
            if isinstance(item, Segment):
                emit(CharWordEvent.SEGMENT, place, len(item.text), -1)
                done += self.tokenize(item, emit)
            else:
                done.append(item)
        return done

    def tokenize(self, segment: Segment, emit: Emit) -> list[Token]:
        """The tokens of one segment."""
        ids, kinds, unknown = self.vocabulary.ids, self.vocabulary.kinds, self.unknown
        tokens: list[Token] = []
        start = 0
        after_unknown = False
        for number, end in enumerate(self.cut(segment.text)):
            if not number & 63:
                ask(MODEL)
            data = segment.text[start:end].encode()
            span = segment.starts[start], segment.ends[end - 1]
            token = ids.get(data)
            kind = PieceKind.UNDEFINED if token is None else kinds[token]
            if kind == PieceKind.UNUSED:
                emit(CharWordEvent.UNUSED, start, end, token)  # type: ignore[arg-type]  # it is an id where it has a kind
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
                    f"character {span[0] + 1}: {segment.text[start:end][:40]!r} is no piece of this vocabulary, and it "
                    "has no unknown token to stand for it; remove the character"
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
