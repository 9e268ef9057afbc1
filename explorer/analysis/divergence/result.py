"""The result of a comparison of two runs: every difference, its stage and its cause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.states import MODEL, ORDER
from explorer.analysis.run import Run
from explorer.engine.items import Token

NAMED = 12
"""The most code points of a difference that are listed with their names."""


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a difference.

    stage: the index of the stage in that side's trace, None if it has no such stage. text: that stage's output at the
    difference. points: its first code points with their names, if it is plain text. does: what this side does, as a
    clause that follows its name. tokens: its tokens in the region. event: the index of the stage's event at which the
    difference begins, None if no event is about it.
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

    stage: the name of the first stage whose output differs. region: where the ids differ. spot: where that stage's
    output differs. Both are in code points of the original text.
    """

    stage: str
    kind: DifferenceKind
    region: Span
    spot: Span
    left: Half
    right: Half
    sentence: str


class Harmless(NamedTuple):
    """Differences of one kind at one stage that change no id: how many, and the first of them."""

    stage: str
    kind: DifferenceKind
    times: int
    spot: Span
    sentence: str


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two runs on one text.

    divergences: every region in which the ids differ, in the order of the text. harmless: differences between stages
    that change no id, by stage and kind.
    """

    left: Run
    right: Run
    divergences: tuple[Divergence, ...]
    harmless: tuple[Harmless, ...]

    @property
    def same(self) -> bool:
        """Whether both sides give the same ids."""
        return not self.divergences

    @cached_property
    def first(self) -> Divergence | None:
        """The divergence at the earliest stage, the first in the text among several; None if the ids are the same.

        Different numbering alone comes last: a position where the sides split differently says more.
        """
        return min(
            self.divergences,
            key=lambda each: (
                ORDER.index(MODEL if each.kind == DifferenceKind.OTHER_IDS else each.stage),
                each.kind == DifferenceKind.OTHER_IDS,
                each.region.start,
            ),
            default=None,
        )

    @property
    def kind(self) -> DifferenceKind:
        """The kind of the first divergence."""
        return self.first.kind if self.first else DifferenceKind.SAME

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        if self.first:
            return self.first.sentence
        count = len(self.left.ids)
        return f"No difference: {self.left.label} and {self.right.label} give the same {count} id{'s' * (count != 1)}."

    def _repr_html_(self) -> str:
        """The result and both sides' tokens, for notebooks; tokens that differ have a thick border."""
        from explorer.notebook import comparison_html

        halves = [(each.left, each.right) for each in self.divergences]
        sides = []
        for number, run in enumerate((self.left, self.right)):
            differing = {token for pair in halves for token in pair[number].tokens}
            indices = {index for index, token in enumerate(run.encoding.tokens) if token in differing}
            sides.append((run.label, run.encoding, indices))
        others = [each.sentence for each in self.divergences if each is not self.first]
        return comparison_html(self.sentence, sides, others[:NAMED])


def where(span: Span, size: int) -> str:
    """A span in words, counted from 1.

    >>> where(Span(0, 1), 9), where(Span(2, 5), 9), where(Span(4, 4), 9), where(Span(9, 9), 9)
    ('character 1', 'characters 3 to 5', 'before character 5', 'at the end')
    """
    start, end = span
    if start == end:
        return "at the end" if start == size else f"before character {start + 1}"
    return f"character {start + 1}" if end - start == 1 else f"characters {start + 1} to {end}"


def numbered_span(span: Span) -> str:
    """A span for a table, counted from 1.

    >>> numbered_span(Span(2, 5)), numbered_span(Span(0, 0))
    ('3 to 5', 'before 1')
    """
    return f"{span.start + 1} to {span.end}" if span.start < span.end else f"before {span.start + 1}"


TokenRanges = tuple[range, range]
"""For each side the tokens of a region, as indices into the model's output."""


class Cause(NamedTuple):
    """Why a region differs: the stage, the kind, the span, and for each side its stage, text, words and event.

    events: None where `TextEvents` has to find them by span. token: the special token that differs. is_plain: whether
    the texts are the characters at the span and not a list of pieces.
    """

    stage: str
    kind: DifferenceKind
    spot: Span
    stages: tuple[int | None, int | None]
    texts: tuple[str, str]
    does: tuple[str, str]
    events: tuple[int | None, int | None] | None = None
    token: int | None = None
    is_plain: bool = False
