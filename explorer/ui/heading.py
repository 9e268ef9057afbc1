"""The heading of a page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

CSS = Path(__file__).parent / "pages" / "pages.css"


def heading(title: str, what: str) -> None:
    """Draws a page's title, and a sentence on what the page is for, with the style of all pages."""
    st.html(CSS)
    st.html(
        f'<h1 style="font-size: clamp(1.6rem, 5vw, 2.4rem); margin: 0; padding: 0">{title}</h1>'
        f'<p style="margin: 0">{what}</p>'
    )
