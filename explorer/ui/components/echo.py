"""An echo: tells Python that the browser has drawn what Python sent.

Every message from the browser carries the values of all widgets as they stand there. Between Python's choosing for a
widget and the browser's hearing of it, a message may come with the value of before, and cannot be told from a person
choosing it. An echo can.
"""

from __future__ import annotations

import streamlit as st

from explorer.ui.components.assets import register

_mount = register("explorer_echo", "echo", js=["echo.js"], html='<div class="tx" hidden></div>')


def echo(value: int, *, key: str) -> None:
    """Sends a number to the browser, which sends it back when the page is drawn. Takes no room in a hidden place.

    >>> echo(3, key="echo")   # doctest: +SKIP
    """
    _mount(key=key, data={"value": value}, on_value_change=lambda: None)


def heard(key: str) -> int:
    """The last number that came back, 0 where none did; to be asked before the component is drawn."""
    value = (st.session_state.get(key) or {}).get("value")
    return value if isinstance(value, int) else 0
