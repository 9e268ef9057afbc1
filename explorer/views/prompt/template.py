"""Template: the source with the lines that ran, and the stepper that plays it."""

from __future__ import annotations

from typing import Final

from explorer.errors import InputError
from explorer.prompts.layout import layout
from explorer.prompts.program import TemplateFailed
from explorer.prompts.prompt import Prompt
from explorer.prompts.rendering import Rendering
from explorer.text.say import plural
from explorer.views.prompt.tokens import NOTHING, Badge, Scene, View, cells
from explorer.views.steppers.template_script import Play
from explorer.views.steppers.template_source import lines_that_ran

MOST_OF_A_FAILURE: Final = 4_000
"""Characters that are shown of what a template wrote before it failed."""


def badge(scene: Scene) -> Badge:
    """How many of the template's lines did something, or where it stops."""
    if scene.prompt is None:
        if isinstance(scene.error, TemplateFailed) and scene.error.line:
            return Badge(f"stops at line {scene.error.line}", 1)
        return NOTHING if scene.source else Badge("none", 0, True)
    run = scene.prompt.rendering
    return Badge(f"{len(lines_that_ran(run))} of {plural(run.source.count(chr(10)) + 1, 'line')} ran")


def stage(scene: Scene) -> None:
    """Nothing: `explorer.ui.prompt` draws it."""


def play_of(scene: Scene) -> Play | None:
    """What the stepper plays; None without messages or without a template."""
    if scene.call is None or not scene.call.messages or not scene.source:
        return None
    if scene.prompt is not None:
        return Play(scene.prompt.rendering, cells(scene.prompt), scene.call, scene.engine)
    failure = scene.error if isinstance(scene.error, TemplateFailed) else TemplateFailed(str(scene.error))
    run: Rendering = failure.rendering or Rendering("", (), (), (), layout(scene.source).source, (), ())
    so_far = run.part(0, min(len(run.text), MOST_OF_A_FAILURE))
    try:
        made = cells(Prompt(scene.tokenizer, scene.call, scene.template, {}, so_far, scene.engine))
    except InputError:
        made = []
    return Play(run, made, scene.call, scene.engine, failure)


VIEW: Final = View("template", "Template", badge, stage)
