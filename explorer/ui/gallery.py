"""The gallery, "What brought you here?".

It has no session of its own: every card is a link, and so is every text, to the page that was left, with what was
chosen there.
"""

from explorer.ui.components.every_page import register
from explorer.views.examples import PRESETS

_draw_gallery = register("gallery", TEXTS=[each._asdict() for each in PRESETS])


def gallery() -> None:
    """Draws all cards, and the texts."""
    _draw_gallery(key="gallery", data={})
