"""The views of the page Prompt, in the order of their cards."""

from __future__ import annotations

from typing import Final

from explorer.views.prompt import engines, messages, template, training, turns
from explorer.views.prompt.tokens import View

VIEWS: Final[tuple[View, ...]] = (messages.VIEW, template.VIEW, engines.VIEW, turns.VIEW, training.VIEW)


def view_named(name: str) -> View:
    """The view of this name, the first one if there is none."""
    return next((each for each in VIEWS if each.name == name), VIEWS[0])
