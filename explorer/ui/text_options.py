"""The switches beside a text field, the text as they read it, and which part of a long one is drawn.

The part is one setting for all pages, so it stays when you switch pages.
"""

from __future__ import annotations

import re

import streamlit as st

from explorer.errors import InputError
from explorer.script.packing import WINDOW
from explorer.text import clean, unescape
from explorer.ui.frame import show_error
from explorer.ui.widget_values import apply_overrides, is_overridden


def text_switches(add: str, parse: str, escapes: str) -> tuple[bool, bool, bool]:
    """Draws the switches and returns their values. add, parse, escapes: their keys, which are URL parameters."""
    apply_overrides(add, parse, escapes)

    def switch(label: str, default: bool, key: str, about: str) -> bool:
        if is_overridden(key):
            return st.toggle(label, key=key, bind="query-params", help=about)
        return st.toggle(label, default, key=key, bind="query-params", help=about)

    return (
        switch("add special", True, add, "Add the tokens that the model expects around a text, such as BOS"),
        switch("parse special", True, parse, "Read the spelling of a special token in the text as that token"),
        switch("read escapes", False, escapes, r"Read `\n`, `\t`, `\x00`, `\u00e9` … as the characters they name"),
    )


def stored_switch(key: str) -> bool:
    """Draws the switch between tokens as text and as the vocabulary stores them. key: a URL parameter."""
    return st.toggle("tokens as stored", False, key=key, bind="query-params",
                     help="Spell tokens as in the vocabulary: `Ġ` or `▁` for a space, `\\xe8` for a byte")  # fmt: skip


def read_text(typed: str, escapes: bool) -> str | None:
    """The typed text, with its escapes read if asked; None after showing an error if it can't be read."""
    try:
        return unescape(typed) if escapes else clean(typed)
    except InputError as error:
        show_error(error)
        return None


def window_at(text: str) -> int:
    """Where the drawn part of a long text begins, at first from the URL; 0 for a text that is drawn whole."""
    linked = st.query_params.get("at", "")
    wanted = st.session_state.get("at", int(linked) if re.fullmatch(r"[0-9]{1,9}", linked) else 0)
    return max(0, min(int(wanted), len(text) - WINDOW))


def window_start(text: str) -> int:
    """The same, which the slider of `choose_window` then shows."""
    if len(text) > WINDOW:
        st.session_state.at = window_at(text)
    return window_at(text)


def choose_window(text: str, message: str) -> None:
    """For a text that isn't drawn whole: draws a message and a slider to choose another part."""
    last = len(text) - WINDOW
    if last <= 0:
        return
    st.info(f"{message} Choose another part here.", icon=":material/width:")
    st.slider("The part drawn begins at offset", 0, last, key="at", step=min(500, last))
