"""A border in the text: a mark that can be dragged, the tokens of the whole text and of both parts, and what it means.

The browser has the borders around the mark and shows them at once; for one further away it reports the offset, which
`asked` reads. The URL has the offset as `border`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.ui.components.assets import register

_mount = register(
    "explorer_border", "border", js=["../picture/actions.js", "scale.js", "border.js"], css=["border.css"]
)


def border(picture: Mapping[str, Any], *, content_id: str, key: str) -> None:
    """Draws a border. picture: of `views.border`. content_id: names the text and the tokenizer.

    >>> border(picture, content_id="ab", key="border")  # doctest: +SKIP
    """
    _mount(key=key, data={"picture": dict(picture), "content_id": content_id}, on_at_change=lambda: None)


def asked(key: str, content_id: str) -> int | None:
    """The offset that the browser asks for, of this content; None if it asks for none.

    What it reports may be anything.
    """
    reported = (st.session_state.get(key) or {}).get("at")
    of, _, at = reported[:90].partition(" ") if isinstance(reported, str) else ("", "", "")
    return int(at) if of == content_id and at.isascii() and at.isdigit() and len(at) < 7 else None


def linked() -> int | None:
    """The offset in the URL."""
    at = st.query_params.get("border", "")
    return int(at) if at.isascii() and at.isdigit() and len(at) < 7 else None
