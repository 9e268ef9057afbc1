"""Text that is rewritten and keeps its alignment, the way `NormalizedString` of Hugging Face's tokenizers does it.

Every normalizer there writes the new text as characters with a step each: 0, it stands for the next character of the
old text; 1, it is one more; -n, it stands for the next one, and the n behind that are gone. The alignment follows from
the steps alone: a character takes the place of the one it stands for, one more takes the place of the one before it.
So é made of e and an accent has the place of the e, and the three characters that a Han character becomes with spaces
around it all have its place. Spans of tokens come out as the original's offsets do.

Left out: where the original stops with an internal error (a text put in front by a pattern that matches nothing, and
rewritten again), the text is rewritten as if nothing were the matter.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from explorer.engine.items import Segment

Step: TypeAlias = tuple[str, int]
"""A character of the new text and its step."""


def rewritten(segment: Segment, steps: Sequence[Step], removed: int = 0) -> Segment:
    """The new text with its alignment. `removed`: how many characters at the beginning are gone.

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
        # before everything there is no character to share a place with
        new_starts.append(starts[near] if near >= 0 else starts[0])
        new_ends.append(ends[near] if near >= 0 else starts[0])
        if step <= 0:
            at = min(at + 1 - step, size)
    return Segment("".join([ch for ch, _ in steps]), new_starts, new_ends)


def without(segment: Segment, dropped: Collection[str]) -> Segment:
    """The segment without these characters.

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
    """The steps where every character becomes one or more others, whatever stands beside it."""
    return [(to, place > 0) for ch in segment.text for place, to in enumerate(becomes(ch))]
