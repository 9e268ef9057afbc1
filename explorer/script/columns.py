"""The track type `columns`: a column for each token, and in it a line for each thing that becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PLAIN, GOOD, WAITS, GONE = range(4)
"""The states of a line: as it is, finished, waiting, left out."""


def columns(title: str, note: str, lines: Sequence[str], empty: str = "No tokens.") -> dict[str, Any]:
    """The track. A row is a text, the number that colors it, its span, then text (-1: none) and state of each line.

    lines: the names of the lines, that of the token first.
    """
    return {"name": "columns", "type": "columns", "title": title, "note": note, "lines": list(lines), "empty": empty}
