"""Compare: an answer as files. Each is written only when somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from explorer.csv_text import write_csv
from explorer.ui.compare_input import Comparing
from explorer.ui.components.live_text import LONGEST_LINK

Rows = Sequence[Sequence[object]]


def take_away(
    chosen: Comparing, name: str, record: Callable[[], Any], rows: Callable[[], Rows], markdown: Callable[[], str]
) -> None:
    """Buttons for JSON, CSV and Markdown, and what the address of the page is good for.

    name: of the files, without what follows the dot. The functions are called later and outside of the session: they
    must not ask its caches.
    """
    files: tuple[tuple[str, str, Callable[[], str]], ...] = (
        ("JSON", "application/json", lambda: json.dumps(record(), ensure_ascii=False)),
        ("CSV", "text/csv", lambda: write_csv(rows())),
        ("Markdown", "text/markdown", markdown),
    )
    with st.container(key="section-take-away"):
        st.subheader("Take it away", anchor=False)
        st.caption(link_says(chosen))
        with st.container(horizontal=True):
            for label, kind, written in files:
                ending = "md" if label == "Markdown" else label.lower()
                st.download_button(label, written, f"{name}.{ending}", kind, on_click="ignore", key=f"take {label}",
                                   icon=":material/download:")  # fmt: skip


def link_says(chosen: Comparing) -> str:
    """What the address of this page opens for somebody else."""
    lacks = []
    if len(chosen.typed) > LONGEST_LINK:
        lacks.append("the text, which is too long for a link")
    if any(run.private for run in chosen.runs.values()):
        lacks.append("your own files, which nobody else has")
    link = "The address of this page is a link to this very comparison"
    return f"{link}, but for {' and '.join(lacks)}." if lacks else f"{link}: copy it from the browser's address bar."
