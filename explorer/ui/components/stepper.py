"""The stepper in the page: plays a script of steps in the browser and reports the step reached.

The script comes from `explorer/views` as one JSON string and is a function of text and model alone; everything from
a key press to the painted change happens in the browser (the files in `stepper/`), and so does keeping the step in the
page's address. What this module leaves out: making scripts.
"""

from __future__ import annotations

import base64
import gzip
from functools import lru_cache

from explorer.ui.components import assets

JS = (
    "player.js", "panel.js", "strip.js", "queue.js", "heap.js", "table.js", "output.js", "lattice.js", "log.js",
    "code.js", "transport.js", "stepper.js",
)  # fmt: skip

PACK_ABOVE = 128_000
"""Characters above which the script travels compressed: about 2,000 events."""

_mount = assets.register("explorer_stepper", "stepper", js=JS, css=["stepper.css"])


def stepper(script_json: str, *, script_id: str, key: str, parameter: str = "step", start: int | None = None) -> None:
    """Draw the player for a script (made by `explorer.views`).

    `script_id` names the script: the same id means the same script, so it can be a hash of text, model and
    implementation. The first script is opened at the step in the page's address; with a new id the player stays at
    the end if it stood at the end, and else begins at 0; with `start` every script begins at that step, unless the
    address names another one. A number beyond the last step means the last step.
    `parameter` is what the step is called in the address; each player on a page has its own.

    >>> stepper(script, script_id="llama-2/What is LoRA?", key="merges")      # doctest: +SKIP
    """
    _mount(key=key, data={"script_id": script_id, "parameter": parameter, "start": start, **_packed(script_json)})


# Streamlit 1.67 takes raw bytes only as the whole of `data`; inside a dict they become the text "b'…'". The
# id has to travel too, so the bytes go as base64. Measured on 8,208 events (0.90 MB of JSON): packing once
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
