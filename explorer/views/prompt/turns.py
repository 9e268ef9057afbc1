"""Next turn: how much of a cache the next prompt keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from explorer.views.prompt.scene import NOTHING, Badge, Scene, View


def badge(scene: Scene) -> Badge:
    """How many ids of the cache are kept."""
    return NOTHING


def stage(scene: Scene) -> Mapping[str, Any] | None:
    """What the component draws."""
    return {}


VIEW: Final = View("turns", "Next turn", badge, stage)
