"""Other ways to cut the text, in the place of a stage: many draws beside their exact odds, or one draw step by step."""

from __future__ import annotations

import streamlit as st

from explorer.answers.explore import ExploreView, content_id, download, file_names
from explorer.answers.sampling import ONE, Asked, best_export, draw_script, ways_export, ways_frame, ways_view
from explorer.errors import InputError
from explorer.ui.components import tokens
from explorer.ui.components.stepper import stepper
from explorer.ui.frame import show_error

KEY = "ways"


def draw(view: ExploreView) -> None:
    """Draws what was asked for last, at first what the URL asks for."""
    state, request = st.session_state, view.request
    asked: Asked = tokens.asked_ways(KEY) or state.get("ways_asked") or tokens.linked_ways()
    state.ways_asked = asked
    one = asked.view == ONE
    picture = ways_frame(request, asked.rule) if one else ways_view(request, asked, view.stored)
    here = content_id(*request, view.stored, *asked)
    with st.container(key="stage"), st.container(key="one-draw" if one else "many-draws"):
        tokens.ways(picture, asked=asked, content_id=here, key=KEY)
        if one and picture["rules"]:
            try:
                script = draw_script(request, asked, view.stored)
            except InputError as error:
                show_error(error, "This draw can't be made.")
                return
            arrival = state.get("rev", 0)
            stepper(script, script_id=f"draw {here}", key="stepper_draw", parameter="drawn", arrival=arrival)
    if picture["rows"] or (one and picture["rules"]):
        downloads(view, asked, scored=picture["scored"])


def downloads(view: ExploreView, asked: Asked, *, scored: bool) -> None:
    """What is drawn, as files."""
    with st.container(horizontal=True, key="ways-downloads"):
        label = "This draw as JSON" if asked.view == ONE else "These draws as JSON"
        drawn = view.request, asked
        data, name = download.deferred(ways_export, drawn, "json"), file_names(ways_export, drawn)["json"]
        st.download_button(label, data, name, "application/json", on_click="ignore")
        if scored:
            best = (view.request,)
            data, name = download.deferred(best_export, best, "json"), file_names(best_export, best)["json"]
            st.download_button("The 100 best ways as JSON", data, name, "application/json", on_click="ignore")
