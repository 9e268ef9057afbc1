"""The stepper's script for RWKV World: the path through the trie, the last token seen on it, and the fall back.

One step for each event of `engine/trie.py`, on three tracks: the bytes of the text, the path of the walk at work, and
the output. The first-miss loop is told in the same tracks: its path has a line for each character it tried.

Of a long text only the walks that begin in the part drawn are steps.
"""

from __future__ import annotations

from typing import NamedTuple

from explorer.engine.items import Segment, Token
from explorer.engine.tokenizer import Stage
from explorer.engine.trie import FirstMiss, OverBytes, Walk, WalkRow
from explorer.text import visible, visible_char
from explorer.views.say import plural
from explorer.views.script import Kind, Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary, spelled

TRIE_CODE = (
    "start = 0",
    "while start is before the end of the text:",
    "    node = root; nothing seen",
    "    for each byte from start on:",
    "        node = where that byte leads from node",
    "        if it leads nowhere: leave the loop",
    "        if node is a token: seen = node",
    "    output the token seen; start = its end",
)
MISS_CODE = (
    "start = 0",
    "while start is before the end of the text:",
    "    so far = nothing",
    "    for each character from start on:",
    "        if so far + character is no token: leave the loop",
    "        so far = so far + character",
    "    if so far is nothing: output byte + 1 for each byte",
    "    else: output its token; start = its end",
)

ROLES = (("", "done"), ("", "reject"), ("seen", "next"), ("", "gone"), ("", "hit"))
PATH, NOWHERE, SEEN, BACK, HIT = range(len(ROLES))
PASSED = len(Walk)
MAX_PHASES = 8
MARKED = 24
"""Bytes of a path that are marked one by one; of a longer one only both ends are."""
ENDS = (Walk.TAKE, Walk.FALL_BACK, Walk.UNKNOWN, Walk.BYTE)
"""Events that put a token out."""
FAILED = (Walk.NO_EDGE, Walk.MISS)

KINDS = [
    Kind("fragment", "info", "A new fragment of {0} bytes begins.", "new fragment, {0} bytes"),
    Kind("node", "miss", "Byte {0:t} leads on. {1:q} is no token, but some begin so: walk through.",
         "{1:q} no token yet", "A loop that stopped here would never find the longer token.", (3, 4, 6), "ring", 30),
    Kind("token seen", "push", "Byte {0:t} leads on. {1:q} is token {2:t}: remember it.", "{1:q} seen, {2:t}",
         "A longer one may follow.", (3, 4, 6), "dot", 60),
    Kind("path ends", "stale", "Byte {0:t} leads nowhere after {1:q}: the walk ends.", "ends at {0:t}", "", (3, 4, 5),
         "diamond", 30),
    Kind("path ends", "stale", "The text ends after {0:q}, and the walk with it.", "ends with the text", "", (3,),
         "diamond", 30),
    Kind("token", "merge", "The last token seen is {0:q}, token {1:t}: into the output. The next walk begins behind "
         "it.", "{0:q} {1:t}", "", (7,), "dot", 100, True),
    Kind("fall back", "merge", "Fall back to the last token seen, {0:q}, token {1:t}. The walk was {2:t} further; "
         "the next one reads that again.", "back to {0:q} {1:t}", "", (7,), "diamond", 100, True),
    Kind("unknown", "byte", "No token was seen on the path: byte {0:t} becomes {1:q}, token {2:t}.", "unknown {1:q}",
         "One byte is passed over, so the walk always comes to an end.", (7,), "ring", 70, True),
    Kind("token seen", "push", "With the character {0:q} it is {1:q}, token {2:t}: try one more.", "{1:q} {2:t}", "",
         (3, 4, 5), "dot", 60),
    Kind("first miss", "stale", "With the character {0:q} it is {1:q}, which is no token: stop.", "{1:q} no token",
         "A longer token may well begin so. This loop does not look; the trie does.", (3, 4), "diamond", 45),
    Kind("byte", "byte", "The character {0:q} is no token: its byte {1:t} becomes token {2:t}, byte + 1.",
         "byte {1:t} {2:t}", "A character the vocabulary does not hold costs one token for each byte.", (6,), "dot",
         70, True),
    Kind("token", "info", "The special tokens behind it follow as they are.", "special tokens follow"),
]  # fmt: skip
"""In the order of `Walk`."""


def trie_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of an RWKV trace, within a window.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("rwkv-world")
    >>> trace = tok.trace("!--")
    >>> trie_script(trace.stage("model"), tok.vocabulary, window_of(trace)).sentence(2)
    'Byte 2D “-” leads on. “!-” is no token, but some begin so: walk through. A loop that stopped here would never \
find the longer token.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Bytes(NamedTuple):
    """One segment: its bytes, which character each belongs to, and which bytes are drawn, at key base + byte."""

    segment: Segment
    data: bytes
    of: list[int]
    low: int
    high: int
    base: int

    @classmethod
    def drawn(cls, segment: Segment, window: Window, before: int) -> _Bytes:
        data = segment.text.encode()
        of = [number for number, ch in enumerate(segment.text) for _ in ch.encode()]
        inside = [at for at, number in enumerate(of) if window.holds(segment.starts[number])]
        low, high = (inside[0], inside[-1] + 1) if inside else (0, 0)
        return cls(segment, data, of, low, high, before - low)


class _Writer:
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        part = stage.part
        assert isinstance(part, OverBytes)
        self.vocabulary, self.window, self.items = vocabulary, window, stage.before
        first_miss = isinstance(part, FirstMiss)
        cells: list[list[int]] = []
        groups: list[dict[str, str]] = []
        note = "one line for each character that was tried" if first_miss else "one line for each node walked to"
        self.builder = ScriptBuilder(
            title="First miss" if first_miss else "Trie walk",
            landmark="token",
            kinds=KINDS,
            tracks=(
                {"name": "cells", "type": "strip", "title": "Bytes", "inline": True,
                 "note": "one cell per byte, the bytes of a character side by side", "meta": [], "cells": cells,
                 "groups": groups},
                {"name": "path", "type": "table", "title": "Path", "layout": "rows", "newest_first": True,
                 "note": note, "columns": [{"name": "byte", "as": "number"}, {"name": "read", "as": "text"},
                                           {"name": "so far", "as": "quoted"}, {"name": "node", "as": "text"}],
                 "empty": "At the root: nothing was read yet."},
                {"name": "output", "type": "output", "title": "Output",
                 "empty": "No tokens yet. They appear when a walk ends."},
            ),
            roles=ROLES,
            layout=(("cells",), ("path", "output"), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=MISS_CODE if first_miss else TRIE_CODE,
        )  # fmt: skip
        self.parts: dict[int, _Bytes] = {}
        for place, item in enumerate(self.items):
            if not isinstance(item, Segment):
                continue
            part_of = self.parts[place] = _Bytes.drawn(item, window, len(cells))
            last = -1
            for at in range(part_of.low, part_of.high):
                number = part_of.of[at]
                ch = item.text[number]
                if number != last:
                    groups.append({"title": "" if ch.isascii() else visible_char(ch)[0]})
                    last = number
                text = self.builder.text(ch) if ch.isascii() else self.builder.plain(f"{part_of.data[at]:02X}")
                cells.append([text, at, len(groups) - 1, item.starts[number], item.ends[number]])
        self.events, self.first_miss = stage.events, first_miss
        self.start = self.seen = -1
        """where the walk at work began, and the last byte of the token seen on it"""
        self.lines = self.reached = self.output = self.passed = 0

    def write(self) -> Script:
        builder = self.builder
        for part in self.parts.values():
            for at in range(part.low, part.high):
                builder.put("cells", part.base + at, 1, -1)
        rows = self._rows_in_window()
        builder.phase("Walks")
        if not rows:
            self._pass_tokens(len(self.items))
            builder.begin("There is no text to walk along.", "It is empty.")
            return builder.script()
        builder.begin("The text is {0} bytes. Every walk begins at the root of the trie." if not self.first_miss else
                      "The text is {0} bytes. The loop takes one character more for as long as it is a token.", "",
                      [sum(len(part.data) for part in self.parts.values())], (0,))  # fmt: skip
        walks = sum(row.kind in ENDS for _, row in rows)
        done = 0
        for place, (part, row) in enumerate(rows):
            if row.kind == Walk.SEGMENT:
                self._pass_tokens(row.start)
                if place:
                    builder.step(row.kind, row.at)
                continue
            if row.start != self.start:
                self._begin_walk(row.start)
                if done % -(-walks // MAX_PHASES) == 0 and done:
                    builder.phase(f"Token {done + 1}")
            args = self._event(part, row)
            done += row.kind in ENDS
            builder.step(row.kind, *args)
        if any(isinstance(item, Token) and self.window.holds(item.start) for item in self.items[self.passed :]):
            self._pass_tokens(len(self.items))
            builder.step(PASSED)
        return builder.script()

    def _rows_in_window(self) -> list[tuple[_Bytes, WalkRow]]:
        """The events of the segments and walks that begin among the bytes drawn."""
        rows: list[tuple[_Bytes, WalkRow]] = []
        part: _Bytes | None = None
        for row in self.events:
            if row.kind == Walk.SEGMENT:
                part = self.parts[row.start]
                if part.low < part.high:
                    rows.append((part, row))
            elif part is not None and part.low <= row.start < part.high:
                rows.append((part, row))
        return rows

    def _begin_walk(self, start: int) -> None:
        for key in range(self.lines):
            self.builder.delete("path", key)
        self.start, self.lines, self.reached, self.seen = start, 0, start, -1

    # --- what a step writes -------------------------------------------------------------------------------------

    def _event(self, part: _Bytes, row: WalkRow) -> tuple[int, ...]:
        """Writes what one event changes; gives the arguments of its sentence in `KINDS`."""
        kind, at, start, token = row
        if kind in ENDS:
            return self._token(part, row)
        self._mark(part, range(start, min(at + 1, len(part.data))), NOWHERE if kind in FAILED else PATH)
        so_far = self._text(part, start, at + 1)
        if kind in (Walk.CHARACTER, Walk.MISS):
            ch = self.builder.text(part.segment.text[part.of[at]])
            self._line(part, row, self.builder.text(part.segment.text[part.of[at]]), so_far)
            return (ch, so_far) if kind == Walk.MISS else (ch, so_far, self._number(token))
        if kind == Walk.END:
            return (self._text(part, start, len(part.data)),)
        read = self._read(part.data[at])
        self._line(part, row, read, so_far)
        if kind == Walk.NO_EDGE:
            self._mark(part, range(self.seen, self.seen + 1), SEEN)
            return read, self._text(part, start, at)
        self.reached = at + 1
        if kind == Walk.NODE:
            self._mark(part, range(self.seen, self.seen + 1), SEEN)
            return read, so_far
        self.seen = at
        return read, so_far, self._number(token)

    def _line(self, part: _Bytes, row: WalkRow, read: int, so_far: int) -> None:
        """One more line of the path."""
        node = "leads nowhere" if row.kind == Walk.NO_EDGE else "no token" if row.token < 0 else f"token {row.token}"
        self.builder.put("path", self.lines, row.at, read, so_far, self.builder.plain(node))
        self.builder.mark("path", self.lines, NOWHERE if row.kind in FAILED else HIT)
        self.lines += 1

    def _token(self, part: _Bytes, row: WalkRow) -> tuple[int, ...]:
        """A walk ends in a token."""
        kind, at, start, token = row
        spelling = self.builder.text(self.vocabulary.spelling(token))
        if kind == Walk.BYTE:
            self._box(part, at, at + 1, token)
            ch = self.builder.text(part.segment.text[part.of[at]])
            return ch, self._read(part.data[at]), self._number(token)
        self._box(part, start, at, token)
        if kind == Walk.UNKNOWN:
            return self._read(part.data[start]), spelling, self._number(token)
        if kind == Walk.TAKE:
            return spelling, self._number(token)
        self._mark(part, range(at, self.reached), BACK)
        return spelling, self._number(token), self.builder.plain(plural(self.reached - at, "byte"))

    def _box(self, part: _Bytes, start: int, end: int, token: int) -> None:
        """Draws the bytes [start, end) as one, and puts their token out."""
        for at in range(start, end):
            if part.low <= at < part.high:
                row = (min(end, part.high) - start, token) if at == start else (0, -1)
                self.builder.put("cells", part.base + at, *row)
        self._mark(part, range(start, start + 1), HIT)
        segment = part.segment
        self._output(token, segment.starts[part.of[start]], segment.ends[part.of[end - 1]])

    # --- small ones ---------------------------------------------------------------------------------------------

    def _read(self, byte: int) -> int:
        """A byte as `2D “-”`, or `E7` alone where it is no ASCII."""
        shown = f" “{visible(chr(byte))}”" if byte < 0x80 else ""
        return self.builder.plain(f"{byte:02X}{shown}")

    def _text(self, part: _Bytes, start: int, end: int) -> int:
        return self.builder.text(spelled(part.data[start:end]))

    def _number(self, token: int) -> int:
        return self.builder.plain(str(token))

    def _mark(self, part: _Bytes, places: range, role: int) -> None:
        for at in places if len(places) <= MARKED else (places[0], places[-1]):
            if part.low <= at < part.high:
                self.builder.mark("cells", part.base + at, role)

    def _pass_tokens(self, place: int) -> None:
        """The tokens among the items before `place` go to the output as they are."""
        for item in self.items[self.passed : place]:
            if isinstance(item, Token) and self.window.holds(item.start):
                self._output(item.id, item.start, item.end)
        self.passed = max(self.passed, place)

    def _output(self, token: int, start: int, end: int) -> None:
        text = self.builder.text(self.vocabulary.spelling(token))
        self.builder.put("output", self.output, text, token, start, end)
        self.output += 1
