"""Compare: ids from elsewhere beside those that a tokenizer gives."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import Comparing, expected_drawn, expected_file
from explorer.errors import InputError
from explorer.ui.compare.controls import which
from explorer.ui.compare.downloads import take_away
from explorer.ui.compare.tokenized import tokenize
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.problem import problem
from explorer.ui.sentence import answer
from explorer.ui.working import Says

LONGEST = 2_000_000
"""Characters of what is pasted: 100,000 ids and more, however they are written."""


def expected_ids(chosen: Comparing, says: Says) -> None:
    """A field for the ids, what they spell, and the first difference explained."""
    spec = which(chosen, "They should be the ids of")
    pasted = id_field()
    if not pasted.strip():
        return
    run = chosen.runs[spec]
    asked = (spec, *chosen.asked(run), pasted)
    try:
        tokenize(chosen, says, (run,))
        says("looking for the reason")
        found = expected_drawn(*asked)
    except InputError as error:
        problem(error)
        return
    answer(found.say, key="expected_say", more=found.spelled)
    if found.regions is not None:
        st.subheader("Every region that differs", anchor=False)
        st.caption("Tokens added in front of and behind the text first, then from left to right.")
        st.dataframe(found.regions, hide_index=True)
        st.subheader("Id by id", anchor=False)
    st.dataframe(found.ids, hide_index=True)
    take_away(chosen, found.names, lambda ending: expected_file.later(*asked, ending))


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
