"""Compare: an answer as files. Each is written only when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.answers.compare import Comparing, Names
from explorer.ui.components.live_text import LONGEST_LINK

KINDS = {"json": ("JSON", "application/json"), "csv": ("CSV", "text/csv"), "md": ("Markdown", "text/markdown")}
"""Of files, by their ending: the word on the button, and what the browser is told."""


def take_away(chosen: Comparing, names: Names, file: Callable[[str], Callable[[], str]]) -> None:
    """Buttons for JSON, CSV and Markdown, and what the address of the page is good for.

    file: told an ending, what writes that file. It is called later and on another thread.
    """
    with st.container(key="section-take-away"):
        st.subheader("Take it away", anchor=False)
        st.caption(link_says(chosen))
        with st.container(horizontal=True):
            for ending, (label, kind) in KINDS.items():
                st.download_button(label, file(ending), getattr(names, ending), kind, on_click="ignore",
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
