"""The stepper's script for merging: SPM and BPE, every model of `engine/models/merges.py`.

Replays the events of the model stage and writes what each changes on four tracks: the chain of symbols, the work
queue, how each text was joined (SPM), and the output. Entries are pushed to and popped from a real `heapq`, which the
engine uses too, so the page shows the heap of the run. A window limits the script to the cells drawn: events that touch
none of them are left out, the others keep their order. What becomes of a pair later is in the events after it
(`futures`). The sentences are in `kinds.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from math import log1p
from typing import NamedTuple, TypeAlias, cast

from explorer.engine.items import Segment
from explorer.engine.models.bpe import Bpe, KnownCharacters
from explorer.engine.models.merges import BEFORE_MERGING, PAIRS, MergeEvent, MergeModel, MergeRow
from explorer.engine.models.spm import Spm
from explorer.script.model_script import Fragment, ModelScript
from explorer.script.packing import Window
from explorer.script.script import Script, ScriptBuilder, TrackRow, Values, panels, roles, table
from explorer.stages.merging.kinds import (
    APART,
    CODE,
    DRAWN,
    JOIN,
    KINDS,
    NEVER,
    NEW_PAIR,
    NO_PAIR,
    NO_PAIR_DRAWN,
    RULES,
    START,
)
from explorer.stages.spelling import meanings
from explorer.text import visible
from explorer.text.say import Text, number, plural
from explorer.vocabulary import PieceKind, spelled

ROLES = roles("left done, right done, merged done, left reject, right reject, left gone, right gone, next, hit")
LEFT, RIGHT, MERGED, MISS_LEFT, MISS_RIGHT, GONE_LEFT, GONE_RIGHT, NEXT, HIT = range(len(ROLES))
QUEUE = {"name": "queue", "type": "queue", "title": "Work queue, next pop first"}
HEAP = {
    "name": "heap",
    "type": "heap",
    "title": "The same queue as a binary heap",
    "note": "array order, [0] at the top",
    "of": "queue",
}
HEAP_SHOWN = 15
"""Entries of the heap that are drawn."""
JOINED = table(
    "rev",
    "Joined from",
    "text quoted, left number, right number",
    "Nothing pushed yet.",
    layout="chips",
    newest_first=True,
    note="rev_merge in both sources: how each text was joined, to split a symbol that may not be output; unreachable "
    "in llama.cpp, used by sentencepiece for pieces marked UNUSED",
)
"""The track that only models with scores have."""

Told: TypeAlias = tuple[Hashable, Values]
"""A kind of step, and what its fields are."""


class DrawnSymbols(Fragment):
    """The symbols of one fragment, with a cell for each symbol before the first merge. number: of the fragment."""

    number = 1

    def __init__(self, segment: Segment, model: MergeModel, window: Window) -> None:
        self.join = model.join
        # a segment far from the window is never drawn, and there may be thousands
        near = bool(segment.text) and segment.starts[0] < window.end and window.start <= segment.ends[-1]
        symbols = model.initial_symbols(segment.text if near else "")
        starts = [segment.starts[index] for index in symbols.starts]
        super().__init__(segment, window, starts, [segment.ends[index - 1] for index in symbols.ends])
        self.pieces = symbols.pieces
        self.bytes = [len(piece) for piece in self.pieces]
        self.reset()

    def reset(self) -> None:
        """Undoes all merges."""
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
        """What two neighbors spell together."""
        return self.join(self.pieces[left : self.end(right)])

    def source(self, cell: int) -> str:
        """The characters of the segment that a cell was made of."""
        starts = self.segment.starts
        low, high = self.starts[cell], max(self.ends[cell], self.starts[cell] + 1)
        return "".join(ch for ch, start in zip(self.segment.text, starts, strict=True) if low <= start < high)

    def row(self, cell: int) -> tuple[int, ...]:
        """The strip's row: cells covered, token id, bytes, neighbors."""
        if not self.size[cell]:
            return 0, -1, 0, self.prev[cell], self.next[cell]
        return self.end(cell) - cell, self.id[cell], self.size[cell], self.prev[cell], self.next[cell]

    def absorb(self, left: int, right: int, token: int) -> list[int]:
        """Merges two symbols and returns the cells whose row changed."""
        self.size[left] += self.size[right]
        self.size[right] = 0
        self.next[left], self.id[left] = self.next[right], token
        return self._linked(left, right, left)

    def split(self, left: int, middle: int) -> list[int]:
        """Splits the symbol at `left` before the cell `middle` and returns the cells whose row changed."""
        whole, self.size[left] = self.size[left], sum(self.bytes[left:middle])
        self.size[middle] = whole - self.size[left]
        self.next[middle], self.next[left], self.prev[middle] = self.next[left], middle, left
        self.id[left] = self.id[middle] = -1
        return self._linked(left, middle, middle)

    def _linked(self, left: int, right: int, last: int) -> list[int]:
        """Links the symbol after `last` back to it and returns the cells whose row changed."""
        after = self.next[last]
        if after < 0:
            return [left, right]
        self.prev[after] = last
        return [left, right, after]


class QueueTracks:
    """The work queue as a script draws it: in pop order, and as the binary heap that holds it.

    An entry is a pair of symbols. At most one entry per left symbol is not stale. Only the first entries of the heap
    are drawn, and only changes among them are written.
    """

    def __init__(self, builder: ScriptBuilder) -> None:
        self.builder = builder
        self.rows: dict[int, TrackRow] = {}
        """serial number → row of an entry in the queue"""
        self.fresh: dict[int, int] = {}
        """left symbol → serial number of its entry that isn't stale"""
        self.heap: list[tuple[int, int]] = []
        self.live: list[tuple[int, int]] = []
        """the entries again; those that were popped or became stale are removed when they come up"""
        self.drawn: list[int] = []
        self.popped: TrackRow = ()
        """the entry popped last"""
        self.serial = 0

    def push(self, text: int, order: int, value: int, meter: int, left: int, right: int, size: int) -> int:
        """Adds an entry and returns its serial number.

        text, value: indices in the string table. order: index in pop order. meter: length of the bar, 0 to 100.
        size: in bytes.
        """
        serial = self.serial
        self.serial += 1
        self.rows[serial] = (text, order, value, meter, left, right, 0, size)
        self.fresh[left] = serial
        self.builder.put("queue", serial, *self.rows[serial])
        heappush(self.heap, (order, serial))
        heappush(self.live, (order, serial))
        self._draw_heap()
        return serial

    def pop(self) -> None:
        """Removes the first entry."""
        _, serial = heappop(self.heap)
        self.popped = self.rows.pop(serial)
        left = self.popped[4]
        if self.fresh.get(left) == serial:
            del self.fresh[left]
        self.builder.delete("queue", serial)
        self._draw_heap()

    def stale(self, left: int) -> None:
        """Marks the entry whose left symbol is `left`, if any: it will be skipped when it is popped."""
        serial = self.fresh.pop(left, None)
        if serial is not None:
            *entry, _, size = self.rows[serial]
            self.rows[serial] = (*entry, 1, size)
            self.builder.put("queue", serial, *self.rows[serial])

    def best(self) -> TrackRow | None:
        """The first entry that is not stale; None without one."""
        while self.live:
            row = self.rows.get(self.live[0][1])
            if row is not None and not row[6]:
                return row
            heappop(self.live)
        return None

    def _draw_heap(self) -> None:
        now = [serial for _, serial in self.heap[:HEAP_SHOWN]]
        for index, serial in enumerate(now):
            if index >= len(self.drawn) or self.drawn[index] != serial:
                self.builder.put("heap", index, serial)
        for index in range(len(now), len(self.drawn)):
            self.builder.delete("heap", index)
        self.drawn = now


class _Event(NamedTuple):
    """An event that is drawn: its fragment, its row, its number in the stage, the priority of a pair it pushes."""

    fragment: DrawnSymbols
    row: MergeRow
    event: int
    priority: float


class MergeScript(ModelScript[DrawnSymbols]):
    """The script for merging: one pass over the events.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> script = example(MergeScript.of, explorer.load("llama-2").trace("is it"))
    >>> script.opening()
    'The text is split into 6 symbols, one per code point: 10 bytes.'
    >>> script.sentence(3)
    'Cells 2 and 3 would make “s▁”, which is not in the vocabulary. They meet again when one of them has grown, but \
never join.'
    """

    def prepare(self) -> None:
        self.model = cast(MergeModel, self.stage.part)
        self.by = self.model.priority
        self.rule, self.scored = RULES[self.by], self.by == "score"
        code, source = CODE[self.by]
        self.meaning = meanings(self.model, self.vocabulary)
        # a byte-level vocabulary spells a byte as a printable character, which may itself take two bytes
        spelling = " of its spelling" if self.by == "merge" else ""
        note = f"{self.rule['cells']}, each with its neighbors (prev and next); n is the size in bytes{spelling}"
        self.builder = ScriptBuilder(
            title="Merge queue",
            landmark="merge",
            kinds=KINDS[self.by],
            tracks=(
                self.strip("Symbols", note, ["n", "prev", "next"]),
                QUEUE | {"measure": self.by.capitalize()},
                HEAP,
                self.output("No tokens yet. They appear when the queue is empty."),
                *((JOINED,) if self.scored else ()),
            ),
            roles=ROLES,
            layout=panels(f"cells / queue, heap / output{', rev' * self.scored} / log, code"),
            code=code,
            source_title="The algorithm with its fields",
            source=source,
        )
        self.queue = QueueTracks(self.builder)
        cut = any(isinstance(one, Segment) and isinstance(other, Segment) for one, other in pairwise(self.items))
        self.unit = "pre-token" if cut else "fragment"
        """what the text is cut into: neighbors without a token between them are a pre-tokenizer's"""
        for index, item in enumerate(self.items):
            if isinstance(item, Segment):
                symbols = DrawnSymbols(item, self.model, self.window)
                symbols.number = len(self.fragments) + 1
                self.draw(
                    index,
                    symbols,
                    lambda cell: self.builder.text(spelled(self.fragment.pieces[cell])),
                    lambda cell: self._name() if cell == self.fragment.low else None,
                )
        if len(self.fragments) == 1 or not self.scored:
            self.groups[:] = [{"title": ""} for _ in self.groups]
        self.events = self._events_in_window()
        pushed = [(event.priority, event.row.left) for event in self.events if event.row.kind == MergeEvent.PUSH]
        self.order = {pair: index for index, pair in enumerate(sorted(set(pushed)))}
        """(priority, left) of every pushed pair → its index in pop order"""
        self.priorities = [priority for priority, _ in self.order]
        priorities = (
            (-score for score in self.vocabulary.scores) if self.scored else (priority for priority, _ in pushed)
        )
        self.worst = max(priorities, default=0.0)
        self.pushed: dict[tuple[int, int, int], Values] = {}
        """(left, right, token) of a pair in the queue → the fields of its steps"""
        self.rev: dict[str, int] = {}
        """text → key in the track `rev`"""

    def _name(self) -> str:
        return Text.of(f"{self.unit.capitalize()} {{0}}", self.fragment.number)

    # --- which events are drawn -----------------------------------------------------------------------------------

    def _events_in_window(self) -> list[_Event]:
        """The events that touch only cells that are drawn.

        The priority of a pair depends on what both symbols spell, so all merges are made, and undone.
        """
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
                priority: float | None = 0.0
                if row.kind == MergeEvent.PUSH and self.scored:
                    priority = -self.vocabulary.scores[row.token]
                elif row.kind == MergeEvent.PUSH:
                    priority = self.model.priority_of(symbols.data(row.left), symbols.data(row.right))
                assert priority is not None, "a pushed pair may merge"
                events.append(_Event(symbols, row, index, priority))
                if row.kind == MergeEvent.MERGE:
                    symbols.absorb(row.left, row.right, row.token)
        for symbols in self.fragments.values():
            symbols.reset()
        return events

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        segments = sum(event.row.kind == MergeEvent.SEGMENT for event in self.events)
        begun = seeds = 0
        phase = ""
        after = futures([event.row for event in self.events])
        for event, following, future in zip(self.events, [*self.events, None][1:], after, strict=True):
            self.fragment, self.row, self.builder.event, self.priority = event
            kind = self.row.kind
            if kind == MergeEvent.SEGMENT:
                self._segment(begun, segments)
                begun, seeds, phase = begun + 1, self.fragment.high - self.fragment.low - 1, "Split"
                continue
            if kind not in BEFORE_MERGING:
                now = "Seed the queue" if seeds > 0 else "Merge" if kind in PAIRS else "Output"
                now = "Output" if kind == MergeEvent.WHOLE else now
                seeds -= 1
                if now != phase and segments == 1:
                    self.builder.phase(now)
                phase = now
            key, values = self._event(future)
            if following is not None:
                self._announce(following.row)
            self.builder.step(key, **values)
        if not begun:
            self.pass_all()
            self.builder.phase("Split")
            why = "All of it is tokens already." if self.items else "The text is empty."
            self.builder.begin("There is nothing to merge.", why)
        self.follow()
        return self.builder.script()

    def _segment(self, begun: int, segments: int) -> None:
        """A fragment begins."""
        builder, symbols, name, count = self.builder, self.fragment, self._name(), len(self.fragment.size)
        self.pass_tokens(self.row.left)
        builder.put("cells", -1, begun)
        if segments == 1:
            builder.phase("Split")
        else:
            self.phase_of(begun, segments, name)
        if begun:
            for key in self.rev.values():
                builder.delete("rev", key)
            self.rev.clear()
            self.pushed.clear()
            builder.step(MergeEvent.SEGMENT, symbols=plural(count, "symbol"), number=symbols.number, unit=self.unit)
            return
        for each in self.fragments.values():
            for cell in each.drawn():
                builder.put("cells", each.base + cell, *each.row(cell))
        many = count != 1
        builder.begin(
            self.rule["start"] if many else self.rule["single"],
            "Step on to see what becomes of them.",
            lines=(0,),
            story=START if many else "",
            story_why="" if not many else self.rule["lines_up"] if self._pair_waits() else self.rule["none_waits"],
            symbols=plural(count, "symbol"),
            size=plural(sum(symbols.size), "byte"),
            what="The text" if len(self.fragments) == 1 else name,
            cut=plural(count, self.rule["symbol"]),
        )

    def _pair_waits(self) -> bool:
        """Whether a pair of the first fragment gets into the queue, or something else than merging happens to it."""
        kinds = [event.row.kind for event in self.events[1:]]
        own = kinds[: kinds.index(MergeEvent.SEGMENT)] if MergeEvent.SEGMENT in kinds else kinds
        return MergeEvent.PUSH in own or MergeEvent.MISS not in own

    def _announce(self, row: MergeRow) -> None:
        """Marks the symbols of the coming step."""
        if row.kind == MergeEvent.SEGMENT or row.left >= len(self.fragment.size):
            return
        self._mark(row.left, NEXT)
        if row.kind in PAIRS:
            self._mark(row.right, NEXT)

    # --- what each event changes, and what is said of it -----------------------------------------------------------

    def _event(self, future: str) -> Told:
        """Writes what the event changes. future: see `futures`."""
        symbols = self.fragment
        match kind := self.row.kind:
            case MergeEvent.PUSH:
                return kind, self._push()
            case MergeEvent.MISS:
                return self._miss(future)
            case MergeEvent.MERGE:
                return self._merge(future)
            case MergeEvent.STALE_LEFT | MergeEvent.STALE_RIGHT | MergeEvent.STALE_SIZE:
                return kind, self._stale()
            case MergeEvent.WHOLE:
                return self._whole()
            case MergeEvent.UNMERGE:
                return kind, self._unmerge()
        self._mark(self.row.left, HIT)
        match kind:
            case MergeEvent.DROPPED | MergeEvent.FALLBACK | MergeEvent.UNKNOWN_RUN | MergeEvent.SKIPPED:
                return kind, self._unpieced()
            case MergeEvent.PREFIXED | MergeEvent.SUFFIXED:
                start = cast(Bpe, self.model).initial
                assert isinstance(start, KnownCharacters), "only these have a prefix or a suffix"
                return kind, {"affix": spelled(start.prefix if kind == MergeEvent.PREFIXED else start.suffix)}
            case MergeEvent.NOT_WHOLE:
                count = plural(len(symbols.size), "symbol")
                return kind, {"symbols": count, "text": spelled(b"".join(symbols.pieces))}
            case _:
                return kind, self._put_token_out()

    def _push(self) -> Values:
        """A pair enters the queue."""
        symbols, (_, left, right, token), priority = self.fragment, self.row, self.priority
        joined = spelled(symbols.joined(left, right))
        text = self.builder.text(joined)
        # a list of merges is counted from 1; the negative of a score is what the queue sorts by
        given = {"score": -priority, "merge": priority + 1}.get(self.by, priority)
        value = self.builder.explain(self.builder.plain(number(given)), self.meaning(token, given))
        told = self.pushed[left, right, token] = self._pair(text) | {"priority": value}
        # the length of the bar in percent: logarithmic, to tell −12 from −16 and still show −8,550
        meter = 100 * (1 - log1p(max(0.0, priority)) / log1p(self.worst)) if self.worst > 0 else 100
        size = symbols.size[left] + symbols.size[right]
        serial = self.queue.push(text, self.order[priority, left], value, max(2, round(meter)), left, right, size)
        self.builder.mark("queue", serial, HIT)
        if self.scored:
            self._remember_join(serial, joined)
        self._mark_pair(LEFT, RIGHT)
        return told

    def _remember_join(self, serial: int, joined: str) -> None:
        """The last pair that was pushed for a text, in the track `rev`."""
        _, left, right, token = self.row
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

    def _pair(self, joined: int) -> Values:
        """The cells and the texts of both symbols of a pair, and the text of both."""
        _, left, right, _ = self.row
        one, other = (self.builder.text(spelled(self.fragment.data(cell))) for cell in (left, right))
        return {"left": left, "right": right, "joined": joined, "one": one, "other": other}

    def _miss(self, future: str) -> Told:
        """A pair that isn't pushed; it may make a token and still not be in the list of merges."""
        self._mark_pair(MISS_LEFT, MISS_RIGHT)
        joined, priority = self.fragment.joined(self.row.left, self.row.right), self.model.priority_of
        told = self._pair(self.builder.text(spelled(joined))) | {"future": future}
        if self.by != "merge" or joined not in self.vocabulary.ids:
            return MergeEvent.MISS, told
        other = any(priority(joined[:at], joined[at:]) is not None for at in range(1, len(joined)))
        return "unlisted", told | {"also": f"It is a token all the same{', made of other parts' if other else ''}."}

    def _merge(self, future: str) -> Told:
        """The left symbol absorbs the right one; the entries they are in become stale.

        The sentence names the pair it came before: what the queue would give next, were nothing pushed.
        """
        symbols, (_, left, right, token) = self.fragment, self.row
        self.queue.pop()
        if symbols.prev[left] >= 0:
            self.queue.stale(symbols.prev[left])
        self.queue.stale(right)
        self._put_symbols(symbols.absorb(left, right, token))
        self._mark(left, MERGED)
        pair, best = self.pushed[left, right, token], self.queue.best()
        if best is None:
            # pairs outside the window may wait still
            whole = len(symbols.drawn()) == len(symbols.size)
            future = NO_PAIR_DRAWN if future == NO_PAIR and not whole else future
            return "merge last", pair | {"future": future, "drawn": "" if whole else DRAWN}
        equal = self.priorities[best[1]] == self.priorities[self.queue.popped[1]]
        return "merge equal" if equal else MergeEvent.MERGE, pair | {"rival": best[0], "rival_priority": best[2]}

    def _stale(self) -> Values:
        """A stale entry is popped: which of its symbols changed, and the symbol that has it now."""
        symbols, (kind, left, right, token) = self.fragment, self.row
        self.queue.pop()
        self._mark_pair(GONE_LEFT, GONE_RIGHT)
        pair = self.pushed[left, right, token]
        cell, changed = (left, pair["one"]) if kind == MergeEvent.STALE_LEFT else (right, pair["other"])
        while not symbols.size[cell]:
            cell -= 1
        return pair | {"changed": changed, "now": spelled(symbols.data(cell))}

    def _whole(self) -> Told:
        """A piece taken whole; its text is merged as well, to see whether that gives the same token."""
        symbols, token, count = self.fragment, self.row.token, len(self.fragment.size)
        symbols.size = [sum(symbols.bytes)] + [0] * (count - 1)
        symbols.next[0], symbols.id[0] = -1, token
        self._put_symbols(range(count))
        self._mark(self.row.left, HIT)
        self.put_out(token, symbols.starts[0], symbols.ends[-1])
        spelling = self.vocabulary.spelling
        told: Values = {"piece": spelling(token), "id": str(token)}
        merged = [cut.id for cut in cast(Bpe, self.model).merged(symbols.segment.text)]
        if merged == [token]:
            return "could be built", told
        shown = " ".join(f"“{visible(spelling(id))}”" for id in merged)
        return "could not be built", told | {"count": plural(len(merged), "token"), "tokens": shown}

    def _unmerge(self) -> Values:
        """A symbol that may not be output is split again."""
        _, left, right, token = self.row
        self._put_symbols(self.fragment.split(left, right))
        self._mark_pair(GONE_LEFT, GONE_RIGHT)
        piece = self.vocabulary.spelling(token)
        self.builder.mark("rev", self.rev[piece], HIT)
        return {"left": left, "right": right, "piece": piece, "score": number(self.vocabulary.scores[token])}

    def _unpieced(self) -> Values:
        """A character without a piece that becomes bytes, an unknown token, or nothing."""
        symbols, row, cell = self.fragment, self.row, self.row.left
        if row.kind == MergeEvent.SKIPPED:
            return {"text": symbols.segment.text[row.right]}
        if row.kind == MergeEvent.DROPPED:
            text = spelled(symbols.data(cell))
            return {"cell": cell, "text": text, "byte": row.right + 1, "size": symbols.size[cell]}
        told: Values = {"cell": cell, "text": symbols.source(cell)}
        return told | {"bytes": plural(row.right, "byte")} if row.kind == MergeEvent.FALLBACK else told

    def _put_token_out(self) -> Values:
        """A symbol, or one of its bytes, becomes a token."""
        symbols, (kind, cell, right, token) = self.fragment, self.row
        if symbols.id[cell] != token:
            symbols.id[cell] = token
            self._put_symbols([cell])
        last = right - 1 if kind == MergeEvent.TOKEN else symbols.end(cell) - 1
        self.put_out(token, symbols.starts[cell], symbols.ends[last], kind == MergeEvent.UNKNOWN_JOINED)
        told: Values = {"cell": cell, "piece": self.vocabulary.spelling(token), "id": str(token)}
        if kind == MergeEvent.TOKEN:
            return told
        told["text"] = spelled(symbols.data(cell))
        if kind in (MergeEvent.UNKNOWN_SYMBOL, MergeEvent.UNKNOWN_JOINED):
            return told
        return told | {"byte": right + 1, "size": symbols.size[cell]}

    # --- cells ----------------------------------------------------------------------------------------------------

    def _put_symbols(self, cells: Iterable[int]) -> None:
        for cell in cells:
            self.put(cell, *self.fragment.row(cell))

    def _mark(self, cell: int, role: int) -> None:
        if cell < len(self.fragment.size) and self.fragment.size[cell]:
            self.mark([cell], role)

    def _mark_pair(self, left: int, right: int) -> None:
        """Marks both symbols of the event's pair, with their roles."""
        self._mark(self.row.left, left)
        self._mark(self.row.right, right)


def futures(rows: Sequence[MergeRow]) -> list[str]:
    """For each row of one or more fragments: of a MISS whether the two join later, of a MERGE whether it makes a pair.

    Other rows have an empty sentence. Two neighbors meet again in a row with the same right symbol, because a merge
    keeps the index of its left one.

    >>> futures([MergeRow(MergeEvent.MISS, 0, 1, -1)])
    ["Neither grows after this, so they can't join."]
    """
    sentences = [""] * len(rows)
    met: dict[int, str] = {}
    """right symbol → what becomes of the boundary before it"""
    pushes = False
    for index in reversed(range(len(rows))):
        kind, _, right, _ = rows[index]
        if kind == MergeEvent.SEGMENT:
            met.clear()
        elif kind == MergeEvent.MISS:
            sentences[index] = met.setdefault(right, NEVER)
            if sentences[index] == NEVER:
                met[right] = APART
        elif kind == MergeEvent.PUSH:
            pushes = True
            met.setdefault(right, APART)
            continue
        elif kind == MergeEvent.MERGE:
            sentences[index] = NEW_PAIR if pushes else NO_PAIR
            met[right] = JOIN
        pushes = pushes and kind == MergeEvent.MISS
    return sentences
