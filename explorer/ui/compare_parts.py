"""The Compare page below its controls: one question each, with what it is about and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from explorer.analysis.take_away import alignment_export
from explorer.ui.compare_expected import expected_ids
from explorer.ui.compare_input import Comparing
from explorer.ui.compare_languages import languages_part
from explorer.ui.compare_parting import parting
from explorer.ui.compare_prepared import made_of, rows_of
from explorer.ui.compare_switches import typing, what_if_flipped
from explorer.ui.compare_take_away import take_away
from explorer.ui.components.aligned import aligned_rows
from explorer.ui.sentence import answer
from explorer.views.compared import chart_of_rows, rows_say, table_of_rows


class Question(NamedTuple):
    """asks: what it is about, for somebody who sees it for the first time. answered: draws the answer."""

    asks: str
    answered: Callable[[Comparing], None]


def side_by_side(chosen: Comparing) -> None:
    """The tokens of all of them above each other, and what they count."""
    alignment, grid = rows_of(chosen)
    answer(rows_say(alignment), key="rows_say")
    if not chosen.text:
        return
    aligned_rows(grid.json, rows_id=grid.id, key="rows")
    st.altair_chart(chart_of_rows(alignment), width="stretch")
    st.dataframe(
        table_of_rows(alignment), hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.2f")
                       for name in ("times the baseline", "characters a token", "bytes a token")},
    )  # fmt: skip
    made = made_of(chosen)
    take_away(chosen, alignment_export(made, alignment))


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "Side by side": Question(
            "A row for each tokenizer, a box for each token with its number in the vocabulary (its id). What stands "
            "above each other is the same piece of the text.",
            side_by_side,
        ),
        "Where they part": Question(
            "A text goes through several stages until it is ids. This is the first stage at which two tokenizers do "
            "something else, and so the cause.",
            parting,
        ),
        "Expected ids": Question(
            "Another program gives other ids for this text? Paste them: here it is said what they spell, where they "
            "differ, and what may be the reason.",
            expected_ids,
        ),
        "What if": Question(
            "Each box flips one switch of a tokenizer, leaves all else as it is, and says what becomes of the ids.",
            what_if_flipped,
        ),
        "While typing": Question(
            "Tokens do not only come at the end: one more character may change those before it. Each line of the "
            "picture is the text with one character more than in the line above.",
            typing,
        ),
        "Languages": Question(
            "The same short text in many languages, or your own: how many tokens does each of them cost? The text "
            "above plays no part here.",
            languages_part,
        ),
    }
)
"""What the page can be asked, by the name of its tab. One is computed at a time."""
