"""The algorithm of merging, line by line: in plain words, and with the fields that the originals keep.

A kind of merge step lights up the lines at work in either. `VALUES` has what a line works on in a step, drawn at its
right edge. Its arguments are those of `merge_arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from explorer.engine.models.merges import STALE, MergeEvent
from explorer.views.steppers.merge_stories import Key
from explorer.views.steppers.script import StepKind

_PLAIN: Final = (
    "for each pair of neighbors: offer(left, right)",
    "while the queue is not empty:",
    "    take the pair with the {best}",
    "    if left or right has changed: skip it",
    "    left ← left + right; right leaves the row",
    "    offer(the one before left, left)",
    "    offer(left, the one after it)",
    "for each symbol that is left:",
    "    a piece → its id",
    "    not a piece → one token for each byte",
)
_FIELDS: Final = (
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
)
_OFFERED: Final = MappingProxyType(
    {
        "score": ("highest score", "if the joined text is a piece", "it with that piece's score"),
        "merge": ("lowest number", "if the list of merges has the pair", "it with its number in the list"),
        "rank": ("lowest rank", "if the joined bytes are a token", "them with that token's rank"),
    }
)
"""Priority a model merges by → what is best, what may be offered, what waits in the queue."""

CODES: Final = MappingProxyType(
    {
        priority: (*(line.format(best=best) for line in _PLAIN), f"offer: {asked},", f"    queue {put}")
        for priority, (best, asked, put) in _OFFERED.items()
    }
)
"""Priority a model merges by → the algorithm."""
SOURCES: Final = MappingProxyType(
    {
        priority: (*_FIELDS, f"try_pair: {asked},", f"          push {put}")
        for priority, (_, asked, put) in _OFFERED.items()
    }
)
"""The same with the fields of the originals."""

TRY, NO_PIECE, POP, MERGED = (10, 11), (10,), (2, 3), (2, 4)
OUT, OUT_PIECE, OUT_BYTES = (7,), (7, 8), (7, 9)
WHOLE: tuple[int, ...] = ()

_SOURCE_LINES: Final = MappingProxyType(
    {
        TRY: (13, 14), NO_PIECE: (13,), POP: (2, 3, 4), MERGED: (2, 5, 6), OUT: (9,), OUT_PIECE: (9, 10),
        OUT_BYTES: (9, 11), WHOLE: (),
    }
)  # fmt: skip
"""Lines of the algorithm → the same lines with the fields of the originals."""

_TAKEN = (2, "{2:t}, {3:t}")
_NO = ((10, "{2:t}: no"),)
_BYTE = ((9, "{4:t} → {5:t}"),)
_JOINED = (_TAKEN, (4, "{4:t} + {5:t} → {2:t}"))
VALUES: Final[Mapping[Key, tuple[tuple[int, str], ...]]] = MappingProxyType(
    {
        MergeEvent.PUSH: ((10, "{2:t}: yes"), (11, "{3:t}")),
        MergeEvent.MISS: _NO,
        "unlisted": _NO,
        MergeEvent.MERGE: _JOINED,
        "merge last": _JOINED,
        "merge equal": _JOINED,
        **dict.fromkeys(STALE, (_TAKEN, (3, "{4:t} has changed"))),
        MergeEvent.TOKEN: ((8, "{1:t} → {2:t}"),),
        MergeEvent.BYTE: _BYTE,
        MergeEvent.RAW_BYTE: _BYTE,
        MergeEvent.UNKNOWN: _BYTE,
    }
)
"""Kind of step → lines of the algorithm, each with what it works on."""


def with_code(kinds: Mapping[Key, StepKind]) -> dict[Key, StepKind]:
    """The kinds of step, each with its values and with its lines in the originals' fields.

    >>> kind = with_code({MergeEvent.MISS: StepKind("no piece", "miss", "", "", lines=NO_PIECE)})[MergeEvent.MISS]
    >>> kind.source, kind.values
    ((13,), ((10, '{2:t}: no'),))
    """
    return {
        key: replace(kind, source=_SOURCE_LINES[kind.lines], values=VALUES.get(key, ())) for key, kind in kinds.items()
    }
