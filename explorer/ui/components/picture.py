"""Pictures of an answer, drawn in the browser (`picture/`), and the emblem: 🤗 under a bracket over its four bytes.

A component that offers a picture has `PICTURE` among its files and `EMBLEM` among its constants
(`explorer/views/components.py`). `picture` is a button
of its own, for a page that knows the card in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.ui.components.assets import register
from explorer.views.components import EMBLEM

_mount = register(
    "explorer_picture",
    "picture",
    js=["actions.js", "picture.js", "button.js"],
    css=["button.css", "alone.css"],
    constants={"EMBLEM": EMBLEM},
)


def picture(card: Mapping[str, Any], *, key: str) -> None:
    """Draws a button that saves a picture of a card, which `picture/picture.js` describes.

    >>> picture({"say": "2 tokens", "facts": "", "rows": []}, key="picture")   # doctest: +SKIP
    """
    _mount(key=key, data={"card": dict(card)}, width="content")
