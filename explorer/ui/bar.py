"""The bar that a page begins with: what is asked, in one row of 44 px, and a button for its settings."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.ui.components.key_list import key_list


def begin_page(title: str, name: str) -> None:
    """Draws the page's title for screen readers and the outline, and the list of its keys. name: of its file."""
    # in a container, because Streamlit first shows a gray box in place of any HTML
    with st.container(key="title"):
        st.html(f'<h1 class="unseen">{title}</h1>')
        key_list(name)


def bar() -> DeltaGenerator:
    """The container of the bar."""
    return st.container(horizontal=True, vertical_alignment="top", gap="small", key="bar")


def settings_button() -> DeltaGenerator:
    """The settings: a button at the end of the bar that opens them."""
    return st.popover(
        "Settings", icon=":material/tune:", key="settings", width="content", help="Settings, your own file"
    )
