"""Opens the bundled tokenizers before the server answers: `--open-first`, for a server that many visitors open at once.

Otherwise a tokenizer is opened by the first visitor who chooses it, and whoever comes meanwhile waits for it.
"""

from __future__ import annotations

from explorer.answers.explore import Request, explore_view, section_view
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.ui.tokenizers.server_arguments import app_arguments, parse_arguments
from explorer.views.presets import PRESETS


def open_first() -> None:
    """Opens them if the operator asks for it, and draws a text with each, which fills what is filled on first use."""
    if not parse_arguments(app_arguments()).open_first:
        return
    for offer in bundled().values():
        spec = TokenizerSpec(offer, offer.implementations[0])
        view = explore_view(Request(spec, PRESETS[0].text), 0, "model")
        section_view(view.request, view.window.start, view.focus, view.stored)
