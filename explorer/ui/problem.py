"""An error as a person sees it: one line, escaped, never read as markup."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.errors import InputError


def problem(error: InputError) -> None:
    """Shows the line. Not `st.error`: it would read a token in the message as Markdown."""
    st.html(
        '<div role="alert" style="border:1px solid var(--st-red-color);border-left-width:4px;border-radius:8px;'
        f'padding:10px 14px"><b>Cannot be used as it is.</b> {escape(str(error))}</div>'
    )
