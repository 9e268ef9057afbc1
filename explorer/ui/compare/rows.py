"""Compare: the tokens of all tokenizers above each other, and their counts."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import CompareRequest, rows_export, rows_view
from explorer.text.say import number
from explorer.ui.compare import border
from explorer.ui.compare.controls import follow, tokenize_all
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.comparison import aligned_rows
from explorer.ui.frame import Report
from explorer.ui.text_options import choose_window, window_start


def rows_tab(request: CompareRequest, report: Report) -> None:
    """Draws the aligned rows, each with its count; or a border in the text."""
    if border.is_open():
        report("cutting the text")
        border.show_border(request)
        return
    at = window_start(request.text)
    tokenize_all(request, report)
    report("aligning and drawing the rows")
    view = rows_view(request, at, bool(st.session_state.get("asstored")))
    choose_window(
        request.text,
        f"All {number(len(request.text))} characters of the text are tokenized and counted. Characters "
        f"{number(view.part.start + 1)} to {number(view.part.end)} are drawn below.",
    )
    aligned_rows(view.drawn, view.say, view.parting, key="rows", names=request.names, on_go=follow("rows"),
                 on_border=lambda: border.set_open(True))  # fmt: skip
    if request.text:
        downloads(request, view.names, rows_export, request, saves=at)
