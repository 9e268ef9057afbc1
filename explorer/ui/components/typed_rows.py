"""A staircase of tokens: the text after each key, what the key changed in color, and in words what it did.

The browser part (`aligned/stairs.js`) shares the colors and sentences of the aligned rows. It keeps which row is looked
at, and whether all keys are shown, which is `all=1` in the URL. Leaves out the text itself: the first column counts the
characters typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.ui.components.assets import register
from explorer.views.components import EMBLEM, PICTURE

_mount = register(
    "explorer_stairs",
    "aligned",
    js=[*PICTURE, "frame.js", "stairs.js"],
    css=["../picture/button.css", "aligned.css", "stairs.css"],
    constants={"EMBLEM": EMBLEM},
)


def typed_rows(picture: Mapping[str, Any], *, key: str) -> None:
    """Draws the rows of `views.compare.typing.typing_picture`.

    >>> typed_rows(typing_picture(stability, speller, "GPT-2"), key="typing-rows")     # doctest: +SKIP
    """
    _mount(key=key, data=dict(picture))
