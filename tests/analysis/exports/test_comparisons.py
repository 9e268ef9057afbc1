"""Exports of comparisons: JSON of plain values, tables whose rows have the length of the heading, Markdown."""

from __future__ import annotations

import csv
import io
import json

import pytest

from explorer.analysis import comparison_exports
from explorer.analysis.boundary.followers import stability
from explorer.analysis.comparison_exports import comparison_lines
from explorer.analysis.divergence.result import Comparison, run
from explorer.analysis.expected.explainer import explain
from explorer.analysis.export import table_lines
from explorer.analysis.languages import languages, measure
from explorer.analysis.ownership import align
from explorer.analysis.what_if import Variation, flip, variations
from explorer.csv_text import exact, write_csv
from tests.analysis.pairs import compared
from tests.bundled import bundled

TEXT = 'A\u030a "q", a|b\nis ﬁ <s>'


def flips() -> list[tuple[Variation, Comparison]]:
    tok = bundled("llama-2")
    return [(each, flip(run(tok, TEXT), each, open_other=bundled)) for each in variations(tok, TEXT)]


def all_tables() -> dict[str, list[list[object]]]:
    toks = [bundled(name) for name in ("llama-2", "gpt-2")]
    comparison = compared("qwen2.5@huggingface", "qwen2.5@llama.cpp", TEXT)
    explained = explain(toks[0], "What is", [1, 1724, 5], open_other=bundled)
    few = [languages()[code] for code in ("en", "ja")]
    return {
        "alignment": comparison_exports.alignment_rows(align(TEXT, [(tok.name, tok.encode(TEXT)) for tok in toks])),
        "comparison": comparison_exports.comparisons_rows([comparison]),
        "expected": comparison_exports.explained_rows({"llama-2": explained}),
        "flips": comparison_exports.flips_rows(flips()),
        "typing": comparison_exports.stability_rows(stability(toks[1], "token")),
        "languages": comparison_exports.languages_rows(measure(few, toks, "en")),
    }


@pytest.mark.parametrize("name", ["alignment", "comparison", "expected", "flips", "typing", "languages"])
def test_tables_come_back_from_csv_and_keep_their_shape_in_markdown(name: str) -> None:
    rows = all_tables()[name]
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])}
    shown = [["" if value is None else str(value) for value in row] for row in rows]
    read = csv.reader(io.StringIO(write_csv(rows), newline=""))
    assert [[exact(cell) for cell in row] for row in read] == shown
    lines = table_lines([], rows)
    assert len(lines) == len(rows) + 1, "a row is one line, whatever its cells contain"


def test_records_are_plain_values() -> None:
    tok = bundled("gpt-2")
    comparison = compared("qwen2.5@huggingface", "qwen2.5@llama.cpp", TEXT)
    for record in (
        comparison_exports.alignment_record(align(TEXT, [("gpt-2", tok.encode(TEXT))])),
        comparison_exports.comparison_record(comparison),
        comparison_exports.explanation_record(explain(tok, "is", [271], open_other=bundled)),
        comparison_exports.flips_record(flips()),
        comparison_exports.stability_record(stability(tok, TEXT)),
        comparison_exports.languages_record(measure([languages()["en"], languages()["ja"]], [tok], "en")),
    ):
        written = json.dumps(record)
        assert json.dumps(json.loads(written)) == written


def test_expected_ids_by_eye() -> None:
    explained = explain(bundled("llama-2"), "What is", [1, 1724, 5], open_other=bundled)
    assert comparison_exports.explained_rows({"x": explained})[1:] == [
        ["x", None, 0, 1, "<s>", 0, 1, "<s>", None, None, None, True],
        ["x", None, 1, 1724, "▁What", 1, 1724, "▁What", 0, 4, "What", True],
        ["x", 1, 2, 5, "<0x02>", 2, 338, "▁is", 4, 7, " is", False],
    ]


def test_a_growing_text_by_eye() -> None:
    record = comparison_exports.stability_record(stability(bundled("gpt-2"), "token"))
    assert [prefix["ids"] for prefix in record["prefixes"]] == [[83], [1462], [83, 482], [1462, 365], [30001]]


def test_long_tables_end_with_the_number_of_omitted_rows() -> None:
    assert table_lines([], [["n"], *([i] for i in range(105))])[-3:] == ["| 99 |", "", "And 5 more."]


def test_an_insertion_is_shown_as_a_position() -> None:
    found = compared("gpt-2", "llama-2", "What")
    rows = align("What", [(side.label, bundled(side.label).encode("What")) for side in (found.left, found.right)])
    lines = comparison_lines(rows, [found])
    positions = [line.split(" | ")[2] for line in lines if line.startswith(("| post-process", "| normalize"))]
    assert positions == ["before 1", "1 to 4"]
