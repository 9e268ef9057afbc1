"""What every page has: the list of its keys, which "?" opens (`views.keys`), and at the top a button "Share".

Explore and Prompt have a menu of that name beside what it shares; on a phone, Prompt has room for none.
"""

from __future__ import annotations

from typing import Final

from explorer.ui.components.assets import register
from explorer.views.keys import keys_of

_mount = register(
    "explorer_key_list",
    "key_list",
    js=["../picture/actions.js", "key_list.js"],
    css=["key_list.css"],
    html='<div class="tx ky"></div>',
)

SHARES: Final = {"explore": "never", "prompt": "phone"}
"""Where a page with a menu of its own has the button, too; others always have it."""


def key_list(page: str) -> None:
    """Draws the list of the keys of a page, by its name, closed, and its button."""
    _mount(key="key_list", data={"groups": keys_of(page), "shares": SHARES.get(page, "always")})
