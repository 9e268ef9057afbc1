"""Other ways to cut a text: rows of tokens with how often each way was drawn, or the bar above the steps of one draw.

The browser reports what is asked, which `asked_ways` reads; the URL has it, too, under `PARAMETERS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from explorer.answers.sampling import MANY, ONE, Asked
from explorer.ui.components.assets import register

PARAMETERS: Final = ("sample", "alpha", "seed", "draws", "rule", "draw")
"""In the URL, in the order of `Asked`."""

_mount = register("explorer_ways", "ways", js=["ways.js"], css=["ways.css"])


def ways(picture: Mapping[str, Any], *, asked: Asked, content_id: str, key: str) -> None:
    """Draws the ways. picture: of `views.ways`. content_id: names the text, the tokenizer and what was asked.

    >>> ways(picture, asked=Asked(), content_id="ab", key="ways")  # doctest: +SKIP
    """
    data = {"picture": dict(picture), "asked": list(asked), "content_id": content_id}
    _mount(key=key, data=data, on_asked_change=lambda: None)


def asked_ways(key: str) -> Asked | None:
    """What the browser asks for, None if it has asked for nothing. What it reports may be anything."""
    reported = (st.session_state.get(key) or {}).get("asked")
    parts = reported[:200].split(" ") if isinstance(reported, str) else []
    return ways_of(parts) if len(parts) == len(PARAMETERS) else None


def linked_ways() -> Asked:
    """What the URL asks for."""
    return ways_of([st.query_params.get(name, "") for name in PARAMETERS])


def ways_of(parts: list[str]) -> Asked:
    """What stands in these places; what is empty is as at first."""
    view, *rest = [part[:40] or first for part, first in zip(parts, Asked(), strict=True)]
    return Asked(ONE if view == ONE else MANY, *rest)
