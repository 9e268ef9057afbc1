"""Rows of tokens above each other, aligned on the characters of the text.

The browser part (`aligned/`) fills its lines with the blocks of the grid that `explorer/views/compare/aligned.py` lays
out, and repeats the rows' names on each line. A token pointed at marks the same piece of the text in every row and in
every other component of the page. Left out: deciding what to show, and measuring: block widths come estimated.
"""

from __future__ import annotations

from explorer.ui.components.assets import register

_mount = register(
    "explorer_aligned", "aligned", js=["lines.js", "aligned.js"], css=["aligned.css"]
)  # fmt: skip


def aligned_rows(rows_json: str, *, rows_id: str, key: str) -> None:
    """Draw the grid. `rows_id` names the content: while it stays the same nothing is drawn again.

    >>> aligned_rows(grid.json, rows_id=grid.id, key="rows")      # doctest: +SKIP
    """
    _mount(key=key, data={"rows": rows_json, "rows_id": rows_id})
