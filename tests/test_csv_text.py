"""CSV is written in one place, and what was written is read again."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.csv_text import exact, write_csv

ROOT = Path(explorer.__file__).parent

CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12) | st.text(
    "='+-@\t\r\n a＝", max_size=6
)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8))
def test_what_was_written_is_read_again(rows: list[list[str]]) -> None:
    written = write_csv([["a", "b", "c"], *rows])
    found = list(csv.reader(io.StringIO(written, newline="")))
    assert [[exact(cell) for cell in row] for row in found] == [["a", "b", "c"], *rows]
    read = pd.read_csv(io.BytesIO(written.encode()), dtype=str, keep_default_na=False)
    assert [[exact(cell) for cell in row] for row in read.to_numpy().tolist()] == rows


@pytest.mark.long
def test_nothing_else_writes_csv() -> None:
    """What is done to cells for the sake of spreadsheets is done once, so every CSV goes the same way."""
    for path in ROOT.rglob("*.py"):
        if path.name != "csv_text.py":
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                name = node.attr if isinstance(node, ast.Attribute) else ""
                of = node.value.id if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) else ""
                assert name not in ("to_csv", "DictWriter"), path
                assert (of, name) != ("csv", "writer"), path
