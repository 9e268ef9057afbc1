"""What a lesson is: cards in order, each with a few words and what the panel beside them shows.

All of it is plain data without any tokenizer opened, so a lesson can be read, sent and compared cheaply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias


class ExplorePanel(NamedTuple):
    """A text under one tokenizer, as Explore draws it.

    stage: the key of a stage. step: of its stepper, 0 for a stage without one. level: of detail; empty leaves the
    reader's. select: a span of the text in code points, [start, end). why: "token 3" or "cut 3", which asks how token 3
    came about or why there is a cut after it; empty asks nothing. special: whether tokens are added around the text.
    """

    text: str
    tokenizer: str
    implementation: str
    stage: str = "model"
    step: int = 0
    level: str = ""
    select: tuple[int, int] | None = None
    why: str = ""
    special: bool = True


class TrainPanel(NamedTuple):
    """A training on a small text, as Train draws it. algorithm, trainer, cutting: as the Train page names them."""

    text: str
    algorithm: str
    trainer: str
    cutting: str
    size: int
    step: int = 0
    level: str = ""


class ComparePanel(NamedTuple):
    """A text under several tokenizers, their rows above each other as on Compare. The first is the baseline."""

    text: str
    tokenizers: tuple[str, ...]


class VocabularyPanel(NamedTuple):
    """The tokens of one tokenizer that a search finds, as on Vocabulary. by: "text", "regex", "bytes" or "ids"."""

    tokenizer: str
    implementation: str
    search: str
    by: str = "text"
    token: int | None = None


class NextPanel(NamedTuple):
    """Which tokens follow a token in a text, counted: the smallest language model. after: the text of that token."""

    text: str
    tokenizer: str
    implementation: str
    after: str


class PromptPanel(NamedTuple):
    """What a model reads of messages, as on Prompt.

    messages: a role and a text each. template: of the model, or `ours:NAME`. asks: whether an answer is asked for.
    as_text: whether control tokens in messages are read as text. chosen: the number of a token, from 1; None for none.
    The template is rendered as transformers does, whatever the implementation of the tokenizer.
    """

    tokenizer: str
    implementation: str
    messages: tuple[tuple[str, str], ...]
    template: str = ""
    asks: bool = True
    as_text: bool = False
    chosen: int | None = None


class SamplePanel(NamedTuple):
    """One draw of a text's tokens, step by step, as on Explore under Other ways.

    alpha: the probability to drop a pair, or the exponent. rule: whose way; empty for the tokenizer's own. draw: which
    of those drawn from the seed. step, level: as in ExplorePanel.
    """

    text: str
    tokenizer: str
    implementation: str
    alpha: float
    seed: int = 0
    rule: str = ""
    draw: int = 1
    step: int = 0
    level: str = ""


Panel: TypeAlias = ExplorePanel | TrainPanel | ComparePanel | VocabularyPanel | NextPanel | PromptPanel | SamplePanel


class QuestionRef(NamedTuple):
    """A question that the engine writes about the card's text.

    kind: a key of `questions.KINDS`. texts: others that it may compare with, or take instead.
    """

    kind: str
    seed: int = 0
    texts: tuple[str, ...] = ()


class Exercise(NamedTuple):
    """A question in the lesson's words, whose right answer the engine finds (`explorer.learning.checks.asked`).

    ask: the question. find: what the engine looks for, a name and what it needs. wrong: the wrong answers, each with
    the reason why it is wrong. because: why the right one is right. shows: the step that shows it, None for the card's.
    """

    ask: str
    find: str
    wrong: Mapping[str, str]
    because: str
    shows: int | None = None


class Task(NamedTuple):
    """A text that the reader has to find; the panel shows what is typed.

    ask: what it has to do. check: what the engine judges, a name and what it needs (`explorer.learning.checks.tasks`).
    answer: a text that does it, for the tests and for whoever gives up.
    """

    ask: str
    check: str
    answer: str


@dataclass(frozen=True, slots=True)
class Card:
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

MARKS: Final = re.compile(r"\*\*(?P<b>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`")

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


def plain_words(words: str) -> str:
    """The words without marks."""
    return "\n".join("".join(text for _, text in each) for each in paragraphs(words))
