"""Buttons that save an answer: as a picture, which the browser draws (`picture/`), or as one file (`explorer.saved`).

A component that offers pictures itself has `PICTURE` among its files and `EMBLEM` among its constants
(`explorer/views/components.py`). For a file, the browser asks with a value that differs each time, Python answers
once with the file, and the browser saves it. So a file is made only when it is wanted, by whoever answers the page's
other questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from explorer.errors import InputError
from explorer.ui.components.assets import register
from explorer.views.components import EMBLEM

_draw_picture = register(
    "explorer_picture",
    "picture",
    js="actions.js picture.js button.js",
    css="button.css alone.css",
    constants={"EMBLEM": EMBLEM},
)


def picture(card: Mapping[str, Any], *, key: str) -> None:
    """Draws a button that saves a picture of a card, which `picture/picture.js` describes.

    >>> picture({"say": "2 tokens", "facts": "", "rows": []}, key="picture")   # doctest: +SKIP
    """
    _draw_picture(key=key, data={"card": dict(card)}, width="content")


_draw_page_button = register(
    "explorer_page_button", "picture", js="actions.js page_button.js", css="button.css alone.css"
)

Made = tuple[str, str]
"""A file: its name, its HTML."""


def page_button(
    make: Callable[[], Made], *, content_id: str, key: str, label: str = "Save as a page", done: str = "Saved"
) -> None:
    """Draws the button. make: writes the file; may raise InputError. content_id: names what is shown, without spaces.

    >>> page_button(lambda: ("a.html", "<!doctype html>"), content_id="a", key="save")   # doctest: +SKIP
    """
    page = page_for(asked_page(key, content_id), make)
    _draw_page_button(key=key, data={"content_id": content_id, "label": label, "done": done, "page": page},
           on_page_change=lambda: None, width="content")  # fmt: skip


def asked_page(key: str, content_id: str) -> str:
    """What asks for this content as a saved page; empty if nothing does. It differs each time."""
    asked = (st.session_state.get(key) or {}).get("page")
    return asked[:80] if isinstance(asked, str) and asked.startswith(f"{content_id} ") else ""


def page_for(asked: str, make: Callable[[], Made]) -> dict[str, str] | None:
    """The answer for the browser: the file, or why it can't be made; None if it was not asked for."""
    if not asked:
        return None
    try:
        name, html = make()
    except InputError as error:
        return {"of": asked, "problem": str(error)}
    return {"of": asked, "name": name, "html": html}
