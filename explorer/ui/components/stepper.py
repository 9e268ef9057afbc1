"""The stepper: plays a script of steps in the browser.

The script comes from `explorer/views` as packed bytes and depends on text and model only. Everything from a key
press to the drawn change happens in the browser (`stepper/`), and so does writing the step to the URL. Leaves out
making scripts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from explorer.ui.components.assets import register
from explorer.views.components import STEPPER

LAST_STEP: Final = 10**9
"""As `start` of a stepper: its last step, whatever number that has."""

_draw_stepper = register(STEPPER)


class Play(NamedTuple):
    """How a script is played.

    script_id: identifies the script, so it can be a digest of text, model and implementation. The first script opens at
    the step in the URL. With a new id, the player stays at the end if it was at the end, and otherwise opens where the
    stage shows something: at its result, its first decision or its first symbols (`opensAt` in `stepper.js`).
    parameter: of the step in the URL; each player on a page has its own. start: the step that every script starts at,
    unless the URL has another; one beyond the last means the last. arrival: another number each time a link within the
    page was followed, so that the browser hears of it even if the script stays. together: for one of two players side
    by side, whether a step of one is a step of both. spot: a span of the text that is offered as the selection. level:
    of detail, unless the URL has another; empty leaves the one chosen last. covered: hides what follows the step it
    starts at, as while predicting. beside: it has two thirds of the page, and still one height. asks: a question is
    open about the step it starts at, so a step in the URL, which may show the answer, is left out. board: a `Say` of
    what came of a training, beside its player, which is the board of its page. The page chooses the level then, with a
    control of its own. side, name: of one on a card of Compare, "left", "right" or "alone": it is slim, and says whose
    it is.
    """

    script_id: str
    parameter: str = "step"
    start: int | None = None
    arrival: int = 0
    together: bool | None = None
    spot: tuple[int, int] | None = None
    level: str = ""
    covered: bool = False
    beside: bool = False
    asks: bool = False
    board: Mapping[str, Any] | None = None
    side: str = ""
    name: str = ""


def stepper(script: bytes, play: Play, *, key: str) -> None:
    """Draws the player for a script (`views.steppers.packing.pack`).

    >>> stepper(script, Play("llama-2/What is LoRA?"), key="merges")      # doctest: +SKIP
    """
    spot = play.spot if play.spot is not None and play.spot[0] < play.spot[1] else None
    # Streamlit takes bytes only as the whole of `data`: a line of JSON, then the script (`stepper.js`)
    _draw_stepper(key=key, data=json.dumps(play._replace(spot=spot)._asdict()).encode() + b"\n" + script)
