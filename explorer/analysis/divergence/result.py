"""The result of a comparison of two runs: every difference, its stage and its cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.states import MODEL, ORDER
from explorer.analysis.run import Run
from explorer.engine.items import Token
from explorer.hooks import show as shown
from explorer.text import facts
from explorer.text.say import Say, plain, plural

NAMED = 12
"""The most code points of a difference that are listed with their names."""


TokenRanges = tuple[range, range]
"""For each side the tokens of a region, as indices into the model's output."""

UNSAID: Final = Say("")
BY_SPAN: Final = -1
"""Instead of an event: the one about the span of the difference, not looked up yet."""


class Side(NamedTuple):
    """One side of a difference.

    stage: the index of the stage in that side's trace, None if it has no such stage. text: that stage's output at the
    difference; is_plain: whether these are the characters there, and not a list of pieces. says: a clause that follows
    this side's name. event: the index of the stage's event at which the difference begins, None if no event is about
    it. tokens: its tokens in the region. brief: the clause without the rule behind it, where it has one.
    """

    stage: int | None
    text: str
    says: Say
    event: int | None = BY_SPAN
    tokens: tuple[Token, ...] = ()
    is_plain: bool = False
    brief: Say | None = None

    @property
    def does(self) -> str:
        """The clause as plain text."""
        return plain(self.says)

    @property
    def points(self) -> tuple[str, ...]:
        """The first code points of the text, each as label and name; none for a list of pieces."""
        return tuple(f"{each.label} {each.name}" for each in map(facts, self.text[:NAMED])) if self.is_plain else ()


class Divergence(NamedTuple):
    """A difference between two runs, and why.

    stage: the name of the first stage whose output differs. spot: where that stage's output differs. region: where the
    ids differ; the spot, where they don't. Both are in code points of the original text. token: the special token that
    differs.
    """

    stage: str
    kind: DifferenceKind
    spot: Span
    region: Span
    left: Side
    right: Side
    token: int | None = None
    say: Say = UNSAID

    @classmethod
    def at(
        cls, stage: str, kind: DifferenceKind, spot: Span, sides: Iterable[Side], token: int | None = None
    ) -> Divergence:
        """A difference whose consequence for the ids is not known yet."""
        left, right = sides
        return cls(stage, kind, spot, spot, left, right, token)

    @property
    def sentence(self) -> str:
        """The stage, the position, and what each side does there."""
        return plain(self.say)


class Place(NamedTuple):
    """A difference as a place in the text. harmless: it changes no id."""

    difference: Divergence
    harmless: bool

    @property
    def only_ids(self) -> bool:
        """Whether both sides cut the text alike there, and only the numbers differ."""
        return self.difference.kind == DifferenceKind.OTHER_IDS


class Harmless(NamedTuple):
    """Differences of one kind at one stage that change no id: the first of them, and how many."""

    first: Divergence
    times: int


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

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every difference in the order of the text, and of those that change no id one for each stage and kind."""
        found = [Place(each, False) for each in self.divergences] + [Place(each.first, True) for each in self.harmless]
        return tuple(sorted(found, key=lambda place: (place.difference.region, place.harmless)))

    @property
    def first_place(self) -> int | None:
        """The number of the first divergence among the places; else of the first of all; None if nothing differs."""
        first = self.first or (self.places[0].difference if self.places else None)
        return next((number for number, place in enumerate(self.places) if place.difference is first), None)

    @property
    def kind(self) -> DifferenceKind:
        """The kind of the first divergence."""
        return self.first.kind if self.first else DifferenceKind.SAME

    @property
    def say(self) -> Say:
        """The result in one sentence."""
        if self.first:
            return self.first.say
        labels, ids = (self.left.label, self.right.label), plural(len(self.left.ids), "id")
        return Say.of("No difference: {0:t} and {1:t} give the same {2:t}.", *labels, ids)

    @property
    def sentence(self) -> str:
        """The same as plain text."""
        return plain(self.say)

    def show(self, **asked: Any) -> Any:
        """Both sides, and the steps where they part, as a page that plays in a notebook.

        place: the number of the place that is shown first, from 1. The rest as in `explorer.saved.notebook.Shown`.
        """
        return shown("comparison", self, **asked)

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
