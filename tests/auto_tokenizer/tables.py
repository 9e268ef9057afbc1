"""Generates the tables of `explorer/implementations/transformers/` from the versions.

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

from explorer.implementations import transformers
from explorer.implementations.transformers.arguments import VERSIONS
from tests.auto_tokenizer.environments import python

CLASSES, LANGUAGES, METHODS, MODELS = (
    Path(transformers.__file__).with_name(f"{name}.tsv") for name in ("classes", "languages", "methods", "models")
)
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
    names = {*BASES, *(name for version in VERSIONS for name in library_answers(version, ())["classes"])}
    found = {version: library_answers(version, names) for version in sorted(VERSIONS)}
    every, old = found.values(), found[4]
    classes = [(name, *(each["classes"][name] for each in every)) for name in sorted(names)]
    models = []
    for kind in sorted({kind for each in every for kind in each["models"]}):
        row = [old["models"].get(kind, [""])[0]]
        for version, each in found.items():
            row += each["models"].get(kind, ["", "", ""]) if version != 4 else ()
        if (
            row[0]
            or any(registered or wrong for registered, wrong in zip(row[2::3], row[3::3], strict=True))
            or any(by_config not in (DEFAULT, "") for by_config in row[1::3])
        ):
            models.append((kind, *row))
    methods = [
        (name, *("x" if name in each["methods"] else "" for each in every))
        for name in sorted({name for each in every for name in each["methods"]})
    ]
    assert all(each["languages"] == old["languages"] for each in every), "the table has one column for all"
    heads = " ".join(map(str, found))
    of_models = " ".join(f"{version} {version}_registered {version}_hub" for version in found if version != 4)
    return {
        LANGUAGES: written("model languages", [(name, " ".join(codes)) for name, codes in old["languages"].items()]),
        CLASSES: written(f"tokenizer_class {heads}", [row for row in classes if any(row[1:])]),
        MODELS: written(f"model_type 4 {of_models}", models),
        METHODS: written(f"method {heads}", methods),
    }


def written(head: str, rows: Iterable[Iterable[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (head.split(), *rows))


if __name__ == "__main__":
    for path, text in tables().items():
        path.write_text(text, "utf-8")
        print(path, len(text.splitlines()), file=sys.stderr)
