"""Compare: each switch of a tokenizer, flipped."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare.request import CompareRequest
from explorer.answers.compare.what_if import FlipView, flip_view, flips_download, flips_file_names, variations_of
from explorer.ui.compare.controls import choose_one
from explorer.ui.compare.downloads import downloads
from explorer.ui.compare.tokenize_step import tokenize_all
from explorer.ui.progress import Report, reporting
from explorer.ui.sentence import explained, sentence


def what_if_tab(request: CompareRequest, report: Report) -> None:
    """Draws a box for each switch of a tokenizer: what it changes, and at which stage."""
    name = choose_one(request, "Flip the switches of")
    spec = request.specs[name]
    args = request.of(spec)
    tokenize_all(request, report, (spec,))
    variations = reporting(variations_of(*args), report, lambda each: f"flipping “{each.spec or each.switch.value}”")
    for index, variation in enumerate(variations):
        flip_box(index, flip_view(*args, variation))
    downloads(request, flips_file_names(name, *args), lambda ending: flips_download.deferred(name, *args, ending))


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
