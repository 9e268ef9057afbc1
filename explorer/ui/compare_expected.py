"""Compare: ids from elsewhere beside those that a tokenizer gives."""

from __future__ import annotations

import streamlit as st

from explorer.analysis.take_away import explanation_export
from explorer.errors import InputError
from explorer.ui.compare_input import Comparing, which
from explorer.ui.compare_prepared import explained, made_of, tokenized
from explorer.ui.compare_take_away import take_away
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.prepared import tokenizer
from explorer.ui.problem import problem
from explorer.ui.sentence import answer
from explorer.ui.working import Says
from explorer.views.expected_table import spelled_say, table_of_expected, table_of_regions
from explorer.views.say import Say

LONGEST = 2_000_000
"""Characters of what is pasted: 100,000 ids and more, however they are written."""


def expected_ids(chosen: Comparing, says: Says) -> None:
    """A field for the ids, what they spell, and the first difference explained."""
    spec = which(chosen, "They should be the ids of")
    pasted = id_field()
    if not pasted.strip():
        return
    try:
        run = chosen.runs[spec]
        tokenized(chosen, says, (run,))
        says("looking for the reason")
        found = explained(run, chosen.text, pasted, chosen.add_special, chosen.parse_special)
    except InputError as error:
        problem(error)
        return
    answer(Say.of("{0:t}", found.sentence), key="expected_say", more=spelled_say(found))
    if found.regions:
        st.subheader("Every region that differs", anchor=False)
        st.caption("Tokens added in front of and behind the text first, then from left to right.")
        st.dataframe(table_of_regions(found), hide_index=True)
        st.subheader("Id by id", anchor=False)
    st.dataframe(table_of_expected(found, tokenizer(run).vocabulary), hide_index=True)
    take_away(chosen, explanation_export(made_of(chosen, run), found))


def id_field() -> str:
    """What is pasted; at first from the address."""
    state = st.session_state
    if "expect" not in state:
        state.expect = linked_text("expect", "", LONGEST)
    typed = reported_text("expected", rev=0, longest=LONGEST)
    if typed is not None:
        state.expect = typed
    live_text(
        state.expect, rev=0, key="expected", label="Ids from elsewhere", parameter="expect", max_chars=LONGEST,
        placeholder="[1, 1724, 338, 4309, 4717, 29973]", selectable=False,
        note="Any list of numbers: JSON, Python, a tensor as it is printed, the lines of a tool's output.",
    )  # fmt: skip
    return str(state.expect)
