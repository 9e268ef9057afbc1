"""The piece of text a person has chosen, as the browser components report it."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]
"""[start, end) in code points of the original text."""


def reported_span(reported: object) -> Span | None:
    """The span in a report [start, end, count], where -1 means that nothing is chosen (see `base.js`).

    >>> reported_span([4, 7, 1]), reported_span([-1, -1, 2]), reported_span(None)
    ((4, 7), None, None)
    """
    if not isinstance(reported, Sequence) or len(reported) != 3:
        return None
    start, end, _ = reported
    return (int(start), int(end)) if start >= 0 else None
