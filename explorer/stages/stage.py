"""One kind of stage: what it says of itself, its results, and the event of a span.

A result is a few words for the row of stages, and a sentence for the model. Counts come from the items before and after
a stage, or from its events; nothing is run again.

Rows count in different units. A `Finder` reads those of one kind of stage, and answers in code points of the original.
A stage may have as many events as a text has characters, and a comparison asks for one at each position where two sides
differ: `Covers` finds it without scanning all of them every time, which would take time quadratic in the text.

A `StageKind` has all that a page, Why, Compare or a quiz asks. A stage's folder knows what its events mean; everybody
else asks these objects, found in `table.py`, and imports no event. A new family is a folder with one of them, and a row
in the table.

A question of a quiz is what it is about, what is asked, the choices, the right one, and why. Sentences are `Say`s,
whose texts are kept apart, so that a page draws tokens as chips. An event is named by its index in its stage, as in
`analysis/why`; a page turns it into the step of its stepper (`Script.step_of`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from explorer.engine.part import Items, Model, Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.implementations.opened import Opened
from explorer.script.packing import Window
from explorer.script.script import Script
from explorer.stages.spelling import Speller, plain_bytes
from explorer.stages.why import Family, WhyStep
from explorer.text import visible
from explorer.text.say import Say, Text, plain, plural
from explorer.vocabulary import SPACE_MARK, Vocabulary

Kept = TypeVar("Kept")
NUMBER: Final = re.compile(r"(−?\d[\d,]*(?:\.\d+)?)(?: \D+)?")
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
    return Say.of("{0}.", say)


def quoted_row(texts: Sequence[str], separator: str = " ") -> Say:
    """Texts side by side, each quoted.

    >>> from explorer.text.say import plain
    >>> plain(quoted_row(["a", "b"], " + "))
    '“a” + “b”'
    """
    return Say.of(separator.join(f"{{{index}:q}}" for index in range(len(texts))), *texts)


NO_REASON: Final = Say("")
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


TRIED: Final = 6
"""Drafts that are compared."""
ENOUGH: Final = 4
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
        return Say.of("There is no text left for the model.")
    return Say.of(
        "{0:t} {1:t}{2:t}.",
        plural(stretches, "stretch of text becomes", "stretches of text become"),
        plural(tokens, "token"),
        by,
    )


Count: TypeAlias = tuple[str, bool]
"""What came out, and whether that is more than nothing."""


def special(stage: Stage) -> Count:
    """Special tokens found in the text."""
    before, after = (sum(isinstance(item, Token) for item in items) for items in (stage.before, stage.after))
    return (Text.of("{0} found", after - before), True) if after > before else ("none", False)


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
        return Text.of("+{0} space", 1, many="+{0} spaces")
    if after == before.lower():
        return "lowercase"
    if len(before) == len(after):
        changed = sum(one != other for one, other in zip(before, after, strict=True))
        return Text.of("{0} changed", changed)
    return Text.of("{1} → {0} character", len(after), len(before), many="{1} → {0} characters")


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


NOWHERE: Final = 1 << 62
"""Sorts after every number."""


Covering: TypeAlias = tuple[int, int, int]
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


ScriptWriter: TypeAlias = Callable[[Stage, Vocabulary, Window, Trace], Script]
Drawing: TypeAlias = dict[str, Any]
"""A small picture for lessons, as values for JSON; `kind` says how it is drawn."""
DRAWN: Final = 13
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
