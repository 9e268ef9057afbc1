"""The Vocabulary page: all tokens found, as a file that is written when it is requested."""

from __future__ import annotations

import streamlit as st

from explorer.analysis.vocabulary.query import Query
from explorer.answers.explore import download
from explorer.answers.offers import TokenizerSpec
from explorer.answers.vocabulary import file_names, search_export
from explorer.errors import InputError


def draw_files(spec: TokenizerSpec, query: Query, checked: bool) -> None:
    """Draws the buttons for CSV and JSON."""
    try:
        names = file_names(spec)
    except InputError:
        return
    for ending, label, kind in (("csv", "CSV", "text/csv"), ("json", "JSON", "application/json")):
        st.download_button(label, download.deferred(search_export, (spec, query, checked), ending), names[ending], kind,
                           on_click="ignore", icon=":material/download:", key=f"vocabulary {ending}",
                           help="All tokens found")  # fmt: skip
