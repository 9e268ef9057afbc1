"""Compare: an answer as files. Each is written only when somebody asks for it."""

from __future__ import annotations

import streamlit as st

from explorer.export import Export
from explorer.ui.compare_input import Comparing
from explorer.ui.components.live_text import LONGEST_LINK


def take_away(chosen: Comparing, export: Export) -> None:
    """Buttons for JSON, CSV and Markdown, and what the address of the page is good for.

    What writes the files is called later and outside of the session: it must not ask its caches.
    """
    files = (
        ("JSON", "json", "application/json", export.json),
        ("CSV", "csv", "text/csv", export.csv),
        ("Markdown", "md", "text/markdown", export.markdown),
    )
    with st.container(key="section-take-away"):
        st.subheader("Take it away", anchor=False)
        st.caption(link_says(chosen))
        with st.container(horizontal=True):
            for label, ending, kind, written in files:
                st.download_button(label, written, export.file_name(ending), kind, on_click="ignore",
                                   key=f"take {label}", icon=":material/download:")  # fmt: skip


def link_says(chosen: Comparing) -> str:
    """What the address of this page opens for somebody else."""
    lacks = []
    if len(chosen.typed) > LONGEST_LINK:
        lacks.append("the text, which is too long for a link")
    if any(run.private for run in chosen.runs.values()):
        lacks.append("your own files, which nobody else has")
    link = "The address of this page is a link to this very comparison"
    return f"{link}, but for {' and '.join(lacks)}." if lacks else f"{link}: copy it from the browser's address bar."
