"""docs/exports.md names every kind, key and column."""

from __future__ import annotations

import re
from pathlib import Path

import explorer
from explorer.analysis.export import SCHEMAS, Provenance
from explorer.corpus.ids_file import FORMAT as IDS
from explorer.corpus.result import FORMAT as CORPUS
from explorer.engine.part import Options
from tests.bundled import bundled

DOCS = Path(explorer.__file__).parent.parent / "docs" / "exports.md"


def test_every_kind_key_and_column_is_documented() -> None:
    said = set(re.findall(r"`([^`]+)`", DOCS.read_text("utf-8")))
    made = Provenance.of([bundled("gpt-2")], "hi", Options())
    record = made.record()
    (tokenizer,) = record["tokenizers"]
    columns = made.columns([["tokenizer"], ["gpt-2"]], {"": "tokenizer"}, {"gpt-2": "It is so."})[0][1:]
    assert said >= {*SCHEMAS, CORPUS.split()[1], IDS.split()[1]}
    assert said >= {*record, *record["options"], *tokenizer, *tokenizer["files"][0], *tokenizer["patterns"][0]}
    assert said >= set(map(str, columns))
