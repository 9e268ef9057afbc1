"""Models that look up what a text is split into without them: words, characters, bytes.

`WordLevel` follows `models/wordlevel` of Hugging Face's tokenizers: a word is a piece as a whole, or the unknown token.

`CharWord` is the two simplest models of sentencepiece. In a character model a unit is one character, or the longest
user-defined piece; in a word model a unit begins at each ▁. A unit that is a piece becomes its token. A unit that is
not a piece, or is marked UNUSED, is unknown: it becomes bytes if the model has byte fallback, otherwise a run of
unknown units becomes one unknown token. Follows `char_model.cc` and `word_model.cc`, and `PopulateSentencePieceText`
for unknown units.

The others are those of classes of `transformers`: `LookedUp` follows `_tokenize` of `Wav2Vec2CTCTokenizer` and
`CharacterTokenizer` of BertJapanese, where every unit that is not a piece is an unknown token of its own, and nothing
keeps several characters together. `ByteValues` and `CodePoints` follow `_tokenize` and `_convert_token_to_id` of
`ByT5Tokenizer` and `CanineTokenizer`, which have no vocabulary file: the id of a byte, or of a character, is its value.
The pieces of all code points are computed on demand (`CodePointPieces`): a million strings take 100 MB.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, overload

from explorer.engine.budget import MODEL, ask
from explorer.engine.part import Emit, Model, Segment, Token, missing, needed
from explorer.engine.partition.user_defined import SymbolTree
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary


class WordLevelEvent(IntEnum):
    """What a `WordLevelRow` says."""

    KNOWN = 0
    """The word is the piece `token`."""
    UNKNOWN = 1
    """The word is not a piece: it becomes the unknown token, `token`."""


class WordLevelRow(NamedTuple):
    """One word looked up."""

    kind: int
    """A `WordLevelEvent`."""
    place: int
    """Index of the word among the stage's items."""
    size: int
    """Its number of characters."""
    token: int
    """The id."""


class WordLevel(Model):
    """The model stage.

    unknown: id of the token for every other word, or None (`part.needed`). ids: the pieces the model
    may make, by default the whole vocabulary.

    >>> from explorer.engine.part import Options
    >>> model = WordLevel(Vocabulary.of([b"<unk>", b"low"]), 0)
    >>> [token.id for token in model.run([Segment.of("low"), Segment.of("lower")], Options(), lambda *row: None)]
    [1, 0]
    """

    row = WordLevelRow
    kinds = WordLevelEvent

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The token of one word. index: of the word among the stage's items, for the trace."""
        text, starts, ends = segment
        known = self.ids.get(text.encode())
        id = needed(self.unknown, segment) if known is None else known
        emit(WordLevelEvent.UNKNOWN if known is None else WordLevelEvent.KNOWN, index, len(text), id)
        return [Token(id, starts[0], ends[-1])]


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
    """The next byte of the unit: its id is its value plus a constant."""
    CODE_POINT = 7
    """The unit's id is its code point."""
    LOST = 8
    """The unit is not a piece: the unknown token, one for each."""


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


Decision = tuple[CharWordEvent, int]
"""A kind of event, and the id in question."""


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

    >>> from explorer.engine.part import Options
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

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        text, starts, ends = segment
        emit(CharWordEvent.SEGMENT, index, len(text), -1)
        decided: dict[str, Sequence[Decision]] = {}
        """unit → its decisions"""
        tokens: list[Token] = []
        start, before = 0, -1
        for number, end in enumerate(self.unit_ends(text)):
            if not number & 63:
                ask(MODEL)
            unit = text[start:end]
            decisions = decided.get(unit)
            if decisions is None:
                decisions = decided[unit] = self.decisions(unit, starts[start])
            for kind, id in decisions:
                if kind == CharWordEvent.UNKNOWN and before == kind:
                    emit(CharWordEvent.JOINED, start, end, id)
                    tokens[-1] = tokens[-1]._replace(end=ends[end - 1])
                    continue
                emit(kind, start, end, id)
                if kind != CharWordEvent.UNUSED:
                    before = kind
                    tokens.append(Token(id, starts[start], ends[end - 1]))
            start = end
        return tokens

    def decisions(self, unit: str, at: int) -> Sequence[Decision]:
        """What a unit becomes. at: the index of its first character in the original text, for errors."""
        data = unit.encode()
        token = self.vocabulary.ids.get(data)
        kind = PieceKind.UNDEFINED if token is None else self.vocabulary.kinds[token]
        if token is not None and kind in (PieceKind.NORMAL, PieceKind.USER_DEFINED):
            return [(CharWordEvent.FOUND, token)]
        unused = [(CharWordEvent.UNUSED, token)] if token is not None and kind == PieceKind.UNUSED else []
        if self.byte_tokens:
            return unused + [(CharWordEvent.BYTE, self.byte_tokens[byte]) for byte in data]
        if self.unknown is None:
            raise missing(unit, at)
        return [*unused, (CharWordEvent.UNKNOWN, self.unknown)]


class LookedUp(CharWord):
    """The model stage. known: the id of each unit. unknown: of any other, None for an error. whole: a text is one unit.

    >>> from explorer.engine.part import Options
    >>> model = LookedUp(Vocabulary.of([b"?", b"a"]), {"a": 1}, 0)
    >>> [token.id for token in model.run([Segment.of("axx")], Options(), lambda *row: None)]
    [1, 0, 0]
    """

    def __init__(
        self, vocabulary: Vocabulary, known: Mapping[str, int], unknown: int | None, *, whole: bool = False
    ) -> None:
        super().__init__(vocabulary, unknown, (lambda text: iter([len(text)])) if whole else each_character)
        self.known = known

    def decisions(self, unit: str, at: int) -> Sequence[Decision]:
        """The unit's token, or the unknown token."""
        id = self.known.get(unit)
        if id is not None:
            return [(CharWordEvent.FOUND, id)]
        if self.unknown is None:
            raise missing(unit, at)
        return [(CharWordEvent.LOST, self.unknown)]


class ByteValues(CharWord):
    """The model stage of ByT5: a token for each byte of the text's UTF-8.

    byte_tokens: the id of each of the 256 bytes.

    >>> from explorer.engine.part import Options
    >>> model = ByteValues(Vocabulary.of([]), range(3, 259))
    >>> [token.id for token in model.run([Segment.of("aé")], Options(), lambda *row: None)]
    [100, 198, 172]
    """

    def __init__(self, vocabulary: Vocabulary, byte_tokens: Sequence[int]) -> None:
        super().__init__(vocabulary, None, each_character, tuple(byte_tokens))

    def decisions(self, unit: str, at: int) -> Sequence[Decision]:
        """The tokens of the character's bytes."""
        return [(CharWordEvent.BYTE_VALUE, self.byte_tokens[byte]) for byte in unit.encode()]


class CodePoints(CharWord):
    """The model stage of CANINE: a token for each character, whose id is its code point.

    others: the characters that the folder's settings give another id.

    >>> from explorer.engine.part import Options
    >>> model = CodePoints(Vocabulary.of([]), {})
    >>> [token.id for token in model.run([Segment.of("aé")], Options(), lambda *row: None)]
    [97, 233]
    """

    def __init__(self, vocabulary: Vocabulary, others: Mapping[str, int]) -> None:
        super().__init__(vocabulary, None, each_character)
        self.others = others

    def decisions(self, unit: str, at: int) -> Sequence[Decision]:
        """The character's token."""
        return [(CharWordEvent.CODE_POINT, self.others.get(unit, ord(unit)))]


def each_character(text: str) -> Iterator[int]:
    """One unit per character."""
    return iter(range(1, len(text) + 1))


SIZE = 0x110000
"""The number of code points."""
SURROGATES = range(0xD800, 0xE000)
"""Code points that are not characters: no text has them, and they have no UTF-8."""


class CodePointPieces(Sequence[bytes]):
    """The piece of each id: its character, or what `others` says. A surrogate has none.

    >>> pieces = CodePointPieces({0: b"[PAD]"})
    >>> pieces[0], pieces[97], pieces[0xD800], len(pieces)
    (b'[PAD]', b'a', b'', 1114112)
    """

    def __init__(self, others: Mapping[int, bytes]) -> None:
        self.others = others
        self.size = max(SIZE, *(id + 1 for id in others)) if others else SIZE

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        return map(self.piece, range(self.size))

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[bytes, ...]: ...

    def __getitem__(self, index: int | slice) -> bytes | tuple[bytes, ...]:
        found = range(self.size)[index]
        return self.piece(found) if isinstance(found, int) else tuple(map(self.piece, found))

    def piece(self, id: int) -> bytes:
        """The piece of an id that is in the vocabulary."""
        other = self.others.get(id)
        if other is not None:
            return other
        return b"" if id in SURROGATES or id >= SIZE else chr(id).encode()


class CodePointIds(Mapping[bytes, int]):
    """The id of each piece: `others`, or the code point of one character.

    >>> ids = CodePointIds({b"[PAD]": 0})
    >>> ids[b"a"], ids[b"[PAD]"], ids.get(b"ab")
    (97, 0, None)
    """

    def __init__(self, others: Mapping[bytes, int]) -> None:
        self.others = others

    def __getitem__(self, piece: bytes) -> int:
        if piece in self.others:
            return self.others[piece]
        text = piece.decode("utf-8", "replace") if len(piece) <= 4 else ""
        if len(text) != 1 or text.encode() != piece:
            raise KeyError(piece)
        return ord(text)

    def __iter__(self) -> Iterator[bytes]:
        yield from self.others
        yield from (piece for piece in CodePointPieces({}) if piece and piece not in self.others)

    def __len__(self) -> int:
        characters = SIZE - len(SURROGATES)
        return characters + sum(piece not in _PLAIN for piece in self.others)


_PLAIN = CodePointIds({})
