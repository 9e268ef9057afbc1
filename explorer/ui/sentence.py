"""One sentence on a page, whatever the tokens in it are spelled like."""

from __future__ import annotations

import streamlit as st

from explorer.ui.components.board import board
from explorer.views.say import Say


def sentence(say: Say, *, key: str) -> None:
    """Draws a sentence by the board component, which writes text nodes only."""
    board([], board_id=repr(say), key=key, say=say._asdict())


def answer(say: Say, *, key: str, more: Say | None = None, quietly: str = "") -> None:
    """The answer to what was asked, in a frame; more: what follows it; quietly: a text of our own beneath."""
    with st.container(key=f"answer-{key}"):
        sentence(say, key=key)
        if more is not None:
            sentence(more, key=f"{key}_more")
        if quietly:
            st.caption(quietly)
