"""The stepper's script for merging: SPM and BPE, every model of `engine/models/merges.py`.

Replays the events of the model stage and writes what each changes on four tracks: the chain of symbols, the work
queue, what was joined to which text (SPM), and the output. A window limits it to the cells drawn; an event that
touches none of them is left out, so the rest is still the true order of things. What is said of a step is in
`merge_sentences.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log1p
from typing import cast

from explorer.engine.items import Segment
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.bpe_symbols import KnownCharacters
from explorer.engine.models.merges import Merge, MergeModel, MergeRow, spans
from explorer.engine.tokenizer import Stage
from explorer.text import visible
from explorer.text.quantities import number, plural
from explorer.views.steppers.merge_sentences import CODES, JOINED, KINDS_OF, SINGLE, START, UNIT, Key
from explorer.views.steppers.model_script import ModelScript, Part
from explorer.views.steppers.queue_tracks import TRACKS as QUEUE_TRACKS
from explorer.views.steppers.queue_tracks import QueueTracks
from explorer.views.steppers.script import Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import PieceKind, Vocabulary, spelled

ROLES = (("left", "done"), ("right", "done"), ("merged", "done"), ("left", "reject"), ("right", "reject"),
         ("left", "gone"), ("right", "gone"), ("", "next"), ("", "hit"))  # fmt: skip
LEFT, RIGHT, MERGED_ROLE, MISS_LEFT, MISS_RIGHT, GONE_LEFT, GONE_RIGHT, NEXT, HIT = range(len(ROLES))

BEFORE = (
    *(Merge.NOT_WHOLE, Merge.FALLBACK, Merge.UNKNOWN_RUN, Merge.SKIPPED),
    *(Merge.PREFIXED, Merge.SUFFIXED),
)
"""What is decided before the first pair is looked at."""


def merge_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a trace, within a window.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is it")
    >>> merge_script(trace.stage("model"), tok.vocabulary, window_of(trace)).sentence(3)
    'Cells 2 and 3 join to “s▁”, which is not in the vocabulary. Nothing to push, until one of the two grows.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Cells(Part):
    """The symbols of one fragment: a cell for each symbol there is before anything is merged."""

    def __init__(self, segment: Segment, model: MergeModel, window: Window) -> None:
        self.join = model.join
        near = bool(segment.text) and segment.starts[0] < window.end and window.start <= segment.ends[-1]
        # a segment far from the window is never drawn, and there may be thousands
        units = model.units(segment.text if near else "")
        starts = [segment.starts[place] for place in units.starts]
        super().__init__(segment, starts, [segment.ends[place - 1] for place in units.ends], window)
        self.pieces = units.pieces
        told = spans(units, segment.text) if near else ((), ())
        self.told = [(segment.starts[a], segment.ends[b - 1]) for a, b in zip(*told, strict=True)]
        """per cell the span that its token is told to have"""
        self.bytes = [len(piece) for piece in self.pieces]
        self.reset()

    def reset(self) -> None:
        """Nothing is merged."""
        self.size = list(self.bytes)
        self.prev = list(range(-1, len(self.size) - 1))
        self.next = [*range(1, len(self.size)), -1] if self.size else []
        self.id = [-1] * len(self.size)

    def end(self, cell: int) -> int:
        """One after the last cell that the symbol at `cell` covers."""
        return self.next[cell] if self.next[cell] >= 0 else len(self.size)

    def data(self, cell: int) -> bytes:
        """What the symbol at `cell` spells."""
        return self.join(self.pieces[cell : self.end(cell)])

    def joined(self, left: int, right: int) -> bytes:
        """What two neighbours spell together."""
        return self.join(self.pieces[left : self.end(right)])

    def source(self, cell: int) -> str:
        """The characters of the segment that cell `cell` stands for."""
        starts = self.segment.starts
        low, high = self.starts[cell], max(self.ends[cell], self.starts[cell] + 1)
        return "".join(ch for ch, start in zip(self.segment.text, starts, strict=True) if low <= start < high)

    def row(self, cell: int) -> tuple[int, ...]:
        """The strip's row: cells covered, token id, bytes, neighbours."""
        if not self.size[cell]:
            return 0, -1, 0, self.prev[cell], self.next[cell]
        return self.end(cell) - cell, self.id[cell], self.size[cell], self.prev[cell], self.next[cell]

    def take_whole(self, token: int) -> None:
        """All cells become one symbol."""
        self.size = [sum(self.bytes)] + [0] * (len(self.bytes) - 1)
        self.next[0], self.id[0] = -1, token

    def absorb(self, left: int, right: int, token: int) -> list[int]:
        """Merges two symbols; gives the cells whose row changed."""
        after = self.next[right]
        self.size[left] += self.size[right]
        self.size[right] = 0
        self.next[left] = after
        self.id[left] = token
        if after >= 0:
            self.prev[after] = left
        return [left, right] if after < 0 else [left, right, after]

    def part(self, left: int, middle: int) -> list[int]:
        """Takes the symbol at `left` apart at `middle`; gives the cells whose row changed."""
        after = self.next[left]
        whole, self.size[left] = self.size[left], sum(self.bytes[left:middle])
        self.size[middle] = whole - self.size[left]
        self.next[left], self.prev[middle], self.next[middle] = middle, left, after
        self.id[left] = self.id[middle] = -1
        if after >= 0:
            self.prev[after] = middle
        return [left, middle] if after < 0 else [left, middle, after]


class _Writer(ModelScript[_Cells]):
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.model = cast(MergeModel, stage.part)
        self.worth = self.model.worth
        scored = self.worth == "score"
        # a byte-level vocabulary spells a byte as a printable character, which may itself take two bytes
        spelling = " of its spelling" if self.worth == "merge" else ""
        self.builder = ScriptBuilder(
            title="Merge queue",
            landmark="merge",
            kinds=list(KINDS_OF[self.worth].values()),
            tracks=(
                self.strip("Symbols", f"{UNIT[self.worth]}, each with its neighbours (prev and next); n is the size in "
                           f"bytes{spelling}", ["n", "prev", "next"]),
                *QUEUE_TRACKS,
                self.output("No tokens yet. They appear when the queue is empty."),
                *((JOINED,) if scored else ()),
            ),
            roles=ROLES,
            layout=(("cells",), ("queue", "heap"), ("output", "rev") if scored else ("output",), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODES[self.worth],
        )  # fmt: skip
        self.word = "Fragment" if scored else "Piece"
        self.number: dict[int, int] = {}
        """place among the items → number of the fragment, from 1"""
        for place, item in enumerate(self.items):
            if isinstance(item, Segment):
                self._draw(place, _Cells(item, self.model, window))
        if len(self.parts) == 1 or not scored:
            self.groups[:] = [{"title": ""} for _ in self.groups]
        self.rows = self._rows_in_window()
        self.priorities = self._priorities()
        """of the rows that push, by their place among the rows: the priority of the pair"""
        pushed = {(priority, self.rows[place][1].left) for place, priority in self.priorities.items()}
        self.order = {pair: place for place, pair in enumerate(sorted(pushed))}
        """(priority, left) of every pushed pair → its place in pop order"""
        worst = (-score for score in vocabulary.scores) if scored else self.priorities.values()
        self.worst = max(worst, default=0.0)
        self.pushed: dict[tuple[int, int, int], tuple[int, int]] = {}
        """left, right, token of a pair in the queue → the places of its text and its worth among the texts"""
        self.at = {key: place for place, key in enumerate(KINDS_OF[self.worth])}
        self.queue = QueueTracks(self.builder)
        self.rev: dict[str, int] = {}
        """text → key in the track rev"""

    def _draw(self, place: int, part: _Cells) -> None:
        self.number[place] = len(self.number) + 1
        title = f"Fragment {self.number[place]}"
        text = self.builder.text
        self.draw(place, part, lambda i: text(spelled(part.pieces[i])), lambda i: title if i == part.low else None)

    def _rows_in_window(self) -> list[tuple[_Cells, MergeRow, int]]:
        """The events that touch only cells that are drawn, with their numbers."""
        rows: list[tuple[_Cells, MergeRow, int]] = []
        part = _Cells(Segment("", (), ()), self.model, self.window)
        for event, row in enumerate(self.stage.events):
            if row.kind == Merge.SEGMENT:
                part = self.parts[row.left]
                if part.drawn():
                    rows.append((part, row, event))
            elif row.kind == Merge.SKIPPED:
                # the character has no cell of its own: it would stand in front of the cell `left`
                if part.drawn() and part.low <= row.left <= part.high:
                    rows.append((part, row, event))
            elif part.holds(row.left) and (row.kind > Merge.STALE_SIZE or part.holds(row.right)):
                rows.append((part, row, event))
        return rows

    def _priorities(self) -> dict[int, float]:
        """What each pushed pair is worth; for that the merges are played once, as it depends on both sides."""
        found: dict[int, float] = {}
        for place, (part, row, _) in enumerate(self.rows):
            if row.kind == Merge.PUSH and self.worth == "score":
                found[place] = -self.vocabulary.scores[row.token]
            elif row.kind == Merge.PUSH:
                priority = self.model.priority(part.data(row.left), part.data(row.right))
                assert priority is not None, "what was pushed may merge"
                found[place] = priority
            elif row.kind == Merge.MERGE:
                part.absorb(row.left, row.right, row.token)
        for part in self.parts.values():
            part.reset()
        return found

    def write(self) -> Script:
        builder = self.builder
        segments = sum(row.kind == Merge.SEGMENT for _, row, _ in self.rows)
        begun = seeds = 0
        phase = ""
        for place, (part, row, builder.event) in enumerate(self.rows):
            if row.kind == Merge.SEGMENT:
                self._segment(row, part, begun, segments)
                begun, seeds, phase = begun + 1, part.high - part.low - 1, "Split"
                continue
            if row.kind in BEFORE:
                now = phase
            else:
                now = "Seed the queue" if seeds > 0 else "Output" if row.kind >= Merge.TOKEN else "Merge"
                seeds -= 1
            if row.kind == Merge.WHOLE:
                now = "Output"
            if now != phase and segments == 1:
                builder.phase(now)
            phase = now
            self._event(row, part, place)
            for _, after, _ in self.rows[place + 1 : place + 2]:
                self._announce(after, part)
            key, args = self._said(row, part)
            builder.step(self.at[key], *args)
        if not begun:
            self.pass_all()
            builder.phase("Split")
            why = "All of it is tokens already." if self.items else "The text is empty."
            builder.begin("There is nothing to merge.", why)
        self.follow(self.at["follow"])
        return builder.script()

    # --- a fragment begins ----------------------------------------------------------------------------------------

    def _segment(self, row: MergeRow, part: _Cells, begun: int, segments: int) -> None:
        builder = self.builder
        self.pass_tokens(row.left)
        builder.put("cells", -1, begun)
        if segments == 1:
            builder.phase("Split")
        else:
            self.phase_of(begun, segments, f"{self.word} {self.number[row.left]}")
        if begun:
            for key in self.rev.values():
                builder.delete("rev", key)
            self.rev.clear()
            self.pushed.clear()
            builder.step(self.at[Merge.SEGMENT], self._count(part), self.number[row.left])
            return
        for each in self.parts.values():
            self._put(each, each.drawn())
        texts = START if len(part.size) != 1 else SINGLE
        say = texts[self.worth].replace("{what}", "The text" if len(self.parts) == 1 else f"{self.word} {{2}}")
        args = [self._count(part), builder.plain(plural(sum(part.size), "byte")), self.number[row.left]]
        builder.begin(say, "Step on to see what becomes of them.", args, (0,))

    def _count(self, part: _Cells) -> int:
        return self.builder.plain(plural(len(part.size), "symbol"))

    # --- what a step writes -------------------------------------------------------------------------------------

    def _event(self, row: MergeRow, part: _Cells, place: int) -> None:
        kind, left, right, token = row
        if kind == Merge.PUSH:
            self._push(row, part, self.priorities[place])
            self._mark(part, left, LEFT)
            self._mark(part, right, RIGHT)
        elif kind == Merge.MISS:
            self._mark(part, left, MISS_LEFT)
            self._mark(part, right, MISS_RIGHT)
        elif kind == Merge.MERGE:
            self.queue.pop()
            if part.prev[left] >= 0:
                self.queue.stale(part.prev[left])
            self.queue.stale(right)
            self._put(part, part.absorb(left, right, token))
            self._mark(part, left, MERGED_ROLE)
        elif kind <= Merge.STALE_SIZE:
            self.queue.pop()
            self._mark(part, left, GONE_LEFT)
            self._mark(part, right, GONE_RIGHT)
        elif kind == Merge.WHOLE:
            part.take_whole(token)
            self._put(part, range(len(part.size)))
            self._mark(part, left, HIT)
            self.put_out(token, part.told[0][0], part.told[-1][1])
        elif kind in BEFORE or kind == Merge.DROPPED:
            self._mark(part, left, HIT)
        elif kind == Merge.UNMERGE:
            self._put(part, part.part(left, right))
            self._mark(part, left, GONE_LEFT)
            self._mark(part, right, GONE_RIGHT)
            self.builder.mark("rev", self.rev[self.vocabulary.spelling(token)], HIT)
        else:
            if part.id[left] != token:
                part.id[left] = token
                self._put(part, [left])
            self._mark(part, left, HIT)
            last = right - 1 if kind == Merge.TOKEN else part.end(left) - 1
            self.put_out(token, part.told[left][0], part.told[last][1], kind == Merge.UNKNOWN_JOINED)

    def _push(self, row: MergeRow, part: _Cells, priority: float) -> None:
        spelling = spelled(part.joined(row.left, row.right))
        text = self.builder.text(spelling)
        # people count the list of merges from 1; a score is what was turned round to come out first
        value = self.builder.plain(number({"score": -priority, "merge": priority + 1}.get(self.worth, priority)))
        self.pushed[row.left, row.right, row.token] = text, value
        # logarithmic, so that −12 can be told from −16 and −8,550 still be seen
        meter = round(100 * (1 - log1p(max(0.0, priority)) / log1p(self.worst))) if self.worst > 0 else 100
        serial = self.queue.push(
            text,
            self.order[priority, row.left],
            value,
            max(2, meter),
            row.left,
            row.right,
            part.size[row.left] + part.size[row.right],
        )
        self.builder.mark("queue", serial, HIT)
        if self.worth != "score":
            return
        if getattr(self.model, "resegment_unused", False) and self.vocabulary.kinds[row.token] != PieceKind.UNUSED:
            return  # sentencepiece keeps only what it may have to take apart, llama.cpp everything
        if spelling in self.rev:
            self.builder.delete("rev", self.rev[spelling])
        self.rev[spelling] = serial
        self.builder.put("rev", serial, text, row.left, row.right)

    def _announce(self, row: MergeRow, part: _Cells) -> None:
        """Marks the symbols that the coming step is about."""
        if row.kind == Merge.SEGMENT or row.left >= len(part.size):
            return
        self._mark(part, row.left, NEXT)
        if row.kind <= Merge.STALE_SIZE:
            self._mark(part, row.right, NEXT)

    def _said(self, row: MergeRow, part: _Cells) -> tuple[Key, tuple[int, ...]]:
        """The kind of step, and the arguments of its sentences."""
        builder, kind = self.builder, Merge(row.kind)
        if kind == Merge.MISS:
            joined = part.joined(row.left, row.right)
            unlisted = self.worth == "merge" and joined in self.vocabulary.ids
            return "unlisted" if unlisted else kind, (row.left, row.right, builder.text(spelled(joined)))
        if kind == Merge.WHOLE:
            return self._whole(row, part)
        return kind, self._args(row, part)

    def _whole(self, row: MergeRow, part: _Cells) -> tuple[Key, tuple[int, ...]]:
        """A piece taken whole; the merges are run on it to see whether they come to the same."""
        builder, spelling = self.builder, self.vocabulary.spelling
        args = row.right, builder.text(spelling(row.token)), builder.plain(str(row.token))
        alone = [cut.id for cut in cast(Bpe, self.model).merged(part.segment.text)]
        if alone == [row.token]:
            return "could be built", args
        shown = " ".join(f"“{visible(spelling(id))}”" for id in alone)
        return "could not be built", (*args, builder.plain(plural(len(alone), "token")), builder.plain(shown))

    def _args(self, row: MergeRow, part: _Cells) -> tuple[int, ...]:
        """The arguments of the sentences for the other events."""
        builder = self.builder
        if row.kind <= Merge.STALE_SIZE:
            return row.left, row.right, *self.pushed[row.left, row.right, row.token]
        if row.kind == Merge.SKIPPED:
            return row.left, builder.text(part.segment.text[row.right])
        if row.kind == Merge.DROPPED:
            return row.left, builder.text(spelled(part.data(row.left))), row.right + 1, part.size[row.left]
        if row.kind == Merge.FALLBACK:
            return row.left, builder.text(part.source(row.left)), builder.plain(plural(row.right, "byte"))
        if row.kind == Merge.UNKNOWN_RUN:
            return row.left, builder.text(part.source(row.left))
        if row.kind in (Merge.PREFIXED, Merge.SUFFIXED):
            start = cast(Bpe, self.model).start
            assert isinstance(start, KnownCharacters), "no other spells symbols so"
            return (builder.text(spelled(start.prefix if row.kind == Merge.PREFIXED else start.suffix)),)
        if row.kind == Merge.NOT_WHOLE:
            return self._count(part), builder.text(spelled(b"".join(part.pieces)))
        spelling = builder.text(self.vocabulary.spelling(row.token))
        if row.kind == Merge.UNMERGE:
            return row.left, row.right, spelling, builder.plain(number(self.vocabulary.scores[row.token]))
        if row.kind == Merge.TOKEN:
            return row.left, spelling, builder.plain(str(row.token))
        shown = builder.text(spelled(part.data(row.left)))
        if row.kind in (Merge.UNKNOWN_SYMBOL, Merge.UNKNOWN_JOINED):
            return row.left, shown, spelling, builder.plain(str(row.token))
        return row.left, shown, row.right + 1, part.size[row.left], spelling, builder.plain(str(row.token))

    # --- small ones ---------------------------------------------------------------------------------------------

    def _put(self, part: _Cells, cells: Iterable[int]) -> None:
        for cell in cells:
            self.put(part, cell, *part.row(cell))

    def _mark(self, part: _Cells, cell: int, role: int) -> None:
        if cell < len(part.size) and part.size[cell]:
            self.mark(part, [cell], role)
