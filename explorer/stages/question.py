"""A question: what it is about, what is asked, the choices, the right one, and why.

Sentences are `Say`s, whose texts are kept apart, so that a page draws tokens as chips. An event is named by its index
in its stage, as in `analysis/why`; a page turns it into the step of its stepper (`Script.step_of`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple, TypeVar

from explorer.engine.tokenizer import Stage, Trace
from explorer.implementations.opened import Opened
from explorer.stages.spelling import plain_bytes
from explorer.stages.why import Family
from explorer.text import visible
from explorer.text.say import Say, plain

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


def quoted_row(texts: list[str], separator: str = " ") -> Say:
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
    note: str = ""
    why: Say = NO_REASON
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
    stage: str
    event: int | None = None
    answer: int | None = None
    text: str = ""
    """What the panel shows, if that isn't the text of the scene."""
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

    >>> draft = Draft(Say(""), Choice(Say("b")), [Choice(Say(text)) for text in "bacad"], Say(""), "model")
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
