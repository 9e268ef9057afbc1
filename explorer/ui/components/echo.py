"""An echo: reports to Python that the browser has drawn what Python sent.

Every message from the browser carries the current values of all its widgets. After Python sets a widget, a message that
was already on its way may still bring the old value, as if the visitor had chosen it. An echo tells the two apart.
"""

from __future__ import annotations

import streamlit as st

from explorer.ui.components.assets import register

_mount = register("explorer_echo", "echo", js=["echo.js"], html='<div class="tx" hidden></div>')


def echo(value: int, *, key: str) -> None:
    """Sends a number to the browser, which sends it back when the page is drawn. Draws nothing visible.

    >>> echo(3, key="echo")   # doctest: +SKIP
    """
    _mount(key=key, data={"value": value}, on_value_change=lambda: None)


def last_echo(key: str) -> int:
    """The last number that came back, 0 if none did. Call it before drawing the component."""
    value = (st.session_state.get(key) or {}).get("value")
    return value if isinstance(value, int) else 0
