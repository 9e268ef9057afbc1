"""Prompt: a row for each message, what is sent beside what the model reads, and the warnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from explorer.views.prompt.tokens import Badge, Scene, View
from explorer.views.prompt.warnings import notes_of, warnings_of


def badge(scene: Scene) -> Badge:
    """How many tokens, and how many warnings."""
    if scene.prompt is None:
        return Badge(
            "no prompt", 1 if scene.call is not None and scene.call.messages and scene.source else 0, not scene.source
        )
    count = len(scene.prompt.ids)
    return Badge(
        f"{count:,} token{'' if count == 1 else 's'}", len(warnings_of(scene.prompt, dated=scene.now is not None))
    )


def stage(scene: Scene) -> Mapping[str, Any] | None:
    """Warnings and notes; the tokens are sent for all views."""
    if scene.prompt is None:
        return {"warnings": [], "notes": []}
    return {
        "warnings": [
            {
                "kind": str(each.kind),
                "say": each.sentence,
                "reason": each.reason,
                "offer": each.offer and [each.offer.label, dict(each.offer.change)],
                "message": each.message,
                "tokens": each.tokens,
            }
            for each in warnings_of(scene.prompt, dated=scene.now is not None)
        ],
        "notes": [[index, say] for index, say in notes_of(scene.prompt)],
    }


VIEW: Final = View("prompt", "Prompt", badge, stage)
