"""Small corpora for the tests."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from explorer.corpus.counter import Tally

LINES = (
    "The quick brown fox jumps over the lazy dog.",
    "",
    "Ångström, naïve, l'été, Straße — 1,234.56 €",
    "東京は今日も晴れです。",
    "Вчера было холодно, сегодня теплее.",
    "def f(x):\treturn x ** 2  # square\r",
    "🙂👩‍👩‍👧 ok",
    "<|endoftext|> is text here, and <s> too",
)


def write_text(path: Path, size: int, seed: int = 1) -> Path:
    """A file of about `size` bytes with the lines above, shuffled; the last one has no line end."""
    chosen = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        while file.tell() < size:
            file.write(chosen.choice(LINES) + "\n")
        file.write("the end")
    return path


def plain(each: Tally) -> dict[str, Any]:
    """A tally as plain values, in an order independent of that of the tasks."""
    return {
        "files": {name: row.tolist() for name, row in sorted(each.files.items())},
        "labels": {name: row.tolist() for name, row in sorted(each.labels.items())},
        "counts": [counts.tolist() for counts in each.counts],
        "lengths": [lengths.tolist() for lengths in each.lengths],
        "longest": each.longest,
    }
