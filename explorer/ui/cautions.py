"""Warnings in the bar: about the tokenizer's file, and a BOS that is added twice."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st

from explorer.text.quantities import plural

END_LENGTH = 1_000
"""Code points, more than any special token has."""


def both_ends(text: str) -> str:
    """The two ends of a long text, which decide about warnings, so that Compare need not tokenize the rest."""
    return text if len(text) <= 2 * END_LENGTH else text[:END_LENGTH] + text[-END_LENGTH:]


def show_in_bar(warnings: Iterable[str]) -> None:
    """Draws warnings behind a button that counts them; nothing without warnings."""
    lines = list(dict.fromkeys(warnings))
    if not lines:
        return
    about = plural(len(lines), "warning")
    with st.popover(str(len(lines)), icon=":material/warning:", key="warnings", width="content", help=about):
        st.html(f'<ul style="margin:0;padding-left:1.2em;max-width:60ch">{_items(lines)}</ul>')


def _items(lines: Iterable[str]) -> str:
    """List items, escaped, each isolated from its neighbors' writing direction."""
    return "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in lines)
