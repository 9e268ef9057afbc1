"""Rewrites text and keeps its alignment: which characters of the original text each character was made of.

`covering` gives a written text the span of everything it replaces: é composed of e and an accent has the span of both.
A Han character and the spaces put around it all have its span.

`rewritten` aligns as `NormalizedString` of Hugging Face's tokenizers does, whose normalizers write characters with a
step each: 0, the character replaces the next one of the old text; 1, it is inserted; -n, it replaces the next one, and
the n after that are dropped. There é has the span of the e alone. `implementations.offsets` asks for that.

Left out: where the original panics (a text that an empty match prepended is rewritten again), the text is rewritten
normally.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from explorer.engine.items import Segment, in_order

Step: TypeAlias = tuple[str, int]
"""A character of the new text and its step."""

Written: TypeAlias = tuple[str, int, int]
"""A text and the characters [low, high) of the old text that it replaces; low == high: it is inserted there."""


def covering(segment: Segment, written: Iterable[Written]) -> Segment:
    """The new text, each part with the span of all it replaces; an inserted one with that of the character before it.

    >>> done = covering(Segment.of("xe\\u0301A"), [("é", 1, 3), ("a", 3, 4), ("!", 4, 4)])
    >>> done.text, list(done.starts), list(done.ends)
    ('éa!', [1, 3, 3], [3, 4, 4])
    """
    _, starts, ends = segment
    new_starts, new_ends = array("i"), array("i")
    texts = []
    for text, low, high in written:
        # an insertion before the first character has no character before it to share a span with
        start = starts[low if low < high else max(low - 1, 0)]
        end = ends[high - 1] if high else start
        texts.append(text)
        new_starts.extend((start,) * len(text))
        new_ends.extend((end,) * len(text))
    return Segment("".join(texts), *in_order(new_starts, new_ends))


def rewritten(segment: Segment, steps: Sequence[Step]) -> Segment:
    """The new text with the original's alignment.

    >>> done = rewritten(Segment.of("e\\u0301A"), [("é", -1), ("a", 0), ("!", 1)])
    >>> done.text, list(done.starts), list(done.ends)
    ('éa!', [0, 2, 2], [1, 3, 3])
    """
    _, starts, ends = segment
    size = len(segment.text)
    new_starts, new_ends = array("i"), array("i")
    at = 0
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
    return covering(segment, ((ch, at, at + 1) for at, ch in enumerate(segment.text) if ch not in dropped))


def each(segment: Segment, becomes: Callable[[str], str]) -> Segment:
    """The segment with each character replaced by others, whatever its neighbors."""
    return covering(segment, ((becomes(ch), at, at + 1) for at, ch in enumerate(segment.text)))
