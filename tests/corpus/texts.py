"""Small corpora for the tests."""

from __future__ import annotations

import random
from pathlib import Path

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
