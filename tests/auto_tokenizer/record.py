"""Records the originals' answers for some of the folders, for the tests that run without the originals.

python -m tests.auto_tokenizer.record
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.implementations.transformers.arguments import VERSIONS
from tests.auto_tokenizer.comparing import OWN_TEXTS, originals
from tests.auto_tokenizer.folders import CLASSES, Case, cases

RECORDED = Path(__file__).with_name("recorded.json")
LEAST = ("plain", "clean", "map", "added")
"""Changes recorded for every class of `CLASSES`; the others only for the first class of each base in WHOLLY.

Of the classes of `OF_CLASSES` only "plain" is recorded.
"""
WHOLLY = ("gpt2", "llama", "bert", "xlm-r")
TEXTS = OWN_TEXTS[:3]


def chosen() -> Iterator[Case]:
    """The folders to record."""
    for case in cases():
        base, kind, change = (*case.name.split("."), "", "")[:3]
        if base.startswith("of-"):
            if change == "plain":
                yield case
        elif base in ("type", "only"):
            if case.name.count(".") < 2 or ".GPT2Tokenizer." in case.name:
                yield case
        elif change in LEAST or (base in WHOLLY and kind == CLASSES[base][0]):
            yield case


def record() -> dict[str, Any]:
    """The record, with each distinct answer written once."""
    answers: dict[str, int] = {}
    recorded: dict[str, dict[str, int]] = {}
    some = list(chosen())
    with tempfile.TemporaryDirectory() as root:
        for version in VERSIONS:
            folders = [case.written(Path(root) / str(version)) for case in some]
            found = originals(version, folders, TEXTS)
            recorded[VERSIONS[version]] = {
                case.name: answers.setdefault(json.dumps(short(each)), len(answers))
                for case, each in zip(some, found, strict=True)
            }
    return {"texts": TEXTS, "folders": recorded, "answers": [json.loads(each) for each in answers]}


def short(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without machine-dependent text; null repeats the value before it."""
    if "error" in answer:
        return {"error": answer["error"].partition(":")[0]}
    return answer | {
        "answers": [
            short(each)
            if isinstance(each, dict)
            else [each[0], None if each[1] == each[0] else each[1], each[2], None if each[3] == each[2] else each[3]]
            for each in answer["answers"]
        ]
    }


def whole(answer: dict[str, Any]) -> dict[str, Any]:
    """Undoes `short`."""
    return {
        key: [
            [ids, ids if bare is None else bare, plain, plain if hidden is None else hidden]
            for ids, bare, plain, hidden in value
        ]
        if key == "answers" and all(isinstance(each, list) for each in value)
        else value
        for key, value in answer.items()
    }


if __name__ == "__main__":
    made = record()
    lines = ",\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in made.pop("answers"))
    RECORDED.write_text(json.dumps(made, ensure_ascii=False)[:-1] + ', "answers": [\n' + lines + "\n]}\n", "utf-8")
    print(RECORDED, RECORDED.stat().st_size, "bytes", file=sys.stderr)
