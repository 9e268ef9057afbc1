"""Compare: how do these tokenizers cut the same text, and where do they first part?"""

from pathlib import Path

import streamlit as st

from explorer.answers.explore import warnings
from explorer.ui import cautions
from explorer.ui.compare.controls import choose
from explorer.ui.compare.questions import QUESTIONS, tabs
from explorer.ui.working import working

st.html(Path(__file__).with_name("pages.css"))
st.html(
    '<h1 style="font-size: clamp(1.6rem, 5vw, 2.4rem); margin: 0; padding: 0">Compare</h1>'
    '<p style="margin: 0">The same text under several tokenizers: cuts above each other, counts, and where two of them '
    "first part and why.</p>"
)
chosen = choose()
if chosen is not None:
    cautions.said(
        f"{name}: {warning}"
        for name, run in chosen.runs.items()
        for warning in warnings(run, cautions.ends(chosen.text), chosen.add_special, chosen.parse_special)
    )
    with st.container(horizontal=True, vertical_alignment="center", key="asked"):
        question = st.segmented_control(
            "Question", list(QUESTIONS), default=next(iter(QUESTIONS)), key="view", bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        says = working()
    tabs(question or next(iter(QUESTIONS)), chosen, says)
