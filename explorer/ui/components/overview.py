"""The top of the Explore page: the text in its tokens, and the row of stages.

The browser draws both from one message and reports nothing but the stage that was chosen. What is selected here is
marked in every other component of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer.ui.components.assets import register

_mount = register(
    "explorer_overview",
    "overview",
    js=["tokens.js", "ribbon.js", "share.js", "overview.js"],
    css=["overview.css"],
)


def overview(
    tokens: Sequence[Mapping[str, Any]],
    stages: Sequence[Mapping[str, Any]],
    *,
    focus: str,
    content_id: str,
    key: str,
    ids: str,
    outside: tuple[int, int] = (0, 0),
) -> str | None:
    """Draw the tokens and the stages; return the key of the stage chosen in the browser, None before a choice.

    tokens: pieces of `views.running_text`. stages: nodes of `views.ribbon` as mappings. focus: the key of the stage
    shown. content_id: names the content, so that the browser redraws only what changed. ids: all of them as JSON.
    outside: how many tokens lie before and after those drawn.

    >>> overview([{"t": "a", "id": 5, "s": 0, "e": 1}], [], focus="model", content_id="a", key="top", ids="[5]")
    ... # doctest: +SKIP
    """
    content = {"tokens": tokens, "stages": stages, "outside": outside, "ids": ids}
    result = _mount(key=key, data={**content, "focus": focus, "content_id": content_id}, on_stage_change=lambda: None)
    chosen = result.get("stage")
    return chosen if isinstance(chosen, str) else None
