"""Compare: each switch of a tokenizer, flipped."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import CompareRequest, FlipView, flip_view, variations_of, what_if_export, what_if_names
from explorer.ui.compare.controls import choose_one, tokenize_all
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.sentence import explained, sentence
from explorer.ui.progress import Report, reporting


def what_if_tab(request: CompareRequest, report: Report) -> None:
    """Draws a box for each switch of a tokenizer: what it changes, and at which stage."""
    name = choose_one(request, "Flip the switches of")
    spec = request.specs[name]
    asked = request.of(spec)
    tokenize_all(request, report, (spec,))
    variations = reporting(variations_of(asked), report, lambda each: f"flipping “{each.spec or each.switch.value}”")
    for index, variation in enumerate(variations):
        flip_box(index, flip_view(asked, variation))
    downloads(request, what_if_names(name, asked), what_if_export, name, asked)


def flip_box(index: int, view: FlipView) -> None:
    """Draws one flipped switch."""
    with st.container(border=True, key=f"flip-{index}", gap="xsmall"):
        with st.container(key=f"head-{index}"):
            sentence(view.say, key=f"flip_{index}")
            explained(view.about, key=f"flip-{index}")
        sentence(view.parting, key=f"flip_say_{index}")
        if view.more is not None:
            sentence(view.more, key=f"flip_more_{index}")
        if view.divergences is not None:
            with st.expander("Every difference", on_change="rerun", key=f"flip_open_{index}") as box:
                if box.open:
                    st.dataframe(view.divergences, hide_index=True)
