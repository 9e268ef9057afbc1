"""The stepper's script for pre-tokenizing: which alternatives are tried at a place, which one takes how much.

Replays the events of the pre-tokenize stage on three tracks: the code points of the text, grouped to pieces as they
are cut; the alternatives of the pattern with how often each was tried and how often it matched; and the pieces. Where
a stage has several splitters, the later ones cut the pieces of the earlier ones again. The byte-to-printable map is
left to the board: it takes no decision.
"""

from __future__ import annotations

from typing import cast

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenize
from explorer.engine.tokenizer import Stage
from explorer.engine.unicode.scripts import NAMES
from explorer.text.quantities import plural
from explorer.views.alternatives import LONGEST, lost_by_rewriting, takes
from explorer.views.steppers.script import Kind, Script, ScriptBuilder
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
    PreTokenize.PREFIX: Kind("prefix", "info", "{2:t} is put in front of the piece at character {1}.",
                             "{2:t} in front",
                             "So that a word is the same at the beginning as after a space.", (), "dot", 40),
}  # fmt: skip
KINDS |= {
    PreTokenize.CUT: Kind("cut", "info", "{0:t} without taking anything at character {1}: the text is cut there.",
                          "cut", "", (2, 4), "diamond", 50),
    PreTokenize.MERGED_PREVIOUS: Kind("to the one before", "merge", "{0:t} {2:q}: it goes to the piece before it, now "
                                      "{1:q}.", "{2:q} to {1:q}", "", (2, 4, 5), "dot", 100, True),
    PreTokenize.MERGED_NEXT: Kind("to the one behind", "merge", "{0:t} {1:q}: it begins a piece, and what comes behind "
                                  "it joins it.", "{1:q} …", "", (2, 4, 5), "dot", 100, True),
    PreTokenize.JOINED: Kind("joined", "merge", "{0:t} {2:q}: it joins what stands before it, which is {1:q} now.",
                             "{2:q} to {1:q}", "", (2, 4, 5), "dot", 80),
    PreTokenize.REST_REMOVED: Kind("removed", "stale", "{1:q} is left out.", "{1:q} left out",
                                   "Only what a pattern or a script takes is kept.", (2, 3), "diamond", 70),
    PreTokenize.SPELLED: Kind("spelled", "info", "The space at character {1} is written {0:t}.", "{0:t} for a space",
                              "So that pieces can hold what were spaces.", (), "dot", 30),
    PreTokenize.NO_PREFIX: Kind("no prefix", "miss", "Nothing is put in front at character {1}: {0:t}.",
                                "nothing in front", "", (), "ring", 30),
    PreTokenize.SCRIPT: Kind("script", "merge", "{1:q} is a piece: its script is {0:t}.", "{1:q}",
                             "Spaces, and what has no script, go to the piece before them.", (), "dot", 100, True),
}  # fmt: skip
JOINS = (PreTokenize.MERGED_PREVIOUS, PreTokenize.JOINED)
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
            {"name": "output", "type": "output", "title": "Pieces", "empty": "No pieces yet.",
             "counts": ["piece", "pieces"], "from": 1},
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

    def who(choice: int) -> int:
        return builder.plain(f"Alternative {choice + 1} matches" if choice >= 0 else "No alternative matches")

    def head_of(cell: int) -> int:
        """Where the piece begins that a cell is part of."""
        while not spans[cell][0]:
            cell -= 1
        return cell

    begun = 0
    """the cell where the last piece begins, which what joins it makes longer"""
    for builder.event, (kind, start, end, choice) in enumerate(stage.events):
        if kind == PreTokenize.BYTE or start not in key_of:
            continue
        low = key_of[start]
        if kind in (PreTokenize.CUT, PreTokenize.SPELLED, PreTokenize.NO_PREFIX):
            builder.mark("cells", low, HIT)
            if kind == PreTokenize.CUT:
                count(choice, True)
                said = who(choice)
            elif kind == PreTokenize.SPELLED:
                said = builder.text(chr(choice))
            else:
                said = builder.plain("it stands there already" if end > start else "the text begins further left")
            builder.step(KIND_AT[PreTokenize(kind)], said, start + 1)
            continue
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
            what = builder.plain("A space" if choice == ord(" ") else f"“{chr(choice)}”")
            builder.step(KIND_AT[PreTokenize.PREFIX], 0, start + 1, what)
            continue
        high = low + 1
        while high < len(cells) and ends[high] <= end and cells[high][2] == cells[low][2]:
            high += 1
        joined = kind in JOINS
        begun = begun if joined else low
        text = builder.text("".join(shown[begun:high]))
        if kind != PreTokenize.SCRIPT:
            count(choice, True)
        # a later splitter cuts a piece again: what is behind this part of it stays one piece, and so does what is in
        # front of it
        head = head_of(high - 1)
        span, colour = spans[head]
        rest = [(high, (head + span - high, colour))] if head + span > high else []
        front = head_of(begun)
        if front < begun:
            rest.append((front, (begun - front, spans[front][1])))
        hue = spans[begun][1] if joined else choice if kind != PreTokenize.SCRIPT else -1
        for key, row in [(begun, (high - begun, hue)), *((key, (0, -1)) for key in range(begun + 1, high)), *rest]:
            spans[key] = row
            builder.put("cells", key, *row)
        builder.mark("cells", begun, TAKEN)
        if kind in (PreTokenize.REMOVED, PreTokenize.REST_REMOVED):
            builder.delete("output", low)
        else:
            builder.put("output", begun, text, hue, cells[begun][3], end)
        if kind in JOINS or kind == PreTokenize.MERGED_NEXT:
            builder.step(KIND_AT[PreTokenize(kind)], who(choice), text, builder.text("".join(shown[low:high])))
        elif kind == PreTokenize.SCRIPT:
            builder.step(KIND_AT[PreTokenize.SCRIPT], builder.plain(NAMES[choice].replace("_", " ")), text)
        else:
            taken = [builder.plain(takes(part.alternatives[choice]))] if kind == PreTokenize.PIECE else []
            builder.step(KIND_AT[PreTokenize(kind)], choice + 1, text, *taken)
    return builder.script()
