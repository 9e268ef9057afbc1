"""The result of a comparison of two runs: every kind of difference, every difference with its stage and its cause, and
the answer to "where do they part?" in two sentences: what each side does there, and what follows.

Every difference has exactly one kind. In the answer names come first, then what they do, and a space is a ·; positions
and rules are in the downloads and the panels.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from explorer.analysis.divergence.states import (
    MODEL,
    NORMALIZE,
    ORDER,
    PARTITION,
    PRE_TOKENIZE,
    TEXT_STAGES,
    Run,
    is_decided,
)
from explorer.analysis.ownership import Span
from explorer.engine.part import TextTokens
from explorer.hooks import show as shown
from explorer.tables import read_toml
from explorer.text import facts
from explorer.text.say import Say, Text, dotted, in_a_row, paragraph, plain, plural, worded

SAYS: Mapping[str, str] = read_toml(__file__, "words.toml")


class DifferenceKind(StrEnum):
    """Why two tokenizers give different ids. The value is its name in tables and exports."""

    SAME = "same ids"
    ESCAPES = "escapes"
    SPECIAL_TOKEN = "special token"
    SWALLOWED = "swallowed white space"
    COMPOSITION = "composition"
    EQUIVALENT = "canonical equivalent"
    ORDER_OF_MARKS = "order of marks"
    DECOMPOSITION = "decomposition"
    FIRST_CODE_POINT = "first of a decomposition"
    COMPATIBILITY = "compatibility form"
    MARKS = "marks dropped"
    CASE = "case"
    WHITE_SPACE = "white space"
    REMOVED = "removed"
    INSERTED = "inserted"
    REPLACED = "replaced"
    PREFIX_SPACE = "prefix space"
    PRE_TOKEN = "pre-token cut"
    WHOLE_PIECE = "whole piece"
    UNKNOWN = "unknown or byte fallback"
    WORD_LENGTH = "length of a word"
    UNUSED_PIECE = "unused piece"
    MERGE_ORDER = "merge order"
    BEST_PATH = "best path"
    ALGORITHM = "model algorithm"
    OTHER_PIECES = "other pieces"
    OTHER_IDS = "other ids"
    TRUNCATED = "truncation"
    ADDED_TOKENS = "added tokens"
    PADDED = "padding"

    @property
    def says(self) -> str:
        """What it is, in a sentence."""
        return SAYS[self]


NAMED = 12
"""The most code points of a difference that are listed with their names."""


TokenRanges = tuple[range, range]
"""For each side the tokens of a region, as indices into the model's output."""

UNSAID = Say("")
BY_SPAN = -1
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
    tokens: TextTokens = ()
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
    def sides(self) -> tuple[Run, Run]:
        """Both runs."""
        return self.left, self.right

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
        return Say("No difference: {0:t} and {1:t} give the same {2:t}.", *labels, ids)

    @property
    def sentence(self) -> str:
        """The same as plain text."""
        return plain(self.say)

    def show(self, **asked: Any) -> Any:
        """Both sides, and the steps where they part, as a page that plays in a notebook.

        place: the number of the place that is shown first, from 1. The rest as in `explorer.saved.explore.Shown`.
        """
        return shown("comparison", self, **asked)

    def _repr_html_(self) -> str:
        """The result and both sides' tokens, for notebooks; tokens that differ have a thick border."""
        from explorer.notebook import comparison_html

        halves = [(each.left, each.right) for each in self.divergences]
        sides = []
        for number, run in enumerate(self.sides):
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
        return Text("at the end") if start == size else Text("before character {0:i}", start + 1)
    if end - start == 1:
        return Text("character {0:i}", end)
    return Text("characters {0:i} to {1:i}", start + 1, end)


def numbered_span(span: Span) -> str:
    """A span for a table, counted from 1.

    >>> numbered_span(Span(2, 5)), numbered_span(Span(0, 0))
    ('3 to 5', 'before 1')
    """
    return f"{span.start + 1} to {span.end}" if span.start < span.end else f"before {span.start + 1}"


STAGE_NAMES: Mapping[str, str] = {
    PARTITION: "Special tokens",
    NORMALIZE: "Normalize",
    PRE_TOKENIZE: "Pre-tokenize",
}
"""The stages whose differences may change no id, as pages call them."""

ONLY_NUMBERS = Say("Both cut the text the same way. Only the numbers differ.")
NOT_NEEDED = Say("No id depends on it.")


class Headline(NamedTuple):
    """say: what each side does; more: what follows."""

    say: Say
    more: Say


def headline(comparison: Comparison, number: int | None = None) -> Headline:
    """The answer for a whole text, or with `number` for one of its places.

    >>> import explorer
    >>> from explorer.analysis.divergence.comparer import compare
    >>> from explorer.analysis.divergence.states import runs
    >>> from explorer.text.say import plain
    >>> qwen = [explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")]
    >>> print(*map(plain, headline(compare(*runs(qwen, "A cafe\\u0301")))), sep="\\n")
    Hugging Face composes e + ◌́ to é (NFC). llama.cpp leaves two code points.
    So “·caf...” is 1 token with Hugging Face and 2 tokens with llama.cpp. Everything else gets the same ids.
    """
    if number is not None:
        return at_place(comparison, comparison.places[number])
    if comparison.same:
        return same_ids(comparison)
    first = comparison.first_place
    assert first is not None, "the ids differ"
    if all(place.only_ids for place in comparison.places if not place.harmless):
        count = len(comparison.left.ids)
        differently = Say("Their vocabularies number the same token differently.", count,
                          many="Their vocabularies number the same {0} tokens differently.")  # fmt: skip
        return Headline(ONLY_NUMBERS, differently)
    return at_place(comparison, comparison.places[first])


def same_ids(comparison: Comparison) -> Headline:
    """The answer where no id differs."""
    count = len(comparison.left.ids)
    if not comparison.harmless:
        same = Say("Both give the same id.", count, many="Both give the same {0} ids.")
        return Headline(same, Say("Every stage gives the same."))
    stages = Counter[str]()
    for first, times in comparison.harmless:
        stages[STAGE_NAMES.get(first.stage, first.stage)] += times
    each = "{0:t} differs in {1:t}"
    differs = in_a_row(*(Text(each, worded(name), plural(n, "place")) for name, n in stages.items()),
                       between="{0:t} and {1:t}")  # fmt: skip
    ways = Say(
        "Both give the same id, by different ways.", count, many="Both give the same {0} ids, by different ways."
    )
    return Headline(ways, Say("{0:t}, and no id depends on it.", differs))


def at_place(comparison: Comparison, place: Place) -> Headline:
    """The answer for one place."""
    difference = place.difference
    if place.harmless:
        return Headline(what_sides_do(comparison, difference), NOT_NEEDED)
    text = comparison.left.text[slice(*difference.region)]
    if place.only_ids:
        say = Say("Both cut {0:q} the same way. Only the numbers differ.", dotted(text))
    else:
        say = what_sides_do(comparison, difference)
    more = [each for each in (what_follows(comparison, difference, text), other_places(comparison, place)) if each]
    return Headline(say, paragraph(more))


def what_sides_do(comparison: Comparison, difference: Divergence) -> Say:
    """A sentence for each side."""
    clauses = (clause(comparison.left.text, side) for side in (difference.left, difference.right))
    runs = comparison.sides
    one, other = (Say("{0:t} {1}.", run.subject, said) for run, said in zip(runs, clauses, strict=True))
    return one.then(other)


def clause(text: str, side: Side) -> Say:
    """What a side does, its spaces as · and its marks on a dotted circle."""
    said = side.brief or side.says
    space = "␣" if "␣" in text else "·"
    return said.shown(lambda each: LABEL.sub(marked, each.replace("␣", space)))


LABEL = re.compile(r"\bU\+([0-9A-F]{4,6})\b")


def marked(label: re.Match[str]) -> str:
    """The mark that a label such as U+0301 names, on a dotted circle; other labels stay."""
    ch = chr(int(label[1], 16))
    return f"◌{ch}" if unicodedata.category(ch) == "Mn" else label[0]


def what_follows(comparison: Comparison, difference: Divergence, text: str) -> Say | None:
    """What the difference means for the tokens: “So …” only where an experiment shows that it decides their number."""
    if difference.kind == DifferenceKind.OTHER_IDS:
        return None
    if difference.stage not in TEXT_STAGES or difference.kind == DifferenceKind.PRE_TOKEN or not text:
        return Say(difference.kind.says)
    runs = comparison.sides
    counts = len(difference.left.tokens), len(difference.right.tokens)
    if counts[0] == counts[1]:
        return Say("{0:q} is {1:t} on both sides, with other ids.", dotted(text), plural(counts[0], "token"))
    sides = zip(counts, runs, strict=True)
    one, other = (Say("{0:t} with {1:t}", plural(count, "token"), run.label) for count, run in sides)
    decided = is_decided(*runs, difference.stage, difference.region, counts)
    said = Say("So {0:q} is {1} and {2}." if decided else "{0:q} is {1} and {2}.", dotted(text), one, other)
    if decided is not False:
        return said
    swapped = "An experiment shows another reason: with {0:t} swapped, neither side gives as many as the other."
    return said.then(Say(swapped, worded(STAGE_NAMES[difference.stage])))


def other_places(comparison: Comparison, place: Place) -> Say:
    """What the other places are like."""
    others = [each for each in comparison.places if not each.harmless and each.difference is not place.difference]
    numbers = sum(each.only_ids for each in others)
    if not others:
        return Say("Everything else gets the same ids.")
    if numbers == len(others):
        return Say("At the other place only the numbers differ.", numbers,
                   many="At the other {0} places only the numbers differ.")  # fmt: skip
    more = Say("The ids differ in {0:t}.", plural(len(others), "other place"))
    return more.then(Say("In {0} of them both cut the text the same way.", numbers)) if numbers else more
