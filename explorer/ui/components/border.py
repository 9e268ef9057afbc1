"""A border in the text: a mark that can be dragged, the tokens of the whole text and of both parts, and what it means.

The browser has the borders around the mark and shows them at once; for one further away it reports the offset (`at`),
and where the mark rests for the downloads (`mark`). The URL has the offset as `border`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from explorer.ui.components.assets import register

_mount = register(
    "explorer_border", "border", js=["../picture/actions.js", "scale.js", "faces.js", "border.js"], css=["border.css"]
)


def border(
    picture: Mapping[str, Any], *, content_id: str, key: str, on_closed: Callable[[], None] = lambda: None
) -> None:
    """Draws a border. picture: of `views.border`, of one tokenizer or several. content_id: names the text and those.

    on_closed: called when the border of several tokenizers was closed.

    >>> border(picture, content_id="ab", key="border")  # doctest: +SKIP
    """
    _mount(
        key=key, data={"picture": dict(picture), "content_id": content_id}, on_at_change=lambda: None,
        on_mark_change=lambda: None, on_closed_change=on_closed,
    )  # fmt: skip


def border_offset(key: str, content_id: str) -> int | None:
    """The offset to draw a border at: the one that the browser asked for last, at first the one in the URL.

    None: where the border shows most, as in another content.
    """
    state = st.session_state
    at, of = f"{key} at", f"{key} of"
    asked = reported_offset(key, "at", content_id)
    if asked is not None:
        state[at] = asked
    elif at not in state:
        state[at] = linked_offset()
    elif state.get(of) != content_id:
        state[at] = None
    state[of] = content_id
    found: int | None = state[at]
    return found


def border_mark(key: str, content_id: str, picture: Mapping[str, Any]) -> int:
    """The offset at which the mark rests in a picture."""
    at = reported_offset(key, "mark", content_id)
    return int(picture["at"]) if at is None else min(max(1, at), picture["length"] - 1)


def reported_offset(key: str, name: str, content_id: str) -> int | None:
    """An offset that the browser reports of this content; None if it reports none.

    What it reports may be anything.
    """
    found = (st.session_state.get(key) or {}).get(name)
    of, _, at = found[:90].partition(" ") if isinstance(found, str) else ("", "", "")
    return offset_of(at) if of == content_id else None


def linked_offset() -> int | None:
    """The offset in the URL."""
    return offset_of(st.query_params.get("border", ""))


def offset_of(at: str) -> int | None:
    """An offset as a number; None if it is none."""
    return int(at) if at.isascii() and at.isdigit() and len(at) < 7 else None
