"""The stepper: plays a script of steps in the browser.

The script comes from `explorer/views` as one JSON string and depends on text and model only. Everything from a key
press to the drawn change happens in the browser (`stepper/`), and so does writing the step to the URL. Leaves out
making scripts.
"""

from __future__ import annotations

import base64
import gzip
from functools import lru_cache

from explorer.ui.components import assets

JS = (
    "player.js", "panel.js", "strip.js", "queue.js", "heap.js", "table.js", "output.js", "lattice.js", "log.js",
    "code.js", "transport.js", "stage.js", "keys.js", "lecture.js", "prediction.js",
    "pairs.js", "merge_tree.js", "stepper.js",
)  # fmt: skip

PACK_ABOVE = 128_000
"""Characters above which the script is sent compressed: about 2,000 events."""

_mount = assets.register("explorer_stepper", "stepper", js=JS, css=["stepper.css", "stage.css"])


def stepper(
    script_json: str,
    *,
    script_id: str,
    key: str,
    parameter: str = "step",
    start: int | None = None,
    fixed: bool = False,
) -> None:
    """Draw the player for a script (made by `explorer.views`).

    `script_id` identifies the script, so it can be a digest of text, model and implementation. The first script opens
    at the step in the URL. With a new id, the player stays at the end if it was at the end, and otherwise starts at 0.
    With `start`, every script starts at that step, unless the URL has another. A step beyond the last means the last.
    `parameter` is the URL parameter of the step; each player on a page has its own. `fixed`: one panel of fixed height
    with levels of detail, instead of all panels one below the other.

    >>> stepper(script, script_id="llama-2/What is LoRA?", key="merges")      # doctest: +SKIP
    """
    _mount(
        key=key,
        data={"script_id": script_id, "parameter": parameter, "start": start, "fixed": fixed, **_packed(script_json)},
    )


# Streamlit 1.67 accepts raw bytes only as the whole of `data`; inside a dict they become the text "b'…'". The id is
# sent too, so the bytes are base64. Measured on 8,208 events (0.90 MB of JSON): packing takes 8.3 ms once, then
# Streamlit's json.dumps of 0.41 MB takes 0.6 ms per rerun. The bare string costs 1.7 ms and 0.90 MB each time, a dict
# 26 ms. Level 1, because level 6 takes 48 ms to save another tenth.
@lru_cache(maxsize=8)
def _packed(script_json: str) -> dict[str, str]:
    """The script as it is sent: {"script": JSON} if short, {"gzip": base64 of it compressed} if long."""
    if len(script_json) <= PACK_ABOVE:
        return {"script": script_json}
    # mtime=0: equal scripts give equal bytes, so an unchanged component is not sent again
    packed = gzip.compress(script_json.encode(), compresslevel=1, mtime=0)
    return {"gzip": base64.b64encode(packed).decode("ascii")}
