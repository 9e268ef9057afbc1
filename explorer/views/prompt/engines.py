"""Engines: transformers and llama.cpp, and where they part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from explorer.views.prompt.scene import NOTHING, Badge, Scene, View


def badge(scene: Scene) -> Badge:
    """The same, or where they part."""
    return NOTHING


def stage(scene: Scene) -> Mapping[str, Any] | None:
    """What the component draws."""
    return {}


VIEW: Final = View("engines", "Engines", badge, stage)
