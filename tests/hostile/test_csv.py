"""Spreadsheets evaluate no cell of a CSV, whatever is in it: tokens, labels, file names, texts, patterns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from explorer.cli.main import main
from explorer.csv_text import exact
from tests.corpus.command import GPT2, result
from tests.ui.small_files import tokenizer_json

SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def cells(written: str) -> list[list[str]]:
    found = list(csv.reader(io.StringIO(written, newline="")))
    for row in found:
        for cell in row:
            assert not cell.startswith(SIGNS) or is_number(cell), cell
    return found


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


LABELS = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(1)", "\tx", "\rx", "'=1", "plain", "''-"]


def test_labels_and_file_names_of_a_corpus_job(tmp_path: Path) -> None:
    source = tmp_path / "=1+1.jsonl"
    source.write_text("".join(json.dumps({"text": "a", "label": label}) + "\n" for label in LABELS), "utf-8")
    record = result(tmp_path / "out.json", source, "--label", "label")
    assert main([*GPT2, str(source), "--label", "label", "--output", str(tmp_path / "out.csv")]) == 0
    heading, *rows = cells((tmp_path / "out.csv").read_bytes().decode())
    names: dict[str, list[str]] = {"total": [], "file": [], "label": []}
    for row in rows:
        names[row[heading.index("of")]].append(exact(row[heading.index("name")]))
    assert sorted(names["label"]) == sorted(LABELS) == sorted(each["name"] for each in record["labels"])
    assert names["file"] == [each["name"] for each in record["files"]]


@pytest.mark.parametrize("text", ["=1+1", "@a\t=2", "-1", "+", "\t=1", "'=1"])
def test_tokens_and_texts_of_a_comparison(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "-m", "gpt-2", "-m", "llama-2", "--csv", "--", text]) in (0, 1)
    found = cells(capsys.readouterr().out)
    assert any(text in map(exact, row) for row in found), "the text itself is in it"


def names_of(files: Sequence[Path]) -> list[str]:
    return [file.name for file in files]


def test_the_name_of_a_dropped_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "=HYPERLINK(1).json"
    path.write_bytes(tokenizer_json())
    assert main(["compare", "-m", str(path), "-m", "gpt-2", "--csv", "ab"]) in (0, 1)
    assert any(names_of([path])[0] in map(exact, row) for row in cells(capsys.readouterr().out))
