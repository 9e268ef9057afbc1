"""The stepper's script for merging: SPM and BPE, every model of `engine/models/merges.py`.

Replays the events of the model stage and writes what each changes on four tracks: the chain of symbols, the work
queue, how each text was joined (SPM), and the output. A window limits the script to the cells drawn. Events that touch
none of them are left out; the others keep their order. The sentences are in `merge_sentences.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from math import log1p
from typing import NamedTuple, TypeAlias, cast

from explorer.engine.items import Segment
from explorer.engine.models.merges import BEFORE_MERGING, OUTPUT, PAIRS, STALE, MergeEvent, MergeModel, MergeRow
from explorer.engine.models.spm import Spm
from explorer.engine.results import Stage
from explorer.text.quantities import number, plural
from explorer.views.steppers.merge_arguments import MergeArguments
from explorer.views.steppers.merge_code import CODES, SOURCES
from explorer.views.steppers.merge_future import futures
from explorer.views.steppers.merge_sentences import (
    CUT,
    JOINED,
    KINDS_OF,
    SINGLE,
    START,
    START_STORY,
    START_STORY_WHY,
    UNIT,
)
from explorer.views.steppers.merge_symbols import DrawnSymbols
from explorer.views.steppers.model_script import ModelScript
from explorer.views.steppers.queue_tracks import TRACKS as QUEUE_TRACKS
from explorer.views.steppers.queue_tracks import QueueTracks
from explorer.views.steppers.script import Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import PieceKind, Vocabulary, spelled

ROLES = (("left", "done"), ("right", "done"), ("merged", "done"), ("left", "reject"), ("right", "reject"),
         ("left", "gone"), ("right", "gone"), ("", "next"), ("", "hit"))  # fmt: skip
LEFT, RIGHT, MERGED, MISS_LEFT, MISS_RIGHT, GONE_LEFT, GONE_RIGHT, NEXT, HIT = range(len(ROLES))


def merge_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> script = example(merge_script, "llama-2", "is it")
    >>> script.opening()
    'The text is split into 6 symbols, one per code point: 10 bytes.'
    >>> script.sentence(3)
    'Cells 2 and 3 would make “s▁”, which is not in the vocabulary. They meet again when one of them has grown, but \
never join.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Event(NamedTuple):
    """An event that is drawn: its fragment, its row, its number in the stage, the priority of a pair it pushes."""

    symbols: DrawnSymbols
    row: MergeRow
    event: int
    priority: float = 0.0


_Change: TypeAlias = Callable[[_Event], None]


class _Writer(ModelScript[DrawnSymbols]):
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.model = cast(MergeModel, stage.part)
        self.priority_kind = self.model.priority
        self.scored = self.priority_kind == "score"
        self.builder = self._new_builder()
        self.queue = QueueTracks(self.builder)
        self.arguments = MergeArguments(self.builder, self.model, vocabulary, self.queue)
        cut = any(isinstance(one, Segment) and isinstance(other, Segment) for one, other in pairwise(self.items))
        self.cut_out = "pre-token" if cut else "fragment"
        """what the text is cut into: neighbors without a token between them are a pre-tokenizer's"""
        self.fragment_number: dict[int, int] = {}
        """index among the items → number of the fragment, from 1"""
        for index, item in enumerate(self.items):
            if isinstance(item, Segment):
                self._draw_symbols(index, DrawnSymbols(item, self.model, window))
        if len(self.fragments) == 1 or not self.scored:
            self.groups[:] = [{"title": ""} for _ in self.groups]
        self.events = self._with_priorities(self._events_in_window())
        pushed = [(event.priority, event.row.left) for event in self.events if event.row.kind == MergeEvent.PUSH]
        self.order = {pair: index for index, pair in enumerate(sorted(set(pushed)))}
        """(priority, left) of every pushed pair → its index in pop order"""
        self.arguments.priorities = [priority for priority, _ in self.order]
        priorities = (-score for score in vocabulary.scores) if self.scored else (priority for priority, _ in pushed)
        self.worst = max(priorities, default=0.0)
        self.kind_index = {key: index for index, key in enumerate(KINDS_OF[self.priority_kind])}
        self.rev: dict[str, int] = {}
        """text → key in the track `rev`"""
        self.changes: dict[MergeEvent, _Change] = {
            MergeEvent.PUSH: self._push,
            MergeEvent.MISS: self._miss,
            MergeEvent.MERGE: self._merge,
            **dict.fromkeys(STALE, self._skip_stale),
            **dict.fromkeys((*BEFORE_MERGING, MergeEvent.DROPPED), self._point_at),
            MergeEvent.WHOLE: self._take_whole,
            MergeEvent.UNMERGE: self._unmerge,
            **dict.fromkeys(OUTPUT, self._put_token_out),
        }
        """kind of event → what it changes on the tracks"""

    def _new_builder(self) -> ScriptBuilder:
        # a byte-level vocabulary spells a byte as a printable character, which may itself take two bytes
        spelling = " of its spelling" if self.priority_kind == "merge" else ""
        return ScriptBuilder(
            title="Merge queue",
            landmark="merge",
            kinds=dict(enumerate(KINDS_OF[self.priority_kind].values())),
            tracks=(
                self.strip("Symbols", f"{UNIT[self.priority_kind]}, each with its neighbors (prev and next); n is the "
                           f"size in bytes{spelling}", ["n", "prev", "next"]),
                {**QUEUE_TRACKS[0], "measure": self.priority_kind.capitalize()},
                *QUEUE_TRACKS[1:],
                self.output("No tokens yet. They appear when the queue is empty."),
                *((JOINED,) if self.scored else ()),
            ),
            roles=ROLES,
            layout=(("cells",), ("queue", "heap"), ("output", "rev") if self.scored else ("output",), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODES[self.priority_kind],
            source_title="The algorithm with its fields",
            source=SOURCES[self.priority_kind],
        )  # fmt: skip

    def _draw_symbols(self, index: int, symbols: DrawnSymbols) -> None:
        title = f"{self.cut_out.capitalize()} {len(self.fragment_number) + 1}"
        self.fragment_number[index] = len(self.fragment_number) + 1
        self.draw(
            index,
            symbols,
            lambda symbols, cell: self.builder.text(spelled(symbols.pieces[cell])),
            lambda symbols, cell: title if cell == symbols.low else None,
        )

    # --- which events are drawn -----------------------------------------------------------------------------------

    def _events_in_window(self) -> list[_Event]:
        """The events that touch only cells that are drawn."""
        events: list[_Event] = []
        symbols = DrawnSymbols(Segment("", (), ()), self.model, self.window)
        for index, row in enumerate(self.stage.events):
            if row.kind == MergeEvent.SEGMENT:
                symbols = self.fragments[row.left]
                drawn = bool(symbols.drawn())
            elif row.kind == MergeEvent.SKIPPED:
                # the character has no cell of its own: it would come before the cell `left`
                drawn = bool(symbols.drawn()) and symbols.low <= row.left <= symbols.high
            else:
                drawn = symbols.holds(row.left) and (row.kind not in PAIRS or symbols.holds(row.right))
            if drawn:
                events.append(_Event(symbols, row, index))
        return events

    def _with_priorities(self, events: list[_Event]) -> list[_Event]:
        """The events, each push with its priority. It depends on what both symbols spell, so all merges are made."""
        found: list[_Event] = []
        for event in events:
            symbols, row = event.symbols, event.row
            if row.kind == MergeEvent.PUSH:
                event = event._replace(priority=self._priority(symbols, row))
            elif row.kind == MergeEvent.MERGE:
                symbols.absorb(row.left, row.right, row.token)
            found.append(event)
        for symbols in self.fragments.values():
            symbols.reset()
        return found

    def _priority(self, symbols: DrawnSymbols, row: MergeRow) -> float:
        if self.scored:
            return -self.vocabulary.scores[row.token]
        priority = self.model.priority_of(symbols.data(row.left), symbols.data(row.right))
        assert priority is not None, "a pushed pair may merge"
        return priority

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        segments = sum(event.row.kind == MergeEvent.SEGMENT for event in self.events)
        begun = seeds = 0
        phase = ""
        after = futures([event.row for event in self.events])
        for event, following, future in zip(self.events, [*self.events, None][1:], after, strict=True):
            symbols, row, self.builder.event, _ = event
            if row.kind == MergeEvent.SEGMENT:
                self._segment(row, symbols, begun, segments)
                begun, seeds, phase = begun + 1, symbols.high - symbols.low - 1, "Split"
                continue
            if row.kind not in BEFORE_MERGING:
                now = self._phase_of_event(row, seeds)
                seeds -= 1
                if now != phase and segments == 1:
                    self.builder.phase(now)
                phase = now
            self.changes[MergeEvent(row.kind)](event)
            if following is not None:
                self._announce(following.row, symbols)
            key, args = self.arguments.of(row, symbols, future)
            self.builder.step(self.kind_index[key], *args)
        if not begun:
            self._nothing()
        self.follow(self.kind_index["follow"])
        return self.builder.script()

    @staticmethod
    def _phase_of_event(row: MergeRow, seeds: int) -> str:
        """seeds: pairs not yet tried of those there are before the first merge."""
        if row.kind == MergeEvent.WHOLE:
            return "Output"
        return "Seed the queue" if seeds > 0 else "Merge" if row.kind in PAIRS else "Output"

    def _nothing(self) -> None:
        self.pass_all()
        self.builder.phase("Split")
        why = "All of it is tokens already." if self.items else "The text is empty."
        self.builder.begin("There is nothing to merge.", why)

    def _segment(self, row: MergeRow, symbols: DrawnSymbols, begun: int, segments: int) -> None:
        """A fragment begins."""
        builder, which = self.builder, self.fragment_number[row.left]
        name = self.cut_out.capitalize()
        self.pass_tokens(row.left)
        builder.put("cells", -1, begun)
        if segments == 1:
            builder.phase("Split")
        else:
            self.phase_of(begun, segments, f"{name} {which}")
        if begun:
            for key in self.rev.values():
                builder.delete("rev", key)
            self.rev.clear()
            self.arguments.pushed.clear()
            builder.step(
                self.kind_index[MergeEvent.SEGMENT], self.arguments.count(symbols), which, builder.plain(self.cut_out)
            )
            return
        for each in self.fragments.values():
            self._put_symbols(each, each.drawn())
        texts = START if len(symbols.size) != 1 else SINGLE
        what = "The text" if len(self.fragments) == 1 else f"{name} {{2}}"
        say, story = (each.replace("{what}", what) for each in (texts[self.priority_kind], START_STORY))
        cut = builder.plain(plural(len(symbols.size), CUT[self.priority_kind]))
        args = [self.arguments.count(symbols), builder.plain(plural(sum(symbols.size), "byte")), which, cut]
        more = (story, START_STORY_WHY[self.priority_kind]) if texts is START else ()
        builder.begin(say, "Step on to see what becomes of them.", args, (0,), *more)

    def _announce(self, row: MergeRow, symbols: DrawnSymbols) -> None:
        """Marks the symbols of the coming step."""
        if row.kind == MergeEvent.SEGMENT or row.left >= len(symbols.size):
            return
        self._mark(symbols, row.left, NEXT)
        if row.kind in PAIRS:
            self._mark(symbols, row.right, NEXT)

    # --- what each event changes ----------------------------------------------------------------------------------

    def _push(self, event: _Event) -> None:
        """A pair enters the queue."""
        symbols, (_, left, right, token), _, priority = event
        joined = spelled(symbols.joined(left, right))
        text = self.builder.text(joined)
        # a list of merges is counted from 1; the negative of a score is what the queue sorts by
        shown = {"score": -priority, "merge": priority + 1}.get(self.priority_kind, priority)
        value = self.builder.plain(number(shown))
        self.arguments.pushed[left, right, token] = text, value, *self.arguments.sides(event.row, symbols)
        size = symbols.size[left] + symbols.size[right]
        serial = self.queue.push(text, self.order[priority, left], value, self._meter(priority), left, right, size)
        self.builder.mark("queue", serial, HIT)
        if self.scored:
            self._remember_join(serial, joined, event)
        self._mark(symbols, left, LEFT)
        self._mark(symbols, right, RIGHT)

    def _meter(self, priority: float) -> int:
        """The length of an entry's bar, in percent: logarithmic, to tell −12 from −16 and still show −8,550."""
        return max(2, round(100 * (1 - log1p(max(0.0, priority)) / log1p(self.worst))) if self.worst > 0 else 100)

    def _remember_join(self, serial: int, joined: str, event: _Event) -> None:
        """The last pair that was pushed for a text, in the track `rev`."""
        _, left, right, token = event.row
        if (
            isinstance(self.model, Spm)
            and self.model.resegment_unused
            and self.vocabulary.kinds[token] != PieceKind.UNUSED
        ):
            return  # sentencepiece keeps only pieces it may have to split again, llama.cpp all of them
        if joined in self.rev:
            self.builder.delete("rev", self.rev[joined])
        self.rev[joined] = serial
        self.builder.put("rev", serial, self.builder.text(joined), left, right)

    def _miss(self, event: _Event) -> None:
        """A pair may not merge."""
        self._mark(event.symbols, event.row.left, MISS_LEFT)
        self._mark(event.symbols, event.row.right, MISS_RIGHT)

    def _merge(self, event: _Event) -> None:
        """The left symbol absorbs the right one; the entries they are in become stale."""
        symbols, (_, left, right, token), _, _ = event
        self.queue.pop()
        if symbols.prev[left] >= 0:
            self.queue.stale(symbols.prev[left])
        self.queue.stale(right)
        self._put_symbols(symbols, symbols.absorb(left, right, token))
        self._mark(symbols, left, MERGED)

    def _skip_stale(self, event: _Event) -> None:
        """A stale entry is popped."""
        self.queue.pop()
        self._mark(event.symbols, event.row.left, GONE_LEFT)
        self._mark(event.symbols, event.row.right, GONE_RIGHT)

    def _point_at(self, event: _Event) -> None:
        """Nothing changes: the symbol is only marked."""
        self._mark(event.symbols, event.row.left, HIT)

    def _take_whole(self, event: _Event) -> None:
        """The whole fragment becomes one token."""
        symbols, (_, left, _, token), _, _ = event
        symbols.take_whole(token)
        self._put_symbols(symbols, range(len(symbols.size)))
        self._mark(symbols, left, HIT)
        self.put_out(token, symbols.spans[0][0], symbols.spans[-1][1])

    def _unmerge(self, event: _Event) -> None:
        """A symbol that may not be output is split again."""
        symbols, (_, left, right, token), _, _ = event
        self._put_symbols(symbols, symbols.split(left, right))
        self._mark(symbols, left, GONE_LEFT)
        self._mark(symbols, right, GONE_RIGHT)
        self.builder.mark("rev", self.rev[self.vocabulary.spelling(token)], HIT)

    def _put_token_out(self, event: _Event) -> None:
        """A symbol, or one of its bytes, becomes a token."""
        symbols, (kind, left, right, token), _, _ = event
        if symbols.id[left] != token:
            symbols.id[left] = token
            self._put_symbols(symbols, [left])
        self._mark(symbols, left, HIT)
        last = right - 1 if kind == MergeEvent.TOKEN else symbols.end(left) - 1
        self.put_out(token, symbols.spans[left][0], symbols.spans[last][1], kind == MergeEvent.UNKNOWN_JOINED)

    # --- cells ----------------------------------------------------------------------------------------------------

    def _put_symbols(self, symbols: DrawnSymbols, cells: Iterable[int]) -> None:
        for cell in cells:
            self.put(symbols, cell, *symbols.row(cell))

    def _mark(self, symbols: DrawnSymbols, cell: int, role: int) -> None:
        if cell < len(symbols.size) and symbols.size[cell]:
            self.mark(symbols, [cell], role)
