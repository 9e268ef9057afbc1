""" "Why?": the answers, and what the accounts of all models share.

How a token came about, and why there is a cut between two tokens, is plain, immutable data. A sentence is a `Say`,
whose texts are kept apart so that a page can draw them as chips. An event is named by the index of its stage in the
trace and its own index among that stage's events.

A model's stage gets segments of text with tokens between them. The events about one segment are consecutive; a
`SegmentEvents` is a segment with its events. What a unit is (symbol, byte, character) is the business of the `Family`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar, cast

from explorer.engine.part import Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.spelling import Speller
from explorer.text.say import Say, number
from explorer.vocabulary import spelled


class OriginKind(StrEnum):
    """How a token came about."""

    MERGED = "merged"
    """Merges joined its symbols."""
    SINGLE = "single"
    """It is one initial symbol that joined with no other."""
    WHOLE = "whole"
    """The text between two cuts of the pre-tokenizer is a piece and was taken without merges."""
    TAKEN_APART = "taken-apart"
    """A larger piece may not be output and was taken apart; this is one part of it."""
    BYTE = "byte"
    """A character is not a piece; this is one of its bytes."""
    UNKNOWN = "unknown"
    """The text is not a piece; the unknown token takes its place."""
    LONGEST_MATCH = "longest-match"
    """The longest piece that matches here."""
    FIRST_MISS = "first-miss"
    """The last token before the first prefix that is not one."""
    BEST_PATH = "best-path"
    """A piece on the path with the highest sum of scores."""
    LOOKED_UP = "looked-up"
    """A unit of the text, found in the vocabulary as a whole."""
    SPECIAL = "special"
    """A special, added or user-defined token found in the text before the model ran."""
    ADDED = "added"
    """Added around the text by post-processing."""
    PADDING = "padding"
    """Added to fill a length."""
    COPY = "copy"
    """Another copy of a token of the text, made by a template that contains the text twice."""


class CutCause(StrEnum):
    """Why there is a cut between two tokens."""

    NOT_A_PIECE = "not-a-piece"
    """The joined text is not in the vocabulary."""
    NOT_FOR_TEXT = "not-for-text"
    """The joined text is in the vocabulary, as a piece that the model does not make of text."""
    NO_MERGE = "no-merge"
    """The joined text is a piece, but no merge in the list makes it."""
    BETTER_PAIR = "better-pair"
    """The joined text is a piece, but another pair joined first, across the seam of the pair that makes it."""
    TAKEN_APART = "taken-apart"
    """Both were one piece that may not be output, and were taken apart."""
    PRE_TOKENIZER = "pre-tokenizer"
    """A stage before the model cuts here."""
    SPECIAL_TOKEN = "special-token"
    """A special, added or user-defined token begins or ends here."""
    ADDED_TOKEN = "added-token"
    """Post-processing or padding added one of the two."""
    TEMPLATE = "template"
    """The template of post-processing puts the two side by side: they are not neighbors in the text."""
    LONGEST_MATCH = "longest-match"
    """The longest match ends here."""
    FIRST_MISS = "first-miss"
    """With the next character, the prefix is not a token."""
    BETTER_SUM = "better-sum"
    """The joined text is a piece, but its path has a lower sum."""
    UNITS = "units"
    """The text is split into units without the vocabulary, and a unit ends here."""
    BYTES = "bytes"
    """The text is not a piece and became bytes; one of the two is such a byte."""
    UNKNOWN = "unknown"
    """The text is not a piece; one of the two is the unknown token in its place."""
    DROPPED = "dropped"
    """Text between the two is dropped."""


class TokenText(NamedTuple):
    """A token of the trace.

    number: index among the ids. text: for people (`spellings`). stored: the vocabulary's spelling. start, end: code
    points of the original text, None for an added token.
    """

    number: int
    id: int
    text: str
    stored: str
    start: int | None
    end: int | None


class WhyStep(NamedTuple):
    """One event.

    stage: its stage's index in the trace. event: its index among that stage's events. kind: the name of its kind.
    parts: the texts it is about. makes: what they make, or would make; empty where there is nothing. value: the score,
    merge number (from 1), rank or sum, None where there is none. unit: which of these it is. good: whether it made or
    found something, as opposed to a rejection.
    """

    stage: int
    event: int
    kind: str
    parts: tuple[str, ...]
    makes: str
    note: Say
    value: float | None = None
    unit: str = ""
    good: bool = True


class Node(NamedTuple):
    """A node of a merge tree.

    id: of the piece, None where the symbol is not a piece. start, end: its symbols [start, end), counted in the token.
    event: of the merge, None for a leaf. value, unit: as in `WhyStep`. children: indices of two earlier nodes; none for
    a leaf.
    """

    text: str
    stored: str
    id: int | None
    start: int
    end: int
    event: int | None = None
    value: float | None = None
    unit: str = ""
    children: tuple[int, ...] = ()


class TokenOrigin(NamedTuple):
    """How a token came about.

    stage, event: of the event that output it; event is None where no event tells.
    tree: for merges, the leaves in text order, then the merges in the order they were made; the last node is the root
    (a token that was taken out of a larger piece may have several roots). steps: the decisive events in order.
    lost: the text that an unknown token replaces, for people. meaning: what the numbers of the steps and nodes mean.
    """

    token: TokenText
    how: OriginKind
    sentence: Say
    stage: int
    event: int | None
    tree: tuple[Node, ...] = ()
    steps: tuple[WhyStep, ...] = ()
    lost: str = ""
    meaning: Say | None = None


class Joined(NamedTuple):
    """The text of two tokens as one.

    id: of the piece of the vocabulary spelled so, None if there is none. score: of that piece, if it has one.
    """

    text: str
    stored: str
    id: int | None
    score: float | None


class OtherCuts(NamedTuple):
    """In how many ways the vocabulary can spell the joined text, ours among them.

    total: how many. fewest: tokens of the shortest.
    """

    total: int
    fewest: int
    sentence: Say


class Cut(NamedTuple):
    """Why there is a cut between two neighboring tokens.

    joined: their text as one, None where they are not neighbors in one text. steps: the events that touch both, in
    order. stage, event: of the decisive event; event is None where no event tells. others: the cuts of the joined text
    that the vocabulary allows; None where they are not defined or the text is too long.
    """

    left: TokenText
    right: TokenText
    cause: CutCause
    sentence: Say
    stage: int
    event: int | None
    joined: Joined | None = None
    steps: tuple[WhyStep, ...] = ()
    others: OtherCuts | None = None


Kept = TypeVar("Kept")
M = TypeVar("M")
REPLAYS: Final = 2
"""The fragments whose replay an account keeps: a cut is between two of them at most."""


class Made(NamedTuple):
    """A token in the model's output.

    item: index of its item before the stage. event: the one that output it, -1 where an earlier stage found the token.
    kind: of that event. start, end: its units [start, end) in the fragment.
    """

    id: int
    item: int
    event: int = -1
    kind: int = -1
    start: int = 0
    end: int = 0


class Account(NamedTuple):
    """What a family says of a token; the fields are those of `TokenOrigin`."""

    how: OriginKind
    sentence: Say
    steps: Sequence[WhyStep] = ()
    tree: tuple[Node, ...] = ()
    lost: str = ""
    meaning: Say | None = None


class CutAccount(NamedTuple):
    """What a family says of a cut; the fields are those of `Cut`."""

    cause: CutCause
    sentence: Say
    event: int | None
    joined: Joined | None = None
    steps: Sequence[WhyStep] = ()
    others: OtherCuts | None = None


class CrossingAccount(NamedTuple):
    """What a family says of a token with text on both sides of a border.

    how: how it came about; None where a stage before the model made one character of both sides. steps: the events that
    joined the two sides. parts: the texts that they joined, for people; empty where no event
    names two.
    """

    how: OriginKind | None
    sentence: Say
    steps: Sequence[WhyStep] = ()
    parts: tuple[str, str] = ("", "")


class SegmentEvents(NamedTuple):
    """A segment before the model's stage. first, last: its events [first, last), the one that opens it included."""

    item: int
    segment: Segment
    first: int
    last: int


class Family(ABC, Generic[M]):
    """The account that the events of one model's stage give.

    number: the stage's index in the trace. tokenizer_label: how sentences name the tokenizer, such as "Llama 2".
    """

    puts_out: ClassVar[Collection[int]]
    """The kinds of event that each output a token."""
    joins: ClassVar[int | None] = None
    """The kind of event that makes the token before it longer."""
    openings: ClassVar[Collection[int]] = (0,)
    """The kinds of event that open a fragment."""
    item_field: ClassVar[int] = 1
    """The field of such an event with the index of the fragment's item."""

    def __init__(self, trace: Trace, number: int, speller: Speller, tokenizer_label: str) -> None:
        self.trace, self.number, self.speller, self.tokenizer_label = trace, number, speller, tokenizer_label
        self.stage: Stage = trace.stages[number]
        self.model = cast(M, self.stage.part)
        self.vocabulary = speller.vocabulary
        self.events = self.stage.events

    # --- which event made which token ---------------------------------------------------------------------------------

    @cached_property
    def fragments(self) -> dict[int, SegmentEvents]:
        """By index of the item, every segment with its events."""
        data, width = self.events.data, self.events.width
        opened = [event for event, kind in enumerate(data[0::width]) if kind in self.openings]
        found = {}
        for first, last in pairwise([*opened, len(self.events)]):
            item = data[first * width + self.item_field]
            found[item] = SegmentEvents(item, cast(Segment, self.stage.before[item]), first, last)
        return found

    @cached_property
    def made(self) -> tuple[Made, ...]:
        """Every token of the stage's output, in order."""
        tokens: list[Made] = []
        for item, before in enumerate(self.stage.before):
            if isinstance(before, Token):
                tokens.append(Made(before.id, item))
            elif item in self.fragments:
                tokens += self.outputs(self.fragments[item])
        after = [token.id for token in self.stage.after if isinstance(token, Token)]
        assert [made.id for made in tokens] == after, "the events tell which tokens are output"
        return tuple(tokens)

    @cached_property
    def replays(self) -> dict[int, Any]:
        """By item, those of the last fragments: of 100,000 characters one takes 100 MB."""
        return {}

    def kept(self, item: int, replayed: Callable[[], Kept]) -> Kept:
        """The replay of a fragment, made once as long as no other two are asked for."""
        if item not in self.replays:
            if len(self.replays) >= REPLAYS:
                self.replays.clear()
            self.replays[item] = replayed()
        return cast(Kept, self.replays[item])

    def rows(self, fragment: SegmentEvents) -> Iterator[tuple[int, Any]]:
        """The events of a fragment: the index and the row of each, without the one that opens it."""
        return ((event, self.events[event]) for event in range(fragment.first + 1, fragment.last))

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """The tokens of a fragment, in order."""
        tokens: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == self.joins:
                tokens[-1] = tokens[-1]._replace(end=self.span(row)[1])
            elif row.kind in self.puts_out:
                tokens.append(Made(row.token, fragment.item, event, row.kind, *self.span(row)))
        return tokens

    def span(self, row: Any) -> tuple[int, int]:
        """The units [start, end) of what an event outputs."""
        return row.start, row.end

    # --- answers ------------------------------------------------------------------------------------------------------

    def origin(self, made: Made, token: TokenText) -> TokenOrigin:
        """How a token came about."""
        how, sentence, steps, tree, lost, meaning = self.account(made, token)
        return TokenOrigin(token, how, sentence, self.number, made.event, tree, tuple(steps), lost, meaning)

    def cut(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> Cut:
        """Why there is a cut between two neighboring tokens of one fragment."""
        cause, sentence, event, joined, steps, others = self.cut_account(pair, left, right)
        return Cut(left, right, cause, sentence, self.number, event, joined, tuple(steps), others)

    def crossing(self, made: Made, token: TokenText, border: int) -> CrossingAccount:
        """Why a token has text on both sides of a border. border: an index of its fragment's text, within the token."""
        found = self.account(made, token)
        return CrossingAccount(found.how, found.sentence, found.steps)

    @abstractmethod
    def account(self, made: Made, token: TokenText) -> Account:
        """How a token came about."""

    @abstractmethod
    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """Why there is a cut between two neighboring tokens of one fragment."""

    def units(self, made: Made) -> Sequence[bytes] | None:
        """The units of a token, of which pieces are made: the bytes of each symbol, character or byte.

        None where it has none that pieces could spell: no token crosses a word, or a piece is spelled differently at
        the start of a word and within it, so that two words have no common units.
        """
        return None

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether the model may make one piece of these units."""
        return b"".join(units) in cast(Any, self.model).ids

    def stored(self, units: Sequence[bytes]) -> bytes:
        """The spelling of these units as one."""
        return b"".join(units)

    # --- what answers are made of -------------------------------------------------------------------------------------

    def fragment(self, made: Made) -> SegmentEvents:
        """The fragment of a token."""
        return self.fragments[made.item]

    def step(self, event: int, parts: Sequence[str], makes: str, note: Say, **more: Any) -> WhyStep:
        """An event of this stage."""
        kind = self.stage.part.kinds(self.events[event].kind).name
        return WhyStep(self.number, event, kind, tuple(parts), makes, note, **more)

    def joined(self, stored: bytes, text: str | None = None) -> Joined:
        """A text as one piece. text: for people, if it is not that of the spelling."""
        id = self.vocabulary.ids.get(stored)
        score = self.vocabulary.scores[id] if id is not None and self.vocabulary.scores else None
        shown = self.speller.symbol(stored) if text is None else text
        return Joined(shown, self.vocabulary.spelling(id) if id is not None else spelled(stored), id, score)

    def absent(self, joined: Joined) -> tuple[CutCause, Say]:
        """Cause and sentence for a joined text that the model may not make."""
        if joined.id is None:
            template = "To be one token, {0:q} would have to be a piece of {1:t}. It is not among the {2}."
            return CutCause.NOT_A_PIECE, Say.of(template, joined.text, self.tokenizer_label, len(self.vocabulary))
        kind = self.vocabulary.kind(joined.id).name.lower().replace("_", "-")
        template = "{0:q} is token {1:i} of {2:t}, of the kind {3:t}. The model does not make it from text."
        return CutCause.NOT_FOR_TEXT, Say.of(template, joined.text, joined.id, self.tokenizer_label, kind)

    def byte_number(self, made: Made) -> int:
        """Which byte of its characters a token is, from 1; the events of these bytes are in a row."""
        first = made.event
        while self.events[first - 1].kind == made.kind and self.events[first - 1].start == made.start:
            first -= 1
        return made.event - first + 1

    def others(self, units: Sequence[bytes], text: str) -> OtherCuts | None:
        """The cuts of units that the vocabulary allows."""
        return other_cuts(text, len(units), lambda start, end: self.is_piece(units[start:end]))


def of_byte(text: str, byte: str, which: int, count: int, id: int) -> Say:
    """A byte of characters that are not a piece. which: from 1."""
    template = "{0:q} is not a piece. Its byte {1:t}, {2} of {3}, becomes token {4:i}."
    return Say.of(template, text, byte, which, count, id)


def of_bytes(text: str, count: int) -> Say:
    """Characters that are not a piece, as their bytes."""
    return Say.of("{0:q} is not a piece: it becomes one token for each of its {1} bytes.", text, count)


def unknown(lost: str, token: TokenText, steps: Sequence[WhyStep] = (), meaning: Say | None = None) -> Account:
    """The unknown token in place of characters that are not a piece."""
    template = "{0:q} is not a piece, and there are no byte tokens: it becomes {1:q}. Its text is lost."
    return Account(OriginKind.UNKNOWN, Say.of(template, lost, token.text), steps, lost=lost, meaning=meaning)


MOST_UNITS: Final = 256
"""A longer text is not counted: the time grows with the square of its length."""


def ways(size: int, is_piece: Callable[[int, int], bool]) -> tuple[int, int]:
    """How many ways there are to cut `size` units into pieces, and the pieces of the shortest; (0, 0) for none.

    is_piece: whether the units [start, end) are a piece.

    >>> ways(4, lambda start, end: "LoRA"[start:end] in {"L", "o", "R", "A", "Lo", "RA"})
    (4, 2)
    """
    counts, fewest = [1] + [0] * size, [0] * (size + 1)
    for end in range(1, size + 1):
        lengths = []
        for start in range(end):
            if counts[start] and is_piece(start, end):
                counts[end] += counts[start]
                lengths.append(fewest[start] + 1)
        fewest[end] = min(lengths, default=0)
    return counts[size], fewest[size]


def other_cuts(text: str, size: int, is_piece: Callable[[int, int], bool]) -> OtherCuts | None:
    """The cuts of the text of two tokens, of `size` units, with a sentence.

    None where it is too long or pieces cannot spell it.
    """
    count, fewest = ways(size, is_piece) if size <= MOST_UNITS else (0, 0)
    if not count:
        return None
    if count == 1:
        said = Say.of("The pieces allow no other cut of {0:q}.", text)
    elif fewest >= 2:
        said = Say.of("The pieces allow {0:t} cuts of {1:q}. This one has the fewest tokens.", number(count), text)
    else:
        template = "The pieces allow {0:t} cuts of {1:q}. The fewest tokens are {2}, and this one has {3}."
        said = Say.of(template, number(count), text, fewest, 2)
    return OtherCuts(count, fewest, said)
