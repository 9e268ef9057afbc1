"""The kinds of merge step: what each says at every level, the code it runs, and what becomes of a pair later.

A model merges by one of three priorities: the score of the piece that a pair makes, its number in a list of merges, or
the rank of the joined bytes. `RULES` has what differs between them. Besides a kind for each event of
`engine/models/merges.py` there are some for facts found while drawing. In a story a pair *joins*, and an entry *waits*
or is *out of date*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import StepKind

Key: TypeAlias = (
    MergeEvent | Literal["unlisted", "could be built", "could not be built", "merge last", "merge equal", "follow"]
)
"""A kind of step: an event; a pair that isn't listed although it makes a token; a piece taken whole that the merges
give as well, or never do; a merge when no other pair waits, or one of the same priority; the tokens after the last
fragment."""


class Rule(NamedTuple):
    """What differs between the priorities.

    best, asked, queued: words of the code. cells, start, single, symbol: what a text is split into, and how that is
    said. lines_up: of which pairs the queue consists. The others are sentences of steps.
    """

    best: str
    asked: str
    queued: str
    cells: str
    start: str
    single: str
    symbol: str
    lines_up: str
    push: str
    push_why: str
    push_story: str
    push_story_why: str
    miss: str
    missing: str
    miss_story: str
    merge_story: str
    merge_story_why: str
    equal_story: str
    equal_story_why: str


RULES: Final = {
    "score": Rule(
        best="highest score",
        asked="if the joined text is a piece",
        queued="it with that piece's score",
        cells="one cell per code point",
        start="{what} is split into {symbols}, one per code point: {size}.",
        single="{what} is a single symbol of {size}, so it has no pair to merge.",
        symbol="character",
        lines_up="Neighbors that make a piece line up in a queue.",
        push="would make {joined}, a piece with score {priority}: push it.",
        push_why="The pair with the highest score is popped first; of equal scores, the leftmost.",
        push_story="{one} + {other} would make {joined}: it waits with {priority}.",
        push_story_why="The highest score goes first.",
        miss="would make {joined}, which is not in the vocabulary.",
        missing="no piece",
        miss_story="{one} + {other} don't make a piece.",
        merge_story="The best pair left: {priority} beats {rival} ({rival_priority}).",
        merge_story_why="The pair with the highest score goes first, wherever it is in the text.",
        equal_story="{rival} has {rival_priority} too.",
        equal_story_why="Of equal scores, the left one goes first.",
    ),
    "merge": Rule(
        best="lowest number",
        asked="if the list of merges has the pair",
        queued="it with its number in the list",
        cells="one cell per character",
        start="{what} is split into {symbols}, one per character.",
        single="{what} is a single symbol, so it has no pair to merge.",
        symbol="symbol",
        lines_up="Neighbors whose pair is in the list of merges line up in a queue.",
        push="make {joined}, number {priority} in the list of merges: push it.",
        push_why="The merge with the lowest number is popped first; of the same merge, the leftmost pair.",
        push_story="{one} + {other} make {joined}: it waits as merge {priority}.",
        push_story_why="The lowest number goes first.",
        miss="would make {joined}, but this pair is not in the list of merges.",
        missing="no merge",
        miss_story="{one} + {other} is not in the list of merges.",
        merge_story="Merge {priority} comes before merge {rival_priority} ({rival}).",
        merge_story_why="The list is in the order of training: what was frequent is early.",
        equal_story="The same merge waits again.",
        equal_story_why="Of equal pairs, the left one goes first.",
    ),
    "rank": Rule(
        best="lowest rank",
        asked="if the joined bytes are a token",
        queued="them with that token's rank",
        cells="one cell per byte",
        start="{what} is split into {symbols}, one per byte.",
        single="{what} is a single byte, so it has no pair to merge.",
        symbol="byte",
        lines_up="Neighbors whose joined bytes are a token line up in a queue.",
        push="make {joined}, a token with rank {priority}: push it.",
        push_why="The pair with the lowest rank is popped first; of equal ranks, the leftmost.",
        push_story="{one} + {other} make {joined}: it waits with rank {priority}.",
        push_story_why="The lowest rank goes first.",
        miss="would make {joined}, which is not a token.",
        missing="no token",
        miss_story="{one} + {other} don't make a token.",
        merge_story="Rank {priority} comes before rank {rival_priority} ({rival}).",
        merge_story_why="Ranks are in the order of training: what was frequent is early.",
        equal_story="The same pair waits again.",
        equal_story_why="Of equal pairs, the left one goes first.",
    ),
}
"""Priority a model merges by → its words."""


def code(rule: Rule) -> tuple[str, ...]:
    """The algorithm in plain words."""
    return (
        "for each pair of neighbors: offer(left, right)",
        "while the queue is not empty:",
        f"    take the pair with the {rule.best}",
        "    if left or right has changed: skip it",
        "    left ← left + right; right leaves the row",
        "    offer(the one before left, left)",
        "    offer(left, the one after it)",
        "for each symbol that is left:",
        "    a piece → its id",
        "    not a piece → one token for each byte",
        f"offer: {rule.asked},",
        f"    queue {rule.queued}",
    )


def source(rule: Rule) -> tuple[str, ...]:
    """The algorithm with the fields that the originals keep."""
    return (
        "for each pair of neighbors: try_pair(left, right)",
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
        f"try_pair: {rule.asked},",
        f"          push {rule.queued}",
    )


def kinds(rule: Rule, by: str) -> dict[Key, StepKind]:
    """The kinds of step of models that merge by a priority."""
    segment = partial(
        StepKind,
        "segment",
        "info",
        story="The next {unit} begins, with {symbols}.",
        story_why="Merges never cross from one {unit} to the next.",
        fields="symbols:t number unit:t",
    )
    miss = partial(
        StepKind,
        rule.missing,
        "miss",
        f"Cells {{left}} and {{right}} {rule.miss}",
        f"{{joined}}: {rule.missing}",
        lines=(10,),
        shape="ring",
        height=25,
        source=(13,),
        story=rule.miss_story,
        values=((10, "{joined:t}: no"),),
    )
    pair = "left right joined:q priority:t one:q other:q"
    missed = "left right joined:q one:q other:q future:t"
    taken = (2, "{joined:t}, {priority}")
    merge = partial(
        StepKind,
        "merge",
        "merge",
        "Pop {joined} ({priority}): cell {left} absorbs cell {right}.",
        "merge {left}+{right} → {joined}",
        "Neither symbol has changed since the pair was pushed. Cell {right} now has n = 0 and leaves the chain.",
        (2, 4),
        "dot",
        100,
        landmark=True,
        source=(2, 5, 6),
        values=(taken, (4, "{one:t} + {other:t} → {joined:t}")),
    )
    joins = "{one} + {other} → {joined}."
    rival = f"{pair} rival:q rival_priority:t"

    def stale(change: str) -> StepKind:
        return StepKind(
            "stale",
            "stale",
            f"Pop {{joined}} ({{priority}}): stale, skip it. {change}",
            "skip stale {joined} {priority}",
            "Entries stay in the queue when their symbols change. They are checked only when they are popped.",
            (2, 3),
            "diamond",
            45,
            source=(2, 3, 4),
            story="{joined} is out of date: its {changed} is part of {now} now. Skip it.",
            story_why="Entries stay in the queue and are checked only when they come up.",
            values=(taken, (3, "{changed:t} has changed")),
            fields=f"{pair} changed:q now:q",
        )

    whole = partial(
        StepKind,
        "whole",
        "merge",
        "{piece} as a whole is token {id}: nothing is merged.",
        "whole {piece} {id}",
        shape="dot",
        height=100,
        landmark=True,
    )
    looked_up = "It is looked up whole before any merge."
    byte = partial(
        StepKind,
        "byte",
        "byte",
        "Cell {cell}: {text} is not a piece. Its byte {byte} of {size} becomes {piece}, token {id}.",
        "byte {piece} {id}",
        lines=(7, 9),
        shape="dot",
        height=70,
        source=(9, 11),
        story_why="A character that is not a piece costs one token for each byte.",
        values=((9, "{piece:t} → {id}"),),
        fields="cell text:q byte size piece:q id:t",
    )
    unknown = partial(
        StepKind,
        "unknown",
        "byte",
        shape="ring",
        height=70,
        lines=(7, 9),
        source=(9, 11),
        story_why="The character is lost.",
    )
    as_a_whole = "cell text:q piece:q id:t"
    found: dict[Key, StepKind] = {
        MergeEvent.SEGMENT: segment(
            say="Fragment {number} begins: {symbols}.",
            log="fragment {number}, {symbols}",
            why="The queue is empty: fragments never merge with each other.",
        )
        if by == "score"
        else segment(
            say="A new {unit} begins: {symbols}.",
            log="new {unit}, {symbols}",
            why="The queue is empty: merges never cross from one {unit} to the next.",
        ),
        MergeEvent.PUSH: StepKind(
            "push",
            "push",
            f"Cells {{left}} and {{right}} {rule.push}",
            "push {joined} {priority}",
            rule.push_why,
            (10, 11),
            source=(13, 14),
            story=rule.push_story,
            story_why=rule.push_story_why,
            values=((10, "{joined:t}: yes"), (11, "{priority}")),
            fields=pair,
        ),
        MergeEvent.MISS: miss(why="{future}", story_why="{future}", fields=missed),
        MergeEvent.MERGE: merge(story=f"{joins} {rule.merge_story}", story_why=rule.merge_story_why, fields=rival),
        MergeEvent.STALE_LEFT: stale("Cell {left} has been absorbed."),
        MergeEvent.STALE_RIGHT: stale("Cell {right} has been absorbed."),
        MergeEvent.STALE_SIZE: stale("Cell {right} has grown."),
        MergeEvent.TOKEN: StepKind(
            "token",
            "token",
            "Cell {cell} holds {piece}, which is token {id}.",
            "cell {cell} → {piece} {id}",
            lines=(7, 8),
            height=70,
            source=(9, 10),
            story="{piece} is a piece: token {id}.",
            values=((8, "{piece:t} → {id}"),),
            fields="cell piece:q id:t",
        ),
        MergeEvent.UNMERGE: StepKind(
            "split again",
            "stale",
            "{piece} is a piece that may not be output: split it again at cell {right}.",
            "split {piece} again",
            "sentencepiece marks such pieces UNUSED. llama.cpp has the same code, but can't reach it.",
            (7,),
            "diamond",
            45,
            source=(9,),
            story="{piece} may not be output: it is split again.",
            story_why="The vocabulary marks it as unused.",
            fields="left right piece:q score:t",
        ),
        MergeEvent.BYTE: byte(
            why="Its name is spelled out: <0x + hex[byte >> 4] + hex[byte & 15] + >. If no piece has that name, "
            "llama.cpp looks for the raw byte. In a BPE or WordPiece vocabulary it looks for the byte's printable "
            "character instead."
            if by == "score"
            else "A character without a piece costs one token per byte b, spelled <0x, hex[b >> 4], hex[b & 15], >.",
            story="{text} is not a piece. Its byte {byte} of {size} becomes {piece}, token {id}.",
        ),
        MergeEvent.RAW_BYTE: byte(
            why="The vocabulary has no <0x…> for this byte and spells it as itself.",
            story="{text} is not a piece. Its byte {byte} of {size} becomes token {id}.",
        ),
        MergeEvent.UNKNOWN: unknown(
            say="Cell {cell}: {text} is not a piece, and its byte {byte} of {size} has no token: it becomes {piece}, "
            "token {id}.",
            log="unknown {piece} {id}",
            why="The character is lost.",
            story="{text} is not a piece, and its byte {byte} of {size} has no token: it becomes {piece}.",
            values=((9, "{piece:t} → {id}"),),
            fields="cell text:q byte size piece:q id:t",
        ),
        MergeEvent.UNKNOWN_SYMBOL: unknown(
            say="Cell {cell}: {text} is not a piece: it becomes {piece}, token {id}.",
            log="unknown {text}",
            why="This model has no byte tokens, so the character is lost.",
            story="{text} is not a piece, and there are no byte tokens: it becomes {piece}.",
            fields=as_a_whole,
        ),
        MergeEvent.UNKNOWN_JOINED: unknown(
            say="Cell {cell}: {text} is not a piece either: it joins the {piece} before it.",
            log="unknown {text} joins",
            why="sentencepiece outputs one unknown token for a run of unknown characters.",
            story="{text} is not a piece either: it joins the {piece} before it.",
            story_why="A run of unknown characters is one token.",
            fields=as_a_whole,
        ),
        MergeEvent.WHOLE: whole(why=looked_up, fields="piece:q id:t"),
        "could be built": whole(why=f"{looked_up} The merges alone give the same token.", fields="piece:q id:t"),
        "could not be built": whole(
            why=f"{looked_up} The merges alone can't build it: they give {{count}}, {{tokens}}.",
            fields="piece:q id:t count:t tokens:t",
        ),
        MergeEvent.NOT_WHOLE: StepKind(
            "no token",
            "miss",
            "{text} is looked up as a whole: it is not a token.",
            "{text}: no token",
            "So it is built from {symbols}.",
            shape="ring",
            height=25,
            fields="symbols:t text:q",
        ),
        MergeEvent.DROPPED: StepKind(
            "dropped",
            "stale",
            "Cell {cell}: {text} is not a piece, and its byte {byte} of {size} has no token: it is dropped.",
            "byte dropped",
            "llama.cpp drops it silently.",
            (7, 9),
            "ring",
            70,
            source=(9, 11),
            story="{text} is not a piece, and its byte {byte} of {size} has no token: it is dropped.",
            fields="cell text:q byte size",
        ),
        MergeEvent.FALLBACK: StepKind(
            "byte fallback",
            "byte",
            "{text} is not a piece: it becomes {bytes}, from cell {cell} on.",
            "{text} as {bytes}",
            "Byte tokens replace it before the first merge.",
            height=70,
            story="{text} is not a piece: it is written as {bytes}.",
            story_why="The bytes take part in the merges like any symbol.",
            fields="cell text:q bytes:t",
        ),
        MergeEvent.UNKNOWN_RUN: unknown(
            say="{text} is not a piece: cell {cell} is the unknown token instead.",
            log="{text} unknown",
            why="Adjacent unknown characters share one unknown token if the model fuses them. They are lost.",
            lines=(),
            source=(),
            story="{text} is not a piece: it becomes the unknown token.",
            fields="cell text:q",
        ),
        MergeEvent.SKIPPED: StepKind(
            "dropped",
            "stale",
            "{text} is not a piece, and the model has no unknown token: it is dropped.",
            "{text} dropped",
            "The character is lost.",
            shape="ring",
            height=70,
            fields="text:q",
        ),
        MergeEvent.PREFIXED: StepKind(
            "prefix",
            "info",
            "Every symbol but the first gets the prefix {affix}.",
            "prefix {affix}",
            "The prefix marks pieces that continue a word. A merge keeps the left symbol's prefix and drops the right "
            "one's.",
            shape="ring",
            height=30,
            fields="affix:q",
        ),
        MergeEvent.SUFFIXED: StepKind(
            "suffix",
            "info",
            "The last symbol gets the suffix {affix}.",
            "suffix {affix}",
            "The suffix marks pieces that end a word.",
            shape="ring",
            height=30,
            fields="affix:q",
        ),
        "follow": FOLLOW,
        "merge last": merge(
            story=f"{joins} No other pair waits{{drawn}}.", story_why="{future}", fields=f"{pair} future:t drawn:t"
        ),
        "merge equal": merge(story=f"{joins} {rule.equal_story}", story_why=rule.equal_story_why, fields=rival),
    }
    if by == "merge":
        found["unlisted"] = miss(
            why="{also} tiktoken asks only whether the joined bytes are a token, so it would push this pair. {future}",
            story_why="{also} {future}",
            fields=f"{missed} also:t",
        )
    return found


KINDS: Final[Mapping[str, Mapping[Key, StepKind]]] = {by: kinds(rule, by) for by, rule in RULES.items()}
"""Priority a model merges by → its kinds of step."""

START: Final = "{what} is cut into {cut}."
"""The story of the initial state."""

# --- what becomes of a pair after its step: only the rest of the run decides it ------------------------------------

JOIN: Final = "They join later, when one of them has grown."
APART: Final = "They meet again when one of them has grown, but never join."
NEVER: Final = "Neither grows after this, so they can't join."
NEW_PAIR: Final = "It makes a new pair with a neighbor."
NO_PAIR: Final = "It makes no new pair, so the merges end."
NO_PAIR_DRAWN: Final = "It makes no new pair."
DRAWN: Final = " in the part that is drawn"
"""Of a text of which a window is drawn."""


def futures(rows: Sequence[MergeRow]) -> list[str]:
    """For each row of one or more fragments: of a MISS whether the two join later, of a MERGE whether it makes a pair.

    Other rows have an empty sentence. Two neighbors meet again in a row with the same right symbol, because a merge
    keeps the index of its left one.

    >>> futures([MergeRow(MergeEvent.MISS, 0, 1, -1)])
    ["Neither grows after this, so they can't join."]
    """
    found = [""] * len(rows)
    met: dict[int, str] = {}
    """right symbol → what becomes of the boundary before it"""
    pushes = False
    for index in reversed(range(len(rows))):
        kind, _, right, _ = rows[index]
        if kind == MergeEvent.SEGMENT:
            met.clear()
        elif kind == MergeEvent.MISS:
            found[index] = met.setdefault(right, NEVER)
            if found[index] == NEVER:
                met[right] = APART
        elif kind == MergeEvent.PUSH:
            pushes = True
            met.setdefault(right, APART)
            continue
        elif kind == MergeEvent.MERGE:
            found[index] = NEW_PAIR if pushes else NO_PAIR
            met[right] = JOIN
        pushes = pushes and kind == MergeEvent.MISS
    return found
