"""What a lesson is: cards in order, each with a few words and what the panel beside them shows.

All of it is plain data without any tokenizer opened, so a lesson can be read, sent and compared cheaply.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct, field

from explorer.analysis.sampling import LARGEST_ALPHA
from explorer.engine.cpp_library import LARGEST_SEED
from explorer.formats.structs import ANY_TEXT

TEXT = 2_000
"""The most code points of a panel's text."""
STEP = 1_000_000
ROWS = 8

# What a file may hold: each is checked when a lesson is read (`reading`), not when a panel is made in code.
Step = Annotated[int, Meta(ge=0, le=STEP)]
PanelText = Annotated[str, Meta(max_length=TEXT)]
GivenText = Annotated[str, Meta(max_length=TEXT, pattern=ANY_TEXT.pattern)]
Title = Annotated[str, Meta(max_length=80, pattern=ANY_TEXT.pattern)]
Name = Annotated[str, Meta(max_length=100, pattern=ANY_TEXT.pattern)]
Line = Annotated[str, Meta(max_length=200, pattern=ANY_TEXT.pattern)]
Sentences = Annotated[str, Meta(max_length=300, pattern=ANY_TEXT.pattern)]


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a lesson's file."""


class ExplorePanel(Part, frozen=True):
    """A text under one tokenizer, as Explore draws it.

    stage: the key of a stage. step: of its stepper, 0 for a stage without one. level: of detail; empty leaves the
    reader's. select: a span of the text in code points, [start, end). why: "token 3" or "cut 3", which asks how token 3
    came about or why there is a cut after it; empty asks nothing. special: whether tokens are added around the text.
    """

    text: PanelText
    tokenizer: str
    implementation: str
    stage: str = "model"
    step: Step = 0
    level: str = ""
    select: tuple[int, int] | None = None
    why: Annotated[str, Meta(pattern=r"^((token|cut) [0-9]{1,4})?$")] = ""
    special: bool = True


class TrainPanel(Part, frozen=True):
    """A training on a small text, as Train draws it. algorithm, trainer, cutting: as the Train page names them."""

    text: GivenText
    algorithm: str
    trainer: str
    cutting: str
    size: Annotated[int, Meta(ge=1, le=1_000)]
    step: Step = 0
    level: str = ""


class ComparePanel(Part, frozen=True):
    """A text under several tokenizers, their rows above each other as on Compare. The first is the baseline."""

    text: PanelText
    tokenizers: Annotated[tuple[str, ...], Meta(min_length=1, max_length=ROWS)]


class VocabularyPanel(Part, frozen=True):
    """The tokens of one tokenizer that a search finds, as on Vocabulary. by: "text", "regex", "bytes" or "ids"."""

    tokenizer: str
    implementation: str
    search: Annotated[str, Meta(max_length=200)] = ""
    by: str = "text"
    token: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None


class NextPanel(Part, frozen=True):
    """Which tokens follow a token in a text, counted: the smallest language model. after: the text of that token."""

    text: GivenText
    tokenizer: str
    implementation: str
    after: Annotated[str, Meta(max_length=40, pattern=ANY_TEXT.pattern)]


class PromptPanel(Part, frozen=True):
    """What a model reads of messages, as on Prompt.

    messages: a role and a text each. template: of the model, or `ours:NAME`. asks: whether an answer is asked for.
    as_text: whether control tokens in messages are read as text. chosen: the number of a token, from 1; None for none.
    The template is rendered as transformers does, whatever the implementation of the tokenizer.
    """

    tokenizer: str
    implementation: str
    messages: Annotated[
        tuple[tuple[Annotated[str, Meta(max_length=40)], PanelText], ...], Meta(min_length=1, max_length=ROWS)
    ]
    template: str = ""
    asks: bool = True
    as_text: bool = False
    chosen: Annotated[int, Meta(ge=1, le=10_000)] | None = None


class SamplePanel(Part, frozen=True):
    """One draw of a text's tokens, step by step, as on Explore under Other possible cuts.

    alpha: the probability to drop a pair, or the exponent. rule: whose way; empty for the tokenizer's own. draw: which
    of those drawn from the seed. step, level: as in ExplorePanel.
    """

    text: GivenText
    tokenizer: str
    implementation: str
    alpha: Annotated[float, Meta(ge=0, le=LARGEST_ALPHA)]
    seed: Annotated[int, Meta(ge=0, le=LARGEST_SEED)] = 0
    rule: str = ""
    draw: Annotated[int, Meta(ge=1, le=1_000)] = 1
    step: Step = 0
    level: str = ""


Panel = ExplorePanel | TrainPanel | ComparePanel | VocabularyPanel | NextPanel | PromptPanel | SamplePanel


class QuestionRef(Part, frozen=True):
    """A question that the engine writes about the card's text.

    kind: a key of `questions.KINDS`. texts: others that it may compare with, or take instead.
    """

    kind: str
    seed: Annotated[int, Meta(ge=0, le=999_999)] = 0
    texts: Annotated[tuple[Line, ...], Meta(max_length=20)] = ()


class Exercise(Part, frozen=True):
    """A question in the lesson's words, whose right answer the engine finds (`MEASURES` of `learning.checks`).

    ask: the question. find: what the engine looks for, a name and what it needs. wrong: the wrong answers, each with
    the reason why it is wrong. because: why the right one is right. shows: the step that shows it, None for the card's.
    """

    ask: Sentences
    find: Name
    wrong: Annotated[Mapping[str, Annotated[str, Meta(max_length=200)]], Meta(min_length=1, max_length=5)]
    because: Sentences
    shows: Step | None = None


class Task(Part, frozen=True):
    """A text that the reader has to find; the panel shows what is typed.

    ask: what it has to do. check: what the engine judges, a name and what it needs (`TASKS` of `learning.checks`).
    answer: a text that does it, for the tests and for whoever gives up.
    """

    ask: Sentences
    check: Name
    answer: Line


class Card(Struct, frozen=True):
    """One card. words: at most 60, with `**bold**`, `` `tokens` `` and empty lines between paragraphs.

    claims: what the card says, as values that the engine can check (`explorer.learning.checks.claims`).
    """

    title: str
    words: str
    panel: Panel
    question: QuestionRef | Exercise | Task | None = None
    claims: Mapping[str, Any] = field(default_factory=dict)


class Lesson(NamedTuple):
    """A lesson. key: short and unique, for links. name: a word or two for the row of lessons. minutes: about how long.

    language: of its words, as in HTML. source: the TOML it was read from. drawn: the number of the card whose panel the
    list of lessons draws.
    """

    key: str
    title: str
    name: str
    about: str
    minutes: int
    language: str
    cards: tuple[Card, ...]
    source: str
    drawn: int = 1


# --- the few marks in a card's words: the page gets runs of text, never HTML ---

MARKS = re.compile(r"\*\*(?P<b>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`")

Run = tuple[str, str]
"""A kind of text ("", "b", "code"), and the text."""


def paragraphs(words: str) -> list[list[Run]]:
    """The paragraphs of a text, each as runs. A line break within one is a space.

    >>> paragraphs("A **pair**.\\n\\nIt is `is`.")
    [[('', 'A '), ('b', 'pair'), ('', '.')], [('', 'It is '), ('code', 'is'), ('', '.')]]
    """
    return [runs(" ".join(each.split("\n"))) for each in re.split(r"\n\s*\n", words.strip())]


def runs(text: str) -> list[Run]:
    """One paragraph as runs."""
    pieces: list[Run] = []
    at = 0
    for match in MARKS.finditer(text):
        pieces.append(("", text[at : match.start()]))
        kind = match.lastgroup or ""
        pieces.append((kind, match[kind]))
        at = match.end()
    pieces.append(("", text[at:]))
    return [run for run in pieces if run[1]]
