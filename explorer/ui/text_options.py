"""The switches beside a text field, and the text as they read it."""

from __future__ import annotations

import streamlit as st

from explorer.errors import InputError
from explorer.text import clean, unescape
from explorer.ui.notices import show_error


def text_switches(add: str, parse: str, escapes: str) -> tuple[bool, bool, bool]:
    """Draws the switches and returns their values. add, parse, escapes: their keys, which are URL parameters."""
    return (
        st.toggle("add special", True, key=add, bind="query-params",
                  help="Add the tokens that the model expects around a text, such as BOS"),
        st.toggle("parse special", True, key=parse, bind="query-params",
                  help="Read the spelling of a special token in the text as that token"),
        st.toggle("read escapes", False, key=escapes, bind="query-params",
                  help=r"Read `\n`, `\t`, `\x00`, `\u00e9` … as the characters they name"),
    )  # fmt: skip


def read_text(typed: str, escapes: bool) -> str | None:
    """The typed text, with its escapes read if asked; None after showing an error if it can't be read."""
    try:
        return unescape(typed) if escapes else clean(typed)
    except InputError as error:
        show_error(error)
        return None
