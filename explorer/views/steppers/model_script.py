"""What the scripts of all models share: fragments of text as cells of a strip, tokens to the output, phases, marks.

A model stage is given fragments of text with tokens between them. A fragment has a cell for each thing the model
works on (code point, byte, symbol), and of these the cells within the window are drawn, one after the other, on one
strip. Tokens that are there already pass to the output when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from explorer.engine.items import Segment, Token
from explorer.engine.tokenizer import Stage
from explorer.views.steppers.script import Kind, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

MAX_PHASES = 8
"""Fragments, words or tokens share a phase where there are more of them."""
MARKED = 24
"""Cells that are marked one by one; of a longer run only both ends are."""

FOLLOW = Kind("token", "token", "The tokens behind it, cut out before, follow unchanged.", "tokens follow")
"""The last step where tokens stand behind the last fragment."""


class Part:
    """One fragment: its cells, of which [low, high) are drawn. Cell i is key `base + i` of the strip.

    starts, ends: of each cell, the span of the original text it stands for.
    """

    def __init__(self, segment: Segment, starts: Sequence[int], ends: Sequence[int], window: Window) -> None:
        self.segment, self.starts, self.ends = segment, starts, ends
        inside = [cell for cell, start in enumerate(starts) if window.holds(start)]
        self.low, self.high = (inside[0], inside[-1] + 1) if inside else (0, 0)
        # what was put behind the text, such as a ▁, stands where the window ends
        behind = len(starts)
        while behind and starts[behind - 1] == ends[behind - 1] == window.end:
            behind -= 1
        if behind == self.high:
            self.high = len(starts)
        self.base = 0

    def drawn(self) -> range:
        return range(self.low, self.high)

    def holds(self, cell: int) -> bool:
        return self.low <= cell < self.high


P = TypeVar("P", bound=Part)


class ModelScript(Generic[P]):
    """One pass over the events of a model stage. Whoever inherits makes the builder and its tracks."""

    builder: ScriptBuilder

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        self.stage, self.items, self.vocabulary, self.window = stage, stage.before, vocabulary, window
        self.cells: list[list[int]] = []
        self.groups: list[dict[str, str]] = []
        self.parts: dict[int, P] = {}
        """place among the items → the fragment there"""
        self._passed = 0
        """items that have been dealt with"""
        self._outputs = 0
        """key of the next token in the track output"""
        self._output_from = 0
        """where the last token there begins in the text"""

    # --- tracks ---------------------------------------------------------------------------------------------------

    def strip(self, title: str, note: str, meta: Sequence[str] = (), **more: Any) -> dict[str, Any]:
        """The track that `draw` fills."""
        return {"name": "cells", "type": "strip", "title": title, "note": note, "meta": list(meta),
                "cells": self.cells, "groups": self.groups} | more  # fmt: skip

    def output(self, empty: str) -> dict[str, Any]:
        """The track that `put_out` fills."""
        return {"name": "output", "type": "output", "title": "Output", "empty": empty}

    def draw(self, place: int, part: P, text: Callable[[int], int], title: Callable[[int], str | None]) -> None:
        """Puts a fragment on the strip.

        text: of a cell, the place of its text among the texts. title: of the group that begins with a cell, None
        where none does.
        """
        self.parts[place] = part
        part.base = len(self.cells) - part.low
        for cell in part.drawn():
            begins = title(cell)
            if begins is not None:
                self.groups.append({"title": begins})
            self.cells.append([text(cell), cell, len(self.groups) - 1, part.starts[cell], part.ends[cell]])

    # --- what a step writes ---------------------------------------------------------------------------------------

    def put(self, part: P, cell: int, *row: int) -> None:
        """The row of a cell, if it is drawn."""
        if part.holds(cell):
            self.builder.put("cells", part.base + cell, *row)

    def mark(self, part: P, cells: Sequence[int], role: int) -> None:
        for cell in cells if len(cells) <= MARKED else (cells[0], cells[-1]):
            if part.holds(cell):
                self.builder.mark("cells", part.base + cell, role)

    def put_out(self, token: int, start: int, end: int, joins: bool = False) -> None:
        """A token to the output. joins: it becomes part of the token before it."""
        if joins and self._outputs:  # else the token before it lies before the window
            self._outputs -= 1
            start = self._output_from
        self._output_from = start
        text = self.builder.text(self.vocabulary.spelling(token))
        self.builder.put("output", self._outputs, text, token, start, end)
        self._outputs += 1

    def pass_tokens(self, before: int) -> None:
        """The tokens among the items before that place go to the output as they are."""
        for item in self.items[self._passed : before]:
            if isinstance(item, Token) and self.window.holds(item.start):
                self.put_out(*item)
        self._passed = max(self._passed, before)

    def pass_all(self) -> None:
        self.pass_tokens(len(self.items))

    def follow(self, kind: int) -> None:
        """The last step, of kind `FOLLOW`, where there are tokens left that are drawn."""
        if any(isinstance(item, Token) and self.window.holds(item.start) for item in self.items[self._passed :]):
            self.pass_all()
            self.builder.event = len(self.stage.events)
            self.builder.step(kind)

    def phase_of(self, number: int, count: int, name: str) -> None:
        """Number `number`, from 0, of `count` things that share the phases begins."""
        if number % -(-count // MAX_PHASES) == 0:
            self.builder.phase(name)
