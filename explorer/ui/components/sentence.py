"""A sentence on a page, whatever the tokens in it look like: the browser part writes `textContent` only."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from explorer.text.say import Say
from explorer.ui.components.assets import mounted
from explorer.views.components import SENTENCE

_mount = mounted("explorer_sentence", SENTENCE)


def sentence(
    say: Say, *, key: str, steps: Iterable[tuple[int, Say]] = (), parameter: str = "step", quiet: bool = False
) -> None:
    """Draws a sentence. key: unique on the page. quiet: in dim letters.

    steps: sentences about steps of the stepper whose URL parameter is `parameter`, each with a button that goes there.

    >>> sentence(Say.of("{0:q} is token {1:i}.", "is", 338), key="found")      # doctest: +SKIP
    """
    lines = [line._asdict() | {"step": step, "parameter": parameter} for step, line in steps]
    data = {"sentence_id": repr((say, lines)), "say": say._asdict(), "quiet": quiet, "steps": lines}
    _mount(key=key, data=data)


def headline(say: Say, more: Say | None = None, *, key: str) -> None:
    """Draws the answer of a page: one large sentence, announced when it changes, and a dim line about it."""
    data = {"sentence_id": repr((say, more)), "say": say._asdict(), "quiet": False, "steps": [],
            "more": None if more is None else more._asdict()}  # fmt: skip
    _mount(key=key, data=data)


def explained(text: str, *, key: str) -> None:
    """Draws a quiet line of our own, with the words of the glossary explained."""
    with st.container(key=f"explained-{key}"):
        sentence(Say.of(text.replace("{", "{{").replace("}", "}}")), key=f"explained_{key}", quiet=True)


def answer(say: Say, *, key: str, more: Say | None = None, caption: str = "") -> None:
    """Draws a tab's answer in a frame. more: a second sentence; caption: a line beneath, without tokens in it."""
    with st.container(key=f"answer-{key}"):
        sentence(say, key=key)
        if more is not None:
            sentence(more, key=f"{key}_more")
        if caption:
            explained(caption, key=f"{key}-caption")
