"""Training: which tokens a loss mask keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from explorer.views.prompt.scene import NOTHING, Badge, Scene, View


def badge(scene: Scene) -> Badge:
    """How many tokens are trained."""
    return NOTHING


def stage(scene: Scene) -> Mapping[str, Any] | None:
    """What the component draws."""
    return {}


VIEW: Final = View("training", "Training", badge, stage)
