"""Ids that a model produced, decoded and encoded again: where the two lists part, and which stage makes them differ.

A program that keeps only the text of an answer and encodes it later gets the canonical ids, which need not be those
that the model produced (reinforcement learning calls this retokenization drift). The tokens that encoding adds around a
text are compared by themselves: a list may begin with BOS or not.

The stage is found from the items alone: the first one before the model that has a cut inside a token of the list, makes
a special token of its text, puts a space in front or changes its characters. Otherwise the model chooses other tokens.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from explorer.analysis.decoding import tokens_on_bytes
from explorer.analysis.expected.id_texts import contents, stretches
from explorer.analysis.export import Record
from explorer.analysis.id_lists import read_ids
from explorer.analysis.lines import Line
from explorer.engine.budget import many_runs
from explorer.engine.items import ADDED, Item, Items, Segment
from explorer.engine.part import Model
from explorer.engine.results import DecodeTrace, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.decoders.losses import DECODE, MODEL, losses
from explorer.text.say import Say, plural
from explorer.text.utf8 import is_utf8
from explorer.vocabulary import SPACE_MARK, PieceKind

PER: Final = 1_000
"""Rates are per so many ids."""


class Drift(NamedTuple):
    """A stretch of ids that encoding their text does not give.

    start, end: the ids [start, end) of the list. canonical: what encoding gives instead. text: their bytes. stage: the
    one that makes them differ.
    """

    start: int
    end: int
    ids: tuple[int, ...]
    canonical: tuple[int, ...]
    text: bytes
    stage: str


class IdsAgain(NamedTuple):
    """A list of ids and what encoding its text gives. drifts: the stretches that differ, in order."""

    ids: tuple[int, ...]
    text: str
    canonical: tuple[int, ...]
    drifts: tuple[Drift, ...]

    @property
    def same(self) -> bool:
        """Whether encoding the text gives the ids."""
        return not self.drifts

    @property
    def changed(self) -> int:
        """How many ids of the list are not canonical; at least one for each stretch that differs."""
        return sum(max(1, each.end - each.start) for each in self.drifts)

    def record(self) -> Record:
        """As plain values."""
        return {
            "ids": list(self.ids),
            "text": self.text,
            "canonical": list(self.canonical),
            "drifts": [each._asdict() | {"text": each.text.decode("utf-8", "replace")} for each in self.drifts],
        }


def drift_say(found: IdsAgain) -> Say:
    """How many ids of a list are not canonical, and which stages make them differ."""
    return changed_say(found) if found.same else changed_say(found).then(stages_say(found))


def changed_say(found: IdsAgain) -> Say:
    """How many ids of a list are not canonical."""
    if found.same:
        return Say("Encoding the text gives these ids again.")
    are = "is" if found.changed == 1 else "are"
    return Say.of("{0} of {1:t} {2:t} not canonical: encoding the text gives others.", found.changed,
                  plural(len(found.ids), "id"), are)  # fmt: skip


def stages_say(found: IdsAgain) -> Say:
    """Which stages make the ids differ."""
    stages = Counter(each.stage for each in found.drifts)
    return Say.of("Changed by {0:t}.", ", ".join(f"{name} in {plural(count, 'stretch', 'stretches')}"
                                                 for name, count in stages.most_common()))  # fmt: skip


@dataclass
class DriftTotals:
    """Sums over many lists. lists, ids: how many; drifting: lists that differ. stages: stretches by their stage."""

    lists: int = 0
    drifting: int = 0
    ids: int = 0
    changed: int = 0
    stages: Counter[str] = field(default_factory=Counter)

    def add(self, found: IdsAgain) -> None:
        """Counts a list."""
        self.lists += 1
        self.drifting += not found.same
        self.ids += len(found.ids)
        self.changed += found.changed
        self.stages.update(each.stage for each in found.drifts)

    @property
    def rate(self) -> float:
        """How many of 1,000 ids are not canonical."""
        return PER * self.changed / self.ids if self.ids else 0.0

    def record(self) -> Record:
        """As plain values."""
        return {
            "lists": self.lists,
            "drifting": self.drifting,
            "ids": self.ids,
            "changed": self.changed,
            "per_1000": self.rate,
            "stages": dict(self.stages),
        }


def drifts(tokenizer: Opened, lines: Iterable[Line]) -> Iterator[tuple[Line, IdsAgain]]:
    """The same for the id lists of files, one list a line; empty lines are left out.

    >>> import explorer
    >>> lines = [Line("x", 1, "[464, 318]"), Line("x", 2, "25 1003")]
    >>> [found.same for _, found in drifts(explorer.load("gpt-2"), lines)]
    [True, False]
    """
    for line in lines:
        if not line.text.strip():
            continue
        try:
            yield line, ids_again(tokenizer, read_ids(line.text))
        except InputError as error:
            raise InputError(f"{line.location}: {error}") from None


def ids_again(tokenizer: Opened, ids: Sequence[int]) -> IdsAgain:
    """Decodes ids and encodes their text. Raises InputError for an id outside the vocabulary.

    >>> import explorer
    >>> found = ids_again(explorer.load("gpt-2"), [5450, 25, 1003])
    >>> found.text, found.canonical, found.drifts[0][:4], found.drifts[0].stage
    ('https://', (5450, 1378), (1, 3, (25, 1003), (1378,)), 'model')
    """
    ids = tuple(ids)
    with many_runs("a round trip", len(ids)) as budget:
        front, back = added(tokenizer, ids)
        inner = ids[len(front) : len(ids) - len(back)]
        decoded = tokenizer.trace_decode(inner, remove_special=False)
        budget.grow(6 * len(decoded.text))
        again = tokenizer.encode(decoded.text, add_special=False).ids
        canonical = (*front, *again, *back)
        if canonical == ids:
            return IdsAgain(ids, decoded.text, canonical, ())
        search = _Stages(tokenizer, inner, decoded)
        found = []
        for part in stretches(inner, again, contents=lambda some: contents(tokenizer, some, remove_special=False)):
            if part.same:
                continue
            one, other = part.expected, part.given
            given, instead = inner[one.start : one.stop], tuple(again[other.start : other.stop])
            text = b"".join(decoded.parts[one.start : one.stop])
            stage = search.stage(one.start, one.stop, instead)
            shift = len(front)
            found.append(Drift(one.start + shift, one.stop + shift, given, instead, text, stage))
        return IdsAgain(ids, decoded.text, canonical, tuple(found))


def added(tokenizer: Opened, ids: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which ids at both ends are those that encoding adds around a text."""
    tokens = tokenizer.encode("a").tokens
    first = next((index for index, token in enumerate(tokens) if token.start != ADDED), len(tokens))
    last = next((index for index, token in enumerate(tokens[::-1]) if token.start != ADDED), 0)
    front = tuple(token.id for token in tokens[:first])
    back = tuple(token.id for token in tokens[len(tokens) - last :])
    if tuple(ids[: len(front)]) != front:
        front = ()
    if len(ids) < len(front) + len(back) or tuple(ids[len(ids) - len(back) :]) != back:
        back = ()
    return front, back


class _Stages:
    """Which stage makes a stretch of ids differ."""

    def __init__(self, tokenizer: Opened, ids: Sequence[int], decoded: DecodeTrace) -> None:
        self.ids, self.text = ids, decoded.text
        self.kinds = tokenizer.vocabulary.kinds
        self.is_text = is_utf8(decoded.data)
        self.tokens = tokens_on_bytes(tokenizer, ids, decoded.parts)
        self.trace: Trace = tokenizer.trace_lazily(decoded.text, add_special=False)
        again = tokenizer.trace_decode(self.trace.ids, remove_special=False)
        self.lost = {each.at: each.stage for each in losses(self.trace, again, tokenizer.vocabulary).lost}
        model = next(number for number, stage in enumerate(self.trace.stages) if isinstance(stage.part, Model))
        self.before_model = self.trace.stages[:model]
        self.cuts = [sorted({end_of(item) for item in stage.after}) for stage in self.before_model]

    def stage(self, start: int, end: int, canonical: Sequence[int]) -> str:
        """The stage that makes the ids [start, end) differ."""
        tokens = self.tokens[start:end]
        if not self.is_text and any("\ufffd" in self.text[token.start : token.end] for token in tokens):
            return DECODE
        if any(self.kinds[id] in SPECIAL for id in (*self.ids[start:end], *canonical)):
            return self.trace.stages[0].name
        for token in tokens:
            for at in range(token.start, token.end):
                if at in self.lost:
                    return self.lost[at]
        for stage, cuts in zip(self.before_model, self.cuts, strict=True):
            if any(bisect_right(cuts, token.start) < bisect_left(cuts, token.end) for token in tokens):
                return stage.name
        if start == 0 and (name := self.adds_space()) is not None:
            return name
        return MODEL

    def adds_space(self) -> str | None:
        """The stage that puts a space in front of the text."""
        for stage in self.before_model:
            if leading(stage.after) > leading(stage.before):
                return stage.name
        return None


SPECIAL: Final = frozenset({PieceKind.CONTROL, PieceKind.USER_DEFINED})
"""The kinds of tokens that are found in the text before the model runs."""


def leading(items: Items) -> int:
    """How many spaces the first item begins with, however they are spelled."""
    text = items[0].text if items and isinstance(items[0], Segment) else ""
    return len(text) - len(text.lstrip(f" Ġ{SPACE_MARK}"))


def end_of(item: Item) -> int:
    """Where an item ends in the text; -1 for one that is not from it."""
    if isinstance(item, Segment):
        return item.ends[-1] if item.text else -1
    return item.end
