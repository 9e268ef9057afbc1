"""Texts that are easily confused: with escapes replaced or not, with white space at an end or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from explorer.analysis.divergence.changes import points
from explorer.analysis.expected.answers import Reason
from explorer.analysis.other_text import named
from explorer.analysis.what_if import has_escapes
from explorer.text import escapes, unescape

WRITTEN: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
"""Characters that are often written as escapes, with their escapes."""


class Other(NamedTuple):
    """Another text, and a phrase that follows "they are for the text"."""

    reason: Reason
    what: str
    text: str


def escaped(text: str) -> Iterator[Other]:
    """The text with its escapes replaced, or with characters written as escapes."""
    if has_escapes(text):
        start, stop, ch = next(escapes(text))
        shown = points(ch) if ch.isprintable() else named(ch)
        yield Other(Reason.ESCAPES, f"with its escapes replaced ({text[start:stop]} by {shown})", unescape(text))
    written = text.translate({ord(ch): name for ch, name in WRITTEN.items()})
    if written != text:
        ch = next(ch for ch in text if ch in WRITTEN)
        yield Other(Reason.ESCAPES, f"with characters written as escapes ({named(ch)} as {WRITTEN[ch]})", written)


def spaced(text: str) -> Iterator[Other]:
    """The text with more or less white space at an end."""
    yield Other(Reason.LEADING_SPACE, "with a leading space", " " + text)
    if text.startswith(" "):
        yield Other(Reason.LEADING_SPACE, "without its leading space", text[1:])
        yield Other(Reason.LEADING_SPACE, "without its leading spaces", text.lstrip(" "))
    for end, what in (("\n", "a line feed"), (" ", "a space"), ("\r\n", "a carriage return and a line feed")):
        yield Other(Reason.WHITE_SPACE, f"with {what} at the end", text + end)
        if text.endswith(end):
            yield Other(Reason.WHITE_SPACE, f"without {what} at the end", text.removesuffix(end))
    for read, what in ((text.strip(), "white space at its ends"), (text.replace("\r\n", "\n"), "carriage returns")):
        if read != text:
            yield Other(Reason.WHITE_SPACE, f"without {what}", read)
