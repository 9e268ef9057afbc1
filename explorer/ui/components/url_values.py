"""Choices in the URL, written by the browser; and an echo of the values that Python set.

Streamlit's `bind="query-params"` writes an option's label. These parameters hold short names instead.

Every message from the browser carries the current values of all its widgets. After Python sets a widget, a message that
was already on its way may still bring the old value, as if the visitor had chosen it. An echo tells the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from explorer.ui.components.assets import register

_mount = register("explorer_url_values", "url_values", js=["url_values.js"], html='<div class="tx" hidden></div>')

URL = "url"
"""The key of the component that acknowledges what Python set: the one in a page's bar."""
LONGEST = 200
"""Characters of a value that the browser reports."""


def url_values(values: Mapping[str, str | Sequence[str] | None], *, key: str, echo: int | None = None) -> None:
    """Writes parameters to the URL; None omits one, several values repeat it. Draws nothing visible.

    echo: for the component of a page's bar, which reports where the visitor goes back to: a number that comes back once
    the page is drawn (`last_echo`).

    >>> url_values({"m": "gpt-2", "as": None}, key="url")   # doctest: +SKIP
    """
    _mount(
        key=key,
        data={"values": dict(values), "echo": echo},
        on_echo_change=lambda: None,
        on_back_change=lambda: None,
    )


def last_echo(key: str) -> int:
    """The last number that came back, 0 if none did. Call it before drawing the component."""
    value = (st.session_state.get(key) or {}).get("echo")
    return value if isinstance(value, int) else 0


class Back(NamedTuple):
    """The parameters of the URL that the visitor went back or forward to. number: increases with each."""

    number: int
    values: dict[str, list[str]]


def went_back(key: str) -> Back | None:
    """Where the visitor went back to last, None if nowhere. Call it before drawing the component."""
    return read_back((st.session_state.get(key) or {}).get("back"))


def read_back(reported: Any) -> Back | None:
    """What the browser reports, which may be anything.

    >>> read_back({"number": 1, "values": {"m": ["gpt-2"], "as": []}})
    Back(number=1, values={'m': ['gpt-2'], 'as': []})
    >>> read_back({"number": "1"}), read_back({"number": 1, "values": {"m": [2]}})
    (None, Back(number=1, values={'m': []}))
    """
    match reported:
        case {"number": int(number), "values": dict(values)}:
            return Back(number, {str(name): texts_of(given) for name, given in values.items()})
    return None


def texts_of(given: object) -> list[str]:
    """The texts in a list that may hold anything."""
    every = given if isinstance(given, list) else []
    return [each for each in every if isinstance(each, str) and len(each) <= LONGEST]
