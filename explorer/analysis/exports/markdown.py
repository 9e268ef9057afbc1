"""Sentences and tables as lines of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

MOST: Final = 100
"""The most rows of a table."""


def table_lines(says: Iterable[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Sentences and a table whose first row is its heading.

    >>> for line in table_lines(["It is so."], [["a", "b"], [1, None]]): print(line)
    It is so.
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 |  |
    """
    lines = [line for each in says for line in (escaped(each), "")]
    heading, *body = rows
    lines += table(heading, (["" if value is None else value for value in row] for row in body[:MOST]))
    if len(body) > MOST:
        lines += ["", f"And {len(body) - MOST} more."]
    return lines


def table(heading: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return [f"| {' | '.join(escaped(str(value)) for value in line)} |" for line in lines]


def escaped(text: str) -> str:
    """A text escaped for Markdown, on one line.

    >>> escaped("<b> | *a*")
    '\\\\<b\\\\> \\\\| \\\\*a\\\\*'
    """
    return "".join(f"\\{ch}" if ch in "\\`*_{}[]<>|#~" else ch for ch in " ".join(text.split()))
