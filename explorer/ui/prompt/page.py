"""The Prompt page below its bar: the cards and the stage of the view in focus.

All of it follows the messages, so it is one fragment: a key press reruns it. The stage is computed and sent first, then
the cards above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from explorer.answers.explore import download
from explorer.answers.prompt import Request, cards_of, export_of, file_names, prompt_view, settings_of
from explorer.ui.components import prompt, tokens
from explorer.ui.frame import fragment, show_error
from explorer.ui.prompt import template
from explorer.ui.prompt.controls import Bar, prompt_state, request_of
from explorer.ui.prompt.links import links_of
from explorer.views.prompt.registry import VIEWS

CARDS = "prompt-cards"
"""The key of the cards."""

DRAWN: Final[dict[str, Callable[[Request], None]]] = {"template": template.draw}
"""What Streamlit draws of a view below the cards."""


@fragment
def follow(bar: Bar, usable: bool) -> None:
    """Draws the messages and all that follows from them. usable: whether the tokenizer is open."""
    request = request_of(bar, usable)
    if not usable:
        return
    problem = prompt_state().problem
    if problem:
        show_error(problem, "This link can't be opened.")
    above = st.container(key="prompt-top")
    view = prompt_view(request, chosen_view())
    if view.fault is not None and view.fault.line and "prompt_view" not in st.session_state:
        # a template that fails opens where it does
        view = prompt_view(request, "template")
    st.session_state.prompt_view = view.focus
    with st.container(key="prompt-stage-place", gap=None):  # one of two draws; a gap makes the page scroll
        if view.focus in DRAWN:
            with st.container(key="prompt-drawn"):
                DRAWN[view.focus](request)
        data = view._asdict() | {"request": None, "fault": view.fault and view.fault._asdict()}
        data |= {"links": links_of(request, view.text), "asked": prompt_state().asked._asdict()}
        del data["request"]
        prompt.stage(data, key="prompt-stage")
    with above:
        prompt.cards([each._asdict() for each in cards_of(request)], focus=view.focus, key=CARDS)
    with bar.chosen.settings:
        prompt.settings(settings_of(request)._asdict(), key="prompt-settings")
    downloads(request)


def chosen_view() -> str:
    """The name of the view in focus: the one chosen last in the browser, at first the one in the URL."""
    state = st.session_state
    reported = tokens.chosen_stage(CARDS)
    if reported != state.get("reported_prompt_view"):
        state.reported_prompt_view = reported
        state.prompt_view = reported.key if reported is not None else state.get("prompt_view")
    known = [each.name for each in VIEWS]
    linked = st.query_params.get("view", "")
    chosen = state.get("prompt_view") or linked
    return chosen if chosen in known else known[0]


def downloads(request: Request) -> None:
    """Draws the downloads."""
    names = file_names(request)
    with st.container(key="section-take-away", horizontal=True):
        for ending, (label, kind) in KINDS.items():
            if ending in names:
                file = download.deferred(export_of, (request,), ending)
                st.download_button(label, file, names[ending], kind, on_click="ignore", key=f"take {ending}",
                                   icon=":material/download:", type="tertiary")  # fmt: skip


KINDS: Final = {"csv": ("Tokens as CSV", "text/csv"), "json": ("Prompt as JSON", "application/json")}
"""The label and the media type of each file."""
