"""The stepper's script for merging: SPM and BPE, every model of `engine/merges.py`.

Replays the events of the model stage and writes what each changes on four tracks: the chain of symbols, the work
queue, what was joined to which text (SPM), and the output. A window limits it to the cells drawn; an event that
touches none of them is left out, so the rest is still the true order of things. What is said of a pair depends on what
the model judges it by: the score of a piece, the place in a list of merges, or the rank of the joined bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import log1p
from typing import cast

from explorer.engine.bpe import Bpe, KnownCharacters
from explorer.engine.items import Segment
from explorer.engine.merges import Merge, MergeModel, MergeRow, spans
from explorer.engine.tokenizer import Stage
from explorer.views.queue_tracks import TRACKS as QUEUE_TRACKS
from explorer.views.queue_tracks import QueueTracks
from explorer.views.say import number
from explorer.views.script import Kind, Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary, spelled

MAX_PHASES = 8

CODE = (
    "for each pair of neighbours: try_pair(left, right)",
    "while the queue is not empty:",
    "    left, right, size = pop the best pair",
    "    if either has size 0, or the sizes do not",
    "        add up to size: skip it, it is stale",
    "    left absorbs right; right.size = 0",
    "    left.next = right.next",
    "    try_pair(left.prev, left)",
    "    try_pair(left, left.next)",
    "for each symbol still in the chain:",
    "    if its text is a piece: output its id",
    "    else: output its bytes, one token each",
    "",
    "try_pair: if the joined text is a piece,",
    "          push it with that piece's score",
)
TRY, POP, MERGED, RELINK, OUT, OUT_PIECE, OUT_BYTES = (13, 14), (2, 3, 4), (2, 5, 6), (7, 8), (9,), (9, 10), (9, 11)
WHOLE: tuple[int, ...] = ()

ROLES = (("left", "done"), ("right", "done"), ("merged", "done"), ("left", "reject"), ("right", "reject"),
         ("left", "gone"), ("right", "gone"), ("", "next"), ("", "hit"))  # fmt: skip
LEFT, RIGHT, MERGED_ROLE, MISS_LEFT, MISS_RIGHT, GONE_LEFT, GONE_RIGHT, NEXT, HIT = range(len(ROLES))

STALE = "The entry stays in the queue when its symbols change and is only found out when it comes up."

KINDS: dict[Merge | None, Kind] = {
    Merge.SEGMENT: Kind("segment", "info", "Fragment {1} begins: {0} symbols.",
                        "fragment {1}, {0} symbols", "The queue is empty again: fragments never merge together."),
    Merge.PUSH: Kind("push", "push", "Cells {0} and {1} join to {2:q}, a piece with score {3:t}: push it.",
                     "push {2:q} {3:t}", "The pair with the highest score is popped first, equal scores from the left.",
                     TRY),
    Merge.MISS: Kind("no piece", "miss", "Cells {0} and {1} join to {2:q}, which is not in the vocabulary.",
                     "{2:q} is no piece", "Nothing to push, until one of the two grows.", TRY, "ring", 25),
    Merge.MERGE: Kind("merge", "merge", "Pop {2:q} ({3:t}): cell {0} absorbs cell {1}.", "merge {0}+{1} → {2:q}",
                      "Both symbols are as they were when the pair was pushed. Cell {1} now has n = 0 and leaves the "
                      "chain.", MERGED, "dot", 100, True),
    Merge.STALE_LEFT: Kind("stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {0} was absorbed meanwhile.",
                           "skip stale {2:q} {3:t}", STALE, POP, "diamond", 45),
    Merge.STALE_RIGHT: Kind("stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {1} was absorbed meanwhile.",
                            "skip stale {2:q} {3:t}", STALE, POP, "diamond", 45),
    Merge.STALE_SIZE: Kind("stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {1} has grown since.",
                           "skip stale {2:q} {3:t}", STALE, POP, "diamond", 45),
    Merge.TOKEN: Kind("token", "token", "Cell {0} holds {1:q}, which is token {2:t}.", "cell {0} → {1:q} {2:t}", "",
                      OUT_PIECE, "dot", 70),
    Merge.UNMERGE: Kind("take apart", "stale", "{2:q} is a piece that may not be output: take it apart at cell {1}.",
                        "take {2:q} apart", "sentencepiece marks such pieces UNUSED. llama.cpp has the same code, but "
                        "it can never be reached there.", OUT, "diamond", 45),
    Merge.BYTE: Kind("byte", "byte", "Cell {0}: {1:q} is no piece. Its byte {2} of {3} becomes {4:q}, token {5:t}.",
                     "byte {4:q} {5:t}", "A character the vocabulary does not hold costs one token for each byte.",
                     OUT_BYTES, "dot", 70),
    Merge.RAW_BYTE: Kind("byte", "byte", "Cell {0}: {1:q} is no piece. Its byte {2} of {3} becomes {4:q}, "
                         "token {5:t}.", "byte {4:q} {5:t}", "The vocabulary spells this byte as itself.", OUT_BYTES,
                         "dot", 70),
    Merge.UNKNOWN: Kind("unknown", "byte", "Cell {0}: {1:q} is no piece, and there is no token for its byte {2} of "
                        "{3}: {4:q}, token {5:t}.", "unknown {4:q} {5:t}", "What this character was is lost.",
                        OUT_BYTES, "ring", 70),
    Merge.UNKNOWN_SYMBOL: Kind("unknown", "byte", "Cell {0}: {1:q} is no piece: it becomes {2:q}, token {3:t}.",
                               "unknown {1:q}", "This model has no byte tokens. What this character was is lost.",
                               OUT_BYTES, "ring", 70),
    Merge.UNKNOWN_JOINED: Kind("unknown", "byte", "Cell {0}: {1:q} is no piece either: it joins the {2:q} before it.",
                               "unknown {1:q} joins", "sentencepiece gives one unknown token for a run of unknown "
                               "characters.", OUT_BYTES, "ring", 70),
    Merge.WHOLE: Kind("whole", "merge", "The piece {1:q} is a token as it stands, {2:t}: nothing is merged.",
                      "whole piece {1:q} {2:t}", "It was looked up before any merge.", WHOLE, "dot", 100, True),
    Merge.NOT_WHOLE: Kind("no token", "miss", "The piece {1:q} was looked up as a whole: it is no token.",
                          "{1:q} is no token", "So its {0} symbols have to be merged.", WHOLE, "ring", 25),
    Merge.DROPPED: Kind("left out", "stale", "Cell {0}: {1:q} is no piece, and neither is its byte {2} of {3}: it is "
                        "left out.", "byte left out", "llama.cpp says nothing when this happens.", OUT_BYTES, "ring",
                        70),
    Merge.FALLBACK: Kind("byte fallback", "byte", "{1:q} is no piece: its {2} bytes are cells from {0} on.",
                         "{1:q} as {2} bytes", "Byte tokens stand for it before anything is merged.", (), "dot", 70),
    Merge.UNKNOWN_RUN: Kind("unknown", "byte", "{1:q} is no piece: cell {0} is the unknown token instead.",
                            "{1:q} unknown", "Unknown characters beside each other share one such token where the "
                            "model fuses them. What they were is lost.", (), "ring", 70),
    Merge.SKIPPED: Kind("left out", "stale", "{1:q} is no piece, and there is no unknown token: it is left out.",
                        "{1:q} left out", "What it was is lost.", (), "ring", 70),
    Merge.PREFIXED: Kind("prefix", "info", "Every symbol but the first is spelled with {0:q} in front.",
                         "prefix {0:q}", "It marks pieces that go on in a word. A merge keeps the prefix of its left "
                         "symbol and drops that of its right one.", (), "ring", 30),
    Merge.SUFFIXED: Kind("suffix", "info", "The last symbol is spelled with {0:q} behind it.", "suffix {0:q}",
                         "It marks pieces that end a word.", (), "ring", 30),
    None: Kind("token", "token", "The special tokens behind it follow as they are.", "special tokens follow", "",
               OUT),
}  # fmt: skip
PASSED = len(KINDS) - 1
KIND_AT = {kind: place for place, kind in enumerate(KINDS)}

CODES = {
    "score": CODE,
    "merge": (
        *CODE[:13],
        "try_pair: if the list of merges has the pair,",
        "          push it with its place in the list",
    ),
    "rank": (*CODE[:13], "try_pair: if the joined bytes are a token,", "          push them with that token's rank"),
}
"""What a model judges a pair by → the algorithm."""

_FIRST = "The pair with the lowest rank is popped first, equal ranks from the left."
KINDS_OF: dict[str, dict[Merge | None, Kind]] = {
    "score": KINDS,
    "merge": KINDS
    | {
        Merge.SEGMENT: replace(KINDS[Merge.SEGMENT], say="A new piece begins, symbols: {0}.",
                               log="new piece, symbols: {0}",
                               why="The queue is empty again: no merge crosses from one piece to the next."),
        Merge.PUSH: replace(KINDS[Merge.PUSH], why=_FIRST,
                            say="Cells {0} and {1} make {2:q}, number {3:t} in the list of merges: push it."),
        Merge.MISS: replace(KINDS[Merge.MISS], label="no merge", log="{2:q} is no merge",
                            say="Cells {0} and {1} would make {2:q}, but this pair is not in the list of merges."),
    },
    "rank": KINDS
    | {
        Merge.SEGMENT: replace(KINDS[Merge.SEGMENT], say="A new piece begins, bytes: {0}.", log="new piece, bytes: {0}",
                               why="The queue is empty again: no merge crosses from one piece to the next."),
        Merge.PUSH: replace(KINDS[Merge.PUSH], why=_FIRST,
                            say="Cells {0} and {1} join to {2:q}, a token with rank {3:t}: push it."),
        Merge.MISS: replace(KINDS[Merge.MISS], label="no token", log="{2:q} is no token",
                            say="Cells {0} and {1} join to {2:q}, which is no token."),
    },
}  # fmt: skip
"""What a model judges a pair by → the sentences."""

UNIT = {"score": "one cell per code point", "merge": "one cell per character of the piece", "rank": "one cell per byte"}
START = {
    "score": "{what} is split into {0} symbols, one for each code point: {1} bytes.",
    "merge": "{what} is split into {0} symbols, one for each of its characters.",
    "rank": "{what} is split into {0} symbols, one for each byte.",
}
SINGLE = {
    "score": "{what} is a single symbol of {1} bytes, so there is no pair to merge.",
    "merge": "{what} is a single symbol, so there is no pair to merge.",
    "rank": "{what} is a single byte, so there is no pair to merge.",
}
REV = {
    "name": "rev", "type": "table", "title": "rev_merge", "layout": "chips", "newest_first": True,
    "note": "how each text was joined, in case a symbol is no token; in llama.cpp that cannot happen",
    "columns": [{"name": "text", "as": "quoted"}, {"name": "left", "as": "number"},
                {"name": "right", "as": "number"}], "empty": "Nothing was pushed yet.",
}  # fmt: skip

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


class _Cells:
    """The symbols of one segment and which of them are drawn: cell i is key `base + i` of the strip."""

    def __init__(self, segment: Segment, model: MergeModel, window: Window, drawn_before: int) -> None:
        self.segment = segment
        self.join = model.join
        near = bool(segment.text) and segment.starts[0] < window.end and window.start <= segment.ends[-1]
        # a segment far from the window is never drawn, and there may be thousands
        units = model.units(segment.text if near else "")
        self.pieces = units.pieces
        self.starts = [segment.starts[place] for place in units.starts]
        self.ends = [segment.ends[place - 1] for place in units.ends]
        starts, ends = spans(units, segment.text) if near else ((), ())
        self.told = [(segment.starts[a], segment.ends[b - 1]) for a, b in zip(starts, ends, strict=True)]
        """per cell the span that its token is told to have"""
        inside = [i for i, start in enumerate(self.starts) if window.holds(start)]
        self.low, self.high = (inside[0], inside[-1] + 1) if inside else (0, 0)
        self.base = drawn_before - self.low
        self.bytes = [len(piece) for piece in self.pieces]
        self.reset()

    def reset(self) -> None:
        """Nothing is merged."""
        self.size = list(self.bytes)
        self.prev = list(range(-1, len(self.size) - 1))
        self.next = [*range(1, len(self.size)), -1] if self.size else []
        self.id = [-1] * len(self.size)

    def holds(self, cell: int) -> bool:
        return self.low <= cell < self.high

    def end(self, cell: int) -> int:
        """One after the last cell that the symbol at `cell` covers."""
        return self.next[cell] if self.next[cell] >= 0 else len(self.size)

    def data(self, cell: int) -> bytes:
        """What the symbol at `cell` spells."""
        return self.join(self.pieces[cell : self.end(cell)])

    def joined(self, left: int, right: int) -> str:
        return spelled(self.join(self.pieces[left : self.end(right)]))

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


class _Writer:
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        self.vocabulary = vocabulary
        self.window = window
        self.items = stage.before
        self.model = cast(MergeModel, stage.part)
        self.kinds = KINDS_OF[self.model.worth]
        scored = self.model.worth == "score"
        self.cells: list[list[int]] = []
        groups: list[dict[str, str]] = []
        # a byte-level vocabulary spells a byte as a printable character, which may itself take two bytes
        spelling = " of its spelling" if self.model.worth == "merge" else ""
        self.builder = ScriptBuilder(
            title="Merge queue",
            landmark="merge",
            kinds=list(self.kinds.values()),
            tracks=(
                {"name": "cells", "type": "strip", "title": "Symbols", "note": UNIT[self.model.worth] +
                 ", chained by prev and next; n is the size in bytes" + spelling, "meta": ["n", "prev", "next"],
                 "cells": self.cells, "groups": groups},
                *QUEUE_TRACKS,
                {"name": "output", "type": "output", "title": "Output",
                 "empty": "No tokens yet. They appear when the queue is empty."},
                *((REV,) if scored else ()),
            ),
            roles=ROLES,
            layout=(("cells",), ("queue", "heap"), ("output", "rev") if scored else ("output",), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODES[self.model.worth],
        )  # fmt: skip
        self.parts: dict[int, _Cells] = {}
        self.word = "Fragment" if scored else "Piece"
        self.number: dict[int, int] = {}
        """place among the items → number of the fragment, from 1"""
        for place, item in enumerate(self.items):
            if isinstance(item, Segment):
                part = self.parts[place] = _Cells(item, self.model, window, len(self.cells))
                self.number[place] = len(self.parts)
                if part.low < part.high:
                    groups.append({"title": f"Fragment {len(self.parts)}"})
                for i in range(part.low, part.high):
                    text = self.builder.text(spelled(part.pieces[i]))
                    self.cells.append([text, i, len(groups) - 1, part.starts[i], part.ends[i]])
        if len(self.parts) == 1 or not scored:
            groups[:] = [{"title": ""} for _ in groups]
        self.rows = self._rows_in_window(stage)
        self.priorities = self._priorities()
        """of the rows that push, by their place among the rows: the priority of the pair"""
        pushed = {(priority, self.rows[place][1].left) for place, priority in self.priorities.items()}
        self.order = {pair: place for place, pair in enumerate(sorted(pushed))}
        """(priority, left) of every pushed pair → its place in pop order"""
        worst = (-score for score in vocabulary.scores) if scored else self.priorities.values()
        self.worst = max(worst, default=0.0)
        self.pushed: dict[tuple[int, int, int], tuple[int, int]] = {}
        """left, right, token of a pair in the queue → the places of its text and its worth among the texts"""
        self.queue = QueueTracks(self.builder)
        self.rev: dict[str, int] = {}
        """text → key in the track rev"""
        self.output = 0
        """key of the next token in the track output"""
        self.joined_from = 0
        """where the last token in the track output begins in the text"""
        self.passed = 0
        """items of the stage that have been dealt with"""

    def _rows_in_window(self, stage: Stage) -> list[tuple[_Cells, MergeRow]]:
        """The events that touch only cells that are drawn."""
        rows: list[tuple[_Cells, MergeRow]] = []
        part = _Cells(Segment("", (), ()), self.model, self.window, 0)
        for row in stage.events:
            if row.kind == Merge.SEGMENT:
                part = self.parts[row.left]
                if part.low < part.high:
                    rows.append((part, row))
            elif row.kind == Merge.SKIPPED:
                # the character has no cell of its own: it would stand in front of the cell `left`
                if part.low < part.high and part.low <= row.left <= part.high:
                    rows.append((part, row))
            elif part.holds(row.left) and (row.kind > Merge.STALE_SIZE or part.holds(row.right)):
                rows.append((part, row))
        return rows

    def _priorities(self) -> dict[int, float]:
        """What each pushed pair is worth; for that the merges are played once, as it depends on both sides."""
        found: dict[int, float] = {}
        for place, (part, row) in enumerate(self.rows):
            if row.kind == Merge.PUSH and self.model.worth == "score":
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
        segments = sum(row.kind == Merge.SEGMENT for _, row in self.rows)
        begun = seeds = 0
        phase = ""
        for place, (part, row) in enumerate(self.rows):
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
            for _, after in self.rows[place + 1 : place + 2]:
                self._announce(after, part)
            builder.step(KIND_AT[Merge(row.kind)], *self._args(row, part))
        if not begun:
            self._pass_tokens(len(self.items))
            builder.phase("Split")
            why = "All of it is special tokens already." if self.items else "The text is empty."
            builder.begin("There is nothing to merge.", why)
        elif any(not isinstance(item, Segment) for item in self.items[self.passed :]):
            self._pass_tokens(len(self.items))
            builder.step(PASSED)
        return builder.script()

    # --- a segment begins ---------------------------------------------------------------------------------------

    def _segment(self, row: MergeRow, part: _Cells, begun: int, segments: int) -> None:
        builder = self.builder
        self._pass_tokens(row.left)
        builder.put("cells", -1, begun)
        if segments == 1:
            builder.phase("Split")
        elif begun % -(-segments // MAX_PHASES) == 0:
            builder.phase(f"{self.word} {self.number[row.left]}")
        if begun:
            for key in self.rev.values():
                builder.delete("rev", key)
            self.rev.clear()
            self.pushed.clear()
            builder.step(KIND_AT[Merge.SEGMENT], len(part.size), self.number[row.left])
            return
        for each in self.parts.values():
            self._put(each, range(each.low, each.high))
        texts = START if len(part.size) != 1 else SINGLE
        say = texts[self.model.worth].replace("{what}", "The text" if len(self.parts) == 1 else f"{self.word} {{2}}")
        numbers = [len(part.size), sum(part.size), self.number[row.left]]
        builder.begin(say, "Step on to see what becomes of them.", numbers, (0,))

    def _pass_tokens(self, place: int) -> None:
        """The special tokens among the items before `place` go to the output as they are."""
        for item in self.items[self.passed : place]:
            if not isinstance(item, Segment) and self.window.holds(item.start):
                self._output(item.id, item.start, item.end)
        self.passed = max(self.passed, place)

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
            self._output(token, part.told[0][0], part.told[-1][1])
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
            self._output(token, part.told[left][0], part.told[last][1], kind == Merge.UNKNOWN_JOINED)

    def _push(self, row: MergeRow, part: _Cells, priority: float) -> None:
        spelling = part.joined(row.left, row.right)
        text = self.builder.text(spelling)
        value = self.builder.plain(number(-priority if self.model.worth == "score" else priority))
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
        if self.model.worth != "score":
            return
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

    def _args(self, row: MergeRow, part: _Cells) -> tuple[int, ...]:
        """The arguments of the sentences in `KINDS`."""
        builder = self.builder
        if row.kind == Merge.MISS:
            return row.left, row.right, builder.text(part.joined(row.left, row.right))
        if row.kind <= Merge.STALE_SIZE:
            return row.left, row.right, *self.pushed[row.left, row.right, row.token]
        if row.kind == Merge.SKIPPED:
            return row.left, builder.text(part.segment.text[row.right])
        if row.kind == Merge.DROPPED:
            return row.left, builder.text(spelled(part.data(row.left))), row.right + 1, part.size[row.left]
        if row.kind == Merge.FALLBACK:
            return row.left, builder.text(part.source(row.left)), row.right
        if row.kind == Merge.UNKNOWN_RUN:
            return row.left, builder.text(part.source(row.left))
        if row.kind in (Merge.PREFIXED, Merge.SUFFIXED):
            start = cast(Bpe, self.model).start
            assert isinstance(start, KnownCharacters), "no other spells symbols so"
            return (builder.text(spelled(start.prefix if row.kind == Merge.PREFIXED else start.suffix)),)
        if row.kind == Merge.NOT_WHOLE:
            return row.right, builder.text(spelled(b"".join(part.pieces)))
        spelling = builder.text(self.vocabulary.spelling(row.token))
        if row.kind == Merge.WHOLE:
            return row.right, spelling, builder.plain(str(row.token))
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
            if part.holds(cell):
                self.builder.put("cells", part.base + cell, *part.row(cell))

    def _mark(self, part: _Cells, cell: int, role: int) -> None:
        if part.holds(cell) and cell < len(part.size) and part.size[cell]:
            self.builder.mark("cells", part.base + cell, role)

    def _output(self, token: int, start: int, end: int, joins: bool = False) -> None:
        """joins: it becomes part of the token before it."""
        text = self.builder.text(self.vocabulary.spelling(token))
        if joins:
            self.output -= 1
            start = self.joined_from
        self.joined_from = start
        self.builder.put("output", self.output, text, token, start, end)
        self.output += 1
