"""The stepper's script for models that look units up whole: characters, words, the words of a WordLevel.

One step per unit of `engine/models/char_word.py` or `word_level.py`, and per byte of an unknown one, on two tracks: the
characters and the output. A window limits the script to the units drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from explorer.engine.models.lookup import (
    ByteValues,
    CharWordEvent,
    CharWordRow,
    CodePoints,
    LookedUp,
    WordLevel,
    WordLevelEvent,
    WordLevelRow,
)
from explorer.engine.part import Part
from explorer.engine.results import Stage
from explorer.script.model_script import FOLLOW, Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, Values, kinds
from explorer.script.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "for each unit of the text, from the left:",
    "    if it is a usable piece: output its token",
    "    else if the model has byte fallback:",
    "        output one token per byte",
    "    else if the previous unit was unknown too:",
    "        it joins that unknown token",
    "    else: output the unknown token",
)
ROLES = (("unit", "done"), ("unused", "gone"))
UNIT, GONE = range(len(ROLES))

KINDS: Final = kinds(
    CharWordEvent,
    """
FOUND: token
    look: token dot 70 landmark
    lines: 1
    say: {text} is a piece, token {id}.
    log: {text} {id}
    story: {text} is a piece: token {id}.
    story_why: Each unit is looked up whole, and nothing is merged.

UNUSED: unused
    look: stale diamond 45
    lines: 1
    say: {text} is a piece, but it is marked unused, so it doesn't count.
    log: {text} is unused
    story: {text} is a piece, but it is marked unused.
    story_why: The tokenizer treats it as if it were not in the vocabulary.

UNKNOWN: unknown
    look: byte dot 70 landmark
    lines: 4 6
    say: {text} is not a piece: it becomes {piece}, token {id}.
    why: The text is lost.
    log: {text} → {piece} {id}
    story: {text} is not a piece: it becomes {piece}, token {id}.
    story_why: The text is lost.

JOINED: unknown
    look: byte ring 70
    lines: 4 5
    say: {text} is not a piece either: it joins the {piece} before it.
    why: A run of unknown text is one token.
    log: {text} joins {piece}
    story: {text} is not a piece either: it joins the {piece} before it.
    story_why: A run of unknown text is one token.

BYTE: byte
    look: byte dot 70 landmark
    lines: 2 3
    fields: text:q piece:q id:t byte
    say: {text} is not a piece: its byte {byte} becomes {piece}, token {id}.
    why: Byte fallback loses nothing.
    log: byte {piece} {id}
    story: {text} is not a piece: its byte {byte} becomes {piece}, token {id}.
    story_why: Byte fallback loses nothing.

BYTE_VALUE: byte
    look: token dot 70 landmark
    lines: 1
    fields: text:q piece:q id:t byte
    say: Byte {byte} of {text} is {piece}: its value gives token {id}.
    log: byte {piece} {id}
    story: Byte {byte} of {text} is {piece}: token {id}.
    story_why: The id of a byte is its value plus a constant.

LOST like UNKNOWN
    lines: 2

CODE_POINT like FOUND
    say: The code point of {text} is its id: token {id}.
    story: {text} becomes token {id}.
    story_why: The id of a character is its Unicode number.
""",
    FOLLOW,
    fields="text:q piece:q id:t",
)
CODES: Mapping[type[Part], Sequence[str]] = {
    ByteValues: ("for each byte of the text's UTF-8:", "    output its value + a constant"),
    CodePoints: ("for each character of the text:", "    output its code point"),
    LookedUp: (
        "for each unit of the text, from the left:",
        "    if it is a piece: output its token",
        "    else: output the unknown token",
    ),
    WordLevel: ("for each word:", "    if it is a piece: output its token", "    else: output the unknown token"),
}
"""The code of the models that differ."""


def rows_of(event: CharWordRow | WordLevelRow) -> list[CharWordRow]:
    """The decisions of an event: a word of a WordLevel is a segment and its one unit."""
    if isinstance(event, CharWordRow):
        return [event]
    known = CharWordEvent.FOUND if event.kind == WordLevelEvent.KNOWN else CharWordEvent.UNKNOWN
    segment = CharWordRow(CharWordEvent.SEGMENT, event.place, event.size, -1)
    return [segment, CharWordRow(known, 0, event.size, event.token)]


def char_word_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a character or word model, within a window.

    >>> from explorer.engine.items import Segment
    >>> from explorer.engine.models.lookup import CharWord, characters
    >>> from explorer.engine.part import Options
    >>> from explorer.engine.trace import Events
    >>> v, events = Vocabulary.of([b"<unk>", b"a"], kinds=[2, 1]), Events(CharWordRow)
    >>> part, before = CharWord(v, 0, characters({})), [Segment.of("ab")]
    >>> stage = Stage("model", part, before, part.run(before, Options(), events.emit), events)
    >>> char_word_script(stage, v, Window(0, 2, 0, 2)).sentence(2)
    '“b” is not a piece: it becomes “<unk>”, token 0. The text is lost.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(ModelScript[Fragment]):
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        kinds = KINDS
        if isinstance(stage.part, LookedUp | WordLevel):
            kinds = KINDS | {CharWordEvent.UNKNOWN: replace(KINDS[CharWordEvent.UNKNOWN], lines=(2,))}
        self.builder = ScriptBuilder(
            title="Look-up",
            landmark="token",
            kinds=kinds,
            tracks=(self.strip("Characters", "one cell per code point"), self.output("No tokens yet.")),
            roles=ROLES,
            layout=(("cells",), ("output",), ("log", "code")),
            levels={
                "story": {"top": ("cells",), "left": ("output",)},
                "algorithm": {"top": ("cells",), "left": ("output",), "right": ("code",)},
            },
            code=CODES.get(type(stage.part), CODE),
        )
        self.draw_segments(Fragment)
        self.number_groups()

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self.put_single_cells()
        builder.phase("Look-up")
        if self.cells:
            builder.put("cells", -1, 0)
            builder.begin("The text is cut into units before any of them is looked up.", lines=(0,))
        else:
            builder.begin("There is no text to look up.", "It is empty, or all of it is white space.")
        group = -1
        for builder.event, event in enumerate(self.stage.events):
            for row in rows_of(event):
                if row.kind == CharWordEvent.SEGMENT:
                    fragment = self.fragments[row.start]
                    self.pass_tokens(row.start)
                    group += bool(fragment.drawn())
                    if group > 0 and fragment.drawn():
                        builder.put("cells", -1, group)
                elif fragment.holds(row.start) and fragment.holds(row.end - 1):
                    self._unit(fragment, row)
        self.follow()
        return builder.script()

    def _unit(self, fragment: Fragment, row: CharWordRow) -> None:
        """The step of one unit, or of its next byte."""
        cells, text = range(row.start, row.end), fragment.segment.text[row.start : row.end]
        told: Values = {"text": text, "piece": self.spelling(row.token), "id": str(row.token)}
        self.mark(fragment, cells, GONE if row.kind == CharWordEvent.UNUSED else UNIT)
        if row.kind != CharWordEvent.UNUSED:
            self.put_box(fragment, cells, row.token)
            joins = row.kind == CharWordEvent.JOINED
            self.put_out(row.token, fragment.starts[row.start], fragment.ends[row.end - 1], joins)
        if row.kind in (CharWordEvent.BYTE, CharWordEvent.BYTE_VALUE):
            told["byte"] = self.next_byte(fragment, row.start)
        self.builder.step(row.kind, **told)
