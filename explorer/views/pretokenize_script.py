"""The stepper's script for pre-tokenizing: which alternatives are tried at a place, which one takes how much.

Replays the events of the pre-tokenize stage on three tracks: the code points of the text, grouped to pieces as they
are cut; the alternatives of the pattern with how often each was tried and how often it matched; and the pieces. Where
a stage has several splitters, the later ones cut the pieces of the earlier ones again. The byte-to-printable map is
left to the board: it takes no decision.
"""

from __future__ import annotations

from typing import cast

from explorer.engine.items import Segment
from explorer.engine.pretokenizers import PreTokenization, PreTokenize
from explorer.engine.tokenizer import Stage
from explorer.views.boards.pretokenize import LONGEST, lost_by_rewriting, takes
from explorer.views.say import plural
from explorer.views.script import Kind, Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "at = the beginning",
    "while there is text at `at`:",
    "    for each alternative, in order:",
    "        if it does not match here: try the next",
    "        else: what it takes is a piece;",
    "            go on behind it",
)
ROLES = (("tried here", "reject"), ("piece", "done"), ("", "hit"), ("", "next"))
TRIED, TAKEN, HIT, NEXT = range(len(ROLES))

_FAILED = "Alternative {0}, {2:q}, does not match at character {1}."
_NEXT = "The next one is tried at the same place."

KINDS: dict[PreTokenize | str, Kind] = {
    PreTokenize.FAILED: Kind("no match", "miss", _FAILED, "{0}: {2:t}", f"It takes this: {{3:t}} {_NEXT}", (2, 3),
                             "ring", 25),
    "rewritten": Kind("no match", "miss", _FAILED, "{0}: {2:t}", "The model's own pattern has {4:q} here and would "
                      f"take {{5:q}}. llama.cpp has rewritten it: {{3:t}} {_NEXT}", (2, 3), "diamond", 45),
    PreTokenize.PIECE: Kind("piece", "merge", "Alternative {0} matches: {1:q} is a piece.", "{0} → {1:q}",
                            "It takes this: {2:t} The first alternative that matches wins, even where a later one "
                            "would take more.", (2, 4, 5), "dot", 100, True),
    PreTokenize.GAP: Kind("rest", "info", "No alternative matches within {1:q}: it stays a piece.", "rest {1:q}",
                          "What stands between two matches is cut off by them.", (2, 3), "dot", 70),
    PreTokenize.REMOVED: Kind("removed", "stale", "Alternative {0} matches {1:q}, a separator: it is left out.",
                              "{1:q} left out", "", (2, 4, 5), "diamond", 70),
    PreTokenize.PREFIX: Kind("prefix", "info", "A space is put in front of the piece at character {1}.",
                             "a space in front",
                             "So that a word is the same at the beginning as after a space.", (), "dot", 40),
}  # fmt: skip
KIND_AT = {kind: place for place, kind in enumerate(KINDS)}


def pretokenize_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the pre-tokenize stage of a trace, within a window.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("gpt-2")
    >>> trace = tok.trace("He's")
    >>> pretokenize_script(trace.stage("pre-tokenize"), tok.vocabulary, window_of(trace)).sentence(2)
    'Alternative 2 matches: “He” is a piece. It takes this: Letters, with the space in front of them. The first \
alternative that matches wins, even where a later one would take more.'
    """
    part = cast(PreTokenization, stage.part)
    cells: list[list[int]] = []
    groups: list[dict[str, str]] = []
    builder = ScriptBuilder(
        title="Pre-tokenizer",
        landmark="piece",
        kinds=list(KINDS.values()),
        tracks=(
            {"name": "cells", "type": "strip", "title": "Text", "note": "one cell per code point; a piece is drawn as "
             "one, in the colour of its alternative", "meta": [], "cells": cells, "groups": groups},
            {"name": "alternatives", "type": "table", "title": "Alternatives", "layout": "rows", "newest_first": False,
             "note": "in the order they are tried", "empty": "No pattern: the text is not cut.",
             "columns": [{"name": "number", "as": "number"}, {"name": "pattern", "as": "quoted"},
                         {"name": "tried", "as": "number"}, {"name": "matched", "as": "number"}]},
            {"name": "output", "type": "output", "title": "Pieces", "empty": "No pieces yet."},
        ),
        roles=ROLES,
        layout=(("cells",), ("alternatives", "output"), ("log", "code")),
        code_title="The algorithm: the lines at work",
        code=CODE,
    )  # fmt: skip
    key_of: dict[int, int] = {}
    """code point of the original text → its cell"""
    shown: list[str] = []
    ends: list[int] = []
    for item in stage.before:
        if not isinstance(item, Segment):
            continue
        inside = [i for i, start in enumerate(item.starts) if window.holds(start)]
        if inside:
            groups.append({"title": ""})
        for i in inside:
            key_of.setdefault(item.starts[i], len(cells))
            cells.append([builder.text(item.text[i]), i, len(groups) - 1, item.starts[i], item.ends[i]])
            shown.append(item.text[i])
            ends.append(item.ends[i])
    spans = [(1, -1)] * len(cells)
    """of each cell: how many it covers as a piece, and the alternative it was taken by"""
    for key, row in enumerate(spans):
        builder.put("cells", key, *row)
    counts = [[0, 0] for _ in part.alternatives]
    for place, each in enumerate(part.alternatives):
        builder.put("alternatives", place, place + 1, builder.text(each.regex), 0, 0)
    builder.phase("Cut")
    sizes = plural(len(cells), "code point"), plural(len(part.alternatives), "alternative")
    builder.begin(
        "The text has {0:t} here; the pattern has {1:t}." if cells else "There is no text to cut.",
        "At each place they are tried in order." if cells else "",
        [builder.plain(size) for size in sizes] if cells else (),
        (0,),
    )

    def count(choice: int, matched: bool) -> None:
        if choice >= 0:
            counts[choice][0] += 1
            counts[choice][1] += matched
            builder.put(
                "alternatives", choice, choice + 1, builder.text(part.alternatives[choice].regex), *counts[choice]
            )
            builder.mark("alternatives", choice, HIT)

    for kind, start, end, choice in stage.events:
        if kind == PreTokenize.BYTE or start not in key_of:
            continue
        low = key_of[start]
        if kind == PreTokenize.FAILED:
            count(choice, False)
            builder.mark("cells", low, TRIED)
            tried = part.alternatives[choice]
            args = choice + 1, start + 1, builder.text(tried.regex), builder.plain(takes(tried))
            if lost := lost_by_rewriting(tried, "".join(shown[low : low + LONGEST])):
                builder.step(KIND_AT["rewritten"], *args, builder.text(tried.rewritten), builder.text(lost))
            else:
                builder.step(KIND_AT[PreTokenize.FAILED], *args)
            continue
        if kind == PreTokenize.PREFIX:
            builder.mark("cells", low, HIT)
            builder.step(KIND_AT[PreTokenize.PREFIX], 0, start + 1)
            continue
        high = low + 1
        while high < len(cells) and ends[high] <= end and cells[high][2] == cells[low][2]:
            high += 1
        text = builder.text("".join(shown[low:high]))
        count(choice, True)
        # a later splitter cuts a piece again: what is behind this part of it stays one piece for the moment
        span, colour = spans[low]
        rest = [(high, (span - high + low, colour))] if span > high - low else []
        for key, row in [(low, (high - low, choice)), *((key, (0, -1)) for key in range(low + 1, high)), *rest]:
            spans[key] = row
            builder.put("cells", key, *row)
        builder.mark("cells", low, TAKEN)
        if kind == PreTokenize.REMOVED:
            builder.delete("output", low)
        else:
            builder.put("output", low, text, choice, start, end)
        said = [builder.plain(takes(part.alternatives[choice]))] if kind == PreTokenize.PIECE else []
        builder.step(KIND_AT[PreTokenize(kind)], choice + 1, text, *said)
    return builder.script()
