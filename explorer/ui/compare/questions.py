"""The Compare page below its controls: one question each, with what it is about and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from explorer.answers.compare import Comparing, rows_drawn, rows_file
from explorer.errors import InputError
from explorer.text.quantities import number
from explorer.ui.compare.divergence import parting
from explorer.ui.compare.downloads import take_away
from explorer.ui.compare.expected import expected_ids
from explorer.ui.compare.languages import languages_part
from explorer.ui.compare.tokenized import tokenize
from explorer.ui.compare.what_if import typing, what_if_flipped
from explorer.ui.components.aligned import aligned_rows
from explorer.ui.part_shown import choose_part, part_shown
from explorer.ui.problem import problem
from explorer.ui.sentence import answer
from explorer.ui.working import Says


class Question(NamedTuple):
    """asks: what it is about, for somebody who sees it for the first time. answered: draws the answer, and says what it
    does meanwhile.
    """

    asks: str
    answered: Callable[[Comparing, Says], None]


def side_by_side(chosen: Comparing, says: Says) -> None:
    """The tokens of all of them above each other, and what they count."""
    at = part_shown(chosen.text)
    tokenize(chosen, says)
    says("aligning and drawing the rows")
    rows = rows_drawn(chosen, at)
    answer(rows.say, key="rows_say")
    if not chosen.text:
        return
    choose_part(
        chosen.text,
        f"The text is tokenized and counted whole, all {number(len(chosen.text))} characters. Drawn below are "
        f"characters {number(rows.part.start + 1)} to {number(rows.part.end)}.",
    )
    aligned_rows(rows.drawn.json, rows_id=rows.drawn.id, key="rows")
    st.altair_chart(rows.chart, width="stretch")
    st.dataframe(
        rows.table, hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.2f")
                       for name in ("times the baseline", "characters a token", "bytes a token")},
    )  # fmt: skip
    take_away(chosen, rows.names, lambda ending: rows_file.later(chosen, ending))


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
"""What the page can be asked, by the name of its tab."""


def tab_key(name: str) -> str:
    """The key of a tab's place on the page.

    >>> tab_key("Side by side")
    'tab-side-by-side'
    """
    return f"tab-{name.lower().replace(' ', '-')}"


def hidden_unless_chosen(name: str) -> str:
    """The style that hides a tab's place, and the gap before it, while the control has another one chosen."""
    number, place = list(QUESTIONS).index(name) + 1, f".st-key-{tab_key(name)}"
    other = f".stMain:has(.st-key-view button[aria-checked=true]:not(:nth-of-type({number})))"
    return f"{other} :is({place}, [data-testid=stLayoutWrapper]:has(> {place})) {{ display: none; }}\n"


def tabs(name: str, chosen: Comparing, says: Says) -> None:
    """Draws one tab and computes no other.

    Each has a place of its own, and that of a tab which is not chosen is not seen, from the very click on: the browser
    does not wait for the server to clear it.
    """
    st.html(f"<style>{''.join(map(hidden_unless_chosen, QUESTIONS))}</style>")
    for each, question in QUESTIONS.items():
        with st.container(key=tab_key(each)):
            if each == name:
                st.caption(question.asks)
                try:
                    question.answered(chosen, says)
                except InputError as error:
                    problem(error)
