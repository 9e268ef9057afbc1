"""Errors and notices on a page: one line, escaped, never read as markup.

Not `st.error` and `st.info`, which would read a token or a file's name in the message as Markdown.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.errors import InputError


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
