"""The stage "Text again": all ids at once, or one by one as a model gives them."""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.stream import STREAMED, StreamView
from explorer.text.say import number
from explorer.ui.components.stepper import stepper

AT_ONCE: Final = "At once"
ONE_BY_ONE: Final = "One by one"
KEY: Final = "stream"
"""The key of the choice, and its parameter in the URL."""


def one_by_one() -> bool:
    """Draws the choice; whether ids are to arrive one by one."""
    chosen = st.segmented_control(
        "Ids become text", [AT_ONCE, ONE_BY_ONE], default=AT_ONCE, key=KEY, bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    return chosen == ONE_BY_ONE


def player(view: StreamView, content_id: str) -> None:
    """Draws the stepper of a stream."""
    arrival = st.session_state.get("rev", 0)
    stepper(view.script, script_id=f"stream {content_id}", key="stepper_stream", parameter="arrived", arrival=arrival)
    if view.total > STREAMED:
        st.caption(
            f"The first {number(STREAMED)} of {number(view.total)} ids are drawn; the command line plays 10,000."
        )
