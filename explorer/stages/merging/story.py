"""The stepper's script for merging: SPM and BPE, every model of `engine/models/merges.py`.

Replays the events of the model stage and writes what each changes on four tracks: the chain of symbols, the work
queue, how each text was joined (SPM), and the output. Entries are pushed to and popped from a real `heapq`, which the
engine uses too, so the page shows the heap of the run. A window limits the script to the cells drawn: events that touch
none of them are left out, the others keep their order. What becomes of a pair later is in the events after it
(`futures`).

A model merges by one of three priorities: the score of the piece that a pair makes, its number in a list of merges, or
the rank of the joined bytes. words.toml has what differs between them. Besides a kind for each event there are some for
facts found while drawing. In a story a pair *joins*, and an entry *waits* or is *out of date*; what fills the queue or
leaves it without a merge is inner: Story passes it.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from math import log1p
from typing import Literal, NamedTuple, cast

from explorer.engine.models.bpe import Bpe, KnownCharacters
from explorer.engine.models.merges import BEFORE_MERGING, PAIRS, MergeEvent, MergeModel, MergeRow
from explorer.engine.models.spm import Spm
from explorer.engine.part import Segment
from explorer.script.model_script import FOLLOW, Fragment, ModelScript
from explorer.script.script import TRACKS, Script, ScriptBuilder, StepKind, TrackRow, Values, Window, kinds, roles
from explorer.stages.spelling import meanings
from explorer.tables import read_toml
from explorer.text import visible
from explorer.text.say import Text, number, plural
from explorer.vocabulary import PieceKind, Vocabulary, spelled

Key = MergeEvent | Literal["unlisted", "could be built", "could not be built", "merge last", "merge equal", "follow"]
"""A kind of step: an event; a pair that isn't listed although it makes a token; a piece taken whole that the merges
give as well, or never do; a merge when no other pair waits, or one of the same priority; the tokens after the last
fragment."""


RULES: Mapping[str, Mapping[str, str]] = read_toml(__file__, "words.toml")
"""Priority a model merges by → its words."""
_CODE = """\
for each pair of neighbors: offer(left, right)
while the queue is not empty:
    take the pair with the {best}
    if left or right has changed: skip it
    left ← left + right; right leaves the row
    offer(the one before left, left)
    offer(left, the one after it)
for each symbol that is left:
    a piece → its id
    not a piece → one token for each byte
offer: {asked},
    queue {queued}
"""
"""The algorithm in plain words."""
_SOURCE = """\
for each pair of neighbors: try_pair(left, right)
while the queue is not empty:
    left, right, size = pop the best pair
    if either has size 0, or the sizes do not
        add up to size: skip it, it is stale
    left absorbs right; right.size = 0
    left.next = right.next
    try_pair(left.prev, left)
    try_pair(left, left.next)
for each symbol still in the chain:
    if its text is a piece: output its id
    else: output its bytes, one token each

try_pair: {asked},
          push {queued}
"""
"""The algorithm with the fields that the originals keep."""


CODE = {
    priority: [each.format_map(words).splitlines() for each in (_CODE, _SOURCE)] for priority, words in RULES.items()
}
"""Priority → the algorithm in plain words, and with its fields."""

_KINDS = """
SEGMENT: segment
    look: info dot 60
    fields: symbols:t number unit:t
    say: Fragment {number} begins: {symbols}.
    why: The queue is empty: fragments never merge with each other.
    log: fragment {number}, {symbols}
    story: The next {unit} begins, with {symbols}.
    story_why: Merges never cross from one {unit} to the next.

PUSH: push
    look: push dot 60 inner
    lines: 10 11
    source: 13 14
    fields: left right joined:q priority:t one:q other:q
    say: Cells {left} and {right} would make {joined}, a piece with score {priority}: push it.
    why: The pair with the highest score is popped first; of equal scores, the leftmost.
    log: push {joined} {priority}
    story: {one} + {other} would make {joined}: it waits with {priority}.
    story_why: The highest score goes first.
    10: {joined:t}: yes
    11: {priority}

MISS: no piece
    look: miss ring 25 inner
    lines: 10
    source: 13
    fields: left right joined:q one:q other:q future:t
    say: Cells {left} and {right} would make {joined}, which is not in the vocabulary.
    why: {future}
    log: {joined}: no piece
    story: {one} + {other} don't make a piece.
    10: {joined:t}: no

MERGE: merge
    look: merge dot 100 landmark
    lines: 2 4
    source: 2 5 6
    fields: left right joined:q priority:t one:q other:q rival:q rival_priority:t
    say: Pop {joined} ({priority}): cell {left} absorbs cell {right}.
    why: Neither symbol has changed since the pair was pushed. Cell {right} now has n = 0 and leaves the chain.
    log: merge {left}+{right} → {joined}
    story: {one} + {other} → {joined}. The best pair left: {priority} beats {rival} ({rival_priority}).
    story_why: The pair with the highest score goes first, wherever it is in the text.
    2: {joined:t}, {priority}
    4: {one:t} + {other:t} → {joined:t}

STALE_LEFT: stale
    look: stale diamond 45 inner
    lines: 2 3
    source: 2 3 4
    fields: left right joined:q priority:t one:q other:q changed:q now:q
    say: Pop {joined} ({priority}): stale, skip it. Cell {left} has been absorbed.
    why: Entries stay in the queue when their symbols change. They are checked only when they are popped.
    log: skip stale {joined} {priority}
    story: {joined} is out of date: its {changed} is part of {now} now. Skip it.
    story_why: Entries stay in the queue and are checked only when they come up.
    2: {joined:t}, {priority}
    3: {changed:t} has changed

STALE_RIGHT like STALE_LEFT
    say: Pop {joined} ({priority}): stale, skip it. Cell {right} has been absorbed.

STALE_SIZE like STALE_LEFT
    say: Pop {joined} ({priority}): stale, skip it. Cell {right} has grown.

TOKEN: token
    look: token dot 70
    lines: 7 8
    source: 9 10
    fields: cell piece:q id:t
    say: Cell {cell} holds {piece}, which is token {id}.
    log: cell {cell} → {piece} {id}
    story: {piece} is a piece: token {id}.
    8: {piece:t} → {id}

UNMERGE: split again
    look: stale diamond 45
    lines: 7
    source: 9
    fields: left right piece:q score:t
    say: {piece} is a piece that may not be output: split it again at cell {right}.
    why: sentencepiece marks such pieces UNUSED. llama.cpp has the same code, but can't reach it.
    log: split {piece} again
    story: {piece} may not be output: it is split again.
    story_why: The vocabulary marks it as unused.

BYTE: byte
    look: byte dot 70
    lines: 7 9
    source: 9 11
    fields: cell text:q byte size piece:q id:t
    say: Cell {cell}: {text} is not a piece. Its byte {byte} of {size} becomes {piece}, token {id}.
    why: Its name is spelled out: <0x + hex[byte >> 4] + hex[byte & 15] + >. If no piece has that name, llama.cpp
        looks for the raw byte. In a BPE or WordPiece vocabulary it looks for the byte's printable character
        instead.
    log: byte {piece} {id}
    story: {text} is not a piece. Its byte {byte} of {size} becomes {piece}, token {id}.
    story_why: A character that is not a piece costs one token for each byte.
    9: {piece:t} → {id}

RAW_BYTE like BYTE
    why: The vocabulary has no <0x…> for this byte and spells it as itself.
    story: {text} is not a piece. Its byte {byte} of {size} becomes token {id}.

UNKNOWN like BYTE: unknown
    look: byte ring 70
    say: Cell {cell}: {text} is not a piece, and its byte {byte} of {size} has no token: it becomes {piece}, token
        {id}.
    why: The character is lost.
    log: unknown {piece} {id}
    story: {text} is not a piece, and its byte {byte} of {size} has no token: it becomes {piece}.
    story_why: The character is lost.

UNKNOWN_SYMBOL: unknown
    look: byte ring 70
    lines: 7 9
    source: 9 11
    fields: cell text:q piece:q id:t
    say: Cell {cell}: {text} is not a piece: it becomes {piece}, token {id}.
    why: This model has no byte tokens, so the character is lost.
    log: unknown {text}
    story: {text} is not a piece, and there are no byte tokens: it becomes {piece}.
    story_why: The character is lost.

UNKNOWN_JOINED like UNKNOWN_SYMBOL
    say: Cell {cell}: {text} is not a piece either: it joins the {piece} before it.
    why: sentencepiece outputs one unknown token for a run of unknown characters.
    log: unknown {text} joins
    story: {text} is not a piece either: it joins the {piece} before it.
    story_why: A run of unknown characters is one token.

WHOLE: whole
    look: merge dot 100 landmark
    fields: piece:q id:t
    say: {piece} as a whole is token {id}: nothing is merged.
    why: It is looked up whole before any merge.
    log: whole {piece} {id}

could be built like WHOLE
    why: It is looked up whole before any merge. The merges alone give the same token.

could not be built like WHOLE
    fields: piece:q id:t count:t tokens:t
    why: It is looked up whole before any merge. The merges alone can't build it: they give {count}, {tokens}.

NOT_WHOLE: no token
    look: miss ring 25
    fields: symbols:t text:q
    say: {text} is looked up as a whole: it is not a token.
    why: So it is built from {symbols}.
    log: {text}: no token

DROPPED: dropped
    look: stale ring 70
    lines: 7 9
    source: 9 11
    fields: cell text:q byte size
    say: Cell {cell}: {text} is not a piece, and its byte {byte} of {size} has no token: it is dropped.
    why: llama.cpp drops it silently.
    log: byte dropped
    story: {text} is not a piece, and its byte {byte} of {size} has no token: it is dropped.
    story_why:

FALLBACK: byte fallback
    look: byte dot 70
    fields: cell text:q bytes:t
    say: {text} is not a piece: it becomes {bytes}, from cell {cell} on.
    why: Byte tokens replace it before the first merge.
    log: {text} as {bytes}
    story: {text} is not a piece: it is written as {bytes}.
    story_why: The bytes take part in the merges like any symbol.

UNKNOWN_RUN: unknown
    look: byte ring 70
    fields: cell text:q
    say: {text} is not a piece: cell {cell} is the unknown token instead.
    why: Adjacent unknown characters share one unknown token if the model fuses them. They are lost.
    log: {text} unknown
    story: {text} is not a piece: it becomes the unknown token.
    story_why: The character is lost.

SKIPPED: dropped
    look: stale ring 70
    fields: text:q
    say: {text} is not a piece, and the model has no unknown token: it is dropped.
    why: The character is lost.
    log: {text} dropped

PREFIXED: prefix
    look: info ring 30
    fields: affix:q
    say: Every symbol but the first gets the prefix {affix}.
    why: The prefix marks pieces that continue a word. A merge keeps the left symbol's prefix and drops the right
        one's.
    log: prefix {affix}

SUFFIXED: suffix
    look: info ring 30
    fields: affix:q
    say: The last symbol gets the suffix {affix}.
    why: The suffix marks pieces that end a word.
    log: suffix {affix}

merge last like MERGE
    fields: left right joined:q priority:t one:q other:q future:t drawn:t
    story: {one} + {other} → {joined}. No other pair waits{drawn}.
    story_why: {future}

merge equal like MERGE
    story: {one} + {other} → {joined}. {rival} has {rival_priority} too.
    story_why: Of equal scores, the left one goes first.
"""

_LISTED = """
SEGMENT
    say: A new {unit} begins: {symbols}.
    why: The queue is empty: merges never cross from one {unit} to the next.
    log: new {unit}, {symbols}

PUSH
    say: Cells {left} and {right} make {joined}, number {priority} in the list of merges: push it.
    why: The merge with the lowest number is popped first; of the same merge, the leftmost pair.
    story: {one} + {other} make {joined}: it waits as merge {priority}.
    story_why: The lowest number goes first.

MISS: no merge
    say: Cells {left} and {right} would make {joined}, but this pair is not in the list of merges.
    log: {joined}: no merge
    story: {one} + {other} is not in the list of merges.

MERGE
    story: {one} + {other} → {joined}. Merge {priority} comes before merge {rival_priority} ({rival}).
    story_why: The list is in the order of training: what was frequent is early.

BYTE
    why: A character without a piece costs one token per byte b, spelled <0x, hex[b >> 4], hex[b & 15], >.

merge equal
    story: {one} + {other} → {joined}. The same merge waits again.
    story_why: Of equal pairs, the left one goes first.

unlisted: no merge
    look: miss ring 25 inner
    lines: 10
    source: 13
    fields: left right joined:q one:q other:q future:t also:t
    say: Cells {left} and {right} would make {joined}, but this pair is not in the list of merges.
    why: {also} tiktoken asks only whether the joined bytes are a token, so it would push this pair. {future}
    log: {joined}: no merge
    story: {one} + {other} is not in the list of merges.
    story_why: {also} {future}
    10: {joined:t}: no
"""
"""What differs for a list of merges."""

_RANKED = """
SEGMENT
    say: A new {unit} begins: {symbols}.
    why: The queue is empty: merges never cross from one {unit} to the next.
    log: new {unit}, {symbols}

PUSH
    say: Cells {left} and {right} make {joined}, a token with rank {priority}: push it.
    why: The pair with the lowest rank is popped first; of equal ranks, the leftmost.
    story: {one} + {other} make {joined}: it waits with rank {priority}.
    story_why: The lowest rank goes first.

MISS: no token
    say: Cells {left} and {right} would make {joined}, which is not a token.
    log: {joined}: no token
    story: {one} + {other} don't make a token.

MERGE
    story: {one} + {other} → {joined}. Rank {priority} comes before rank {rival_priority} ({rival}).
    story_why: Ranks are in the order of training: what was frequent is early.

BYTE
    why: A character without a piece costs one token per byte b, spelled <0x, hex[b >> 4], hex[b & 15], >.

merge equal
    story: {one} + {other} → {joined}. The same pair waits again.
    story_why: Of equal pairs, the left one goes first.
"""
"""What differs for ranks."""

KINDS: Mapping[str, Mapping[Key, StepKind]] = {
    "score": kinds(MergeEvent, _KINDS, FOLLOW),
    "merge": kinds(MergeEvent, _KINDS, _LISTED, FOLLOW),
    "rank": kinds(MergeEvent, _KINDS, _RANKED, FOLLOW),
}
"""Priority a model merges by → its kinds of step."""

START = "{what} is cut into {cut}."
"""The story of the initial state."""

# --- what becomes of a pair after its step: only the rest of the run decides it ------------------------------------

JOIN = "They join later, when one of them has grown."
APART = "They meet again when one of them has grown, but never join."
NEVER = "Neither grows after this, so they can't join."
NEW_PAIR = "It makes a new pair with a neighbor."
NO_PAIR = "It makes no new pair, so the merges end."
NO_PAIR_DRAWN = "It makes no new pair."
DRAWN = " in the part that is drawn"
"""Of a text of which a window is drawn."""


ROLES = roles("left done, right done, merged done, left reject, right reject, left gone, right gone, next, hit")
LEFT, RIGHT, MERGED, MISS_LEFT, MISS_RIGHT, GONE_LEFT, GONE_RIGHT, NEXT, HIT = range(len(ROLES))
NUMBERS = 5_000
"""Priorities and pieces of a vocabulary about which what is said is kept."""
HEAP_SHOWN = 15
"""Entries of the heap that are drawn."""
Pair = tuple[int, int, int, int, int, int]
"""The first fields of every step about a pair in the queue: left, right, joined, priority, one, other."""
Told = tuple[Hashable, Values | tuple[int, ...]]
"""A kind of step, and what its fields are, by name or as they are sent."""


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
        self.texts: dict[int, int] = {}
        """symbol → what it spells now, an index in the string table"""

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
        self.texts.pop(left, None)
        self.texts.pop(middle, None)
        return self._linked(left, middle, middle)

    def _linked(self, left: int, right: int, last: int) -> list[int]:
        """Links the symbol after `last` back to it and returns the cells whose row changed."""
        after = self.next[last]
        if after < 0:
            return [left, right]
        self.prev[after] = last
        return [left, right, after]


def put_cells(builder: ScriptBuilder, fragments: Iterable[DrawnSymbols]) -> None:
    """Draws all cells of some fragments."""
    for each in fragments:
        for cell in each.drawn():
            builder.put("cells", each.base + cell, *each.row(cell))


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
        if now == self.drawn:
            return
        for index, serial in enumerate(now):
            if index >= len(self.drawn) or self.drawn[index] != serial:
                self.builder.put("heap", index, serial)
        for index in range(len(now), len(self.drawn)):
            self.builder.delete("heap", index)
        self.drawn = now


class _Event(NamedTuple):
    """An event that is drawn: its fragment, its row, its number in the stage, priority and text of a pair it pushes."""

    fragment: DrawnSymbols
    row: MergeRow
    event: int
    priority: float
    joined: bytes


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
        self.told_number = self.vocabulary.once(told_numbers, self.model)
        # a byte-level vocabulary spells a byte as a printable character, which may itself take two bytes
        spelling = " of its spelling" if self.by == "merge" else ""
        note = f"{self.rule['cells']}, each with its neighbors (prev and next); n is the size in bytes{spelling}"
        self.builder = ScriptBuilder.laid_out(
            "merging",
            kinds=KINDS[self.by],
            tracks=(
                self.strip("Symbols", note, ["n", "prev", "next"]),
                TRACKS["queue"] | {"measure": self.by.capitalize()},
                "heap",
                self.output("No tokens yet. They appear when the queue is empty."),
                *(("joined",) if self.scored else ()),  # only models with scores have it
            ),
            roles=ROLES,
            layout=f"cells / queue, heap / output{', rev' * self.scored} / log, code",
            code=code,
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
        self.worst = (
            self.vocabulary.once(worst_score) if self.scored else max((each for each, _ in pushed), default=0.0)
        )
        self.longest = log1p(max(0.0, self.worst))
        self.pushed: dict[tuple[int, int, int], Pair] = {}
        """(left, right, token) of a pair in the queue → the fields of its steps"""
        self.rev: dict[str, int] = {}
        """text → key in the track `rev`"""

    def _name(self) -> str:
        return Text("Pre-token {0}" if self.unit == "pre-token" else "Fragment {0}", self.fragment.number)

    # --- which events are drawn -----------------------------------------------------------------------------------

    def _events_in_window(self) -> list[_Event]:
        """The events that touch only cells that are drawn.

        The priority of a pair depends on what both symbols spell, so all merges are made.
        """
        events: list[_Event] = []
        symbols = DrawnSymbols(Segment("", (), ()), self.model, self.window)
        join, priority_of, scores = self.model.join, self.model.priority_of, self.vocabulary.scores
        now: list[bytes] = []
        """what each symbol of the fragment spells"""
        for index, row in enumerate(self.stage.events):
            kind, left, right, token = row
            if kind == MergeEvent.SEGMENT:
                symbols = self.fragments[left]
                now = list(symbols.pieces)
                drawn = symbols.low < symbols.high
            elif kind == MergeEvent.SKIPPED:
                # the character has no cell of its own: it would come before the cell `left`
                drawn = symbols.low < symbols.high and symbols.low <= left <= symbols.high
            else:
                drawn = symbols.low <= left < symbols.high and (kind not in PAIRS or symbols.holds(right))
            if not drawn:
                continue
            joined, priority = b"", 0.0
            if kind == MergeEvent.PUSH:
                joined = join((now[left], now[right]))
                found = -scores[token] if self.scored else priority_of(now[left], now[right])
                assert found is not None, "a pushed pair may merge"
                priority = found
            elif kind == MergeEvent.MERGE:
                now[left] = join((now[left], now[right]))
            events.append(_Event(symbols, row, index, priority, joined))
        return events

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        segments = sum(event.row.kind == MergeEvent.SEGMENT for event in self.events)
        begun = seeds = 0
        phase = ""
        after = futures([event.row for event in self.events])
        for event, following, future in zip(self.events, [*self.events, None][1:], after, strict=True):
            self.fragment, self.row, self.builder.event, self.priority, self.joined = event
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
            if isinstance(values, tuple):
                self.builder.close(key, values)
            else:
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
        put_cells(builder, self.fragments.values())
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

    def _push(self) -> Pair:
        """A pair enters the queue."""
        symbols, (_, left, right, token), priority = self.fragment, self.row, self.priority
        joined = spelled(self.joined)
        text = self.builder.text(joined)
        shown, phrase = self.told_number(token, priority)
        value = self.builder.explain(self.builder.plain(shown), phrase)
        told = self.pushed[left, right, token] = left, right, text, value, self._text(left), self._text(right)
        # the length of the bar in percent: logarithmic, to tell −12 from −16 and still show −8,550
        meter = 100 * (1 - log1p(max(0.0, priority)) / self.longest) if self.worst > 0 else 100
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

    def _text(self, cell: int) -> int:
        """What the symbol at a cell spells, an index in the string table."""
        symbols = self.fragment
        found = symbols.texts.get(cell)
        if found is None:
            found = symbols.texts[cell] = self.builder.text(spelled(symbols.data(cell)))
        return found

    def _miss(self, future: str) -> Told:
        """A pair that isn't pushed; it may make a token and still not be in the list of merges."""
        self._mark_pair(MISS_LEFT, MISS_RIGHT)
        _, left, right, _ = self.row
        joined, priority, plain = self.fragment.joined(left, right), self.model.priority_of, self.builder.plain
        text, one, other = self.builder.text(spelled(joined)), self._text(left), self._text(right)
        if self.by != "merge" or joined not in self.vocabulary.ids:
            return MergeEvent.MISS, (left, right, text, one, other, plain(future))
        told: Values = {"left": left, "right": right, "joined": text, "one": one, "other": other, "future": future}
        elsewhere = any(priority(joined[:at], joined[at:]) is not None for at in range(1, len(joined)))
        return "unlisted", told | {"also": f"It is a token all the same{', made of other parts' if elsewhere else ''}."}

    def _merge(self, future: str) -> Told:
        """The left symbol absorbs the right one; the entries they are in become stale.

        The sentence names the pair it came before: what the queue would give next, were nothing pushed.
        """
        symbols, (_, left, right, token) = self.fragment, self.row
        self.queue.pop()
        if symbols.prev[left] >= 0:
            self.queue.stale(symbols.prev[left])
        self.queue.stale(right)
        pair, best = self.pushed[left, right, token], self.queue.best()
        self._put_symbols(symbols.absorb(left, right, token))
        symbols.texts[left] = pair[2]
        self._mark(left, MERGED)
        if best is None:
            # pairs outside the window may wait still
            whole = len(symbols.drawn()) == len(symbols.size)
            future = NO_PAIR_DRAWN if future == NO_PAIR and not whole else future
            plain = self.builder.plain
            return "merge last", (*pair, plain(future), plain("" if whole else DRAWN))
        equal = self.priorities[best[1]] == self.priorities[self.queue.popped[1]]
        return "merge equal" if equal else MergeEvent.MERGE, (*pair, best[0], best[2])

    def _stale(self) -> tuple[int, ...]:
        """A stale entry is popped: which of its symbols changed, and the symbol that has it now."""
        symbols, (kind, left, right, token) = self.fragment, self.row
        self.queue.pop()
        self._mark_pair(GONE_LEFT, GONE_RIGHT)
        pair = self.pushed[left, right, token]
        cell, changed = (left, pair[4]) if kind == MergeEvent.STALE_LEFT else (right, pair[5])
        while not symbols.size[cell]:
            cell -= 1
        return (*pair, changed, self._text(cell))

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
        merged = self.vocabulary.once(merged_alone, self.model)(symbols.segment.text)
        if merged == (token,):
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
        symbols, put = self.fragment, self.builder.put
        for cell in cells:
            if symbols.low <= cell < symbols.high:
                put("cells", symbols.base + cell, *symbols.row(cell))

    def _mark(self, cell: int, role: int) -> None:
        symbols = self.fragment
        if symbols.low <= cell < symbols.high and symbols.size[cell]:
            self.builder.mark("cells", symbols.base + cell, role)

    def _mark_pair(self, left: int, right: int) -> None:
        """Marks both symbols of the event's pair, with their roles."""
        self._mark(self.row.left, left)
        self._mark(self.row.right, right)


def worst_score(vocabulary: Vocabulary) -> float:
    """The largest priority of a vocabulary with scores."""
    return max((-score for score in vocabulary.scores), default=0.0)


def merged_alone(vocabulary: Vocabulary, model: Bpe) -> Callable[[str], tuple[int, ...]]:
    """A function that gives the ids that merges alone make of a text that is a piece."""
    return lru_cache(NUMBERS)(lambda text: tuple(cut.id for cut in model.merged(text)))


def told_numbers(vocabulary: Vocabulary, model: MergeModel) -> Callable[[int, float], tuple[str, str]]:
    """A function of the token and the priority of a pair: its number as people count it, and what that means."""
    meaning = meanings(vocabulary, model)

    @lru_cache(NUMBERS)
    def told(token: int, priority: float) -> tuple[str, str]:
        # a list of merges is counted from 1; the negative of a score is what the queue sorts by
        given = {"score": -priority, "merge": priority + 1}.get(model.priority, priority)
        return number(given), meaning(token, given)

    return told


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
