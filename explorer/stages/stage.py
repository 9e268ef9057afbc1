"""One kind of stage: what it says of itself, its results, its answers to "Why?", and the event of a span.

A result is a few words for the row of stages, and a sentence for the model. Counts come from the items before and after
a stage, or from its events; nothing is run again.

Rows count in different units. A `Finder` reads those of one kind of stage, and answers in code points of the original.
A stage may have as many events as a text has characters, and a comparison asks for one at each position where two sides
differ: `Covers` finds it without scanning all of them every time, which would take time quadratic in the text.

A `StageKind` has all that a page, Why, Compare or a quiz asks. A stage's folder knows what its events mean; everybody
else asks these objects, found in `table.py`, and imports no event. A new family is a folder with one of them, and a row
in the table.

How a token came about, and why there is a cut between two tokens, is plain, immutable data, too. A model's stage gets
segments of text with tokens between them. The events about one segment are consecutive; a `SegmentEvents` is a segment
with its events. What a unit is (symbol, byte, character) is the business of a `Family`, the account of a model.

A question of a quiz is what it is about, what is asked, the choices, the right one, and why. Sentences are `Say`s,
whose texts are kept apart, so that a page draws tokens as chips. An event is named by its index in its stage, as in
`analysis/why`; a page turns it into the step of its stepper (`Script.step_of`).
"""

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice, pairwise
from random import Random
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from explorer.engine.part import Items, Model, Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.implementations.opened import Opened
from explorer.script.script import Script, Window
from explorer.stages.spelling import Speller, plain_bytes
from explorer.text import visible
from explorer.text.say import Say, Text, number, plain, plural
from explorer.vocabulary import SPACE_MARK, Vocabulary, spelled


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
REPLAYS = 2
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


MadePair = tuple[Made, Made]
"""Two tokens that are neighbors."""


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

    def cut(self, pair: MadePair, left: TokenText, right: TokenText) -> Cut:
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
    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
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
            return CutCause.NOT_A_PIECE, Say(template, joined.text, self.tokenizer_label, len(self.vocabulary))
        kind = self.vocabulary.kind(joined.id).name.lower().replace("_", "-")
        template = "{0:q} is token {1:i} of {2:t}, of the kind {3:t}. The model does not make it from text."
        return CutCause.NOT_FOR_TEXT, Say(template, joined.text, joined.id, self.tokenizer_label, kind)

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
    return Say(template, text, byte, which, count, id)


def of_bytes(text: str, count: int) -> Say:
    """Characters that are not a piece, as their bytes."""
    return Say("{0:q} is not a piece: it becomes one token for each of its {1} bytes.", text, count)


def unknown(lost: str, token: TokenText, steps: Sequence[WhyStep] = (), meaning: Say | None = None) -> Account:
    """The unknown token in place of characters that are not a piece."""
    template = "{0:q} is not a piece, and there are no byte tokens: it becomes {1:q}. Its text is lost."
    return Account(OriginKind.UNKNOWN, Say(template, lost, token.text), steps, lost=lost, meaning=meaning)


MOST_UNITS = 256
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
        said = Say("The pieces allow no other cut of {0:q}.", text)
    elif fewest >= 2:
        said = Say("The pieces allow {0:t} cuts of {1:q}. This one has the fewest tokens.", number(count), text)
    else:
        template = "The pieces allow {0:t} cuts of {1:q}. The fewest tokens are {2}, and this one has {3}."
        said = Say(template, number(count), text, fewest, 2)
    return OtherCuts(count, fewest, said)


NUMBER = re.compile(r"(−?\d[\d,]*(?:\.\d+)?)(?: \D+)?")
"""A choice that is a number, perhaps with its unit."""
LONGEST_SHOWN = 40
"""Symbols or code points of a text that a prompt writes out; of a longer one it names the first."""


@dataclass(frozen=True)
class Scene:
    """One text under one tokenizer. random: chooses among the questions that the trace allows.

    name: what people call the tokenizer. family: the account of its model, with tokens as the pages write them. texts:
    others that a question may compare with.
    """

    tokenizer: Opened
    trace: Trace
    random: Random
    name: str
    family: Family[Any]
    texts: tuple[str, ...] = ()

    def symbol(self, piece: bytes) -> str:
        """A piece, or a symbol that is none, for people."""
        return self.family.speller.symbol(piece)

    @property
    def stage(self) -> Stage:
        """The model's stage."""
        return self.family.stage

    def token(self, id: int) -> str:
        """A token for people."""
        return self.family.speller.token(id)

    def text(self, text: str) -> str:
        """A part of the text for people, shortened."""
        return self.family.speller.text(text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…")


def readable(text: str) -> str:
    """A text whose characters are all visible; single spaces within it stay as they are.

    >>> readable("a b"), readable("a  b")
    ('a b', 'a␣␣b')
    """
    shown = visible(text)
    return text if text == shown.replace("␣", " ") == " ".join(text.split()) else shown


def ended(say: Say) -> Say:
    """A sentence with its full stop."""
    return Say("{0}.", say)


def quoted_row(texts: Sequence[str], separator: str = " ") -> Say:
    """Texts side by side, each quoted.

    >>> from explorer.text.say import plain
    >>> plain(quoted_row(["a", "b"], " + "))
    '“a” + “b”'
    """
    return Say(separator.join(f"{{{index}:q}}" for index in range(len(texts))), *texts)


NO_REASON = Say("")
"""Of a choice whose reason the explanation gives."""


class Choice(NamedTuple):
    """One choice.

    say: what it says; no two choices of a question say the same. note: a value beside it, such as a score; empty if
    there is none. why: why this choice is wrong, or empty. brief: the note beside a panel, which shows the rest.
    """

    say: Say
    why: Say = NO_REASON
    note: str = ""
    brief: str = ""

    @property
    def shown(self) -> str:
        """What it says as one string."""
        return plain(self.say)


class Question(NamedTuple):
    """A question about one text under one tokenizer.

    kind: a key of `KINDS`. tokenizer: as for `explorer.load`, NAME@IMPLEMENTATION. text: the whole text, traced with
    special tokens. prompt: the question. choices: two to six. right: index of the right one. explanation: why it is
    right. stage: the name of the stage that answers. event: its last event that may be seen before the answer, None for
    the initial state. answer: the event that shows the answer, None where the stage's last state does. seed: it makes
    this question again.
    """

    kind: str
    tokenizer: str
    text: str
    prompt: Say
    choices: tuple[Choice, ...]
    right: int
    explanation: Say
    stage: str
    event: int | None
    answer: int | None
    seed: int
    brief: Say | None = None
    """The prompt beside a panel that shows symbols and values: without them, and the choices with their brief notes."""


class Draft(NamedTuple):
    """What a kind writes: a question before its choices are shuffled.

    wrong: the best runner-up first; choices that say the same as an earlier one are dropped. event: negative for none.
    The rest as in `Question`.
    """

    prompt: Say
    right: Choice
    wrong: Sequence[Choice]
    explanation: Say
    event: int | None = None
    answer: int | None = None
    text: str = ""
    """What the panel shows, if that isn't the text of the scene."""
    stage: str = ""
    """The name of the stage that answers, if that isn't the model's."""
    brief: Say | None = None
    """As in `Question`."""


class Kind(NamedTuple):
    """A kind of question.

    name: in links and exports. title: the question in short. write: makes a question of a scene, or None where its text
    has none. suits: whether a tokenizer can have such questions.
    """

    name: str
    title: str
    write: Callable[[Scene], Draft | None]
    suits: Callable[[Opened], bool] = lambda tokenizer: True


def richest(drafts: Callable[[Scene], Iterable[Draft]]) -> Callable[[Scene], Draft | None]:
    """Writes the first of a few drafts of a scene with enough different choices, or the one with the most."""

    def write(scene: Scene) -> Draft | None:
        best, most = None, 0
        for draft in islice(drafts(scene), TRIED):
            different = len({draft.right.shown, *(each.shown for each in draft.wrong)})
            if different > most:
                best, most = draft, different
            if most >= ENOUGH:
                break
        return best

    return write


TRIED = 6
"""Drafts that are compared."""
ENOUGH = 4
"""Choices that are enough."""


def choices_of(draft: Draft, most: int, random: Random) -> tuple[Choice, ...]:
    """The choices in random order, at most `most`, no two of which say the same. A single one makes no question.

    >>> draft = Draft(Say(""), Choice(Say("b")), [Choice(Say(text)) for text in "bacad"], Say(""))
    >>> [each.shown for each in choices_of(draft, 3, Random(1))]
    ['a', 'c', 'b']
    """
    distinct: dict[str, Choice] = {}
    for choice in (draft.right, *draft.wrong):
        distinct.setdefault(choice.shown, choice)
    kept = list(distinct.values())[:most]
    random.shuffle(kept)
    return tuple(ascending(kept, [each.shown for each in kept]))


def ascending(choices: Sequence[Kept], texts: Sequence[str]) -> list[Kept]:
    """Choices in their order, but ascending where each is a number: the number of a choice stands beside it.

    >>> ascending("abc", ["2 bytes", "12 bytes", "1 byte"]), ascending("abc", ["2", "−1", "none"])
    (['c', 'a', 'b'], ['a', 'b', 'c'])
    """
    numbers = [NUMBER.fullmatch(text) for text in texts]
    if not all(numbers):
        return list(choices)
    value = {at: float(found[1].replace(",", "").replace("−", "-")) for at, found in enumerate(numbers) if found}
    return [choices[at] for at in sorted(value, key=value.__getitem__)]


def start_of(data: bytes, space: str = "␣") -> str:
    """Bytes for people, shortened after a whole character. space: how one is written; the pre-tokenizers' panels draw
    ␣, those of the models ·.

    >>> start_of(b"\\x98\\x8a!")
    '98 8A !'
    """
    text = data.decode("utf-8", "surrogateescape")
    if len(text) <= LONGEST_SHOWN:
        return plain_bytes(data, space)
    return plain_bytes(text[:LONGEST_SHOWN].encode("utf-8", "surrogateescape"), space) + "…"


def shown(text: str) -> str:
    """Text of the original for people."""
    return plain_bytes(text.encode())


def model_result(trace: Trace, stage: Stage, vocabulary: Vocabulary, by: str = "") -> Say:
    """How many tokens the model makes. by: by what, such as ", by 9 merges"."""
    stretches = sum(isinstance(item, Segment) for item in stage.before)
    tokens = len(stage.after) - (len(stage.before) - stretches)
    if not stretches:
        return Say("There is no text left for the model.")
    return Say(
        "{0:t} {1:t}{2:t}.",
        plural(stretches, "stretch of text becomes", "stretches of text become"),
        plural(tokens, "token"),
        by,
    )


Count = tuple[str, bool]
"""What came out, and whether that is more than nothing."""


def special(stage: Stage) -> Count:
    """Special tokens found in the text."""
    before, after = (sum(isinstance(item, Token) for item in items) for items in (stage.before, stage.after))
    return (Text("{0} found", after - before), True) if after > before else ("none", False)


def normalized(stage: Stage) -> Count:
    """How the text changed."""
    before, after = text_of(stage.before), text_of(stage.after)
    return (described(before, after), True) if before != after else ("unchanged", False)


def described(before: str, after: str) -> str:
    """The difference in a few words: a space in front, case alone, else how the length changed.

    >>> described("a b", "▁a▁b"), described("Å", "å"), described("é", "e\u0301"), described("ﬁ", "fi")
    ('+1 space', 'lowercase', '1 → 2 characters', '1 → 2 characters')
    """
    plain = after.replace(SPACE_MARK, " ")
    if plain == before:
        return f"spaces → {SPACE_MARK}"
    if plain == " " + before:
        return Text("+{0} space", 1, many="+{0} spaces")
    if after == before.lower():
        return "lowercase"
    if len(before) == len(after):
        changed = sum(one != other for one, other in zip(before, after, strict=True))
        return Text("{0} changed", changed)
    return Text("{1} → {0} character", len(after), len(before), many="{1} → {0} characters")


def pre_tokens(stage: Stage, word: str = "pre-token") -> Count:
    """Stretches of text, no longer one."""
    count = sum(isinstance(item, Segment) for item in stage.after)
    return plural(count, word), count > 1 or text_of(stage.before) != text_of(stage.after)


def fragments(stage: Stage) -> Count:
    """Text beside DNA."""
    return pre_tokens(stage, "fragment")


def tokens(stage: Stage) -> Count:
    """Tokens after the stage."""
    return plural(sum(isinstance(item, Token) for item in stage.after), "token"), True


def text_of(items: Items) -> str:
    """The text that has not become tokens yet."""
    return "".join(item.text for item in items if isinstance(item, Segment))


class Sought(NamedTuple):
    """What a finder looks for.

    start, end: [start, end) of the original. read: the same in the text that was read, with escapes replaced, in which
    most rows count. code_points: the characters at the span before and after the stage. token: the special token that
    differs.
    """

    start: int
    end: int
    read: tuple[int, int]
    code_points: str = ""
    token: int | None = None


class Finder(ABC):
    """The events of one stage by what they are about."""

    @abstractmethod
    def find(self, sought: Sought) -> int | None:
        """The index of the event about it; None if no event is."""


class Painted(Finder):
    """Events that are each about a span [start, end), a later one over an earlier one; start == end: an insertion.

    >>> Painted([(0, 2, 7), (1, 1, 8)]).find(Sought(1, 2, (1, 2)))
    7
    """

    def __init__(self, spans: Iterable[tuple[int, int, int]] = ()) -> None:
        self.over: dict[int, int] = {}
        self.inserted: dict[int, int] = {}
        for start, end, event in spans:
            if start == end:
                self.inserted[start] = event
            for position in range(start, end):
                self.over[position] = event

    def find(self, sought: Sought) -> int | None:
        """The last event about the first position, or the insertion there."""
        start, end = sought.read
        return self.inserted.get(start) if start == end else self.over.get(start)


NOWHERE = 1 << 62
"""Sorts after every number."""


Covering = tuple[int, int, int]
"""A stretch [start, end), and its number in the order."""


class Covers:
    """Stretches in order of their numbers, together not much longer than the text.

    >>> covers = Covers([(0, 4, 0), (2, 6, 1), (5, 5, 2)])
    >>> covers.first(3, 5), covers.first(4, 8), covers.first(4, 4), covers.first(6, 9)
    (0, 1, 1, None)
    """

    def __init__(self, stretches: Iterable[Covering]) -> None:
        self.stretches = list(stretches)
        self.at = [NOWHERE] * max((end for _, end, _ in self.stretches), default=0)
        """per position, the index of the first stretch that covers it"""
        for index, (start, end, _) in reversed([*enumerate(self.stretches)]):
            self.at[start:end] = [index] * (end - start)
        empty = sorted((start, index) for index, (start, end, _) in enumerate(self.stretches) if start == end)
        self.empty_at, self.empty = [start for start, _ in empty], [index for _, index in empty]

    def first(self, start: int, end: int) -> int | None:
        """The number of the first stretch that overlaps [start, end); None if none does.

        An empty range is overlapped by a stretch with the characters on both sides of it.
        """
        if start < end:
            low, high = bisect_right(self.empty_at, start), bisect_left(self.empty_at, end)
            index = min([*self.at[start:end], *self.empty[low:high]], default=NOWHERE)
            return self.stretches[index][2] if index != NOWHERE else None
        if not 0 < start < len(self.at):
            return None
        # a stretch with the characters on both sides covers both
        later = self.stretches[max(self.at[start - 1], self.at[start]) :]
        return next((number for begin, stop, number in later if begin < end and start < stop), None)


class Seam(NamedTuple):
    """A cut that a stage made.

    number: the stage's index in the trace. sides: the segments on both sides, as the model gets them. starts: by code
    point of the text that was read, its position in the original. text: the text that was read.
    """

    number: int
    stage: Stage
    sides: tuple[Segment, Segment]
    starts: Sequence[int]
    text: str

    @property
    def between(self) -> tuple[int, int]:
        """One after the last position of the left side and the first of the right, in the text that was read."""
        return self.in_read(max(self.sides[0].ends)), self.in_read(min(self.sides[1].starts))

    def in_read(self, position: int) -> int:
        """A position of the original text in the text that was read, in which events count."""
        return bisect_left(self.starts, position)


class Output(NamedTuple):
    """The event that output a token, and its kind."""

    event: int
    kind: int


ScriptWriter = Callable[[Stage, Vocabulary, Window, Trace], Script]
Drawing = dict[str, Any]
"""A small picture for lessons, as values for JSON; `kind` says how it is drawn."""
DRAWN = 13
"""Characters, bytes or symbols in one of them at most."""


@dataclass(frozen=True, kw_only=True)
class StageKind:
    """How a kind of stage is shown.

    title: above it. purpose: what it is for, for any text. name: in the row of stages. script: of its stepper. count:
    what it did in two or three words. result: the same in a sentence. finder: of the event about a span. found: the
    kinds of event that report a token found in the text. seam: the events about the text on both sides of a cut.
    """

    title: str
    purpose: str
    name: str
    script: ScriptWriter
    count: Callable[[Stage], Count] = tokens
    result: Callable[[Trace, Stage, Vocabulary], Say] = model_result
    finder: Callable[[Stage], Finder] = lambda stage: Painted()
    found: Collection[int] = ()
    seam: Callable[[Seam], Iterable[WhyStep]] = lambda seam: ()


def kinds_of(stage: Stage) -> Sequence[int]:
    """The kind of every event."""
    return stage.events.data[:: stage.events.width]


@dataclass(frozen=True, kw_only=True)
class ModelKind(StageKind):
    """What a kind of model adds.

    account: how its tokens came about, and which events output them. discards: the kind of event whose `end` counts the
    outputs before it that it takes back. clause: what it does, as a clause after the name of a tokenizer. takes_whole:
    whether one of these kinds of event says that a pre-token is a token as it stands. starts_differ: whether a piece at
    the start of a pre-token has another spelling than within it. sums: whether it takes the path with the highest sum
    of scores. refusal: why a text was not tried, as a clause, if events of these kinds say so. questions: of a quiz, by
    their names there. drawing: of a segment and its events. whole_words: whether a word that it can't spell is one
    unknown token. in_file: its type in a tokenizer.json. required: the keys without which tokenizers refuses such a
    model that names its type. since: the release of tokenizers that first reads a key that is true, the key, and what
    it is; earlier ones read past it.
    """

    account: type[Family[Any]]
    clause: Callable[[Model], str]
    discards: int | None = None
    takes_whole: Callable[[Collection[int]], bool] = lambda kinds: False
    starts_differ: bool = False
    sums: bool = False
    refusal: Callable[[Stage, Collection[int]], Say | None] = lambda stage, kinds: None
    questions: Sequence[Kind] = ()
    drawing: Callable[[Stage, Segment, Sequence[tuple[int, Any]], Speller], Drawing | None] | None = None
    whole_words: bool = False
    in_file: str = ""
    required: Sequence[str] = ()
    since: Sequence[tuple[str, str, str]] = ()

    def outputs(self, stage: Stage) -> list[Output]:
        """The event that output each token of a stage, in order."""
        found: list[Output] = []
        for event, kind in enumerate(kinds_of(stage)):
            if kind in self.account.puts_out:
                if kind == self.discards:
                    del found[len(found) - stage.events[event].end :]
                found.append(Output(event, kind))
        return found
