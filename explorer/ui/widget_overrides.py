"""Values that Python sets for widgets, reapplied until the browser acknowledges them.

After an upload, for example, Python selects the new file. Streamlit takes the new value, but a message that was
already on its way may still bring the old one. So every run sets the value again until its echo comes back
(`components/url_values.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from explorer.ui.components.url_values import URL, last_echo


@dataclass
class Overrides:
    """The values to set, by the widget's key. number: counts the overrides of a session.

    Callbacks use the object that was there when their widget was drawn. Any access to `st.session_state` may end a
    callback halfway, when the browser has already asked for the next run.
    """

    number: int = 0
    values: dict[str, object] = field(default_factory=dict)

    def set(self, **values: object) -> None:
        """Sets widgets by key, when the page next calls `apply_overrides`."""
        self.number, self.values = self.number + 1, values


def overrides() -> Overrides:
    """This session's overrides."""
    current: Overrides = st.session_state.setdefault("overrides", Overrides())
    return current


def apply_overrides(*keys: str) -> None:
    """Sets these widgets if they are overridden. Call it before drawing them."""
    current = overrides()
    if current.values and last_echo(URL) >= current.number:
        current.values = {}
    for key in keys:
        if key in current.values:
            st.session_state[key] = current.values[key]


def is_overridden(key: str) -> bool:
    """Whether `apply_overrides` sets this widget; it must not have a default then."""
    return key in overrides().values
