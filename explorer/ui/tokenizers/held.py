"""What Python chooses for a person's widgets: it stands until the browser has heard of it.

A file was dropped and is chosen at once, say. Streamlit takes the new value, but a message that was on its way may
still bring the old one; so the value is set again on every run until the echo comes back (`components/echo.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from explorer.ui.components.echo import echo, heard


class Wanted(NamedTuple):
    """number: counts what was chosen, one after the other. values: by the widget's key."""

    number: int
    values: Mapping[str, object]


def choose_for_person(**values: object) -> None:
    """Chooses for widgets, by their keys; the page calls `hold` before it draws them."""
    st.session_state.wanted = Wanted(last().number + 1, values)


def hold(*keys: str) -> None:
    """Sets these widgets, before they are drawn, to what was chosen for them."""
    wanted = last()
    if wanted.values and heard("echo") >= wanted.number:
        st.session_state.wanted = Wanted(wanted.number, {})
        return
    for key in keys:
        if key in wanted.values:
            st.session_state[key] = wanted.values[key]


def is_held(key: str) -> bool:
    """Whether a widget is set by `hold`: it must not have a default of its own then."""
    return key in last().values


def ask_for_echo() -> None:
    """Drawn behind the widgets, in a place that is not seen."""
    echo(last().number, key="echo")


def last() -> Wanted:
    wanted: Wanted = st.session_state.get("wanted", Wanted(0, {}))
    return wanted
