"""The list of a page's keys, which "?" opens (`views.keys`). It draws nothing else."""

from __future__ import annotations

from explorer.ui.components.assets import register
from explorer.views.keys import keys_of

_mount = register(
    "explorer_key_list", "key_list", js=["key_list.js"], css=["key_list.css"], html='<div class="tx ky"></div>'
)


def key_list(page: str) -> None:
    """Draws the list of the keys of a page, by its name, closed."""
    _mount(key="key_list", data={"groups": keys_of(page)})
