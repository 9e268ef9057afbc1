"""What the merge script says: the kinds of step and their sentences, by what the model judges a pair by.

A pair is worth the score of the piece it makes, its place in a list of merges, or the rank of the joined bytes. Beside
a sentence for each event of `engine/models/merges.py` there are some for what is found out when it is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from explorer.engine.models.merges import Merge
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Kind

Key: TypeAlias = Merge | Literal["unlisted", "could be built", "could not be built", "follow"]
"""A kind of step: an event, a pair that is not listed although it makes a token, a piece taken whole that merges come
to as well or never do, the tokens behind the last fragment."""

CODE = (
    "for each pair of neighbours: try_pair(left, right)",
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
    "try_pair: if the joined text is a piece,",
    "          push it with that piece's score",
)
TRY, POP, MERGED, RELINK, OUT, OUT_PIECE, OUT_BYTES = (13, 14), (2, 3, 4), (2, 5, 6), (7, 8), (9,), (9, 10), (9, 11)
WHOLE: tuple[int, ...] = ()

STALE = "The entry stays in the queue when its symbols change and is only found out when it comes up."

_WHOLE, _WHOLE_LOG = "The piece {1:q} is a token as it stands, {2:t}: nothing is merged.", "whole piece {1:q} {2:t}"

KINDS: dict[Key, Kind] = {
    Merge.SEGMENT: Kind("segment", "info", "Fragment {1} begins: {0:t}.", "fragment {1}, {0:t}",
                        "The queue is empty again: fragments never merge together."),
    Merge.PUSH: Kind("push", "push", "Cells {0} and {1} join to {2:q}, a piece with score {3:t}: push it.",
                     "push {2:q} {3:t}", "The pair with the highest score is popped first, equal scores from the left.",
                     TRY),
    Merge.MISS: Kind("no piece", "miss", "Cells {0} and {1} join to {2:q}, which is not in the vocabulary.",
                     "{2:q} is no piece", "Nothing to push, until one of the two grows.", TRY, "ring", 25),
    Merge.MERGE: Kind("merge", "merge", "Pop {2:q} ({3:t}): cell {0} absorbs cell {1}.", "merge {0}+{1} → {2:q}",
                      "Both symbols are as they were when the pair was pushed. Cell {1} now has n = 0 and leaves the "
                      "chain.", MERGED, "dot", 100, True),
    Merge.STALE_LEFT: Kind("stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {0} was absorbed meanwhile.",
                           "skip stale {2:q} {3:t}", STALE, POP, "diamond", 45),
    Merge.STALE_RIGHT: Kind("stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {1} was absorbed meanwhile.",
                            "skip stale {2:q} {3:t}", STALE, POP, "diamond", 45),
    Merge.STALE_SIZE: Kind("stale", "stale", "Pop {2:q} ({3:t}): stale, skip it. Cell {1} has grown since.",
                           "skip stale {2:q} {3:t}", STALE, POP, "diamond", 45),
    Merge.TOKEN: Kind("token", "token", "Cell {0} holds {1:q}, which is token {2:t}.", "cell {0} → {1:q} {2:t}", "",
                      OUT_PIECE, "dot", 70),
    Merge.UNMERGE: Kind("take apart", "stale", "{2:q} is a piece that may not be output: take it apart at cell {1}.",
                        "take {2:q} apart", "sentencepiece marks such pieces UNUSED. llama.cpp has the same code, but "
                        "it can never be reached there.", OUT, "diamond", 45),
    Merge.BYTE: Kind("byte", "byte", "Cell {0}: {1:q} is no piece. Its byte {2} of {3} becomes {4:q}, token {5:t}.",
                     "byte {4:q} {5:t}", "A character the vocabulary does not hold costs one token for each byte.",
                     OUT_BYTES, "dot", 70),
    Merge.RAW_BYTE: Kind("byte", "byte", "Cell {0}: {1:q} is no piece. Its byte {2} of {3} becomes {4:q}, "
                         "token {5:t}.", "byte {4:q} {5:t}", "The vocabulary spells this byte as itself.", OUT_BYTES,
                         "dot", 70),
    Merge.UNKNOWN: Kind("unknown", "byte", "Cell {0}: {1:q} is no piece, and there is no token for its byte {2} of "
                        "{3}: {4:q}, token {5:t}.", "unknown {4:q} {5:t}", "What this character was is lost.",
                        OUT_BYTES, "ring", 70),
    Merge.UNKNOWN_SYMBOL: Kind("unknown", "byte", "Cell {0}: {1:q} is no piece: it becomes {2:q}, token {3:t}.",
                               "unknown {1:q}", "This model has no byte tokens. What this character was is lost.",
                               OUT_BYTES, "ring", 70),
    Merge.UNKNOWN_JOINED: Kind("unknown", "byte", "Cell {0}: {1:q} is no piece either: it joins the {2:q} before it.",
                               "unknown {1:q} joins", "sentencepiece gives one unknown token for a run of unknown "
                               "characters.", OUT_BYTES, "ring", 70),
    Merge.WHOLE: Kind("whole", "merge", _WHOLE, _WHOLE_LOG, "It was looked up before any merge.", WHOLE, "dot", 100,
                      True),
    "could be built": Kind("whole", "merge", _WHOLE, _WHOLE_LOG, "It was looked up before any merge. The merges alone "
                           "come to the same token.", WHOLE, "dot", 100, True),
    "could not be built": Kind("whole", "merge", _WHOLE, _WHOLE_LOG, "It was looked up before any merge, and has to "
                               "be: the merges alone cannot build it, they come to {3:t}, {4:t}.", WHOLE, "dot", 100,
                               True),
    Merge.NOT_WHOLE: Kind("no token", "miss", "The piece {1:q} was looked up as a whole: it is no token.",
                          "{1:q} is no token", "So it has to be put together from {0:t}.", WHOLE, "ring",
                          25),
    Merge.DROPPED: Kind("left out", "stale", "Cell {0}: {1:q} is no piece, and neither is its byte {2} of {3}: it is "
                        "left out.", "byte left out", "llama.cpp says nothing when this happens.", OUT_BYTES, "ring",
                        70),
    Merge.FALLBACK: Kind("byte fallback", "byte", "{1:q} is no piece: it becomes {2:t}, from cell {0} on.",
                         "{1:q} as {2:t}", "Byte tokens stand for it before anything is merged.", (), "dot", 70),
    Merge.UNKNOWN_RUN: Kind("unknown", "byte", "{1:q} is no piece: cell {0} is the unknown token instead.",
                            "{1:q} unknown", "Unknown characters beside each other share one such token where the "
                            "model fuses them. What they were is lost.", (), "ring", 70),
    Merge.SKIPPED: Kind("left out", "stale", "{1:q} is no piece, and there is no unknown token: it is left out.",
                        "{1:q} left out", "What it was is lost.", (), "ring", 70),
    Merge.PREFIXED: Kind("prefix", "info", "Every symbol but the first is spelled with {0:q} in front.",
                         "prefix {0:q}", "It marks pieces that go on in a word. A merge keeps the prefix of its left "
                         "symbol and drops that of its right one.", (), "ring", 30),
    Merge.SUFFIXED: Kind("suffix", "info", "The last symbol is spelled with {0:q} behind it.", "suffix {0:q}",
                         "It marks pieces that end a word.", (), "ring", 30),
    "follow": FOLLOW,
}  # fmt: skip

CODES = {
    "score": CODE,
    "merge": (
        *CODE[:13],
        "try_pair: if the list of merges has the pair,",
        "          push it with its place in the list",
    ),
    "rank": (*CODE[:13], "try_pair: if the joined bytes are a token,", "          push them with that token's rank"),
}
"""What a model judges a pair by → the algorithm."""

_UNLISTED = "Cells {0} and {1} would make {2:q}, but this pair is not in the list of merges."
_FIRST = "The pair with the lowest {} is popped first, the same pair twice from the left."
KINDS_OF: Mapping[str, Mapping[Key, Kind]] = MappingProxyType({
    "score": KINDS,
    "merge": KINDS
    | {
        Merge.SEGMENT: replace(KINDS[Merge.SEGMENT], say="A new piece begins: {0:t}.", log="new piece, {0:t}",
                               why="The queue is empty again: no merge crosses from one piece to the next."),
        Merge.PUSH: replace(KINDS[Merge.PUSH], why=_FIRST.format("number"),
                            say="Cells {0} and {1} make {2:q}, number {3:t} in the list of merges: push it."),
        Merge.MISS: replace(KINDS[Merge.MISS], label="no merge", log="{2:q} is no merge", say=_UNLISTED),
        "unlisted": replace(KINDS[Merge.MISS], label="no merge", log="{2:q} is no merge", say=_UNLISTED,
                            why="{2:q} is a token all the same, but made of other parts. tiktoken asks only whether "
                                "the joined bytes are a token, and would push it."),
    },
    "rank": KINDS
    | {
        Merge.SEGMENT: replace(KINDS[Merge.SEGMENT], say="A new piece begins: {0:t}.", log="new piece, {0:t}",
                               why="The queue is empty again: no merge crosses from one piece to the next."),
        Merge.PUSH: replace(KINDS[Merge.PUSH], why=_FIRST.format("rank"),
                            say="Cells {0} and {1} join to {2:q}, a token with rank {3:t}: push it."),
        Merge.MISS: replace(KINDS[Merge.MISS], label="no token", log="{2:q} is no token",
                            say="Cells {0} and {1} join to {2:q}, which is no token."),
    },
})  # fmt: skip
"""What a model judges a pair by → the sentences."""

UNIT = {"score": "one cell per code point", "merge": "one cell per character of the piece", "rank": "one cell per byte"}
START = {
    "score": "{what} is split into {0:t}, one for each code point: {1:t}.",
    "merge": "{what} is split into {0:t}, one for each of its characters.",
    "rank": "{what} is split into {0:t}, one for each byte.",
}
SINGLE = {
    "score": "{what} is a single symbol of {1:t}, so there is no pair to merge.",
    "merge": "{what} is a single symbol, so there is no pair to merge.",
    "rank": "{what} is a single byte, so there is no pair to merge.",
}
JOINED = {
    "name": "rev", "type": "table", "title": "Joined from", "layout": "chips", "newest_first": True,
    "note": "rev_merge in both sources: how each text was joined, to take a symbol apart that may not be put out; that "
            "branch cannot be reached in llama.cpp, and is live in sentencepiece for pieces marked UNUSED",
    "columns": [{"name": "text", "as": "quoted"}, {"name": "left", "as": "number"},
                {"name": "right", "as": "number"}], "empty": "Nothing was pushed yet.",
}  # fmt: skip
"""A track that only models with scores have."""
