"""Draws where two tokenizers part: their stages, the text with a mark at each place, and one place.

The browser part (`parting/`) reports the place that is clicked, and writes it to the URL as `place`. Leaves out the
panels of the steppers below it, and deciding what differs (`explorer/views/compare/parting.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from explorer.ui.components.assets import mounted
from explorer.views.components import PARTING

_mount = mounted("explorer_parting", PARTING)


def parting(
    picture: Mapping[str, Any],
    sides: Sequence[Mapping[str, Any]],
    *,
    head: Mapping[str, str] | None,
    rows: Mapping[str, Any] | None,
    default: int | None,
    content_id: str,
    label: str,
    key: str,
) -> None:
    """Draws everything above the panels.

    picture, rows: of `views.compare.parting`. sides: name, a line about it, and the tokens of the place for `rows`.
    head: title and note of the panels. default: the place that is not in the URL. label: the answer as one sentence.

    >>> parting(picture, sides, head=None, rows=None, default=0, content_id="1", label="", key="p")   # doctest: +SKIP
    """
    data = {"picture": dict(picture), "sides": list(sides), "head": head, "rows": rows, "default": default,
            "content_id": content_id, "label": label}  # fmt: skip
    _mount(key=key, data=data, on_place_change=lambda: None)


def place_tokens(tokens: Sequence[Sequence[Any]], *, key: str) -> None:
    """Draws the tokens that a side makes of the place. tokens: of `views.compare.parting.tokens_of`."""
    _mount(key=key, data={"tokens": list(tokens), "content_id": repr(tokens)})


def chosen_place(key: str, content_id: str) -> int | None:
    """The place that was clicked in this content, None if none was. Call it before drawing.

    The browser reports `CONTENT_ID PLACE`, or anything.
    """
    reported = (st.session_state.get(key) or {}).get("place")
    of, _, number = reported.partition(" ") if isinstance(reported, str) else ("", "", "")
    return int(number) if of == content_id and number.isdecimal() and len(number) < 6 else None
