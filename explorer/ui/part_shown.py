"""Which part of a long text a page draws: one place for all pages, so that it stays on the way from one to the next."""

from __future__ import annotations

import re

import streamlit as st

from explorer.views.window import WINDOW


def part_shown(text: str) -> int:
    """Where the drawn window of a long text begins, at first as the address says; 0 for one that is drawn whole."""
    last = len(text) - WINDOW
    if last <= 0:
        return 0
    linked = st.query_params.get("at", "")
    wanted = st.session_state.get("at", int(linked) if re.fullmatch(r"[0-9]{1,9}", linked) else 0)
    st.session_state.at = max(0, min(int(wanted), last))
    return int(st.session_state.at)


def choose_part(text: str, says: str) -> None:
    """What is said of a text that is not drawn whole, and where to choose another part of it."""
    last = len(text) - WINDOW
    if last <= 0:
        return
    st.info(f"{says} Choose another part here.", icon=":material/width:")
    st.slider("The part drawn begins at offset", 0, last, key="at", step=min(500, last))
