"""Exercises: questions that a lesson asks in its own words, with wrong answers; the engine finds the right one.

What can be asked for is a row of `MEASURES`. The right answer is written nowhere in a lesson, and a wrong answer that
turns out to be right is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from random import Random
from typing import Final

from explorer.answers.explore import opened
from explorer.answers.learn import Asked, spec_of, train_request
from explorer.answers.learn_claims import Shown, shown_by, view_of
from explorer.answers.train import Trained, trained
from explorer.errors import InputError
from explorer.learning.lessons.lesson import Card, Exercise, ExplorePanel, TrainPanel, VocabularyPanel
from explorer.text.quantities import number
from explorer.text.say import Say
from explorer.text.utf8 import is_utf8
from explorer.views.spelled import shown_vocabulary
from explorer.views.steppers.script import Replay
from explorer.vocabulary import PieceKind, spelled

SIZE = 2
"""Where the row of a symbol has its size, after how many cells it spans and its token."""


def exercise_of(card: Card) -> Asked | None:
    """The exercise of a card, its choices in an order that is always the same; None for a card without one.

    Raises InputError where the panel has no such answer, or a wrong one is right.
    """
    asked = card.question
    if not isinstance(asked, Exercise):
        return None
    shown = shown_by(card)
    right = answer_of(shown, asked.find)
    if right in asked.wrong:
        raise InputError(f"question, wrong: {right!r} is right here; remove it")
    order = [right, *asked.wrong]
    Random(asked.ask).shuffle(order)
    choices = tuple((Say.of("{0:t}", each), "", Say.of("{0:t}", asked.wrong.get(each, ""))) for each in order)
    panel = card.panel
    stage = panel.stage if isinstance(panel, ExplorePanel) else ""
    return Asked(
        Say.of("{0:t}", asked.ask), choices, order.index(right), Say.of("{0:t}", asked.because), "exercise", 0,
        getattr(panel, "tokenizer", ""), getattr(panel, "text", ""), stage or "model", shown.step,
        shown.step if asked.shows is None else asked.shows, False, "tokens" if stage else "",
    )  # fmt: skip


def answer_of(shown: Shown, find: str) -> str:
    """What the engine finds on a panel. find: a name in `MEASURES`, and what it needs after it. Raises InputError."""
    name, *given = find.split(" ")
    measure = MEASURES.get(name)
    if measure is None:
        raise InputError(f"question, find: unknown: {name[:40]!r}; use one of {', '.join(MEASURES)}")
    try:
        return measure(shown, *given)
    except InputError:
        raise
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(f"question, find: {find[:80]!r} finds nothing here; see docs/LESSONS.md") from None


def training_of(shown: Shown) -> Trained:
    """The training of a panel."""
    if not isinstance(shown.card.panel, TrainPanel):
        raise InputError("question, find: this panel trains nothing")
    return trained(train_request(shown.card.panel))


def pieces(shown: Shown) -> str:
    """The tokens as the panels write them."""
    view = view_of(shown)
    vocabulary = shown_vocabulary(opened(view.spec).trace(""), False)
    return " ".join(map(vocabulary.spelling, view.ids))


def result(shown: Shown, stage: str) -> str:
    """The result of a stage, as the row of stages says it."""
    return {node.key: node.result for node in view_of(shown).nodes}[stage]


def size(shown: Shown, index: str) -> str:
    """The size that a symbol of the queue's stage has at the step that shows the answer."""
    asked, script = shown.card.question, shown.script
    assert isinstance(asked, Exercise)
    if script is None:
        raise ValueError
    replay = Replay(script)
    for _ in range(shown.step if asked.shows is None else asked.shows):
        replay.forward()
    return number(replay.state["cells", int(index)][SIZE])


def pair_count(shown: Shown, left: str, right: str) -> str:
    """How often two characters stand side by side in the words of a training."""
    words = training_of(shown).words
    return number(sum(count for word, count in words.items() for pair in pairwise(word) if pair == (left, right)))


def first_merge(shown: Shown) -> str:
    """The first pair that a training merges."""
    left, right = training_of(shown).training.learned.pairs[0]
    return " + ".join(each if isinstance(each, str) else spelled(each) for each in (left, right))


def valid_tokens(shown: Shown) -> str:
    """How many tokens of a vocabulary are text by themselves, without control tokens."""
    panel = shown.card.panel
    if not isinstance(panel, ExplorePanel | VocabularyPanel):
        raise ValueError
    vocabulary = opened(spec_of(panel.tokenizer, panel.implementation)).vocabulary
    pieces = (
        piece for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True) if kind != PieceKind.CONTROL
    )
    return number(sum(is_utf8(piece) for piece in pieces))


MEASURES: Final[Mapping[str, Callable[..., str]]] = {
    "tokens": lambda shown: number(len(view_of(shown).ids)),
    "ids": lambda shown: " ".join(map(str, view_of(shown).ids)),
    "pieces": pieces,
    "result": result,
    "size": size,
    "pair-count": pair_count,
    "first-merge": first_merge,
    "valid-tokens": valid_tokens,
}
"""What an exercise may ask for."""
