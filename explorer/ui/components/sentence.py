"""A sentence on a page, whatever the tokens in it look like: the browser part writes `textContent` only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from explorer.text.say import Say
from explorer.ui.components.assets import register
from explorer.views.components import SENTENCE

_draw_sentence = register(SENTENCE)


def sentence(
    say: Say, *, key: str, steps: Iterable[tuple[int, Say]] = (), parameter: str = "step", quiet: bool = False
) -> None:
    """Draws a sentence. key: unique on the page. quiet: in dim letters.

    steps: sentences about steps of the stepper whose URL parameter is `parameter`, each with a button that goes there.

    >>> sentence(Say.of("{0:q} is token {1:i}.", "is", 338), key="found")      # doctest: +SKIP
    """
    lines = [line._asdict() | {"step": step, "parameter": parameter} for step, line in steps]
    _draw_say(say, key, quiet=quiet, steps=lines)


def headline(say: Say, more: Say | None = None, *, key: str) -> None:
    """Draws the answer of a page: one large sentence, announced when it changes, and a dim line about it."""
    _draw_say(say, key, more=None if more is None else more._asdict())


def _draw_say(say: Say, key: str, **data: Any) -> None:
    _draw_sentence(key=key, data={"sentence_id": repr((say, data)), "say": say._asdict(), **data})


def explained(text: str, *, key: str) -> None:
    """Draws a quiet line of our own, with the words of the glossary explained."""
    with st.container(key=f"explained-{key}"):
        sentence(Say.of(text.replace("{", "{{").replace("}", "}}")), key=f"explained_{key}", quiet=True)
