"""The Train page: the bar, a question about the training if one is asked, the training, what becomes of it."""

from __future__ import annotations

import streamlit as st

from explorer.answers.saved.training import training_file
from explorer.answers.train import train_view
from explorer.errors import InputError
from explorer.text.say import Say
from explorer.ui import STYLES
from explorer.ui.components.saving import page_button, picture
from explorer.ui.components.stepper import stepper
from explorer.ui.frame import fragment, show_error
from explorer.ui.links import app_url
from explorer.ui.train.controls import LEVELS, draw_bar, draw_corpus
from explorer.ui.train.panels import PANELS, draw_curve
from explorer.ui.train.trained import card_of, draw_fallback, draw_files, draw_opening
from explorer.views.train_examples import ENGLISH, claims


@fragment
def follow() -> None:
    """Draws the page; a key press runs this alone."""
    st.html(STYLES / "train.css")
    text_room, end, request, view_name = draw_bar(list(PANELS))
    with text_room:
        text = draw_corpus(request.trainer_id[0])
    with st.container(key="trainer"):
        question, stage, result = (st.container(key=f"{part}-part") for part in ("question", "stage", "result"))
    try:
        view = train_view(request)
    except InputError as error:
        with stage:
            show_error(error, "Nothing was trained.")
        return
    with end:
        draw_opening(view, text.split("\n")[0])
    with stage:
        beside = st.container()  # the drawing of a question goes before the training
        board = Say.of("Your text: {0:t} tokens", f"{view.after:,}")
        if view.before != view.after:
            board = Say.of("Your text: {0:t} → {1:t} tokens", f"{view.before:,}", f"{view.after:,}")
        stepper(
            view.script, script_id=view.id, key="training_stepper", start=view.opens,
            level=LEVELS.get(view_name, "story"), board=board,
        )  # fmt: skip
    if view_name in PANELS:
        with question:
            PANELS[view_name](request, view, beside)
    with result:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="trained-end"):
            draw_files(view, text.split("\n")[0])
            picture(card_of(request, view), key="training_picture")
            page_button(lambda: training_file(request, app_url()), content_id=view.id, key="training_page")
            if text == ENGLISH:
                draw_fallback()
        if said := claims(text):
            st.caption(said)
        if st.session_state.setdefault("curves_linked", st.query_params.get("curves") == "true"):
            draw_curve(request, view)
