"""A sentence on a page, whatever the tokens in it look like."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from explorer.text.say import Say
from explorer.ui.components.board import board


def sentence(say: Say, *, key: str, steps: Iterable[tuple[int, Say]] = (), parameter: str = "step") -> None:
    """Draws a sentence with the board component, which writes text nodes only.

    steps: sentences about steps of the stepper whose URL parameter is `parameter`, each with a button that goes there.
    """
    lines = [line._asdict() | {"step": step, "parameter": parameter} for step, line in steps]
    board([], board_id=repr((say, lines)), key=key, say=say._asdict(), steps=lines)


def explained(text: str, *, key: str) -> None:
    """Draws a quiet line of our own, with the words of the glossary explained. key: unique on the page."""
    say = Say.of(text.replace("{", "{{").replace("}", "}}"))
    with st.container(key=f"explained-{key}"):
        board([], board_id=text, key=f"explained_{key}", say=say._asdict() | {"quiet": True})


def answer(say: Say, *, key: str, more: Say | None = None, caption: str = "") -> None:
    """Draws a tab's answer in a frame. more: a second sentence; caption: a line beneath, without tokens in it."""
    with st.container(key=f"answer-{key}"):
        sentence(say, key=key)
        if more is not None:
            sentence(more, key=f"{key}_more")
        if caption:
            explained(caption, key=f"{key}-caption")
