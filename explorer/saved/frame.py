"""A frame around a saved page: what it allows, and what the page around it does for it (`frame.js`)."""

from __future__ import annotations

from functools import cache
from typing import Final

from explorer.saved.page import FOLDER, without_comments

FIRST_HEIGHT: Final = 640
"""Pixels, until the page has said how high it is."""
ALLOWED: Final = "allow-scripts allow-downloads"
LINKS: Final = " allow-popups allow-popups-to-escape-sandbox"


def sandbox(links: bool) -> str:
    """What the frame allows. links: to an explorer."""
    return ALLOWED + (LINKS if links else "")


@cache
def frame_code() -> str:
    """The function of `frame.js`."""
    return without_comments((FOLDER / "frame.js").read_text("utf-8")).strip()
