"""Writes what the gallery draws: ``python -m tests.gallery``. Every token, id and count comes from the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from explorer.learning.lessons import library
from explorer.views import components
from tests.bundled import bundled

FILE = Path(components.__file__).with_name("gallery.json")


def tokens(model: str, text: str, **options: bool) -> list[tuple[str, int]]:
    """What each token spells, in characters, with its id."""
    encoding = bundled(model).encode(text, **options)
    return [(encoding.bytes_of(token).decode(errors="replace"), token) for token in encoding.ids]


def gallery() -> dict[str, Any]:
    """The content of the file."""
    token = library()["token"]
    return {"lesson": {"minutes": token.minutes, "tokens": tokens("gpt-2", "How many r's are in strawberry?")[2:7]}}


def written(content: dict[str, Any]) -> str:
    """The file."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(gallery()), "utf-8")
