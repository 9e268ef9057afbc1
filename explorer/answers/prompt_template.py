"""The question of the view Template: the script that plays a template."""

from __future__ import annotations

from typing import NamedTuple

from explorer.answers.explore import content_id
from explorer.answers.prompt import Request, scene_of
from explorer.answers.questions import question
from explorer.script.packing import pack
from explorer.views.prompt.template import play_of
from explorer.views.steppers.template_script import template_script


class TemplatePlay(NamedTuple):
    """A template, ready to play. script: packed. fails: it ends in an error. id: of exactly this content."""

    script: bytes
    fails: bool
    id: str


@question
def template_play(request: Request) -> TemplatePlay | None:
    """The script of a template's run; None without messages or without a template."""
    play = play_of(scene_of(request))
    if play is None:
        return None
    return TemplatePlay(pack(template_script(play)), play.failure is not None, f"template {content_id(*request)}")
