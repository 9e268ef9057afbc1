"""What a comparison of two runs gives: every difference, its stage and its cause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.kinds import Kind
from explorer.analysis.divergence.states import (
    MODEL,
    ORDER,
)
from explorer.analysis.run import Run
from explorer.engine.items import Token

NAMED = 12
"""Code points of a difference that are named."""


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a difference.

    stage: the index of the stage in that side's trace, None where it has no such stage. text: what stands in the place
    of the difference behind that stage; where that is text, points: its first code points, each with its name. does:
    what this side does, in words that follow its name. tokens: its tokens in the region. event: where in the stage's
    events the difference begins, None where no event is about it.
    """

    stage: int | None
    text: str
    does: str
    tokens: tuple[Token, ...]
    event: int | None
    points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Divergence:
    """A region in which the ids differ, and why.

    stage: the name of the first stage whose output differs. region: where the ids differ; spot: where that stage's
    output does; both in code points of the original text.
    """

    stage: str
    kind: Kind
    region: Span
    spot: Span
    left: Half
    right: Half
    sentence: str


class Harmless(NamedTuple):
    """A difference between two stages that changes no id: how many there are of this kind, and the first of them."""

    stage: str
    kind: Kind
    times: int
    spot: Span
    sentence: str


@dataclass(frozen=True)
class Comparison:
    """Two runs on one text, compared.

    divergences: every region in which the ids differ, in the order of the text. harmless: what differs on the way and
    changes no id, by stage and kind.
    """

    left: Run
    right: Run
    divergences: tuple[Divergence, ...]
    harmless: tuple[Harmless, ...]

    @property
    def same(self) -> bool:
        """Whether both give the same ids."""
        return not self.divergences

    @cached_property
    def first(self) -> Divergence | None:
        """The divergence at the earliest stage, of those the first in the text; None where the ids are the same.

        Where the vocabularies number their pieces otherwise, a place where they cut otherwise comes first.
        """
        return min(
            self.divergences,
            key=lambda each: (
                ORDER.index(MODEL if each.kind == Kind.OTHER_IDS else each.stage),
                each.kind == Kind.OTHER_IDS,
                each.region.start,
            ),
            default=None,
        )

    @property
    def kind(self) -> Kind:
        return self.first.kind if self.first else Kind.SAME

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.first:
            return self.first.sentence
        count = len(self.left.ids)
        return f"No difference: {self.left.label} and {self.right.label} give the same {count} id{'s' * (count != 1)}."

    def _repr_html_(self) -> str:
        """The answer and both sides' tokens, for notebooks; tokens that differ have a thick edge."""
        from explorer.notebook import comparison_html

        halves = [(each.left, each.right) for each in self.divergences]
        sides = []
        for number, run in enumerate((self.left, self.right)):
            differing = {token for pair in halves for token in pair[number].tokens}
            places = {at for at, token in enumerate(run.encoding.tokens) if token in differing}
            sides.append((run.label, run.encoding, places))
        others = [each.sentence for each in self.divergences if each is not self.first]
        return comparison_html(self.sentence, sides, others[:NAMED])


def where(span: Span, size: int) -> str:
    """A place in words, counted from 1.

    >>> where(Span(0, 1), 9), where(Span(2, 5), 9), where(Span(4, 4), 9), where(Span(9, 9), 9)
    ('character 1', 'characters 3 to 5', 'before character 5', 'at the end')
    """
    start, end = span
    if start == end:
        return "at the end" if start == size else f"before character {start + 1}"
    return f"character {start + 1}" if end - start == 1 else f"characters {start + 1} to {end}"
