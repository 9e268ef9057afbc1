"""Compare: how do these tokenizers split the same text, and where do they first differ?"""

import streamlit as st

from explorer.answers.explore import warnings
from explorer.ui import cautions
from explorer.ui.compare.controls import choose
from explorer.ui.compare.tabs import TABS, draw_tab
from explorer.ui.heading import heading
from explorer.ui.progress import progress_line

heading(
    "Compare",
    "The same text under several tokenizers: their tokens above each other, their counts, and "
    "where two of them first differ and why.",
)
request = choose()
if request is not None:
    cautions.show(
        f"{name}: {warning}"
        for name, spec in request.specs.items()
        for warning in warnings(spec, cautions.both_ends(request.text), request.add_special, request.parse_special)
    )
    with st.container(horizontal=True, vertical_alignment="center", key="asked"):
        tab = st.segmented_control(
            "Question", list(TABS), default=next(iter(TABS)), key="view", bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        report = progress_line()
    draw_tab(tab or next(iter(TABS)), request, report)
