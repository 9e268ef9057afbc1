"""One sentence on a page, whatever the tokens in it are spelled like."""

from __future__ import annotations

from explorer.ui.components.board import board
from explorer.views.say import Say


def sentence(say: Say, *, key: str) -> None:
    """Draws a sentence by the board component, which writes text nodes only."""
    board([], board_id=repr(say), key=key, say=say._asdict())
