"""Template: the source with the lines that ran, and the stepper that plays it."""

from __future__ import annotations

from typing import Final

from explorer.prompts.program import TemplateFailed
from explorer.views.prompt.scene import NOTHING, Badge, Scene, View


def badge(scene: Scene) -> Badge:
    """How many of the template's lines did something, or where it stops."""
    lines = scene.source.count("\n") + 1
    if scene.prompt is None:
        if isinstance(scene.error, TemplateFailed) and scene.error.line:
            return Badge(f"stops at line {scene.error.line}", 1)
        return NOTHING if scene.source else Badge("none", 0, True)
    operands = scene.prompt.rendering.operands
    ran = {operands[step.operand].line for step in scene.prompt.rendering.steps}
    ran |= {operands[origin.operand].line for origin in scene.prompt.rendering.origins if origin.operand >= 0}
    return Badge(f"{len(ran)} of {lines} lines ran")


def stage(scene: Scene) -> None:
    """Nothing: `explorer.ui.prompt.template` draws it."""


VIEW: Final = View("template", "Template", badge, stage)
