"""The Compare page below its controls: one function for each question it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from explorer.ui import compare_languages
from explorer.ui.compare_expected import expected_ids
from explorer.ui.compare_input import Comparing
from explorer.ui.compare_parting import parting
from explorer.ui.compare_prepared import rows_of
from explorer.ui.compare_switches import typing, what_if_flipped
from explorer.ui.components.aligned import aligned_rows
from explorer.ui.sentence import sentence
from explorer.views.compared import chart_of_rows, rows_say, table_of_rows


def side_by_side(chosen: Comparing) -> None:
    """The tokens of all of them above each other, and what they count."""
    alignment, grid = rows_of(chosen)
    sentence(rows_say(alignment), key="rows_say")
    if not chosen.text:
        return
    aligned_rows(grid.json, rows_id=grid.id, key="rows")
    st.altair_chart(chart_of_rows(alignment), width="stretch")
    st.dataframe(
        table_of_rows(alignment), hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.2f")
                       for name in ("times the baseline", "characters a token", "bytes a token")},
    )  # fmt: skip


QUESTIONS: Mapping[str, Callable[[Comparing], None]] = MappingProxyType(
    {
        "Side by side": side_by_side,
        "Where they part": parting,
        "Expected ids": expected_ids,
        "What if": what_if_flipped,
        "While typing": typing,
        "Languages": compare_languages.languages_part,
    }
)
"""What the page can be asked, by the name of its tab. One is computed at a time."""
