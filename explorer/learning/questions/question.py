"""A question: what is asked, the choices, the right one, and why.

Sentences are `Say`s, whose texts are kept apart, so that a page draws tokens as chips. An event is named by its index
in its stage, as in `analysis/why`; a page turns it into the step of its stepper (`Script.step_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from explorer.text.say import Say, plain

NO_REASON: Final = Say("")
"""Of a choice whose reason the explanation gives."""


class Choice(NamedTuple):
    """One choice.

    say: what it says; no two choices of a question say the same. note: a value beside it, such as a score; empty if
    there is none. why: why this choice is wrong, or empty.
    """

    say: Say
    note: str = ""
    why: Say = NO_REASON

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


def richest(drafts: Iterable[Draft]) -> Draft | None:
    """The first of a few drafts with enough different choices, or the one with the most; None without any."""
    best, most = None, 0
    for draft in islice(drafts, TRIED):
        different = len({draft.right.shown, *(each.shown for each in draft.wrong)})
        if different > most:
            best, most = draft, different
        if most >= ENOUGH:
            break
    return best


TRIED: Final = 6
"""Drafts that are compared."""
ENOUGH: Final = 4
"""Choices that are enough."""


def choices_of(draft: Draft, most: int, random: Random) -> tuple[Choice, ...]:
    """The choices in random order, at most so many, no two of which say the same. One alone is no question.

    >>> draft = Draft(Say(""), Choice(Say("b")), [Choice(Say(text)) for text in "bacad"], Say(""), "model")
    >>> [each.shown for each in choices_of(draft, 3, Random(1))]
    ['a', 'c', 'b']
    """
    distinct: dict[str, Choice] = {}
    for choice in (draft.right, *draft.wrong):
        distinct.setdefault(choice.shown, choice)
    kept = list(distinct.values())[:most]
    random.shuffle(kept)
    return tuple(kept)
