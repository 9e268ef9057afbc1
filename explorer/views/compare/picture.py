"""Rows of tokens with a frame of sentences: what `framed_rows` draws, and which part of a long text it draws."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from explorer.analysis.alignment import Span
from explorer.script.window import WINDOW
from explorer.text.say import number
from explorer.views.compare.aligned import Aligned

LEADING: Final = 200
"""Characters drawn before the first difference in a long text."""


class Picture(NamedTuple):
    """Rows, and what stands around them: sentences, what to change, links by the parameters of the page's URL."""

    frame: dict[str, Any]
    drawn: Aligned | None = None


def part_at(text: str, difference: int) -> Span | None:
    """Of a long text the part around the first difference; None if all of it is drawn.

    >>> part_at("a" * 9000, 5000), part_at("a" * 100, 50)
    (Span(start=4800, end=6800), None)
    """
    if len(text) <= WINDOW:
        return None
    at = max(0, min(difference - LEADING, len(text) - WINDOW))
    return Span(at, at + WINDOW)


def part_words(part: Span | None, text: str) -> str:
    """Which part of a long text is drawn; "" if it is all of it."""
    if part is None:
        return ""
    return f"Characters {number(part.start + 1)} to {number(part.end)} of {number(len(text))} are drawn."
