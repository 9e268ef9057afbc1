"""What the scripts of all trainings share: the corpus at the beginning, the vocabulary, things that a step names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from explorer.script.script import Panel, ScriptBuilder, StepKind, Values, output
from explorer.text import visible
from explorer.text.say import plural
from explorer.training.training import Training

NAMED: Final = 12
"""Pieces, tokens or words that a sentence names."""
LETTERS: Final = 40
"""Characters that a sentence names."""
HIT, TIED = range(2)


class TrainingScript:
    """One pass over the events of a training. Subclasses name the kinds of step, the layout and the code."""

    landmark: str
    kinds: Mapping[Any, StepKind]
    code: Sequence[str]
    roles: Sequence[tuple[str, str]] = (("", "hit"),)
    layout: Sequence[Sequence[Panel]]
    levels: ClassVar[Mapping[str, Mapping[str, Sequence[str]]]]
    board: Sequence[str]

    def __init__(self, training: Training[Any], *tracks: dict[str, Any]) -> None:
        self.events: list[Any] = list(training.events)
        self.symbols = training.learned.symbols
        self.tokens = 0
        """chips in the vocabulary"""
        self.builder = ScriptBuilder(
            title="Training",
            landmark=self.landmark,
            kinds=self.kinds,
            tracks=tracks,
            roles=self.roles,
            layout=self.layout,
            code=self.code,
            levels=self.levels,
            board=self.board,
        )

    def begin(self, counts: Sequence[int], why: str) -> None:
        """The corpus, before anything is learned. counts: how often each word occurs."""
        self.builder.phase("Words")
        words = plural(len(counts), "different word")
        self.builder.begin("The corpus has {words}, {total} in all.", why, words=words, total=sum(counts))

    def add(self, text: str, id: int) -> None:
        """Adds a chip to the vocabulary."""
        self.builder.put("vocabulary", self.tokens, self.builder.text(text), id, -1, -1)
        self.tokens += 1


def vocabulary(empty: str) -> dict[str, Any]:
    """The track that `TrainingScript.add` fills."""
    return output("Vocabulary", empty, name="vocabulary")


def several(texts: Iterable[str], one: str, most: int = NAMED) -> Values:
    """How many things a step is about, and the first of them."""
    shown = list(texts)
    named = " ".join(visible(text) for text in shown[:most]) + (" …" if len(shown) > most else "")
    return {"count": plural(len(shown), one), "named": named}
