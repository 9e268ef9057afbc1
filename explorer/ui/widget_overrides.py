"""Values that Python sets for widgets, reapplied until the browser acknowledges them.

After an upload, for example, Python selects the new file. Streamlit takes the new value, but a message that was
already on its way may still bring the old one. So every run sets the value again until its echo comes back
(`components/echo.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from explorer.ui.components.echo import echo, last_echo


class Override(NamedTuple):
    """number: counts the overrides of a session. values: by the widget's key."""

    number: int
    values: Mapping[str, object]


def override(**values: object) -> None:
    """Sets widgets by key, when the page next calls `apply_overrides`."""
    st.session_state.override = Override(_current().number + 1, values)


def apply_overrides(*keys: str) -> None:
    """Sets these widgets if they are overridden. Call it before drawing them."""
    current = _current()
    if current.values and last_echo("echo") >= current.number:
        st.session_state.override = Override(current.number, {})
        return
    for key in keys:
        if key in current.values:
            st.session_state[key] = current.values[key]


def is_overridden(key: str) -> bool:
    """Whether `apply_overrides` sets this widget; it must not have a default then."""
    return key in _current().values


def request_echo() -> None:
    """Asks the browser to acknowledge the override. Call it after drawing the widgets; it draws nothing visible."""
    echo(_current().number, key="echo")


def _current() -> Override:
    current: Override = st.session_state.get("override", Override(0, {}))
    return current
