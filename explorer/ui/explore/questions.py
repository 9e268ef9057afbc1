"""Questions about the text of Explore, drawn in the place of a stage.

Between two texts: a border, ids within the ids of the text, a stop string in tokens. And other ways to cut the text:
many draws beside their exact odds, or one draw step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from explorer.analysis.export import Export
from explorer.answers.explore import (
    BORDER,
    ONE,
    ExploreView,
    Request,
    WaysRequest,
    best_export,
    border_export,
    border_view,
    content_id,
    draw_script,
    ways_export,
    ways_frame,
    ways_view,
)
from explorer.answers.ids import stop_export, stop_view, within_export, within_view
from explorer.errors import InputError
from explorer.ui.components import tokens
from explorer.ui.components.every_page import TextField, download_buttons, headline
from explorer.ui.components.tokens import framed_rows
from explorer.ui.explore.controls import CUT, STOP, WITHIN, chosen_tab, stage_stepper
from explorer.ui.frame import show_error, side_by_side
from explorer.ui.language import language, words

NAMES: Final = {CUT: "Cut it in two", WITHIN: "Find a sequence", STOP: "Find a stop string"}
"""By their values in the URL."""
BETWEEN: Final = "between"
"""The key of the choice, and its parameter in the URL."""
FIELDS: Final = {
    WITHIN: TextField(
        100_000, "Ids to look for", "find", "[25, 198], or a text such as Assistant:", selectable=False, bar=True
    ),
    STOP: TextField(1_000, "Stop string", "stop", "Human: (\\n is a line break)", selectable=False, bar=True),
}
"""The field of a question."""
ABOUT: Final = {
    WITHIN: "Programs look for ids in ids: the template before an answer, a stop sequence. Where a token reaches over "
    "the end of the text, its own ids are not there.",
    STOP: "A program that compares ids misses a stop string that begins inside a token.",
}


def draw_between(view: ExploreView) -> None:
    """Draws the choice, and what was chosen in the place of a stage."""
    # the choice is drawn in the head of the panel
    with st.container(key="between-texts"):
        asked = chosen_tab("Between two texts", NAMES, key=BETWEEN)
        with st.container(key="stage"):
            if asked in FIELDS:
                with st.container(height=508, border=True, key="rows"):
                    ask(view, asked)
            else:
                tokens.border(picture(view), content_id=content(view), key=BORDER)


def ask(view: ExploreView, asked: str) -> None:
    """Draws the field of a question, and the answer."""
    field = FIELDS[asked]
    typed = field.kept(f"{field.parameter}_field")
    if not typed:
        st.caption(words(ABOUT[asked]))
        return
    try:
        if asked == WITHIN:
            within = within_view(view.request, typed, view.stored)
            framed_rows(within.frame, within.rows, key="within_rows")
        else:
            stop = stop_view(view.request, typed)
            headline(stop.say, stop.more, key="stop_say")
            st.dataframe(stop.rows.rename(columns=words), hide_index=True)
    except InputError as error:
        show_error(error)


EXPORTS: Final[Mapping[str, Callable[[Request, str], Export]]] = {WITHIN: within_export, STOP: stop_export}
LABELS: Final = {WITHIN: "Sequence as JSON", STOP: "Stop string as JSON"}
"""Of an answer's download."""


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
        typed = st.session_state.get(FIELDS[asked].parameter)
        if typed:
            download_buttons(EXPORTS[asked], (view.request, typed), {"json": LABELS[asked]})
    elif len(view.text) > 1:
        at = tokens.border_mark(BORDER, content(view), picture(view))
        download_buttons(border_export, (view.request, at), {"csv": "Cut as CSV", "json": "Cut as JSON"})


DRAWS = "ways"


def draw_ways(view: ExploreView) -> None:
    """Draws what was asked for last, at first what the URL asks for."""
    state, request = st.session_state, view.request
    asked: WaysRequest = tokens.asked_ways(DRAWS) or state.get("ways_asked") or tokens.linked_ways()
    state.ways_asked = asked
    one = asked.view == ONE
    picture = ways_frame(request, asked.rule) if one else ways_view(request, asked, view.stored)
    here = content_id(*request, view.stored, *asked)
    with st.container(key="stage"), st.container(key="one-draw" if one else "many-draws"):
        tokens.ways(picture, asked=asked, content_id=here, key=DRAWS)
        if one and picture["rules"]:
            try:
                script = draw_script(request, asked, view.stored, language())
            except InputError as error:
                show_error(error, "This draw can't be made.")
                return
            stage_stepper(script, "draw", here, "drawn")
    if picture["rows"] or (one and picture["rules"]):
        with side_by_side("top", key="ways-downloads"):
            label = "This draw as JSON" if one else "These draws as JSON"
            download_buttons(ways_export, (request, asked), {"json": label})
            if picture["scored"]:
                download_buttons(best_export, (request,), {"json": "The 100 best ways as JSON"})
