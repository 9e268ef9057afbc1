"""The stepper's script for character and word models: unit after unit, each looked up.

One step for each unit of `engine/lookup.py` and for each byte of an unknown one, on two tracks: the characters and the
output. A window limits the script to the units drawn.
"""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.lookup import LookUpRow, LookUps
from explorer.engine.tokenizer import Stage
from explorer.views.script import Kind, Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "for each unit of the text, from the left:",
    "    if it is a piece that may be used: output its token",
    "    else if the model has byte fallback:",
    "        output a token for each of its bytes",
    "    else if the unit before it was unknown, too:",
    "        it joins that unknown token",
    "    else: output the unknown token",
)
ROLES = (("unit", "done"), ("unused", "gone"))
UNIT, GONE = range(len(ROLES))

KINDS = {
    "found": Kind("token", "token", "{0:q} is a piece, token {2:t}.", "{0:q} {2:t}", "", (1,), "dot", 70, True),
    "unused": Kind("unused", "stale", "{0:q} is a piece, but one that is marked unused: as good as none.",
                   "{0:q} is unused", "", (1,), "diamond", 45),
    "unknown": Kind("unknown", "byte", "{0:q} is no piece and becomes {1:q}, token {2:t}.", "{0:q} → {1:q} {2:t}",
                    "What it was is lost.", (4, 6), "dot", 70, True),
    "joined": Kind("unknown", "byte", "{0:q} is no piece either and joins the {1:q} before it.", "{0:q} joins {1:q}",
                   "A run of unknown text is one token.", (4, 5), "ring", 70),
    "byte": Kind("byte", "byte", "{0:q} is no piece: its byte number {3} becomes {1:q}, token {2:t}.",
                 "byte {1:q} {2:t}", "With byte fallback nothing is lost.", (2, 3), "dot", 70, True),
}  # fmt: skip
KIND_AT = {name: place for place, name in enumerate(KINDS)}
KIND_OF = {
    LookUps.FOUND: "found",
    LookUps.UNUSED: "unused",
    LookUps.UNKNOWN: "unknown",
    LookUps.JOINED: "joined",
    LookUps.BYTE: "byte",
}


def lookup_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a character or word model, within a window.

    >>> from explorer.engine.lookup import LookUp, characters
    >>> from explorer.engine.options import Options
    >>> from explorer.trace import Events
    >>> v, events = Vocabulary.of([b"<unk>", b"a"], kinds=[2, 1]), Events(LookUpRow)
    >>> part, before = LookUp(v, 0, characters({})), [Segment.of("ab")]
    >>> stage = Stage("model", part, before, part.run(before, Options(), events.emit), events)
    >>> lookup_script(stage, v, Window(0, 2, 0, 2)).sentence(2)
    '“b” is no piece and becomes “<unk>”, token 0. What it was is lost.'
    """
    cells: list[list[int]] = []
    groups: list[dict[str, str]] = []
    builder = ScriptBuilder(
        title="Look-up",
        landmark="token",
        kinds=list(KINDS.values()),
        tracks=(
            {"name": "cells", "type": "strip", "title": "Characters", "note": "one cell per code point", "meta": [],
             "cells": cells, "groups": groups},
            {"name": "output", "type": "output", "title": "Output", "empty": "No tokens yet."},
        ),
        roles=ROLES,
        layout=(("cells",), ("output",), ("log", "code")),
        code_title="The algorithm: the lines at work",
        code=CODE,
    )  # fmt: skip
    base: dict[int, tuple[int, range]] = {}
    """place of a segment among the items → key of its first cell, and which of its code points are drawn"""
    for place, item in enumerate(stage.before):
        if isinstance(item, Segment):
            drawn = drawn_of(item, window)
            base[place] = len(cells) - drawn.start, drawn
            if drawn:
                groups.append({"title": f"Fragment {len(groups) + 1}"})
            cells += [[builder.text(item.text[i]), i, len(groups) - 1, item.starts[i], item.ends[i]] for i in drawn]
    if len(groups) == 1:
        groups[0]["title"] = ""
    for key in range(len(cells)):
        builder.put("cells", key, 1, -1)
    builder.phase("Look-up")
    if cells:
        builder.put("cells", -1, 0)
        builder.begin("Where the units of the text end is known before any of them is looked up.", lines=(0,))
    else:
        builder.begin("There is no text to look up.", "It is empty, or all of it was white space.")
    _steps(builder, stage, vocabulary, base)
    return builder.script()


def drawn_of(segment: Segment, window: Window) -> range:
    """Which code points of a segment are drawn: those in the window, and a ▁ put behind the text where it ends."""
    spans = zip(segment.starts, segment.ends, strict=True)
    inside = [i for i, (start, end) in enumerate(spans) if window.holds(start) or start == end == window.end]
    return range(inside[0], inside[-1] + 1) if inside else range(0)


def _steps(builder: ScriptBuilder, stage: Stage, vocabulary: Vocabulary, base: dict[int, tuple[int, range]]) -> None:
    """A step for each event within the window."""
    output = byte = group = 0
    begin = -1
    """where the last unknown token in the output begins"""
    last = (-1, -1)
    """the unit of the last byte"""
    segment, first, drawn = Segment("", (), ()), 0, range(0)
    row: LookUpRow
    for row in stage.events:
        if row.kind == LookUps.SEGMENT:
            item = stage.before[row.start]
            assert isinstance(item, Segment)
            segment, (first, drawn) = item, base[row.start]
            if drawn and first + drawn.start:
                group += 1
                builder.put("cells", -1, group)
            continue
        if row.start not in drawn or row.end - 1 not in drawn:
            continue
        text = builder.text(segment.text[row.start : row.end])
        args = [text, builder.text(vocabulary.spelling(row.token)), builder.plain(str(row.token))]
        for cell in range(row.start, row.end):
            builder.mark("cells", first + cell, GONE if row.kind == LookUps.UNUSED else UNIT)
        if row.kind != LookUps.UNUSED:
            for cell in range(row.start, row.end):
                width = row.end - row.start if cell == row.start else 0
                builder.put("cells", first + cell, width, row.token if width else -1)
            start, end = segment.starts[row.start], segment.ends[row.end - 1]
            joins = row.kind == LookUps.JOINED and output > 0
            begin = begin if joins else start
            builder.put("output", output - joins, args[1], row.token, begin, end)
            output += not joins
        if row.kind == LookUps.BYTE:
            byte = byte + 1 if last == (first, row.start) else 1
            last = first, row.start
            args.append(byte)
        builder.step(KIND_AT[KIND_OF[LookUps(row.kind)]], *args)
