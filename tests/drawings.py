"""Writes the drawings of the lessons: `python -m tests.drawings`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.answers.learn import drawing_of
from explorer.learning.lessons import library
from explorer.views import components

FILE = Path(components.__file__).with_name("lesson_drawings.json")


def as_kept(drawing: Mapping[str, Any]) -> Mapping[str, Any]:
    """A drawing as JSON has it."""
    kept: Mapping[str, Any] = json.loads(json.dumps(drawing))
    return kept


if __name__ == "__main__":
    made = {key: drawing_of(lesson) for key, lesson in library().items()}
    lines = (f"{json.dumps(key)}: {json.dumps(each, ensure_ascii=False)}" for key, each in made.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
