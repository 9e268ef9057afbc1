"""Compare: the text is tokenized by one after the other, and the page says which."""

from __future__ import annotations

from collections.abc import Collection

from explorer.answers.compare import Comparing, tokenized
from explorer.answers.offers import Run
from explorer.ui.working import Says, counted


def tokenize(chosen: Comparing, says: Says, only: Collection[Run] | None = None) -> None:
    """Tokenizes the text with all of them, or some: what follows finds it done."""
    names = [name for name, run in chosen.runs.items() if only is None or run in only]
    for name in counted(names, says, lambda name: f"tokenizing with {name}"):
        tokenized(chosen, name)
