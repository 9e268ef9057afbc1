"""Generates the tables of `explorer/implementations/transformers/` from the two versions.

    python -m tests.auto_tokenizer.tables

A test of the full run compares the generated tables with the files.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from explorer.implementations.transformers.tables import CLASSES, LANGUAGES, METHODS, MODELS
from tests.auto_tokenizer.environments import python

NAMES = Path(__file__).with_name("names.py")
BASES = ("TokenizersBackend", "PythonBackend", "SentencePieceBackend", "PreTrainedTokenizer", "PreTrainedTokenizerFast")
"""Names of generic classes."""
DEFAULT = "TokenizersBackend"
"""The default class of version 5; rows that name only the default are left out."""


def library_answers(version: int, names: Iterable[str]) -> dict[str, Any]:
    """The output of `names.py` in a version, for its own names and these."""
    done = subprocess.run([python(version), NAMES, *names], capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def tables() -> dict[Path, str]:
    """The expected content of each file."""
    names = {*BASES, *library_answers(4, ())["classes"], *library_answers(5, ())["classes"]}
    old, new = library_answers(4, names), library_answers(5, names)
    classes = [(name, old["classes"][name], new["classes"][name]) for name in sorted(names)]
    models = []
    for kind in sorted({*old["models"], *new["models"]}):
        fourth = old["models"].get(kind, [""])[0]
        by_config, registered, wrong = new["models"].get(kind, ["", "", ""])
        if fourth or wrong or registered or by_config not in (DEFAULT, ""):
            models.append((kind, fourth, by_config, registered, wrong))
    methods = [
        (name, *("x" if name in each["methods"] else "" for each in (old, new)))
        for name in sorted({*old["methods"], *new["methods"]})
    ]
    assert old["languages"] == new["languages"], "the table has one column for both"
    return {
        LANGUAGES: written("model languages", [(name, " ".join(new["languages"][name])) for name in new["languages"]]),
        CLASSES: written("tokenizer_class 4 5", [row for row in classes if any(row[1:])]),
        MODELS: written("model_type 4 5 5_registered 5_hub", models),
        METHODS: written("method 4 5", methods),
    }


def written(head: str, rows: Iterable[Iterable[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (head.split(), *rows))


if __name__ == "__main__":
    for path, text in tables().items():
        path.write_text(text, "utf-8")
        print(path, len(text.splitlines()), file=sys.stderr)
