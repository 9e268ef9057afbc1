"""Rewrites text and keeps its alignment, as `NormalizedString` of Hugging Face's tokenizers does.

Every normalizer there writes the new text as characters with a step each: 0, the character replaces the next one of the
old text; 1, it is inserted; -n, it replaces the next one, and the n after that are dropped. The alignment follows from
the steps alone: a character has the span of the one it replaces, an inserted one that of the character before it. So é
composed of e and an accent has the span of the e, and a Han character and the spaces put around it all have its span.
Token spans equal the original's offsets.

Left out: where the original panics (a text that an empty match prepended is rewritten again), the text is rewritten
normally.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from explorer.engine.items import Segment

Step: TypeAlias = tuple[str, int]
"""A character of the new text and its step."""


def rewritten(segment: Segment, steps: Sequence[Step], removed: int = 0) -> Segment:
    """The new text with its alignment. removed: the number of characters dropped at the beginning.

    >>> done = rewritten(Segment.of("xe\\u0301A"), [("é", -1), ("a", 0), ("!", 1)], removed=1)
    >>> done.text, list(done.starts), list(done.ends)
    ('éa!', [1, 3, 3], [2, 4, 4])
    """
    _, starts, ends = segment
    size = len(segment.text)
    new_starts, new_ends = array("i"), array("i")
    at = removed
    for _, step in steps:
        near = at - 1 if step > 0 else min(at, size - 1)
        # an insertion before the first character has no character before it to share a span with
        new_starts.append(starts[near] if near >= 0 else starts[0])
        new_ends.append(ends[near] if near >= 0 else starts[0])
        if step <= 0:
            at = min(at + 1 - step, size)
    return Segment("".join([ch for ch, _ in steps]), new_starts, new_ends)


def without(segment: Segment, dropped: Collection[str]) -> Segment:
    """The segment without the characters in `dropped`.

    >>> without(Segment.of("a-b"), "-").starts
    array('i', [0, 2])
    """
    steps: list[Step] = []
    gone = removed = 0
    for ch in segment.text:
        if ch in dropped:
            gone += 1
            continue
        if steps:
            steps[-1] = (steps[-1][0], -gone)
        else:
            removed = gone
        steps.append((ch, 0))
        gone = 0
    return rewritten(segment, steps, removed)


def each(segment: Segment, becomes: Callable[[str], str]) -> list[Step]:
    """The steps that replace each character by one or more others, whatever its neighbors."""
    return [(to, index > 0) for ch in segment.text for index, to in enumerate(becomes(ch))]
