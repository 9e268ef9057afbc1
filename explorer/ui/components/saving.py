"""Buttons that save an answer: its files, a picture, which the browser draws (`picture/`), a page (`explorer.saved`).

A component that offers pictures itself has `PICTURE` among its files and `EMBLEM` among its constants
(`explorer/views/components.py`). For a page, the browser asks with a value that differs each time, Python answers
once with the file, and the browser saves it. So a file is made only when it is wanted, by whoever answers the page's
other questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from explorer.analysis.export import Export
from explorer.answers.explore import download, file_names
from explorer.errors import InputError
from explorer.ui.components.assets import register, reported, text_in
from explorer.views.components import EMBLEM, Component

CSS: Final = "button.css alone.css"

_draw_picture = register(Component("picture", "actions.js picture.js button.js", CSS, constants={"EMBLEM": EMBLEM}))
_draw_page_button = register(Component("picture", "actions.js page_button.js", CSS), "page", name="page_button")

Made = tuple[str, str]
"""A file: its name, its HTML."""


def picture(card: Mapping[str, Any], *, key: str) -> None:
    """Draws a button that saves a picture of a card, which `picture/picture.js` describes.

    >>> picture({"say": "2 tokens", "facts": "", "rows": []}, key="picture")   # doctest: +SKIP
    """
    _draw_picture(key=key, data={"card": dict(card)}, width="content")


def page_button(
    make: Callable[[], Made], *, content_id: str, key: str, label: str = "Save as a page", done: str = "Saved"
) -> None:
    """Draws the button. make: writes the file; may raise InputError. content_id: names what is shown, without spaces.

    >>> page_button(lambda: ("a.html", "<!doctype html>"), content_id="a", key="save")   # doctest: +SKIP
    """
    page = page_for(asked_page(key, content_id), make)
    data = {"content_id": content_id, "label": label, "done": done, "page": page}
    _draw_page_button(key=key, data=data, width="content")


def asked_page(key: str, content_id: str) -> str:
    """What asks for this content as a saved page; empty if nothing does. It differs each time."""
    asked = text_in(reported(key, "page"), 80)
    return asked if asked.startswith(f"{content_id} ") else ""


def page_for(asked: str, make: Callable[[], Made]) -> dict[str, str] | None:
    """The answer for the browser: the file, or why it can't be made; None if it was not asked for."""
    if not asked:
        return None
    try:
        name, html = make()
    except InputError as error:
        return {"of": asked, "problem": str(error)}
    return {"of": asked, "name": name, "html": html}


MEDIA: Final = {"csv": "text/csv", "json": "application/json", "md": "text/markdown"}


def download_buttons(
    export: Callable[..., Export],
    arguments: tuple[Any, ...],
    labels: Mapping[str, str],
    names: Mapping[str, str] | None = None,
    page: str = "explore",
    **look: Any,
) -> None:
    """Draws a button for each file of what a function exports. The file is written when it is requested.

    export: called with the arguments then, on another thread. labels: by the file's ending. names: of the files, if
    they are known. page: whose the buttons are. look: arguments of the buttons.
    """
    names = file_names(export, arguments) if names is None else names
    for ending, label in labels.items():
        file = download.deferred(export, arguments, ending)
        st.download_button(label, file, names[ending], MEDIA[ending], on_click="ignore", key=f"{page} {label}", **look)
