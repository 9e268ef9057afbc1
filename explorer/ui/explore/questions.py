"""Questions about the text of Explore, drawn in the place of a stage.

Between two texts: a border, ids within the ids of the text, a stop string in tokens. And other ways to cut the text:
many draws beside their exact odds, or one draw step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from explorer.analysis.export import Export
from explorer.answers.boundary import stop_export, stop_view, within_export, within_view
from explorer.answers.explore import (
    BORDER,
    ExploreView,
    Request,
    border_export,
    border_view,
    content_id,
    download,
    file_names,
)
from explorer.answers.sampling import ONE, Asked, best_export, draw_script, ways_export, ways_frame, ways_view
from explorer.errors import InputError
from explorer.ui.components import tokens
from explorer.ui.components.comparison import framed_rows
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.components.sentence import headline
from explorer.ui.components.stepper import stepper
from explorer.ui.frame import show_error

CUT: Final = "A border"
WITHIN: Final = "Ids in these ids"
STOP: Final = "A stop string"
BETWEEN: Final = "between"
"""The key of the choice, and its parameter in the URL."""
FIELDS: Final = {
    WITHIN: ("find", "Ids to look for", "[25, 198], or a text such as Assistant:", 100_000),
    STOP: ("stop", "Stop string", "Human: (\\n is a line break)", 1_000),
}
"""By question: the parameter of its field, its label, what to type, and the most characters."""


def draw_between(view: ExploreView) -> None:
    """Draws the choice, and what was chosen in the place of a stage."""
    # the choice is drawn in the head of the panel
    with st.container(key="between-texts"):
        asked = st.segmented_control(
            "Between two texts", [CUT, WITHIN, STOP], default=CUT, key=BETWEEN, bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        with st.container(key="stage"):
            if asked in FIELDS:
                with st.container(height=508, border=True, key="rows"):
                    ask(view, asked)
            else:
                tokens.border(picture(view), content_id=content(view), key=BORDER)


def ask(view: ExploreView, asked: str) -> None:
    """Draws the field of a question, and the answer."""
    typed = field(*FIELDS[asked])
    if not typed:
        st.caption(ABOUT[asked])
        return
    try:
        ANSWERS[asked](view, typed)
    except InputError as error:
        show_error(error)


ABOUT: Final = {
    WITHIN: "Programs look for ids in ids: the template before an answer, a stop sequence. Where a token reaches over "
    "the end of the text, its own ids are not there.",
    STOP: "A program that compares ids misses a stop string that begins inside a token.",
}


def field(name: str, label: str, placeholder: str, most: int) -> str:
    """Draws a field and returns its text: at first from the URL."""
    state = st.session_state
    if f"{name} text" not in state:
        state[f"{name} text"] = linked_text(name, "", most)
    typed = reported_text(f"{name}_field", rev=0, longest=most)
    if typed is not None:
        state[f"{name} text"] = typed
    live_text(
        state[f"{name} text"], rev=0, key=f"{name}_field", label=label, parameter=name, max_chars=most,
        placeholder=placeholder, selectable=False, bar=True,
    )  # fmt: skip
    return str(state[f"{name} text"])


def draw_within(view: ExploreView, typed: str) -> None:
    """Draws whether ids are among those of the text."""
    found = within_view(view.request, typed, view.stored)
    framed_rows(found.frame, found.rows, key="within_rows")


def draw_stop(view: ExploreView, typed: str) -> None:
    """Draws in which tokens a stop string can occur."""
    found = stop_view(view.request, typed)
    headline(found.say, found.more, key="stop_say")
    st.dataframe(found.rows, hide_index=True)


ANSWERS: Final[Mapping[str, Callable[[ExploreView, str], None]]] = {WITHIN: draw_within, STOP: draw_stop}
EXPORTS: Final[Mapping[str, Callable[[Request, str], Export]]] = {WITHIN: within_export, STOP: stop_export}


def content(view: ExploreView) -> str:
    """The id of what a border is in."""
    return content_id(*view.request, view.stored)


def picture(view: ExploreView) -> Mapping[str, Any]:
    """The picture of the border that was asked for last, at first the one in the URL."""
    return border_view(view.request, tokens.border_offset(BORDER, content(view)), view.stored)


def between_downloads(view: ExploreView) -> None:
    """Draws the downloads of what is shown: the border that the mark is at, or an answer."""
    asked = st.session_state.get(BETWEEN, CUT)
    if asked in EXPORTS:
        typed = st.session_state.get(f"{FIELDS[asked][0]} text", "")
        if typed:
            answer = view.request, typed
            file, name = download.deferred(EXPORTS[asked], answer, "json"), file_names(EXPORTS[asked], answer)["json"]
            st.download_button(f"{asked} as JSON", file, name, "application/json", on_click="ignore")
    elif len(view.text) > 1:
        at = tokens.border_mark(BORDER, content(view), picture(view))
        names = file_names(border_export, (view.request, at))
        for ending, label, kind in (("csv", "CSV", "text/csv"), ("json", "JSON", "application/json")):
            file = download.deferred(border_export, (view.request, at), ending)
            st.download_button(f"Border as {label}", file, names[ending], kind, on_click="ignore")


DRAWS = "ways"


def draw_ways(view: ExploreView) -> None:
    """Draws what was asked for last, at first what the URL asks for."""
    state, request = st.session_state, view.request
    asked: Asked = tokens.asked_ways(DRAWS) or state.get("ways_asked") or tokens.linked_ways()
    state.ways_asked = asked
    one = asked.view == ONE
    picture = ways_frame(request, asked.rule) if one else ways_view(request, asked, view.stored)
    here = content_id(*request, view.stored, *asked)
    with st.container(key="stage"), st.container(key="one-draw" if one else "many-draws"):
        tokens.ways(picture, asked=asked, content_id=here, key=DRAWS)
        if one and picture["rules"]:
            try:
                script = draw_script(request, asked, view.stored)
            except InputError as error:
                show_error(error, "This draw can't be made.")
                return
            arrival = state.get("rev", 0)
            stepper(script, script_id=f"draw {here}", key="stepper_draw", parameter="drawn", arrival=arrival)
    if picture["rows"] or (one and picture["rules"]):
        ways_downloads(view, asked, scored=picture["scored"])


def ways_downloads(view: ExploreView, asked: Asked, *, scored: bool) -> None:
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
