"""Draws who pays more for the same text: a dot for each language on a row for each tokenizer.

The browser part (`premiums/`) has all numbers at once, so choosing another language asks nobody. It writes the language
to the URL as `lang`. Leaves out choosing what to compare, and every number (`explorer/views/premiums.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.ui.components.assets import register
from explorer.views.components import EMBLEM, PICTURE

_mount = register(
    "explorer_premiums",
    "premiums",
    js=[*PICTURE, "dots.js", "blocks.js", "premiums.js"],
    css=["../picture/button.css", "premiums.css"],
    constants={"EMBLEM": EMBLEM},
)


def premiums(picture: Mapping[str, Any], *, content_id: str, key: str) -> None:
    """Draws the sentence, the dots, and the chosen language in tokens. content_id: names the content.

    picture: of `views.premiums.picture`.

    >>> premiums(picture(found, sample), content_id="sample English", key="premiums")  # doctest: +SKIP
    """
    _mount(key=key, data={"picture": dict(picture), "content_id": content_id})
