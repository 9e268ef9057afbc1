"""What the address bar says, kept in step with what the page shows.

Switches and selections bind themselves to the URL (`bind="query-params"`); the text, the step and the selection
come from browser components and are written here. A value that stands in the URL and was not written by this session
came from a link, a reload or the back button, and is taken over.
"""

from __future__ import annotations

import streamlit as st

LONGEST_LINK = 2_000
"""A longer text is not put into the URL: browsers and chat programs cut such links."""


def news(name: str) -> bool:
    """Whether URL parameter `name` is not what this session wrote there itself; true once for each such value.

    A parameter that has gone is news too: the back button leads to addresses without it.
    """
    value = st.query_params.get(name)
    if value == st.session_state.get(f"written {name}"):
        return False
    st.session_state[f"written {name}"] = value
    return True


def link(name: str, value: str | None) -> None:
    """Writes URL parameter `name`, or removes it."""
    if st.session_state.get(f"written {name}") == value == st.query_params.get(name):
        return
    st.session_state[f"written {name}"] = value
    if value is not None:
        st.query_params[name] = value
    elif name in st.query_params:
        del st.query_params[name]


def whole_number(value: str | None) -> int | None:
    """A number of 0 or more from a URL; anything else is no number."""
    return int(value) if value is not None and value.isascii() and value.isdigit() and len(value) < 10 else None


def span(value: str | None) -> tuple[int, int] | None:
    """A selection written `4-7` in a URL: code points [4, 7)."""
    start, dash, end = (value or "").partition("-")
    low, high = whole_number(start), whole_number(end)
    return (low, high) if dash and low is not None and high is not None and low < high else None


def forget_place(content: str) -> None:
    """Step and selection belong to one content; when another one is shown they leave the URL."""
    state = st.session_state
    if state.get("content") not in (None, content):
        state.opening = None
        for name in ("step", "sel"):
            if st.query_params.get(name) == state.get(f"written {name}"):
                link(name, None)
    state.content = content
    news("sel")  # from now on known: the components read it from the URL when they appear
