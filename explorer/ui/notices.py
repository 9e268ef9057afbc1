"""Errors, notices and warnings on a page: escaped, never read as markup.

Not `st.error` and `st.info`, which would read a token or a file's name in the message as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

import streamlit as st

from explorer.errors import InputError
from explorer.text.say import plural


def show_error(error: InputError | str, title: str = "This can't be used as it is.") -> None:
    """Draws an error after a bold title."""
    _box("alert", "#d64550", str(error), title)


def show_notice(text: str) -> None:
    """Draws a notice."""
    _box("status", "#3b82f6", text)


def _box(role: str, color: str, text: str, title: str = "") -> None:
    """Text in a frame of a color that is visible on light and dark."""
    st.html(
        f'<div role="{role}" style="border:1px solid {color};border-left-width:4px;border-radius:8px;padding:8px 14px;'
        f'background:color-mix(in srgb, {color} 7%, transparent);overflow-wrap:anywhere">'
        f"{f'<b>{escape(title)}</b> ' if title else ''}{escape(text)}</div>"
    )


END_LENGTH: Final = 1_000
"""Code points, more than any special token has."""


def both_ends(text: str) -> str:
    """The two ends of a long text, which decide about warnings, so that Compare need not tokenize the rest."""
    return text if len(text) <= 2 * END_LENGTH else text[:END_LENGTH] + text[-END_LENGTH:]


def show_warnings(warnings: Iterable[str]) -> None:
    """Draws warnings behind a button that counts them; nothing without warnings."""
    lines = list(dict.fromkeys(warnings))
    if not lines:
        return
    about = plural(len(lines), "warning")
    with st.popover(str(len(lines)), icon=":material/warning:", key="warnings", width="content", help=about):
        st.html(f'<ul style="margin:0;padding-left:1.2em;max-width:60ch">{items(lines)}</ul>')


def items(lines: Iterable[str]) -> str:
    """List items, escaped, each isolated from its neighbors' writing direction."""
    return "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in lines)
