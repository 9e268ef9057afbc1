"""The gallery, "What brought you here?", and the button of a bar that leads there.

It has no session of its own: every card is a link, and so is every text, to the page that was left, with what was
chosen there.
"""

from __future__ import annotations

import streamlit as st

from explorer.ui.components.every_page import register
from explorer.ui.language import words
from explorer.ui.parameters import open_page
from explorer.views.components import GALLERY, Component
from explorer.views.examples import PRESETS

_draw_gallery = register(
    Component(
        "gallery",
        "gallery.js",
        "gallery.css",
        constants={"GALLERY": GALLERY, "TEXTS": [each._asdict() for each in PRESETS]},
    )
)


def gallery() -> None:
    """Draws all cards, and the texts."""
    _draw_gallery(key="gallery", data={})


def examples_button() -> None:
    """Draws the button that leads to the gallery."""
    if st.button(words("Examples"), key="examples", type="tertiary"):
        open_page("start", {})
