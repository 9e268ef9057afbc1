"""What stands beside every text field: the switches of how a text is read, and the text as they read it."""

from __future__ import annotations

import streamlit as st

from explorer.errors import InputError
from explorer.text import clean, unescape
from explorer.ui.problem import problem


def switches(add: str, parse: str, escapes: str) -> tuple[bool, bool, bool]:
    """Draws the switches and gives what they say. add, parse, escapes: their names in the address."""
    return (
        st.toggle("add special", True, key=add, bind="query-params",
                  help="Add the tokens the model wants around a text, such as BOS"),
        st.toggle("parse special", True, key=parse, bind="query-params",
                  help="Take the spelling of a special token in the text for that token"),
        st.toggle("read escapes", False, key=escapes, bind="query-params",
                  help=r"Read `\n`, `\t`, `\x00`, `\u00e9` … as the characters they name"),
    )  # fmt: skip


def as_read(typed: str, escapes: bool) -> str | None:
    """The text that was typed, its escapes read if asked; None where it cannot be used, which is then said."""
    try:
        return unescape(typed) if escapes else clean(typed)
    except InputError as error:
        problem(error)
        return None
