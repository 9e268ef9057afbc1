"""The stepper in the page: plays a script of steps in the browser and reports the step reached.

The script comes from `explorer/views` as one JSON string and is a function of text and model alone; everything from
a key press to the painted change happens in the browser (the files in `stepper/`). What comes back to Python is the
step, after 350 ms of rest, and the selected span of the text. What this module leaves out: making scripts, and
writing the step into the address, which is the page's business (in `on_step_change`).
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import streamlit as st

from explorer.ui.components import assets
from explorer.ui.components.selection import Span, reported_span

JS = (
    "player.js", "panel.js", "strip.js", "queue.js", "heap.js", "table.js", "output.js", "arcs.js", "log.js",
    "code.js", "transport.js", "stepper.js",
)  # fmt: skip

PACK_ABOVE = 128_000
"""Characters above which the script travels compressed: about 2,000 events."""

_mount = assets.register("explorer_stepper", "stepper", js=JS, css=["stepper.css"])


class Stepped(NamedTuple):
    """What the person did in the stepper, as far as the browser has told."""

    step: int | None
    """Step the player rests at, counted from 0, the state before anything happened; None = not moved yet."""
    selection: Span | None
    """Chosen piece of the text, [start, end) in code points of the original; None = nothing chosen."""


def stepper(
    script_json: str,
    *,
    script_id: str,
    step: int | None = None,
    selection: Span | None = None,
    key: str,
    on_step_change: Callable[[int], None] | None = None,
    on_selection_change: Callable[[Span | None], None] | None = None,
) -> Stepped:
    """Draw the player for a script (made by `explorer.views`) and return what the browser has reported.

    `script_id` names the script: the same id means the same script, so it can be a hash of text, model and
    implementation. With a new id the player starts at `step`; without one it stays at the end if it stood at the
    end, and else begins at 0. With the same id it jumps when `step` is another number than last time. A number
    beyond the last step means the last step. `selection` counts only if nothing has been chosen in the browser yet.
    The callbacks run before the script and are given the new step, the new span or None.

    >>> stepper(script, script_id="llama-2/What is LoRA?", step=26, key="merges")      # doctest: +SKIP
    Stepped(step=26, selection=None)
    """

    def stepped() -> None:
        if on_step_change is not None:
            on_step_change(st.session_state[key].get("step") or 0)

    def selected() -> None:
        if on_selection_change is not None:
            on_selection_change(reported_span(st.session_state[key].get("selection")))

    data: dict[str, object] = {
        "script_id": script_id,
        "step": step,
        "selection": None if selection is None else list(selection),
        **_packed(script_json),
    }
    state = _mount(key=key, data=data, on_step_change=stepped, on_selection_change=selected)
    return Stepped(state.get("step"), reported_span(state.get("selection")))


# Streamlit 1.67 takes raw bytes only as the whole of `data`; inside a dict they become the text "b'…'". Step and
# selection have to travel too, so the bytes go as base64. Measured on 8,208 events (0.90 MB of JSON): packing once
# 8 ms + 0.3 ms, then 0.6 ms per rerun for Streamlit's json.dumps of 0.41 MB; the bare string costs 1.7 ms and 0.90 MB
# each time, a dict 26 ms. Level 1, because level 6 takes 48 ms to save another tenth.
@lru_cache(maxsize=8)
def _packed(script_json: str) -> dict[str, str]:
    """Return the script as it travels: {"script": JSON} when short, {"gzip": base64 of it compressed} when long."""
    if len(script_json) <= PACK_ABOVE:
        return {"script": script_json}
    # mtime=0 makes equal scripts equal bytes, so an unchanged component is not sent again.
    packed = gzip.compress(script_json.encode(), compresslevel=1, mtime=0)
    return {"gzip": base64.b64encode(packed).decode("ascii")}
