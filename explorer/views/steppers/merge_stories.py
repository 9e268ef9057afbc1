"""Merge steps told without the data structures: what joins, what waits, what is out of date.

For readers who do not know the queue yet. No cell numbers and no field names; one verb for one thing: a pair *joins*,
an entry *waits* or is *out of date*. The arguments are those of `merge_arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from explorer.engine.models.merges import STALE, MergeEvent
from explorer.views.steppers.stories import Story

Key: TypeAlias = (
    MergeEvent | Literal["unlisted", "could be built", "could not be built", "merge last", "merge equal", "follow"]
)
"""A kind of step: an event; a pair that isn't listed although it makes a token; a piece taken whole that the merges
give as well, or never do; a merge when no other pair waits, or one of the same priority; the tokens after the last
fragment."""


JOINED = "{4:q} + {5:q} → {2:q}."
LATER = "{5:t}"
"""What becomes of a pair that may not merge now."""
OUT_OF_DATE = Story(
    "{2:q} is out of date: its {4:q} is part of {5:q} now. Skip it.",
    "Entries stay in the queue and are checked only when they come up.",
)

ALWAYS: Mapping[Key, Story] = MappingProxyType(
    {
        MergeEvent.SEGMENT: Story(
            "The next {2:t} begins, with {0:t}.", "Merges never cross from one {2:t} to the next."
        ),
        "merge last": Story(f"{JOINED} No other pair waits{{7:t}}.", "{6:t}"),
        **dict.fromkeys(STALE, OUT_OF_DATE),
        MergeEvent.TOKEN: Story("{1:q} is a piece: token {2:t}."),
        MergeEvent.UNMERGE: Story("{2:q} may not be output: it is split again.", "The vocabulary marks it as unused."),
        MergeEvent.BYTE: Story(
            "{1:q} is not a piece. Its byte {2} of {3} becomes {4:q}, token {5:t}.",
            "A character that is not a piece costs one token for each byte.",
        ),
        MergeEvent.RAW_BYTE: Story(
            "{1:q} is not a piece. Its byte {2} of {3} becomes token {5:t}.",
            "A character that is not a piece costs one token for each byte.",
        ),
        MergeEvent.UNKNOWN: Story(
            "{1:q} is not a piece, and its byte {2} of {3} has no token: it becomes {4:q}.", "What it was is lost."
        ),
        MergeEvent.UNKNOWN_SYMBOL: Story(
            "{1:q} is not a piece, and there are no byte tokens: it becomes {2:q}.", "What it was is lost."
        ),
        MergeEvent.UNKNOWN_JOINED: Story(
            "{1:q} is not a piece either: it joins the {2:q} before it.", "A run of unknown characters is one token."
        ),
        MergeEvent.DROPPED: Story("{1:q} is not a piece, and its byte {2} of {3} has no token: it is dropped."),
        MergeEvent.UNKNOWN_RUN: Story("{1:q} is not a piece: it becomes the unknown token.", "What it was is lost."),
        MergeEvent.FALLBACK: Story(
            "{1:q} is not a piece: it is written as {2:t}.", "The bytes take part in the merges like any symbol."
        ),
    }
)
"""The stories that are the same for every priority."""

BY_PRIORITY: Mapping[str, Mapping[Key, Story]] = MappingProxyType(
    {
        "score": {
            MergeEvent.PUSH: Story(
                "{4:q} + {5:q} would make {2:q}: it waits with {3:t}.", "The highest score goes first."
            ),
            MergeEvent.MISS: Story("{3:q} + {4:q} don't make a piece.", LATER),
            MergeEvent.MERGE: Story(
                f"{JOINED} The best pair left: {{3:t}} beats {{6:q}} ({{7:t}}).",
                "The pair with the highest score goes first, wherever it is in the text.",
            ),
            "merge equal": Story(f"{JOINED} {{6:q}} has {{7:t}} too.", "Of equal scores, the left one goes first."),
        },
        "merge": {
            MergeEvent.PUSH: Story(
                "{4:q} + {5:q} make {2:q}: it waits as merge {3:t}.", "The lowest number goes first."
            ),
            MergeEvent.MISS: Story("{3:q} + {4:q} is not in the list of merges.", LATER),
            "unlisted": Story("{3:q} + {4:q} is not in the list of merges.", f"{{6:t}} {LATER}"),
            MergeEvent.MERGE: Story(
                f"{JOINED} Merge {{3:t}} comes before merge {{7:t}} ({{6:q}}).",
                "The list is in the order of training: what was frequent is early.",
            ),
            "merge equal": Story(f"{JOINED} The same merge waits again.", "Of equal pairs, the left one goes first."),
        },
        "rank": {
            MergeEvent.PUSH: Story(
                "{4:q} + {5:q} make {2:q}: it waits with rank {3:t}.", "The lowest rank goes first."
            ),
            MergeEvent.MISS: Story("{3:q} + {4:q} don't make a token.", LATER),
            MergeEvent.MERGE: Story(
                f"{JOINED} Rank {{3:t}} comes before rank {{7:t}} ({{6:q}}).",
                "Ranks are in the order of training: what was frequent is early.",
            ),
            "merge equal": Story(f"{JOINED} The same pair waits again.", "Of equal pairs, the left one goes first."),
        },
    }
)
"""Priority a model merges by → the stories of its own."""


def stories(priority: str) -> Mapping[Key, Story]:
    """All stories of a model that merges by a priority; the other kinds of step are plain enough."""
    return {**ALWAYS, **BY_PRIORITY[priority]}
