"""Links from a prompt to its text on other pages.

The template writes the special tokens, so none are added there; where messages' control tokens are read as text, the
other page reads none.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from explorer.answers.prompt import Request
from explorer.prompts.prompt import LLAMA_CPP
from explorer.ui.components.live_text import LONGEST_LINK
from explorer.ui.links import to_explore

BESIDE: Final = "gpt-2@huggingface"
"""The tokenizer that Compare shows beside a model that runs in one way only."""


def links_of(request: Request, text: str) -> dict[str, str]:
    """The addresses that open a prompt's text on Explore and on Compare; none for a text too long for a link."""
    if not text or len(text) > LONGEST_LINK:
        return {}
    spec = request.spec
    # llama-server has stripped what its tokenizer adds
    adds = spec.implementation == LLAMA_CPP
    reads = not request.as_text or adds
    explore = to_explore(spec, text, escapes=False, add_special=adds, parse_special=reads)
    others = [name for name in spec.offer.implementations if name != spec.implementation]
    beside = f"{spec.offer.label}@{others[0]}" if others else BESIDE
    switches = {"addspecial": (adds, True), "parsespecial": (reads, True)}
    compare = {"text": text, "with": [spec.name, beside]}
    compare |= {name: str(on).lower() for name, (on, default) in switches.items() if on != default}
    return {"explore": f"./?{urlencode(explore)}", "compare": f"./compare?{urlencode(compare, doseq=True)}"}
