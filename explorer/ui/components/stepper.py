"""The stepper: plays a script of steps in the browser.

The script comes from `explorer/views` as packed bytes and depends on text and model only. Everything from a key
press to the drawn change happens in the browser (`stepper/`), and so does writing the step to the URL. Leaves out
making scripts.
"""

from __future__ import annotations

import json
from typing import Final

from explorer.text.say import Say
from explorer.ui.components.assets import mounted
from explorer.views.components import STEPPER

LAST_STEP: Final = 10**9
"""As `start` of a stepper: its last step, whatever number that has."""

_mount = mounted("explorer_stepper", STEPPER)


def stepper(
    script: bytes,
    *,
    script_id: str,
    key: str,
    parameter: str = "step",
    start: int | None = None,
    arrival: int = 0,
    together: bool | None = None,
    spot: tuple[int, int] | None = None,
    level: str = "",
    covered: bool = False,
    beside: bool = False,
    asks: bool = False,
    board: Say | None = None,
    side: str = "",
    name: str = "",
) -> None:
    """Draws the player for a script (`views.steppers.packing.pack`).

    `script_id` identifies the script, so it can be a digest of text, model and implementation. The first script opens
    at the step in the URL. With a new id, the player stays at the end if it was at the end, and otherwise opens where
    the stage shows something: at its result, its first decision or its first symbols (`opensAt` in `stepper.js`).
    With `start`, every script starts at that step, unless the URL has another. A step beyond the last means the last.
    `parameter` is the URL parameter of the step; each player on a page has its own. `arrival`: another number each time
    a link within the page was followed, so that the browser hears of it even if the script stays. `together`: for one
    of two players side by side, whether a step of one is a step of both. `spot`: a span of the text that is offered as
    the selection. `level`: of detail, unless the URL has another; empty leaves the one chosen last. `covered`: hides
    what follows the step it starts at, as while predicting. `beside`: it has two thirds of the page, and still one
    height. `asks`: a question is open about the step it starts at, so a step in the URL, which may show the answer, is
    left out. `board`: a training as the board of its page; what came of it, which stands beside the player. The page
    chooses the level then, with a control of its own.
    side, name: of one on a card of Compare, "left", "right" or "alone": it is slim, and says whose it is.

    >>> stepper(script, script_id="llama-2/What is LoRA?", key="merges")      # doctest: +SKIP
    """
    about = {
        "script_id": script_id, "parameter": parameter, "start": start, "arrival": arrival,
        "together": together, "spot": spot if spot is not None and spot[0] < spot[1] else None, "level": level,
        "covered": covered, "beside": beside, "asks": asks, "side": side, "name": name,
        "board": None if board is None else board._asdict(),
    }  # fmt: skip
    # Streamlit takes bytes only as the whole of `data`: a line of JSON, then the script (`stepper.js`)
    _mount(key=key, data=json.dumps(about).encode() + b"\n" + script)
