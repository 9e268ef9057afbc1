"""Compare: ids from another program beside those of a tokenizer."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import CompareRequest, expected_export, expected_view
from explorer.answers.offers import TokenizerSpec
from explorer.errors import InputError
from explorer.ui.compare.controls import choose_one, tokenize_all
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.components.sentence import answer, explained
from explorer.ui.explore.custom_pattern import pattern_state
from explorer.ui.links import open_page, to_explore
from explorer.ui.notices import show_error
from explorer.ui.progress import Report
from explorer.ui.tokenizers.choices import choice_state

LONGEST = 2_000_000
"""Characters of the pasted ids: 100,000 ids and more, in any notation."""


def expected_tab(request: CompareRequest, report: Report) -> None:
    """Draws a field for the ids, what they decode to, and the reason for the first difference."""
    name = choose_one(request, "They should be the ids of")
    pasted = id_field()
    if not pasted.strip():
        return
    spec = request.specs[name]
    args = name, request.of(spec), pasted
    try:
        tokenize_all(request, report, (spec,))
        report("looking for the reason")
        view = expected_view(*args)
    except InputError as error:
        show_error(error)
        return
    answer(view.say, key="expected_say", more=view.spelled)
    if view.pattern is not None:
        show_pattern(request, spec, view.pattern)
    if view.regions is not None:
        st.header("Every region that differs", anchor=False)
        explained(
            "First the tokens added before and after the text, then the others from left to right.", key="regions"
        )
        st.dataframe(view.regions, hide_index=True)
        st.header("Id by id", anchor=False)
    st.dataframe(view.ids, hide_index=True)
    downloads(request, view.names, expected_export, *args)


def show_pattern(request: CompareRequest, spec: TokenizerSpec, pattern: str) -> None:
    """Draws a button that opens the text on Explore with a pattern in place of the tokenizer's own."""
    if not st.button(
        "Open it on Explore with that pattern", key="with_pattern", icon=":material/search:", type="tertiary"
    ):
        return
    query = to_explore(
        spec, request.typed, escapes=request.escapes, **request.options._asdict(), choices=choice_state(spec).optional,
    )  # fmt: skip
    pattern_state().fill(pattern)
    st.session_state.stage = "pre-tokenize"
    open_page("explore", query | {"pattern": pattern, "stage": "pre-tokenize"})


def id_field() -> str:
    """Draws the field and returns what is pasted; at first from the URL."""
    state = st.session_state
    if "expect" not in state:
        state.expect = linked_text("expect", "", LONGEST)
    typed = reported_text("expected", rev=0, longest=LONGEST)
    if typed is not None:
        state.expect = typed
    live_text(
        state.expect, rev=0, key="expected", label="Ids from another program", parameter="expect", max_chars=LONGEST,
        placeholder="[1, 1724, 338, 4309, 4717, 29973]", selectable=False,
        note="Any list of numbers: JSON, Python, a printed tensor, the lines of a tool's output.",
    )  # fmt: skip
    return str(state.expect)
