"""What the scripts of both Unigrams share: a lattice that grows arc by arc, the best piece at each offset, the path.

Replays the events of the model stage on four tracks: the characters, the candidates as arcs over them, a table of the
best piece at each offset, and the output. Sums are added up as the engine adds them. A window limits the script to
the cells drawn; sums are still those of the whole text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar, cast

from explorer.engine.items import Segment
from explorer.engine.models.unigram import CANDIDATES, UnigramEvent, UnigramRow
from explorer.engine.part import Part
from explorer.engine.results import Stage
from explorer.text.quantities import number, plural, told_apart, two_digits
from explorer.views.steppers.model_script import Fragment, ModelScript
from explorer.views.steppers.script import Script, ScriptBuilder, StepKind
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

ROLES = (("piece", "done"), ("piece", "reject"), ("best", "hit"), ("unused", "gone"), ("", "next"))
PIECE, LOSER, HIT, GONE, PLACE = range(len(ROLES))

PATH_SHOWN = 6
"""Pieces of the path that a sentence names, counted from the last."""


def back_kinds(kind: StepKind, story: str, arrow: str) -> dict[str, StepKind]:
    """The steps that find the pieces of the path, by how many there are: a story names all of them, or the last few.

    >>> list(back_kinds(StepKind("back", "merge", "", ""), "Back: ", "←").values())[1].story
    'Back: {4:q} ← {5:q}'
    """
    found = {}
    for count in range(1, PATH_SHOWN + 2):
        pieces = f" {arrow} ".join(f"{{{4 + index}:q}}" for index in range(min(count, PATH_SHOWN)))
        more = f"… {arrow} " if count > PATH_SHOWN else ""
        found[f"back {count}"] = replace(kind, story=f"{story}{more}{pieces}", story_why="{3:t}")
    return found


CANDIDATE, BEST, LOST = range(3)
"""States of an arc: the best piece at its offset so far, on the best path, beaten."""

WINNERS = (UnigramEvent.BEST, UnigramEvent.UNKNOWN_BEST)
UNKNOWN = (UnigramEvent.UNKNOWN_BEST, UnigramEvent.UNKNOWN_LOST)


class Lattice(Fragment):
    """The lattice of one fragment as it grows. Offset i is before cell i.

    sums: offset → best sum so far. best: offset → the piece that gives it, as (its other end, its token).
    arc: offset → key of that piece's arc. rebased: whether sums were set to 0 on the way. path: the pieces of the best
    path so far, as indices in the string table, in the order in which they are found.
    """

    def __init__(self, segment: Segment, sums: MutableSequence[Any], window: Window) -> None:
        super().__init__(segment, segment.starts, segment.ends, window)
        self.sums = sums
        self.best = [(-1, -1)] * len(sums)
        self.arc = [-1] * len(sums)
        self.rebased = False
        self.path: list[int] = []


class Texts(NamedTuple):
    """What a lattice stepper is called and says.

    best, best_note: title and note of the table of best pieces; other_end: its heading for a piece's other end.
    to_end: whether a piece's sum reaches to the end of the text, so that the path is followed from the left. waiting:
    what the empty output says. opening: what is known before the first candidate. nothing: why there is
    nothing to cut.
    """

    title: str
    best: str
    best_note: str
    other_end: str
    waiting: str
    opening: str
    nothing: str
    to_end: bool = False


FROM_THE_LEFT = Texts(
    title="Lattice", opening="Offset 0 is reached with the sum 0.", other_end="from",
    best="Best path to each offset", best_note="its last piece, and the sum of all scores on it",
    waiting="No tokens yet. They appear when the best path is known.",
    nothing="It is empty, or all of it is white space or tokens.",
)  # fmt: skip

M = TypeVar("M", bound=Part)


class LatticeScript(ModelScript[Lattice], ABC, Generic[M]):
    """One pass over the events. Subclasses name the steps and say at which end of a piece its sum is kept."""

    texts = FROM_THE_LEFT
    kinds: Mapping[str, StepKind]
    """The keys are "segment", "first", "beats", "loses", "ties", the last four with "unknown " in front, `back_kinds`,
    "token", "byte", "follow" and what the subclass adds."""
    code: Sequence[str]
    unit = 1
    """Scores are shown divided by this."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.model = cast(M, stage.part)
        texts = self.texts
        self.builder = ScriptBuilder(
            title=texts.title,
            landmark="better path",
            kinds=dict(enumerate(self.kinds.values())),
            tracks=(
                self.strip("Characters", ""),
                {"name": "arcs", "type": "lattice", "of": "cells", "title": "Lattice", "note": "one cell per code "
                 "point; offset i is before cell i", "to_end": texts.to_end},
                {"name": "best", "type": "table", "title": texts.best, "layout": "rows", "note": texts.best_note,
                 "columns": [{"name": "offset", "as": "number"}, {"name": texts.other_end, "as": "number"},
                             {"name": "piece", "as": "quoted"}, {"name": "score", "as": "text"},
                             {"name": "sum", "as": "text"}],
                 "empty": "No offset is reached yet."},
                self.output(texts.waiting),
            ),
            roles=ROLES,
            layout=(("arcs",), ("best", "output"), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=self.code,
            levels={
                "story": {"top": ("arcs",)},
                "algorithm": {"top": ("arcs",), "left": ("best",), "right": ("code",)},
            },
        )  # fmt: skip
        self.kind_index = {name: index for index, name in enumerate(self.kinds)}
        self.draw_segments(
            lambda segment: Lattice(segment, self.empty_sums(len(segment.text) + 1), window),
            lambda fragment, cell: fragment.segment.text[cell],
        )
        self.number_groups()
        self.begun = 0
        """fragments begun so far"""
        self.arcs: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        """key of an arc of this fragment → its row before and after the state"""
        self.next_arc = 0
        self.reached: set[int] = set()
        """keys in the table of best pieces"""

    # --- what subclasses say --------------------------------------------------------------------------------------

    @abstractmethod
    def empty_sums(self, count: int) -> MutableSequence[Any]:
        """Sums of zero, of the type the engine adds up with."""

    @abstractmethod
    def ends(self, row: UnigramRow) -> tuple[int, int]:
        """The end of a piece its sum is kept at, and the other one."""

    @abstractmethod
    def score(self, token: int, unknown: bool) -> float:
        """The score of a token. unknown: it is taken as the unknown token."""

    @abstractmethod
    def piece_text(self, fragment: Lattice, start: int, end: int, token: int) -> str:
        """What a piece is called in a sentence."""

    @abstractmethod
    def open_phase(self, kind: UnigramEvent) -> None:
        """Opens the phase that an event of this kind belongs to, unless it is open."""

    @abstractmethod
    def other(self, row: UnigramRow, fragment: Lattice) -> None:
        """Writes the step of an event that only this algorithm has."""

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        fragment: Lattice | None = None
        for builder.event, row in enumerate(self.stage.events):
            if row.kind == UnigramEvent.SEGMENT:
                fragment = self.fragments[row.start]
                if fragment.drawn():
                    self._segment(row, fragment)
                continue
            assert fragment is not None, "every event lies in a fragment"
            if row.kind in CANDIDATES:
                self._candidate(row, fragment)
            elif row.kind == UnigramEvent.REBASE:
                self.other(row, fragment)
            elif fragment.holds_span(row.start, row.end):
                self._outcome(row, fragment)
        if not self.begun:
            self.pass_all()
            self.open_phase(UnigramEvent.SEGMENT)
            builder.begin("There is no text to cut.", self.texts.nothing)
        self.follow(self.kind_index["follow"])
        return builder.script()

    def _segment(self, row: UnigramRow, fragment: Lattice) -> None:
        """A fragment begins: clears the arcs and the table of the last one."""
        builder, size = self.builder, len(fragment.segment.text)
        self.pass_tokens(row.start)
        builder.put("cells", -1, self.begun)
        self.open_phase(UnigramEvent.SEGMENT)
        for key in self.arcs:
            builder.delete("arcs", key)
        for key in self.reached:
            builder.delete("best", key)
        self.arcs.clear()
        self.reached.clear()
        if not self.begun:
            self.put_single_cells()
        self.prepare(fragment)
        if self.begun:
            builder.step(self.kind_index["segment"], builder.plain(plural(size, "character")))
        else:
            what = "The text" if len(self.groups) == 1 else "The first fragment"
            builder.begin(f"{what} has {{0:t}} where a piece may begin.", self.texts.opening,
                          [builder.plain(plural(size, "position"))], (0,))  # fmt: skip
        self.begun += 1

    def prepare(self, fragment: Lattice) -> None:
        """Writes what is known of a fragment before its first candidate."""

    def _candidate(self, row: UnigramRow, fragment: Lattice) -> None:
        """Adds up as the engine does, and draws the arc if it lies in the window."""
        at, other_end = self.ends(row)
        unknown, won = row.kind in UNKNOWN, row.kind in WINNERS
        score = self.score(row.token, unknown)
        before, (rival_end, rival) = fragment.sums[at], fragment.best[at]
        total = fragment.sums[:1]
        total[0] = fragment.sums[other_end] + score  # rounds to the width of the engine's sums
        if won:
            fragment.sums[at], fragment.best[at] = total[0], (other_end, row.token)
        if not fragment.holds_span(row.start, row.end):
            return
        self.open_phase(UnigramEvent(row.kind))
        builder = self.builder
        text = (
            fragment.segment.text[row.start : row.end]
            if unknown
            else self.piece_text(fragment, row.start, row.end, row.token)
        )
        shown, value = builder.text(text), self.shown(score)
        args = [row.start, row.end, shown, value, self.shown(total[0]), -1, -1, self.short(total[0]), -1]
        sums = self.short(score), self.short(fragment.sums[other_end]), args[7]
        if rival_end >= 0:
            start, end = sorted((rival_end, at))
            args[5] = builder.text(self.piece_text(fragment, start, end, rival))
            args[4], args[6] = self.apart(total[0], before, number)
            args[7], args[8] = self.apart(total[0], before, two_digits)
        key = self.draw_arc(row, fragment, CANDIDATE if won else LOST, value, PIECE if won else LOSER, sums)
        self.builder.mark("best", fragment.base + at, PLACE)
        if won:
            if fragment.arc[at] >= 0:
                self._restate(fragment.arc[at], LOST)
            fragment.arc[at] = key
            self.reach(fragment, at, shown, value)
        lost = "ties" if total[0] == before else "loses"
        kind = lost if not won else "first" if rival_end < 0 else "beats"
        builder.step(self.kind_index[f"unknown {kind}" if unknown else kind], *args)

    def _outcome(self, row: UnigramRow, fragment: Lattice) -> None:
        """An event on the best path, or one that only this algorithm has."""
        if row.kind == UnigramEvent.BACK:
            self._back(row, fragment)
        elif row.kind in (UnigramEvent.TOKEN, UnigramEvent.JOINED, UnigramEvent.BYTE):
            self._token(row, fragment)
        else:
            self.other(row, fragment)

    def _back(self, row: UnigramRow, fragment: Lattice) -> None:
        """One piece of the best path."""
        self.open_phase(UnigramEvent.BACK)
        at, _ = self.ends(row)
        key = fragment.arc[at]
        self._restate(key, BEST)
        self.builder.mark("arcs", key, HIT)
        self.builder.mark("best", fragment.base + at, HIT)
        self.mark(fragment, range(row.start, row.end), HIT)
        text = self.piece_text(fragment, row.start, row.end, row.token)
        shown = self.builder.text(text)
        fragment.path.append(shown)
        count = min(len(fragment.path), PATH_SHOWN + 1)
        args = row.start, row.end, shown, self._why_back(row, fragment), *fragment.path[-PATH_SHOWN:]
        self.builder.step(self.kind_index[f"back {count}"], *args)

    def _why_back(self, row: UnigramRow, fragment: Lattice) -> int:
        """Why the path is right; with its sum when it is complete."""
        why, end = "Each position kept only its best way.", len(fragment.segment.text)
        if row.end == end if self.texts.to_end else row.start == 0:
            total = (
                ""
                if fragment.rebased
                else f": {two_digits(fragment.sums[0 if self.texts.to_end else end] / self.unit)}"
            )
            why += f" Followed through, they are the path with the highest sum{total}."
        return self.builder.plain(why)

    def _token(self, row: UnigramRow, fragment: Lattice) -> None:
        """A token, or the next byte of one, goes to the output."""
        self.open_phase(UnigramEvent.TOKEN)
        segment, cells = fragment.segment, range(row.start, row.end)
        self.put_out(row.token, segment.starts[row.start], segment.ends[row.end - 1], row.kind == UnigramEvent.JOINED)
        self.put_box(fragment, cells, row.token)
        self.mark(fragment, cells, HIT)
        text = self.builder.text(segment.text[row.start : row.end])
        args = [row.start, row.end, text, self.token_id(row.token), self.spelling(row.token)]
        if row.kind == UnigramEvent.BYTE:
            args.append(self.next_byte(fragment, row.start))
        self.builder.step(self.kind_index[self.token_kind(row)], *args)

    def token_kind(self, row: UnigramRow) -> str:
        """The kind of step that puts a token out."""
        return "byte" if row.kind == UnigramEvent.BYTE else "token"

    # --- tracks ---------------------------------------------------------------------------------------------------

    def draw_arc(
        self,
        row: UnigramRow,
        fragment: Lattice,
        state: int,
        value: int,
        role: int,
        sums: tuple[int, int, int] = (-1, -1, -1),
    ) -> int:
        """Draws a candidate and returns the key of its arc.

        value: its score; sums: its score with two digits, the sum it adds to, the sum with it: indices in the string
        table.
        """
        text = self.builder.text(self.piece_text(fragment, row.start, row.end, row.token))
        key = self.next_arc
        self.next_arc += 1
        self.arcs[key] = (fragment.base + row.start, fragment.base + row.end, text, value), (row.token, *sums)
        self._restate(key, state)
        self.builder.mark("arcs", key, role)
        self.mark(fragment, range(row.start, row.end), role)
        return key

    def _restate(self, key: int, state: int) -> None:
        before, after = self.arcs[key]
        self.builder.put("arcs", key, *before, state, *after)

    def reach(self, fragment: Lattice, at: int, text: int, score: int) -> None:
        """Writes a offset's row in the table of best pieces."""
        key = fragment.base + at
        self.reached.add(key)
        total = fragment.sums[at]
        # the table has no column for the last one, which the picture shows
        self.builder.put("best", key, at, fragment.best[at][0], text, score, self.shown(total), self.short(total))
        self.builder.mark("best", key, HIT)

    def apart(self, one: float, other: float, shown: Callable[[float], str]) -> tuple[int, int]:
        """Two sums that are compared, with as many digits as it takes, as indices in the string table."""
        texts = told_apart(one / self.unit, other / self.unit, shown)
        return self.builder.plain(texts[0]), self.builder.plain(texts[1])

    def shown(self, value: float) -> int:
        """A score or a sum, as an index in the string table."""
        return self.builder.plain(number(value / self.unit))

    def short(self, value: float) -> int:
        """The same with two digits."""
        return self.builder.plain(two_digits(value / self.unit))
