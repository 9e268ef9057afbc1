"""What the scripts of all models share: fragments of text as cells of a strip, tokens to the output, phases, marks.

A model stage receives fragments of text with tokens between them. A fragment has a cell for each unit the model works
on (code point, byte, symbol). The cells within the window are drawn one after the other on one strip. Tokens cut out by
an earlier stage go to the output when their turn comes.

The tracks that several scripts share: the path through a tree of pieces, the columns of ids and decoding.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from explorer.engine.models.prefixes import Prefixes
from explorer.engine.part import Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.script import script
from explorer.script.script import Script, ScriptBuilder, Window, window_of
from explorer.tables import Record
from explorer.text import visible
from explorer.text.input import is_utf8
from explorer.vocabulary import Vocabulary

MAX_PHASES = 8
"""More fragments, words or tokens than this share phases."""
MARKED = 24
"""Cells marked one by one; of a longer run only the first and the last are marked."""

FOLLOW = """
follow: token
    look: token dot 60
    say: The remaining tokens, cut out by an earlier stage, follow unchanged.
    log: tokens follow
    fields:
"""
"""The last step, if tokens follow the last fragment."""


class Fragment:
    """One segment as cells, of which [low, high) are drawn. Cell i has the key `base + i` on the strip.

    starts, ends: for each cell, its span in the original text; without them a cell is a code point.
    """

    def __init__(
        self, segment: Segment, window: Window, starts: Sequence[int] | None = None, ends: Sequence[int] | None = None
    ) -> None:
        self.segment = segment
        self.starts = starts = segment.starts if starts is None else starts
        self.ends = ends = segment.ends if ends is None else ends
        if starts and window.start <= min(starts) and max(starts) < window.end:
            self.low, self.high = 0, len(starts)
        else:
            inside = [cell for cell, start in enumerate(starts) if window.holds(start)]
            self.low, self.high = (inside[0], inside[-1] + 1) if inside else (0, 0)
        # cells inserted at the very end, such as a ▁, have an empty span where the window ends
        inserted = len(starts)
        while inserted and starts[inserted - 1] == ends[inserted - 1] == window.end:
            inserted -= 1
        if inserted == self.high:
            self.high = len(starts)
        self.base = 0

    def drawn(self) -> range:
        """The cells that are drawn."""
        return range(self.low, self.high)

    def holds(self, cell: int) -> bool:
        """Whether a cell is drawn."""
        return self.low <= cell < self.high

    def holds_span(self, start: int, end: int) -> bool:
        """Whether all cells [start, end) are drawn."""
        return self.low <= start and end <= self.high and self.low < self.high


def example(write: Callable[[Stage, Vocabulary, Window], Script], trace: Trace, stage: str = "model") -> Script:
    """The script that a writer makes of one stage of a trace: for examples and tests."""
    return write(trace.stage(stage), trace.encoding.vocabulary, window_of(trace))


F = TypeVar("F", bound=Fragment)


class ModelScript(Generic[F]):
    """One pass over the events of a stage: `prepare` makes the builder and its tracks, `write` plays the events.

    row, fragment: the event at work, and what it is about; `builder.event` is its index.
    """

    builder: ScriptBuilder
    row: Any
    fragment: F

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        self.stage, self.items, self.vocabulary, self.window = stage, stage.before, vocabulary, window
        self.cells: list[list[int]] = []
        self.groups: list[dict[str, str]] = []
        self.fragments: dict[int, F] = {}
        """index among the items → fragment"""
        self._passed = 0
        """items already handled"""
        self._outputs = 0
        """key of the next token in the track `output`"""
        self._output_from = 0
        """start of the last token there, in the text"""
        self._byte, self._byte_unit = 0, (-1, -1)
        """number of the last byte of a unit, and that unit"""
        self.prepare()

    @classmethod
    def of(cls, stage: Stage, vocabulary: Vocabulary, window: Window, trace: Trace | None = None) -> Script:
        """The script for a stage, within a window. It needs its stage alone, and is called as those that need more."""
        return cls(stage, vocabulary, window).write()

    def prepare(self) -> None:
        """Makes the builder, its tracks and cells, unless a subclass is made of more than a stage."""

    def write(self) -> Script:
        """The finished script."""
        raise NotImplementedError

    # --- tracks ---------------------------------------------------------------------------------------------------

    def strip(self, title: str, note: str, meta: Sequence[str] = (), **more: Any) -> Record:
        """The track that `draw` fills."""
        return {"name": "cells", "type": "strip", "title": title, "note": note, "meta": list(meta),
                "cells": self.cells, "groups": self.groups} | more  # fmt: skip

    def output(self, empty: str) -> Record:
        """The track that `put_out` fills."""
        return script.output("Output", empty, tab="Tokens")

    def draw_segments(self, fragment_of: Callable[[Segment, Window], F]) -> None:
        """Draws every segment among the items, a cell for each code point."""
        for index, item in enumerate(self.items):
            if isinstance(item, Segment):
                fragment = fragment_of(item, self.window)
                self.draw(index, fragment, lambda cell: self.builder.text(self.fragment.segment.text[cell]))

    def draw(
        self,
        index: int,
        fragment: F,
        text: Callable[[int], int],
        title: Callable[[int], str | None] | None = None,
    ) -> None:
        """Puts the fragment at an index among the items on the strip.

        text: a cell's index in the string table. title: of the group that begins with a cell, None if none does; all
        cells are one group without it.
        """
        self.fragments[index] = self.fragment = fragment
        fragment.base = len(self.cells) - fragment.low
        for cell in fragment.drawn():
            group = title(cell) if title else "" if cell == fragment.low else None
            if group is not None:
                self.groups.append({"title": group})
            span = fragment.starts[cell], fragment.ends[cell]
            self.cells.append([text(cell), cell, len(self.groups) - 1, *span])

    def number_groups(self) -> None:
        """Names the groups "Fragment 1", "Fragment 2", … if there are several."""
        if len(self.groups) > 1:
            self.groups[:] = [{"title": f"Fragment {number}"} for number in range(1, len(self.groups) + 1)]

    # --- what a step writes ---------------------------------------------------------------------------------------

    def put(self, cell: int, *row: int) -> None:
        """The row of a cell of the fragment at work, if it is drawn."""
        if self.fragment.holds(cell):
            self.builder.put("cells", self.fragment.base + cell, *row)

    def put_single_cells(self) -> None:
        """Every cell is a box of its own, without a token."""
        for fragment in self.fragments.values():
            for cell in fragment.drawn():
                self.builder.put("cells", fragment.base + cell, 1, -1)

    def put_box(self, cells: range, token: int) -> None:
        """Draws cells of the fragment at work as one box with a token."""
        for cell in cells:
            self.put(cell, *((len(cells), token) if cell == cells.start else (0, -1)))

    def mark(self, cells: Sequence[int], role: int) -> None:
        """Marks cells of the fragment at work for the next step."""
        for cell in cells if len(cells) <= MARKED else (cells[0], cells[-1]):
            if self.fragment.holds(cell):
                self.builder.mark("cells", self.fragment.base + cell, role)

    def put_out(self, token: int, start: int, end: int, joins: bool = False) -> None:
        """Appends a token to the output. joins: extends the token before it instead."""
        if joins and self._outputs:  # otherwise the token before it lies before the window
            self._outputs -= 1
            start = self._output_from
        self._output_from = start
        self.builder.put("output", self._outputs, self.spelling(token), token, start, end)
        self._outputs += 1

    def pass_tokens(self, before: int) -> None:
        """Appends the tokens among the items before that index to the output."""
        for item in self.items[self._passed : before]:
            if isinstance(item, Token) and self.window.holds(item.start):
                self.put_out(*item)
        self._passed = max(self._passed, before)

    def pass_all(self) -> None:
        """Appends all remaining tokens among the items to the output."""
        self.pass_tokens(len(self.items))

    def follow(self) -> None:
        """The last step, of kind `FOLLOW`, if tokens within the window remain."""
        if any(isinstance(item, Token) and self.window.holds(item.start) for item in self.items[self._passed :]):
            self.pass_all()
            self.builder.event = len(self.stage.events)
            self.builder.step("follow")

    def phase_of(self, index: int, count: int, name: str) -> None:
        """Opens a phase for item `index` (from 0) of `count` items that share at most `MAX_PHASES` phases."""
        if index % -(-count // MAX_PHASES) == 0:
            self.builder.phase(name)

    # --- arguments of sentences -----------------------------------------------------------------------------------

    def spelling(self, token: int) -> int:
        """The string table's index of a token's spelling."""
        return self.builder.text(self.vocabulary.spelling(token))

    def next_byte(self, unit: int) -> int:
        """The number, from 1, of the next byte of the unit that begins at a cell."""
        key = self.fragment.base, unit
        self._byte = self._byte + 1 if self._byte_unit == key else 1
        self._byte_unit = key
        return self._byte


BRANCHES = 5
"""Edges not taken that are drawn at a node. If there are more, one line fewer and the number of the others."""

PASSED, TAKEN, BEYOND = range(3)
"""States of a node: on the path, the token taken, and a node that this algorithm does not reach but another would."""

END, NEXT = -1, -2
"""The keys of the two rows that are no nodes."""


class WalkTrack:
    """Writes the rows of the walk at work.

    title: of the list of tokens passed. note: under the tree. taken: what the list says of its last token. by_byte:
    whether an edge is a byte; else it is a character.
    """

    def __init__(self, title: str, note: str, taken: str, *, by_byte: bool = True) -> None:
        self.by_byte = by_byte
        self.branches: list[list[list[int]]] = []
        self.track: Record = {
            "name": "walk", "type": "tree", "title": title, "note": note, "taken": taken, "branches": self.branches,
        }  # fmt: skip
        self._known: dict[tuple[bytes, bytes], int] = {}
        self._rows: list[tuple[int, ...]] = []
        self._extra: set[int] = set()
        self.builder: ScriptBuilder

    def begin(self, branches: int) -> None:
        """A new walk begins at the root."""
        for key in range(1, len(self._rows)):
            self.builder.delete("walk", key)
        for key in sorted(self._extra):
            self.builder.delete("walk", key)
        self._rows.clear()
        self._extra.clear()
        self._put((-1, -1, -1, -1, 0, branches, PASSED))

    def node(self, edge: bytes, token: int, text: int, size: int, branches: int, state: int = PASSED) -> None:
        """The walk takes an edge. text: of the path so far, an index in the string table. size: its bytes."""
        self._put((self.edge(edge), self.character(edge), token, text, size, branches, state))

    def stop(self, edge: bytes, word: str) -> None:
        """The walk ends at an edge that does not exist, or with the text."""
        self._extra.add(END)
        self.builder.write("walk", END, self.edge(edge) if edge else -1, word)

    def take(self, size: int, next_text: int) -> None:
        """The node with this many bytes is taken. next_text: what the next walk begins with, -1 at the end."""
        for key, row in enumerate(self._rows):
            if row[4] == size and row[6] == PASSED and row[2] >= 0:
                self.builder.put("walk", key, *row[:6], TAKEN)
        self._extra.add(NEXT)
        self.builder.put("walk", NEXT, next_text)

    def branches_of(self, prefix: bytes, following: bytes, prefixes: Prefixes, front: bytes = b"") -> int:
        """The edges at a prefix but the one to be taken, those with most tokens first: an index in the branches.

        front: what the pieces have before the prefix.
        """
        key = front + prefix, following
        if key not in self._known:
            others, count = prefixes.besides(prefix, following, self.by_byte, BRANCHES)
            shown = others if count <= BRANCHES else others[: BRANCHES - 1]
            prefix = front + prefix
            lines = [
                [self.edge(each.data), self.character(self._open_character(prefix) + each.data), each.tokens]
                for each in shown
            ]
            if count > len(shown):
                lines.append([-1, -1, count - len(shown)])
            self._known[key] = len(self.branches)
            self.branches.append(lines)
        return self._known[key]

    def edge(self, data: bytes) -> int:
        """An edge: a byte as two digits, a character as itself, and so are bytes that are not one."""
        if self.by_byte or not is_utf8(data):
            return self.builder.plain(data.hex(" ").upper())
        return self.builder.text(data.decode())

    def character(self, data: bytes) -> int:
        """The one character that bytes are, -1 if they are none, or if the edge says it already."""
        if not self.by_byte:
            return -1
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return -1
        return self.builder.plain(visible(text)) if len(text) == 1 else -1

    def _put(self, row: tuple[int, ...]) -> None:
        self.builder.put("walk", len(self._rows), *row)
        self._rows.append(row)

    @staticmethod
    def _open_character(prefix: bytes) -> bytes:
        """The bytes at the end of a prefix that do not make a whole character yet."""
        for size in range(1, min(4, len(prefix)) + 1):
            lead = prefix[-size]
            if lead >= 0xC0:
                whole = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
                return prefix[-size:] if size < whole else b""
            if lead < 0x80:
                break
        return b""


PLAIN, GOOD, WAITS, GONE = range(4)
"""The states of a line: as it is, finished, waiting, left out."""


def columns(title: str, note: str, lines: Sequence[str], empty: str = "No tokens.") -> Record:
    """The track. A row is a text, the number that colors it, its span, then text (-1: none) and state of each line.

    lines: the names of the lines, that of the token first.
    """
    return {"name": "columns", "type": "columns", "title": title, "note": note, "lines": list(lines), "empty": empty}
