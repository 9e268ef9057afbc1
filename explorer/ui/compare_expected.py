"""Compare: ids from elsewhere beside those that a tokenizer gives."""

from __future__ import annotations

import streamlit as st

from explorer.analysis.expected import explain
from explorer.analysis.id_lists import read_ids
from explorer.errors import InputError
from explorer.ui.compare_input import Comparing
from explorer.ui.compare_prepared import by_spec
from explorer.ui.prepared import tokenizer
from explorer.ui.problem import problem
from explorer.ui.sentence import sentence
from explorer.views.expected_table import table_of_expected
from explorer.views.say import Say


def expected_ids(chosen: Comparing) -> None:
    """A field for the ids, what they spell, and the first difference explained."""
    spec = st.selectbox("They should be the ids of", chosen.names, key="expect_of", width=260)
    pasted = st.text_area(
        "Ids from elsewhere", key="expect", height=100, placeholder="[1, 1724, 338, 4309, 4717, 29973]",
        help="Any list of numbers: JSON, Python, a tensor as it is printed, lines of a tool's output",
    )  # fmt: skip
    if not pasted.strip():
        st.caption("Paste the ids that another tool gives for the text above; press Ctrl+Enter.")
        return
    try:
        ids = read_ids(pasted)
        tok = tokenizer(chosen.runs[spec])
        found = explain(tok, chosen.text, ids, add_special=chosen.add_special, parse_special=chosen.parse_special,
                        open_other=by_spec)  # fmt: skip
    except InputError as error:
        problem(error)
        return
    sentence(Say.of("{0:t}", found.sentence), key="expected_say")
    if found.decoded is not None:
        sentence(Say.of("They spell {0:q}.", found.decoded[:400]), key="expected_spell")
    st.dataframe(table_of_expected(found, tok.vocabulary), hide_index=True)
