"""Texts to try: those of Explore and Compare, the conversations of Prompt, the corpora of Train.

All of it is data, in examples.toml. A text leaves the tokenizer alone. A question and a stop of a walk-through also
choose the tokenizer, the stage, the level of detail and the step that shows the answer.
"""

from __future__ import annotations

from typing import NamedTuple

from explorer.tables import Json, Record, read_toml

KNOWN: Record = read_toml(__file__, "examples.toml")
FIRST_SIZES: dict[str, tuple[int, int]] = KNOWN["sizes"]
"""The size of a training at first, by algorithm."""


class Preset(NamedTuple):
    """An example. label: its name on the page. text: the exact text. shows: what to look for."""

    label: str
    text: str
    shows: str


PRESETS = tuple(Preset(**each) for each in KNOWN["text"])
EXAMPLE_BYTES: dict[str, str] = KNOWN["bytes"]
"""Name → bytes: one for each rule of UTF-8."""
COMPARED: str = KNOWN["compared"]
"""The text that Compare begins with."""


class Example(NamedTuple):
    """A text, and where to look at it.

    label: a question, or the name of a stop. model, implementation: as in the URL. stage: the key of a section. step:
    of its stepper. level: of detail. shows: what to look for. says: part of the sentence at that step. choose: optional
    choices of the tokenizer, as key and value. tab: the panel that is open.
    """

    label: str
    text: str
    model: str
    implementation: str
    stage: str
    step: int
    level: str
    shows: str
    says: str
    choose: tuple[tuple[str, str], ...] = ()
    tab: str = ""

    @classmethod
    def read(cls, given: Json) -> Example:
        """The example in a table of the file."""
        return cls(**{**given, "choose": tuple(given.get("choose", {}).items())})


class Walk(NamedTuple):
    """Examples that follow one text, or one stage, from stop to stop."""

    title: str
    stops: tuple[Example, ...]


QUESTIONS = tuple(map(Example.read, KNOWN["question"]))
WALKS = tuple(
    Walk(walk["title"], tuple(Example.read(walk["usual"] | stop) for stop in walk["stop"])) for walk in KNOWN["walk"]
)
"""The walk-throughs of four families, each stop one link."""
EXAMPLES = (*QUESTIONS, *(stop for walk in WALKS for stop in walk.stops))
"""All of them, as the page numbers them."""


def example_of(
    text: str, model: str, implementation: str, stage: str, step: str, choose: tuple[tuple[str, str], ...] = ()
) -> Example | None:
    """The example that a link leads to, None if it leads elsewhere.

    >>> example_of("hello hello", "gpt-2", "huggingface", "pre-tokenize", "4").label
    'Why does a space change everything?'
    """
    here = text, model, implementation, stage, step, choose

    def opens(each: Example) -> bool:
        return (each.text, each.model, each.implementation, each.stage, str(each.step), each.choose) == here

    return next(filter(opens, EXAMPLES), None)


# --- to learn from --------------------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """What shows the point of an example: a trainer, how it cuts words, the size."""

    trainer_id: tuple[str, str]
    cutting: str
    size: int


CORPORA: dict[str, str] = {each["name"]: each["text"] for each in KNOWN["corpus"]}
"""By their names on the page."""
TWO_LINES, PROSE, _, PLAYING, ENGLISH = CORPORA.values()
YOURS = "Your text"
"""That of the visitor, among them."""
GREETING: str = KNOWN["greeting"]
"""What a vocabulary of English alone has no tokens for."""
SETTINGS = {
    each["name"]: Setting(tuple(each["trainer"]), each["cutting"], each["size"])
    for each in KNOWN["corpus"]
    if "trainer" in each
}
"""Of the examples that are about one."""
CLAIMS: dict[str, str] = {each["text"]: each["claim"] for each in KNOWN["corpus"] if "claim" in each}
"""Of a corpus, what is said of it elsewhere, and what is true."""


# --- conversations --------------------------------------------------------------------------------------------------


class Conversation(NamedTuple):
    """A conversation. shows: what to look for. call: as OpenAI's interface takes it. template: "" for the model's."""

    label: str
    shows: str
    call: Json
    template: str = ""


CONVERSATIONS = tuple(Conversation(**each) for each in KNOWN["conversation"])
FIRST_CONVERSATION = CONVERSATIONS[0]
"""What the page opens with."""
PROBES: dict[str, Record] = {each["name"]: each["call"] for each in KNOWN["probe"]}
"""Other conversations that both engines are tried with, as calls in JSON."""
