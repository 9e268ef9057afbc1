"""The stepper's script for sentencepiece's user-defined pieces: which one begins where, and what stays text.

Replays the events of `engine/partition/user_defined.py`, one step each (`cut_out_script.py`).
"""

from __future__ import annotations

from typing import Any, cast

from explorer.engine.items import Segment
from explorer.engine.partition.user_defined import UserDefinedEvent, UserDefinedSplit
from explorer.engine.results import Stage
from explorer.text import visible
from explorer.views.steppers.cut_out_script import CutOutScript
from explorer.views.steppers.model_script import Fragment
from explorer.views.steppers.script import Script, StepKind
from explorer.views.steppers.stories import Story, with_stories
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "at = the beginning",
    "while there is text at `at`:",
    "    take the longest defined piece that begins here",
    "    if there is none: go on at the next character",
    "    what is left of it stays text",
    "    the piece is a token of its own",
    "    at = after it",
    "what is left stays text",
)

KINDS = with_stories({
    UserDefinedEvent.SYMBOL: StepKind(
        "cut out", "token", "{0:q} is at index {2}: a user-defined piece, token {1:i}.", "{0:q} → {1:i}", "{4:t}",
        (1, 2, 4, 5, 6), "dot", 100, True),
    UserDefinedEvent.TEXT: StepKind(
        "text", "info", "{0:q} stays text, at index {2}.", "{0:q} is text", "{4:t}", (3, 4, 7), "dot", 45),
}, {
    UserDefinedEvent.SYMBOL: Story("{0:q} is a user-defined piece: token {1:i}.", "{4:t}"),
    UserDefinedEvent.TEXT: Story("{0:q} stays text.", "{4:t}"),
})  # fmt: skip


def user_defined_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the stage of user-defined pieces, within a window.

    >>> from explorer.engine.options import Options
    >>> from explorer.engine.partition.user_defined import UserDefinedRow
    >>> from explorer.engine.trace import Events
    >>> part, events = UserDefinedSplit({"<a>": 1, "<": 0}), Events(UserDefinedRow)
    >>> before = [Segment.of("x<a>")]
    >>> stage = Stage("pre-tokenize", part, before, part.run(before, Options(), events.emit), events)
    >>> user_defined_script(stage, Vocabulary.of([b"<", b"<a>"]), Window(0, 4, 0, 2)).sentence(2)
    '“<a>” is at index 1: a user-defined piece, token 1. The longest one wins: “<” begins here too. No merge reaches \
into it.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(CutOutScript):
    title = "User-defined pieces"
    landmark = "piece"
    code = CODE
    opening = (
        "The text is read once, from the left, before anything is merged.",
        "Where a user-defined piece begins, the longest one is taken.",
    )
    kinds = KINDS

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.symbols = cast(UserDefinedSplit, stage.part).symbols
        self.length = {id: len(symbol) for symbol, id in self.symbols.items()}

    def read(self, fragment: Fragment, row: Any, key: int, at: int) -> range | None:
        if at >= len(fragment.segment.text):
            return None
        item = self.stage.after[key]
        return range(at, at + (len(item.text) if isinstance(item, Segment) else self.length[row.token]))

    def told(self, fragment: Fragment, row: Any, cells: range) -> tuple[Any, str, str, str]:
        text = fragment.segment.text[cells.start : cells.stop]
        if row.kind == UserDefinedEvent.TEXT:
            return UserDefinedEvent.TEXT, text, "", "No user-defined piece begins at any of its characters."
        shorter = [text[:size] for size in range(len(text) - 1, 0, -1) if text[:size] in self.symbols]
        also = f"The longest one wins: “{visible(shorter[0])}” begins here too. " if shorter else ""
        return UserDefinedEvent.SYMBOL, text, f"token {row.token}", f"{also}No merge reaches into it."
