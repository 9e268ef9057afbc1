"""What every export must contain, whatever its form."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pandas as pd

import explorer
from explorer.analysis.what_if import WORDS
from explorer.csv_text import exact


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def hold(
    form: str, written: str, tokenizers: Sequence[explorer.Tokenizer], text: str | None, options: dict[str, Any]
) -> None:
    """Raises AssertionError if an export does not state its provenance.

    tokenizers: as the asker had them. options: those that were in force; more may be there.
    """
    {"json": json_holds, "csv": csv_holds, "md": markdown_holds}[form](written, tokenizers, text, options)


def json_holds(
    written: str, tokenizers: Sequence[explorer.Tokenizer], text: str | None, options: dict[str, Any]
) -> None:
    record = json.loads(written)
    assert re.fullmatch(r"tokenizer-explorer [a-z-]+ [1-9][0-9]*", record["format"])
    found = record["provenance"]
    assert found["explorer"] == explorer.__version__
    assert (found["text"], found["text_sha256"]) == (text, None if text is None else digest(text))
    assert {name: found["options"][name] for name in options} == options
    assert len(found["tokenizers"]) == len(tokenizers)
    assert len({each["label"] for each in found["tokenizers"]}) == len(tokenizers)
    for each, tok in zip(found["tokenizers"], tokenizers, strict=True):
        assert (each["model"], each["implementation"]) == (tok.name, tok.implementation)
        assert each["files"]
        assert [file["sha256"] for file in each["files"]] == [file.sha256 for file in tok.origin.files]
        assert each["choices"] == dict(tok.origin.choices)
        typed = [(one["number"], one["regex"]) for one in each["patterns"] if one["typed"]]
        assert typed == [tuple(one) for one in tok.origin.patterns]


def csv_holds(
    written: str, tokenizers: Sequence[explorer.Tokenizer], text: str | None, options: dict[str, Any]
) -> None:
    table = pd.read_csv(io.StringIO(written, newline=""), dtype=str, keep_default_na=False)
    assert len(table)
    assert len(set(table.columns)) == len(table.columns)
    assert set(table["explorer"]) == {explorer.__version__}
    for name, value in options.items():
        assert set(table[name]) == {str(value)}, name
    if text is None:
        assert "whole_text" not in table
    else:
        assert list(map(exact, table["whole_text"])) == [text] + [""] * (len(table) - 1)
        assert set(table["text_sha256"]) == {digest(text)}
    sides = ["left_", "right_"] if "left_model" in table else [""]
    named: list[tuple[str, str, str]] = []
    for prefix in sides:
        columns = [f"{prefix}{name}" for name in ("model", "implementation", "file_sha256")]
        named += [tuple(row) for row in table[columns].drop_duplicates().to_numpy().tolist()]
    wanted = [(tok.name, tok.implementation, " ".join(f.digest for f in tok.origin.files)) for tok in tokenizers]
    assert sorted(set(named)) == sorted(set(wanted))
    typed = [regex for tok in tokenizers for _, regex in tok.origin.patterns]
    assert any((table[f"{prefix}pattern_typed"] == "True").any() for prefix in sides) == bool(typed)
    for regex in typed:
        found = [value for prefix in sides for value in map(exact, table[f"{prefix}pattern"])]
        assert any(regex in value for value in found)
        assert any(digest(regex) in value for prefix in sides for value in table[f"{prefix}pattern_sha256"])


def markdown_holds(
    written: str, tokenizers: Sequence[explorer.Tokenizer], text: str | None, options: dict[str, Any]
) -> None:
    assert f"- Tokenizer explorer {explorer.__version__}" in written
    said = next(line for line in written.splitlines() if line.startswith("- Options: "))
    for name, value in options.items():
        switch = WORDS[name.replace("_", " ")]["shown"]
        assert f"{'with' if value else 'without'} “{switch}”" in said
    for tok in tokenizers:
        (line,) = {
            line for line in written.splitlines() if f"model `{tok.name}` as `{tok.implementation}` runs it" in line
        } or {""}
        assert line
        assert all(file.sha256 in line for file in tok.origin.files)
        for _, regex in tok.origin.patterns:
            assert json.dumps(regex, ensure_ascii=False) in written.splitlines()
    if text is not None:
        assert digest(text) in written
        assert json.dumps(text, ensure_ascii=False) in written.splitlines()
