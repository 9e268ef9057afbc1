"""The stepper's script for DNA within a text: the tags, and each group of six letters looked up as a token.

Replays the events of `engine/partition/dna.py`, one step each (`cut_out_script.py`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from explorer.engine.partition.dna import CLOSE, LETTERS, OPEN, UPPER, DnaEvent
from explorer.engine.results import Stage
from explorer.views.steppers.cut_out_script import CutOutScript
from explorer.views.steppers.model_script import Fragment
from explorer.views.steppers.script import Script, StepKind
from explorer.views.steppers.stories import Story, with_stories
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "while there is text:",
    "    find <dna>; what is left of it stays text",
    "    <dna> is a token",
    "    find </dna>; without it, DNA goes to the end",
    "    for every six bytes of the DNA:",
    "        in upper case; fill a short group with A",
    "        look it up with the mark U+E000 behind it",
    "        it is a token, or it becomes <oov>",
    "    </dna> is a token",
)

KINDS = with_stories({
    "open": StepKind(
        "tag", "token", "{0:q} is at index {2}: token {1:i}. DNA begins.", "{0:q} → {1:i}", "{4:t}", (1, 2, 3),
        "ring", 60),
    "close": StepKind(
        "tag", "token", "{0:q} is at index {2}: token {1:i}. DNA ends.", "{0:q} → {1:i}", "", (8,), "ring", 60),
    DnaEvent.GROUP: StepKind(
        "six letters", "merge", "{0:q} at index {2}: {3:q} is token {1:i}.", "{3:q} → {1:i}", "{4:t}", (4, 5, 6, 7),
        "dot",
        100, True),
    DnaEvent.FILLED: StepKind(
        "filled", "merge", "{0:q} at index {2} is filled with A: {3:q} is token {1:i}.", "{3:q} → {1:i}", "{4:t}",
        (4, 5, 6, 7), "dot", 100, True),
    DnaEvent.UNKNOWN: StepKind(
        "unknown", "byte", "{0:q} at index {2}: {3:q} is not a token of DNA and becomes <oov>, token {1:i}.",
        "{3:q} → <oov>", "{4:t}", (4, 5, 6, 7), "diamond", 100, True),
    DnaEvent.TEXT: StepKind("text", "info", "{0:q} stays text, at index {2}.", "{0:q} is text",
                            "It is tokenized like any other text.", (1,), "dot", 45),
}, {
    "open": Story("{0:q} is a token: DNA begins.", "{4:t}"),
    "close": Story("{0:q} is a token: DNA ends."),
    DnaEvent.GROUP: Story("{0:q} is a group of six: {3:q} is token {1:i}.", "{4:t}"),
    DnaEvent.FILLED: Story("{0:q} is the last group: filled with A, {3:q} is token {1:i}.", "{4:t}"),
    DnaEvent.UNKNOWN: Story("{0:q}: {3:q} is not a token of DNA. It becomes <oov>, token {1:i}.", "{4:t}"),
    DnaEvent.TEXT: Story("{0:q} stays text.", "It is tokenized like any other text."),
})  # fmt: skip

MARKED = "In the vocabulary a mark follows the letters, so that DNA differs from the same letters of a text."
CUT_THROUGH = "Groups are counted in bytes, and this one cuts a character apart."
NO_GROUP = "The vocabulary has no such group."
FILLED = "A group has six letters; what is missing at the end is A."
OPEN_END = "No closing tag follows: all that is left is DNA."


def dna_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the DNA stage, within a window.

    >>> from explorer.engine.items import Segment
    >>> from explorer.engine.options import Options
    >>> from explorer.engine.partition.dna import DnaGroups, DnaRow
    >>> from explorer.engine.trace import Events
    >>> v = Vocabulary.of([b"<dna>", b"</dna>", b"<oov>", "ACGTAA\\ue000".encode()])
    >>> part, before, events = DnaGroups(v), [Segment.of("<dna>acgt</dna>")], Events(DnaRow)
    >>> stage = Stage("dna", part, before, part.run(before, Options(), events.emit), events)
    >>> dna_script(stage, v, Window(0, 15, 0, 3)).sentence(2)
    '“acgt” at index 5 is filled with A: “ACGTAA” is token 3. A group has six letters; what is missing at the end is A.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(CutOutScript):
    title = "DNA"
    landmark = "group"
    code = CODE
    opening = (
        "The text is searched for DNA, which stands between its tags.",
        "Every six letters of it are one token, whatever the model would do.",
    )
    kinds = KINDS

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.letters: dict[int, bytes] = {}
        """index of an event → the letters of its group, in upper case"""
        events, number = list(stage.events), 0
        for fragment in self.fragments.values():
            text, letters = fragment.segment.text, b""
            while number < len(events) and (cells := self.read(fragment, events[number], 0, 0)) is not None:
                if events[number].kind == DnaEvent.TAG:
                    end = text.find(CLOSE.decode(), cells.stop)
                    letters = text[cells.stop : end if end >= 0 else None].encode().translate(UPPER)
                elif events[number].kind != DnaEvent.TEXT:
                    self.letters[number], letters = letters[:LETTERS], letters[LETTERS:]
                number += 1

    def read(self, fragment: Fragment, row: Any, key: int, at: int) -> range | None:
        segment = fragment.segment
        if not segment.text or row.start >= segment.ends[-1]:
            return None
        return range(bisect_right(segment.starts, row.start) - 1, bisect_left(segment.ends, row.end) + 1)

    def told(self, fragment: Fragment, row: Any, cells: range) -> tuple[Any, str, str, str]:
        text, kind = fragment.segment.text, DnaEvent(row.kind)
        said = text[cells.start : cells.stop]
        if kind == DnaEvent.TEXT:
            return kind, said, "", ""
        if kind == DnaEvent.TAG:
            opens = said == OPEN.decode()
            closed = text.find(CLOSE.decode(), cells.stop) >= 0
            return "open" if opens else "close", said, f"token {row.token}", "" if closed or not opens else OPEN_END
        group = self.letters[self.builder.event].ljust(LETTERS, b"A")
        shown = group.decode("utf-8", "backslashreplace")
        if kind == DnaEvent.UNKNOWN:
            whole = shown.encode() == group
            return kind, shown, f"<oov>, {row.token}", NO_GROUP if whole else CUT_THROUGH
        return kind, shown, f"token {row.token}", FILLED if kind == DnaEvent.FILLED else MARKED
