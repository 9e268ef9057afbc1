"""Linked rows: the drawing that every stage of the Explore page is made of.

A board is one sentence and some rows of cells: token chips, code points with their bytes, characters and
what they became. Cells that stand for the same piece of the original text are marked together, in this board
and in every other component of the page. The browser part is `board/`; it only ever writes `textContent`.
What is left out: deciding what to show. Rows come from `explorer/views/`, every text already made visible.
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
) -> None:
    """Draw the rows. What is selected in one board is marked in all, in the browser alone.

    `board_id` names the data (say, a digest of text and model): while it stays the same the browser draws
    nothing again, so other data must come with another id. `say` is a sentence template as in the stepper
    script: `{"template": …, "args": […], "texts": […], "control": […]}`. `hint`: the first row says what can be
    done with a cell. `spot`: the span of the text to select at first, where the person has selected nothing.

    A row is a mapping. Only `kind` and `cells` are required:

    - `kind`: "chips" (tokens), "cards" (code points with their bytes, bit by bit), "map" (what each piece
      became), "bytes"; `title`, `note`, `empty` (said when there are no cells): texts
    - `cells`: the cells; `limit`: how many are drawn before "show all" is pressed (0 = all); the window
      follows the selection. `before`, `after`: how many cells were not sent on either side

    A cell is a mapping. Only `t` is required; `s` and `e` count as -1 when they are missing:

    - `t`: main text, "" = there was nothing (an inserted piece in a map); `control`: it is a label (U+202E)
    - `s`, `e`: range of code points of the original text, -1 = not from the text
    - `id`: token id, gives the colour, and is written under the cell unless `sub` is given; None = grey
    - `top`, `sub`: small texts above and under; `tag`: a pill ("BOS")
    - `look`: "plain", "changed", "inserted", "dropped", "unused", "special", "bad"
    - `to` (map): list of `{"t": …, "control": …}` it became; [] = dropped; None or missing = unchanged
    - `part`: [first, last, n]: this token owns bytes [first, last) of the n bytes of a character
    - `bytes`: list of [value 0..255, number of prefix bits 0..8, role]; a role is "single", "lead",
      "continuation" or "bad"
    - `fault`: what is wrong with the bytes; `tip`: list of [label, value] for the card of details

    >>> board([{"title": "Tokens", "kind": "chips", "cells": [{"t": "▁a", "s": 0, "e": 1, "id": 263}]}],
    ...       board_id="a", key="tokens")   # doctest: +SKIP
    """

    _mount(key=key, data={"rows": rows, "board_id": board_id, "say": say, "hint": hint, "spot": spot})
