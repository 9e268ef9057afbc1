"""The kinds of merge step and their sentences, for each of the three priorities a model may merge by.

A pair's priority is the score of the piece it makes, its position in a list of merges, or the rank of the joined bytes.
Besides a kind for each event of `engine/models/merges.py` there are some for facts found while drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from explorer.engine.models.merges import MergeEvent
from explorer.views.steppers.merge_code import (
    MERGED,
    NO_PIECE,
    OUT,
    OUT_BYTES,
    OUT_PIECE,
    POP,
    TRY,
    WHOLE,
    with_code,
)
from explorer.views.steppers.merge_stories import Key, stories
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import with_stories

STALE = "Entries stay in the queue when their symbols change. They are checked only when they are popped."

_WHOLE, _WHOLE_LOG = "{1:q} as a whole is token {2:t}: nothing is merged.", "whole {1:q} {2:t}"
_LOOKED_UP = "It is looked up whole before any merge."

KINDS: dict[Key, StepKind] = {
    MergeEvent.SEGMENT: StepKind(
        "segment", "info", "Fragment {1} begins: {0:t}.", "fragment {1}, {0:t}",
        "The queue is empty: fragments never merge with each other."),
    MergeEvent.PUSH: StepKind(
        "push", "push", "Cells {0} and {1} would make {2:q}, a piece with score {3:t}: push it.", "push {2:q} {3:t}",
        "The pair with the highest score is popped first; of equal scores, the leftmost.", TRY),
    MergeEvent.MISS: StepKind(
        "no piece", "miss", "Cells {0} and {1} would make {2:q}, which is not in the vocabulary.", "{2:q}: no piece",
        "{5:t}", NO_PIECE, "ring", 25),
    MergeEvent.MERGE: StepKind(
        "merge", "merge", "Pop {2:q} ({3:t}): cell {0} absorbs cell {1}.", "merge {0}+{1} → {2:q}",
        "Neither symbol has changed since the pair was pushed. Cell {1} now has n = 0 and leaves the chain.",
        MERGED, "dot", 100, True),
    MergeEvent.STALE_LEFT: StepKind(
        "stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {0} has been absorbed.", "skip stale {2:q} {3:t}",
        STALE, POP, "diamond", 45),
    MergeEvent.STALE_RIGHT: StepKind(
        "stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {1} has been absorbed.", "skip stale {2:q} {3:t}",
        STALE, POP, "diamond", 45),
    MergeEvent.STALE_SIZE: StepKind(
        "stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {1} has grown.", "skip stale {2:q} {3:t}",
        STALE, POP, "diamond", 45),
    MergeEvent.TOKEN: StepKind(
        "token", "token", "Cell {0} holds {1:q}, which is token {2:t}.", "cell {0} → {1:q} {2:t}", "",
        OUT_PIECE, "dot", 70),
    MergeEvent.UNMERGE: StepKind(
        "split again", "stale", "{2:q} is a piece that may not be output: split it again at cell {1}.",
        "split {2:q} again", "sentencepiece marks such pieces UNUSED. llama.cpp has the same code, but can't reach it.",
        OUT, "diamond", 45),
    MergeEvent.BYTE: StepKind(
        "byte", "byte", "Cell {0}: {1:q} is not a piece. Its byte {2} of {3} becomes {4:q}, token {5:t}.",
        "byte {4:q} {5:t}", "A character without a piece costs one token per byte b, spelled <0x, hex[b >> 4], "
        "hex[b & 15], >.", OUT_BYTES, "dot", 70),
    MergeEvent.RAW_BYTE: StepKind(
        "byte", "byte", "Cell {0}: {1:q} is not a piece. Its byte {2} of {3} becomes {4:q}, token {5:t}.",
        "byte {4:q} {5:t}", "The vocabulary has no <0x…> for this byte and spells it as itself.", OUT_BYTES, "dot", 70),
    MergeEvent.UNKNOWN: StepKind(
        "unknown", "byte", "Cell {0}: {1:q} is not a piece, and its byte {2} of {3} has no token: it becomes {4:q}, "
        "token {5:t}.", "unknown {4:q} {5:t}", "The character is lost.", OUT_BYTES, "ring", 70),
    MergeEvent.UNKNOWN_SYMBOL: StepKind(
        "unknown", "byte", "Cell {0}: {1:q} is not a piece: it becomes {2:q}, token {3:t}.", "unknown {1:q}",
        "This model has no byte tokens, so the character is lost.", OUT_BYTES, "ring", 70),
    MergeEvent.UNKNOWN_JOINED: StepKind(
        "unknown", "byte", "Cell {0}: {1:q} is not a piece either: it joins the {2:q} before it.",
        "unknown {1:q} joins", "sentencepiece outputs one unknown token for a run of unknown characters.",
        OUT_BYTES, "ring", 70),
    MergeEvent.WHOLE: StepKind("whole", "merge", _WHOLE, _WHOLE_LOG, _LOOKED_UP, WHOLE, "dot", 100, True),
    "could be built": StepKind(
        "whole", "merge", _WHOLE, _WHOLE_LOG, f"{_LOOKED_UP} The merges alone give the same token.",
        WHOLE, "dot", 100, True),
    "could not be built": StepKind(
        "whole", "merge", _WHOLE, _WHOLE_LOG, f"{_LOOKED_UP} This one has to be: the merges alone can't build it. They "
        "give {3:t}, {4:t}.", WHOLE, "dot", 100, True),
    MergeEvent.NOT_WHOLE: StepKind(
        "no token", "miss", "{1:q} is looked up as a whole: it is not a token.", "{1:q}: no token",
        "So it is built from {0:t}.", WHOLE, "ring", 25),
    MergeEvent.DROPPED: StepKind(
        "dropped", "stale", "Cell {0}: {1:q} is not a piece, and its byte {2} of {3} has no token: it is dropped.",
        "byte dropped", "llama.cpp drops it silently.", OUT_BYTES, "ring", 70),
    MergeEvent.FALLBACK: StepKind(
        "byte fallback", "byte", "{1:q} is not a piece: it becomes {2:t}, from cell {0} on.", "{1:q} as {2:t}",
        "Byte tokens replace it before the first merge.", (), "dot", 70),
    MergeEvent.UNKNOWN_RUN: StepKind(
        "unknown", "byte", "{1:q} is not a piece: cell {0} is the unknown token instead.", "{1:q} unknown",
        "Adjacent unknown characters share one unknown token if the model fuses them. They are lost.",
        (), "ring", 70),
    MergeEvent.SKIPPED: StepKind(
        "dropped", "stale", "{1:q} is not a piece, and the model has no unknown token: it is dropped.",
        "{1:q} dropped", "The character is lost.", (), "ring", 70),
    MergeEvent.PREFIXED: StepKind(
        "prefix", "info", "Every symbol but the first gets the prefix {0:q}.", "prefix {0:q}",
        "The prefix marks pieces that continue a word. A merge keeps the left symbol's prefix and drops the right "
        "one's.", (), "ring", 30),
    MergeEvent.SUFFIXED: StepKind(
        "suffix", "info", "The last symbol gets the suffix {0:q}.", "suffix {0:q}",
        "The suffix marks pieces that end a word.", (), "ring", 30),
    "follow": FOLLOW,
}  # fmt: skip

KINDS["merge last"] = KINDS["merge equal"] = KINDS[MergeEvent.MERGE]

_NEW_PIECE = replace(
    KINDS[MergeEvent.SEGMENT],
    say="A new {2:t} begins: {0:t}.",
    log="new {2:t}, {0:t}",
    why="The queue is empty: merges never cross from one {2:t} to the next.",
)
_UNLISTED = replace(
    KINDS[MergeEvent.MISS],
    label="no merge",
    say="Cells {0} and {1} would make {2:q}, but this pair is not in the list of merges.",
    log="{2:q}: no merge",
)
_SPELLED_OUT = (
    "Its name is spelled out: <0x + hex[byte >> 4] + hex[byte & 15] + >. Only where no piece has that name, llama.cpp "
    "looks for the raw byte. In a BPE or WordPiece vocabulary it looks for the printable character that stands for the "
    "byte instead."
)
_KINDS_OF: Mapping[str, Mapping[Key, StepKind]] = MappingProxyType({
    "score": KINDS | {MergeEvent.BYTE: replace(KINDS[MergeEvent.BYTE], why=_SPELLED_OUT)},
    "merge": KINDS
    | {
        MergeEvent.SEGMENT: _NEW_PIECE,
        MergeEvent.PUSH: replace(
            KINDS[MergeEvent.PUSH], say="Cells {0} and {1} make {2:q}, number {3:t} in the list of merges: push it.",
            why="The merge with the lowest number is popped first; of the same merge, the leftmost pair."),
        MergeEvent.MISS: _UNLISTED,
        "unlisted": replace(
            _UNLISTED, why="{6:t} tiktoken asks only whether the joined bytes are a token, so it would push this pair. "
            "{5:t}"),
    },
    "rank": KINDS
    | {
        MergeEvent.SEGMENT: _NEW_PIECE,
        MergeEvent.PUSH: replace(
            KINDS[MergeEvent.PUSH], say="Cells {0} and {1} make {2:q}, a token with rank {3:t}: push it.",
            why="The pair with the lowest rank is popped first; of equal ranks, the leftmost."),
        MergeEvent.MISS: replace(
            KINDS[MergeEvent.MISS], label="no token", log="{2:q}: no token",
            say="Cells {0} and {1} would make {2:q}, which is not a token."),
    },
})  # fmt: skip
"""The same as in `KINDS_OF`, without the stories."""


KINDS_OF: Mapping[str, Mapping[Key, StepKind]] = MappingProxyType(
    {name: with_code(with_stories(kinds, stories(name))) for name, kinds in _KINDS_OF.items()}
)
"""Priority a model merges by → its kinds of step."""

UNIT = {"score": "one cell per code point", "merge": "one cell per character", "rank": "one cell per byte"}
START = {
    "score": "{what} is split into {0:t}, one per code point: {1:t}.",
    "merge": "{what} is split into {0:t}, one per character.",
    "rank": "{what} is split into {0:t}, one per byte.",
}
CUT = {"score": "character", "merge": "symbol", "rank": "byte"}
"""What a text is cut into at first."""
START_STORY = "{what} is cut into {3:t}."
START_STORY_WHY = {
    "score": "Neighbors that make a piece line up in a queue.",
    "merge": "Neighbors whose pair is in the list of merges line up in a queue.",
    "rank": "Neighbors whose joined bytes are a token line up in a queue.",
}
SINGLE = {
    "score": "{what} is a single symbol of {1:t}, so it has no pair to merge.",
    "merge": "{what} is a single symbol, so it has no pair to merge.",
    "rank": "{what} is a single byte, so it has no pair to merge.",
}
JOINED = {
    "name": "rev", "type": "table", "title": "Joined from", "layout": "chips", "newest_first": True,
    "note": "rev_merge in both sources: how each text was joined, to split a symbol that may not be output; "
            "unreachable in llama.cpp, used by sentencepiece for pieces marked UNUSED",
    "columns": [{"name": "text", "as": "quoted"}, {"name": "left", "as": "number"},
                {"name": "right", "as": "number"}], "empty": "Nothing pushed yet.",
}  # fmt: skip
"""The track that only models with scores have."""
