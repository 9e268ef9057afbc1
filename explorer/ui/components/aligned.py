"""Rows of tokens above each other, aligned on the characters of the text.

The browser part (`aligned/`) breaks the blocks that `explorer/views/compare/aligned.py` lays out into lines, and
repeats the rows' names on each line. Pointing at a token marks the same piece of text in every row and in every other
component of the page. Leaves out deciding what to show, and measuring: block widths are estimates.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.ui.components.assets import register

_mount = register(
    "explorer_aligned", "aligned", js=["lines.js", "aligned.js"], css=["aligned.css"]
)  # fmt: skip


def aligned_rows(rows_json: str, *, rows_id: str, key: str, names: Sequence[str] = ()) -> None:
    """Draws the grid. `rows_id` identifies the content: while it stays the same, the browser draws nothing again.

    names: of the rows' tokenizers in URLs (`TokenizerSpec.name`), for links to the dossiers of their tokens.

    >>> aligned_rows(grid.json, rows_id=grid.id, key="rows")      # doctest: +SKIP
    """
    _mount(key=key, data={"rows": rows_json, "rows_id": rows_id, "specs": list(names)})
