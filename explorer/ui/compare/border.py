"""Compare: a border in the text under all tokenizers, in the place of the aligned rows."""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.compare import CompareRequest, borders_export, borders_view
from explorer.answers.explore import content_id, file_names
from explorer.ui.compare.downloads import downloads
from explorer.ui.components import tokens

KEY: Final = "borders"
"""The key of the component."""


def is_open() -> bool:
    """Whether the border is shown instead of the rows: at first if the URL has one."""
    return bool(st.session_state.setdefault("borders_open", "border" in st.query_params))


def set_open(open: bool) -> None:
    """Shows the border, or the rows."""
    st.session_state.borders_open = open


def show_border(request: CompareRequest) -> None:
    """Draws the border that was asked for last, at first the one in the URL, and its downloads."""
    state = st.session_state
    stored = bool(state.get("asstored"))
    first = next(iter(request.specs.values()))
    here = content_id(first, request.names, request.text, request.options, stored)
    at = tokens.border_offset(KEY, here)
    picture = borders_view(request, at, stored)
    with st.container(key="stage"):
        tokens.border(picture, content_id=here, key=KEY, on_closed=lambda: set_open(False))
    if picture["borders"]:
        marked = tokens.border_mark(KEY, here, picture)
        downloads(request, file_names(borders_export, (request, marked)), borders_export, request, marked)
