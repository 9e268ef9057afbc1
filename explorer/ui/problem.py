"""An error, and a word in passing, as a person sees them: one line, escaped, never read as markup.

Not `st.error` and `st.info`: they would read a token or a file's name in the message as Markdown.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.errors import InputError


def problem(error: InputError | str, title: str = "Cannot be used as it is.") -> None:
    """Shows the line of an error."""
    box("alert", "#d64550", str(error), title)


def notice(text: str) -> None:
    """Says something that is no error."""
    box("status", "#3b82f6", text)


def box(role: str, colour: str, text: str, title: str = "") -> None:
    """Text in a frame of a colour that is seen on light and dark."""
    st.html(
        f'<div role="{role}" style="border:1px solid {colour};border-left-width:4px;border-radius:8px;padding:8px 14px;'
        f'background:color-mix(in srgb, {colour} 7%, transparent);overflow-wrap:anywhere">'
        f"{f'<b>{escape(title)}</b> ' if title else ''}{escape(text)}</div>"
    )
