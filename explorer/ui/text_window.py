"""Which part of a long text is drawn: one setting for all pages, so it stays when you switch pages."""

from __future__ import annotations

import re

import streamlit as st

from explorer.views.window import WINDOW


def window_start(text: str) -> int:
    """Where the drawn part of a long text begins, at first from the URL; 0 for a text that is drawn whole."""
    last = len(text) - WINDOW
    if last <= 0:
        return 0
    linked = st.query_params.get("at", "")
    wanted = st.session_state.get("at", int(linked) if re.fullmatch(r"[0-9]{1,9}", linked) else 0)
    st.session_state.at = max(0, min(int(wanted), last))
    return int(st.session_state.at)


def choose_window(text: str, message: str) -> None:
    """For a text that isn't drawn whole: draws a message and a slider to choose another part."""
    last = len(text) - WINDOW
    if last <= 0:
        return
    st.info(f"{message} Choose another part here.", icon=":material/width:")
    st.slider("The part drawn begins at offset", 0, last, key="at", step=min(500, last))
