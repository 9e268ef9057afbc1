"""The interfaces of a tokenizer's parts, and what passes through them: options, items, trace events.

The interfaces of a tokenizer's parts: the stages of its pipeline, its model among them, and its decoder.

All of them get the `Options` of the call, named as in llama.cpp. A normalization, pre-tokenizer or post-processor
offers nothing beyond `Part`. What normalizers and splitters have in common lies beside them
(`normalizers.stage.Normalizer`, `pre_tokenizers.stage.Splitter`).

Also the errors of models for text without pieces where there is no unknown token: the original stops there, and so does
this. A file may name an unknown token that its model does not have. The original opens it and runs until such a token
is needed.

What passes through the stages, and what they tell of it: items and trace events.

Every stage takes a sequence of items and returns a new one. A `Segment` is text with its alignment: for each code
point, which code points of the original text it came from. A `Token` is final; later stages pass it through. Carrying
the alignment with the text is the idea of Hugging Face's `NormalizedString`.

How long a text may become is bounded (`LengthBudget`): a file can bring normalizers that each turn one character into
ten, and twelve of these turn one into 10¹². Real ones turn one character into at most 18 (NFKC of ﷺ) and spell each of
these as two bytes, so a text that grows far beyond that is refused before it is written. Decoding grows, too: a
vocabulary can hold an unknown token of a million letters, and a text can repeat its id a hundred thousand times.

An event is a decision of the engine as a row of small integers. An algorithm receives a callable `emit` and calls it
once for each decision, rejected candidates included: a pair that is not a token, a queue entry that went stale, a
special token that was not searched for. A row holds a kind, positions and a token id; texts and scores are looked up
when the row is drawn. The row's type, a `NamedTuple` next to its algorithm (`MergeRow`, `PartitionRow`, …), gives its
fields their meaning.

`Events` stores the rows of one stage in a single `array('i')`: 16 bytes per row, so a million decisions take 16 MB.
`silent` is the sink without a trace: the stages run the same code either way. A loop that decides much collects its
rows in a list and hands them over with `emit_rows`, because a call for each row takes longer than many decisions.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from enum import IntEnum
from itertools import accumulate
from operator import le
from struct import Struct
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from explorer.engine.budget import MODEL, asking
from explorer.errors import InputError, shown
from explorer.text import clean
from explorer.vocabulary import Vocabulary


class Segment(NamedTuple):
    """A run of text between two stages.

    text: after the stages so far.
    starts, ends: per code point of `text`, the span [start, end) in code points of the original text. An inserted code
        point has an empty span (start == end) at its position; Hugging Face's parts give it the span of its neighbor,
        as the original does.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str, at: int = 0) -> Segment:
        """Unchanged text from position `at` of the original; its alignment takes no memory.

        >>> Segment.of("is", 5).ends[1]
        7
        """
        return cls(text, range(at, at + len(text)), range(at + 1, at + len(text) + 1))

    def slice(self, start: int, end: int | None = None) -> Segment:
        """The code points [start, end) with their alignment, by default up to the end.

        >>> Segment.of("abc", 5).slice(1)
        Segment(text='bc', starts=range(6, 8), ends=range(7, 9))
        """
        return Segment(self.text[start:end], self.starts[start:end], self.ends[start:end])


class Token(NamedTuple):
    """A token and its span [start, end) of the original text, in code points.

    start == -1: added, not from the text (BOS, EOS). start == end: made of inserted text only (a lone prefix ▁). If a
    character is split into several tokens, they have the same span.
    """

    id: int
    start: int
    end: int


class TextToken(Token):
    """A token whose text may differ from its piece: an unknown one, or an added one, which may have stripped white
    space. A post-processor trims its span by this text."""

    text: str

    @classmethod
    def of(cls, id: int, start: int, end: int, text: str) -> TextToken:
        """The token with its text. It equals a `Token` of the same fields.

        >>> TextToken.of(7, 2, 7, "<s>  ") == Token(7, 2, 7)
        True
        """
        made = cls(id, start, end)
        made.text = text
        return made


ADDED = -1
"""The start and end of a token that is not from the text."""

Item = Segment | Token
Items = Sequence[Item]
TextTokens = tuple[Token, ...]
"""The tokens of a text, in their order."""


def tokenized(items: Items, tokenize: Callable[[Segment, int], Iterable[Item]], stage: str = MODEL) -> list[Item]:
    """The items with every segment turned into its tokens, or cut into tokens and text; tokens pass through.

    tokenize: from a segment and its index among the items, which is for the trace, to its tokens. stage: what errors
    call it.

    >>> tokenized([Segment.of("ab"), Token(7, 2, 3)], lambda segment, index: [Token(1, 0, 2)])
    [Token(id=1, start=0, end=2), Token(id=7, start=2, end=3)]
    """
    done: list[Item] = []
    for index, item in enumerate(asking(items, stage)):
        if isinstance(item, Segment):
            done += tokenize(item, index)
        else:
            done.append(item)
    return done


def in_order(starts: Sequence[int], ends: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Spans widened until none begins after one that follows it, or ends before one that precedes it.

    Reordered text has no span of its own: all that changed places share one.

    >>> in_order([0, 2, 1], [1, 3, 2])
    ([0, 1, 1], [1, 3, 3])
    """
    if all(map(le, starts, starts[1:])) and all(map(le, ends, ends[1:])):
        return starts, ends
    return [*accumulate(reversed(starts), min)][::-1], [*accumulate(ends, max)]


def initial_items(text: str) -> Items:
    """The items before the first stage: the whole text, none if it is empty. Raises InputError for a lone surrogate."""
    text = clean(text)
    return [Segment.of(text)] if text else []


def has_adjacent_texts(items: Items) -> bool:
    """Whether two fragments of text are adjacent: a prefix added to the second may then depend on the first."""
    return any(
        isinstance(left, Segment) and isinstance(right, Segment)
        for left, right in zip(items, items[1:], strict=False)  # noqa: RUF007  # items may be a tuple or a list
    )


AT_LEAST = 1_000_000
"""Characters that any text may grow to."""

TIMES = 40
"""Characters that a text may gain for each one it has."""

DECODED_AT_LEAST = 10_000_000
"""Bytes that any ids may decode to."""

FOR_AN_ID = 200
"""More bytes for each id. The longest real tokens have a few hundred, and no text consists of those alone."""

DECODER = "the decoder"
"""The name of the decoder in errors."""


class LengthBudget:
    """The length that a text may grow to. what: the name of the stage in errors. size: the length of the text.

    >>> LengthBudget("the normalizer", 10).check(1_000_200)
    """

    def __init__(self, what: str, size: int) -> None:
        self.what, self.most, self.of_what = what, AT_LEAST + TIMES * size, "this text, far more than it has"

    @classmethod
    def of(cls, what: str, items: Iterable[Item]) -> LengthBudget:
        """The budget for all text of a stage."""
        return cls(what, length(items))

    @classmethod
    def at(cls, what: str, segment: Segment) -> LengthBudget:
        """The budget for one segment, by the length of its original text, whatever earlier parts made of it."""
        return cls(what, segment.ends[-1] - segment.starts[0] if segment.text else 0)

    @classmethod
    def for_ids(cls, count: int) -> LengthBudget:
        """The budget for the text that `count` ids decode to."""
        budget = cls(DECODER, 0)
        budget.most, budget.of_what = DECODED_AT_LEAST + FOR_AN_ID * count, f"{count} ids"
        return budget

    def check(self, size: int, part: object = None) -> None:
        """Raises InputError if the text gets longer than that. part: the part of the stage to name."""
        if size > self.most:
            # as a tokenizer.json names it: the class for the decoder `Replace` is ReplaceDecoder
            name = type(part).__name__.removesuffix("Decoder")
            what = self.what if part is None else f"{self.what} (its {name})"
            raise InputError(
                f"{what} makes more than {self.most} characters or bytes of {self.of_what}; give another file, or less"
            )


def length(items: Iterable[Item]) -> int:
    """The characters of all segments."""
    return sum(len(item.text) for item in items if isinstance(item, Segment))


Emit = Callable[[int, int, int, int], None]
"""Called by an algorithm with the four fields of its row type."""

R = TypeVar("R", bound=tuple[int, ...])


def silent(kind: int, a: int, b: int, token: int) -> None:
    """The sink that discards events; the stages run with it when no trace is wanted."""


BLOCK = 1 << 12
"""The fields after which a loop hands its rows over, so that the list of a long text stays small."""


def emit_rows(emit: Emit, fields: Sequence[int]) -> None:
    """Emits many rows. fields: of all rows, concatenated.

    >>> from explorer.engine.models.merges import MergeRow
    >>> events = Events(MergeRow)
    >>> emit_rows(events.emit, [1, 0, 1, 7, 2, 1, 2, -1])
    >>> [row.token for row in events]
    [7, -1]
    """
    store = getattr(emit, "store", None)
    if store is not None:
        store(fields)
        return
    rest = iter(fields)
    for kind, a, b, token in zip(rest, rest, rest, rest, strict=True):
        emit(kind, a, b, token)


PACK = {"i": Struct("4i").pack, "q": Struct("4q").pack}
"""By the type code of an array: a row as the bytes of four of its items."""


class Events(Generic[R]):
    """The rows of one stage, in the order of its decisions.

    row: the NamedTuple type of a row, with four integer fields.
    data: the fields of all rows, concatenated.

    >>> from explorer.engine.models.merges import MergeEvent, MergeRow
    >>> events = Events(MergeRow)
    >>> events.emit(MergeEvent.MISS, 0, 1, -1)
    >>> events[0].kind == MergeEvent.MISS, len(events), events.data.itemsize * len(events.data)
    (True, 1, 16)
    >>> list(Events.later(MergeRow, lambda emit: emit(MergeEvent.PUSH, 0, 1, 7)))
    [MergeRow(kind=1, left=0, right=1, token=7)]
    """

    __slots__ = ("_data", "_fill", "row", "width")

    def __init__(self, row: Callable[..., R], data: array[int] | None = None) -> None:
        self.row = row
        self.width: int = len(row._fields)  # type: ignore[attr-defined]  # a NamedTuple class, which typing cannot name
        self._data: array[int] = array("i") if data is None else data
        self._fill: Callable[[Emit], object] | None = None

    @classmethod
    def later(cls, row: Callable[..., R], fill: Callable[[Emit], object]) -> Events[R]:
        """Rows that are computed on first access: `fill` emits all of them to a sink."""
        events = cls(row)
        events._fill = fill
        return events

    @property
    def data(self) -> array[int]:
        """The fields of all rows, computed on first access."""
        fill = self._fill
        if fill is not None:
            # another thread that asks at the same time fills an array of its own with the same rows
            events = Events(self.row)
            fill(events.emit)
            self._data, self._fill = events._data, None
        return self._data

    @property
    def filled(self) -> array[int]:
        """The fields computed so far."""
        return self._data

    @property
    def emit(self) -> Emit:
        """Appends a row when called: the sink of a run."""
        # a closure over packed bytes takes half the time of a method that extends the array by a tuple
        append, code = self._data.frombytes, self._data.typecode
        pack = PACK[code]

        def emit(kind: int, a: int, b: int, token: int) -> None:
            append(pack(kind, a, b, token))

        def store(fields: Sequence[int]) -> None:
            append(Struct(f"{len(fields)}{code}").pack(*fields))

        emit.store = store  # type: ignore[attr-defined]  # for `emit_rows`; typing knows no attributes of functions
        return emit

    def __len__(self) -> int:
        return len(self.data) // self.width

    def __getitem__(self, index: int) -> R:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"event {index} of {len(self)}")
        at = index * self.width
        return self.row(*self._data[at : at + self.width])

    def __iter__(self) -> Iterator[R]:
        fields = iter(self.data)
        return (self.row(*values) for values in zip(*[fields] * self.width, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and self.row is other.row and self.data == other.data

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"<{len(self)} events of {getattr(self.row, '__name__', 'rows')}>"


AnyEvents = Events[Any]


class Options(NamedTuple):
    """The options of a call.

    add_special: add the tokens the model wants around a text (BOS, EOS, CLS, …).
    parse_special: turn the spelling of a special token in the text into that token.
    """

    add_special: bool = True
    parse_special: bool = True


class Part(Protocol):
    """One stage: items in, items out, an event for every decision."""

    @property
    def name(self) -> str:
        """The stage's name, such as "normalize" or "model"."""

    @property
    def row(self) -> Callable[..., Any]:
        """The NamedTuple type of its events."""

    @property
    def kinds(self) -> type[IntEnum]:
        """The enum of its events' first field."""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items after this stage. Calls `emit` for every decision."""


class Aligned:
    """A part whose original gives other offsets than the spans of the text that a token was made of."""

    as_original = False
    """whether it aligns text as the original does"""

    def original(self) -> Self:
        """The same part, aligned as the original does."""
        made = copy(self)
        made.as_original = True
        return made


class BySegment(Part):
    """A part that does each segment by itself; tokens pass through. what: its name in errors."""

    what: str = MODEL

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment turned into others."""
        return tokenized(items, lambda segment, index: self.items_of(segment, index, emit), self.what)

    def items_of(self, segment: Segment, index: int, emit: Emit) -> Sequence[Item]:
        """What becomes of one segment. index: of the segment among the stage's items, for the trace."""
        raise NotImplementedError("a part has `items_of`, or another `run`")


class Model(BySegment):
    """The stage that turns text into tokens. Models inherit from it; a model overrides the defaults it differs from.

    unknown: the id of the token for text without a piece; None where the model has none.
    priority: what merges sort by: the "score" of a piece, its position in a list of merges ("merge") or the "rank" of
    its bytes; None for a model that merges nothing.
    prefix: the spelling in front of a piece that continues a word, such as `##`.
    suffix: the spelling after a piece that ends a word, such as `</w>`.
    of_vocabulary: what it computes of its vocabulary alone, once.
    """

    name: str = "model"
    unknown: int | None = None
    priority: str | None = None
    prefix: bytes = b""
    suffix: bytes = b""
    of_vocabulary: tuple[Callable[[Vocabulary], Any], ...] = ()

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, ids: Mapping[bytes, int] | None = None) -> None:
        """ids: the pieces the model may make, by default the whole vocabulary. Raises InputError as `in_vocabulary`."""
        self.vocabulary, self.unknown = vocabulary, in_vocabulary(vocabulary, unknown)
        self.ids = vocabulary.ids if ids is None else ids


class Decoder(Protocol):
    """Turns ids into bytes, one entry per id."""

    @property
    def row(self) -> Callable[..., Any]:
        """The NamedTuple type of its events."""

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each id. Calls `emit` for every decision."""

    def alone(self, id: int) -> bytes:
        """The bytes of one token whatever its neighbors and position: no space is added or stripped, and a lone byte
        of a character stays that byte."""


def run_through(parts: Sequence[Part], items: Items, options: Options) -> Items:
    """The items after these stages, run in order without events."""
    for part in parts:
        items = part.run(items, options, silent)
    return items


def in_vocabulary(vocabulary: Vocabulary, unknown: int | None) -> int | None:
    """The id of the unknown token, unchanged. Raises InputError for one that is not in the vocabulary.

    >>> in_vocabulary(Vocabulary.of([b"<unk>"]), 1)
    Traceback (most recent call last):
    explorer.errors.InputError: the unknown token 1 is not in this vocabulary of 1; repair the file
    """
    if unknown is not None and not 0 <= unknown < len(vocabulary):
        raise InputError(f"the unknown token {unknown} is not in this vocabulary of {len(vocabulary)}; repair the file")
    return unknown


def needed(unknown: int | None, of: Segment) -> int:
    """The unknown token for a text. Raises InputError if it is missing.

    >>> needed(None, Segment.of("xy", 4))
    Traceback (most recent call last):
    explorer.errors.InputError: character 5: the model has no pieces for 'xy' and no unknown token; remove it
    """
    if unknown is None:
        raise missing(of.text, of.starts[0])
    return unknown


def missing(text: str, at: int | None = None) -> InputError:
    """The error for a text without pieces. at: the index of its first character, if known."""
    where = "" if at is None else f"character {at + 1}: "
    return InputError(f"{where}the model has no pieces for {shown(text)} and no unknown token; remove it")
