"""The Train page: the corpus and what was learned beside the stepper."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer.answers.train import train_view
from explorer.errors import InputError
from explorer.ui.components.stepper import stepper
from explorer.ui.notices import show_error
from explorer.ui.train.controls import draw_bar, draw_corpus
from explorer.ui.train.panels import draw_panels
from explorer.ui.train.trained import draw_fallback, draw_files, draw_opening
from explorer.views.train_examples import ENGLISH, claims


@st.fragment
def follow() -> None:
    """Draws the page; a key press runs this alone."""
    st.html(Path(__file__).with_name("train.css"))
    bar, request = draw_bar()
    with st.container(key="trainer"):
        corpus, stage, result = (st.container(key=f"{part}-part") for part in ("corpus", "stage", "result"))
    with corpus:
        text = draw_corpus()
    try:
        view = train_view(request)
    except InputError as error:
        with stage:
            show_error(error, "Nothing was trained.")
        return
    with bar:
        draw_opening(view, text.split("\n")[0])
    with stage:
        stepper(view.script, script_id=view.id, key="training_stepper")
        below = st.container()
    with result:
        said = claims(text)
        if said:
            st.caption(said)
        if text == ENGLISH:
            draw_fallback()
        draw_panels(request, view, below)
        with st.container(horizontal=True, gap="xsmall"):
            draw_files(view, text.split("\n")[0])
