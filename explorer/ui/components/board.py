"""Linked rows: the component that draws every stage of the Explore page.

A board is a sentence and rows of cells: token chips, code points with their bytes, characters and what they became.
Cells of the same piece of the original text are marked together, in this board and in every other component of the
page. The browser part is `board/`; it writes `textContent` only. Leaves out deciding what to show: rows come from
`explorer/views/`, with every text already made visible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.ui.components.assets import register

_mount = register(
    "explorer_board",
    "board",
    js=["row_rules.js", "cells.js", "row.js", "card.js", "board.js"],
    css=["board.css", "cells.css"],
)


def board(
    rows: Sequence[Mapping[str, object]],
    *,
    board_id: str,
    key: str,
    say: Mapping[str, object] | None = None,
    hint: bool = False,
    spot: tuple[int, int] | None = None,
    steps: Sequence[Mapping[str, object]] = (),
    tokenizer: str = "",
) -> None:
    """Draws the rows. A selection in one board is marked in all of them, without Python.

    `board_id` identifies the data (a digest of text and model, say): while it stays the same, the browser draws nothing
    again, so other data needs another id. `say` is a sentence template as in the stepper's script:
    `{"template": …, "args": […], "texts": […], "control": […]}`, dim with `"quiet": True`. `hint`: the first row
    explains what a click does. `spot`: the span to select at first, unless the visitor has selected one. `steps`:
    sentences below, each with `parameter` and `step`: a button sends the stepper of that parameter there. `tokenizer`:
    whose tokens the cells with an id are, by its name in URLs; their details link to the Vocabulary page.

    A row is a mapping. Only `kind` and `cells` are required:

    - `kind`: "chips" (tokens), "cards" (code points with their bytes, bit by bit), "map" (what each piece became),
      "bytes"; `title`, `note`, `empty` (shown if there are no cells): texts
    - `cells`: the cells; `limit`: how many are drawn before "show all" is pressed (0 = all); the window follows the
      selection. `before`, `after`: how many cells were not sent on either side

    A cell is a mapping. Only `t` is required; `s` and `e` default to -1:

    - `t`: main text, "" = nothing (an inserted piece in a map); `control`: it is a label (U+202E)
    - `s`, `e`: span of code points in the original text, -1 = not from the text
    - `id`: token id, which gives the color and is written below the cell unless `sub` is given; None = gray
    - `top`, `sub`: small texts above and below; `tag`: a pill ("BOS")
    - `look`: "plain", "changed", "inserted", "dropped", "unused", "special", "bad"
    - `to` (map): list of `{"t": …, "control": …}` it became; [] = dropped; None or missing = unchanged
    - `part`: [first, last, n]: this token has bytes [first, last) of the n bytes of a character
    - `bytes`: list of [value 0..255, number of prefix bits 0..8, role]; a role is "single", "lead", "continuation" or
      "bad"
    - `fault`: what is wrong with the bytes; `tip`: list of [label, value] for the details

    >>> board([{"title": "Tokens", "kind": "chips", "cells": [{"t": "▁a", "s": 0, "e": 1, "id": 263}]}],
    ...       board_id="a", key="tokens")   # doctest: +SKIP
    """
    data = {"rows": rows, "board_id": board_id, "say": say, "hint": hint, "spot": spot, "steps": steps}
    _mount(key=key, data=data | {"tokenizer": tokenizer})
