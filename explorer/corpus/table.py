"""Writes a result as a table, as CSV or Parquet: one row per tokenizer for the whole, each file and each label."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from explorer.analysis.provenance import Provenance, Record, Table
from explorer.corpus.result import OF_ALL, RATES, SHARES, WHOLE, Checked, Result, provenance
from explorer.corpus.tally import OF_TEXT
from explorer.csv_text import write_csv

MEASURES: Final = ("tokens", "added", *RATES, *(share for share in SHARES if share not in OF_ALL), *OF_ALL)
COLUMNS: Final = ("of", "name", "tokenizer", *OF_TEXT, *MEASURES)


def rows(record: Mapping[str, Any]) -> Iterator[Record]:
    """The rows of a record; missing values are None."""
    labels = [each["label"] for each in record["tokenizers"]]
    groups = [("total", record["total"])]
    groups += [("file", each) for each in record["files"]] + [("label", each) for each in record["labels"]]
    for kind, group in groups:
        for label, measures in zip(labels, group["tokenizers"], strict=True):
            row = {"of": kind, "name": group.get("name", ""), "tokenizer": label}
            yield row | {key: group[key] for key in OF_TEXT} | {key: measures.get(key) for key in MEASURES}


def rows_of(result: Result) -> Iterator[Record]:
    """The same rows for a result that was read."""
    groups = [("total", result.total)]
    groups += [("file", each) for each in result.files] + [("label", each) for each in result.labels]
    for kind, group in groups:
        name = "" if kind == "total" else group.name
        for label, measures in zip(result.tokenizers, group.measures, strict=True):
            row = {"of": kind, "name": name, "tokenizer": label}
            yield row | dict(group.text) | {key: whole(key, measures.get(key)) for key in MEASURES}


def whole(key: str, value: float | None) -> float | None:
    """A measure; counts as whole numbers."""
    return int(value) if value is not None and key in WHOLE else value


def with_made(rows: Iterable[Mapping[str, Any]], made: Provenance) -> Table:
    """The heading and the rows, with columns for their provenance."""
    return made.columns([list(COLUMNS), *([row[name] for name in COLUMNS] for row in rows)], {"": "tokenizer"})


def table(record: Mapping[str, Any]) -> Table:
    return with_made(rows(record), provenance(Checked(record, "the file", "the result")))


def result_csv(result: Result) -> str:
    """The table of a result that was read, as CSV."""
    return write_csv(with_made(rows_of(result), result.made))


def as_csv(record: Mapping[str, Any]) -> bytes:
    """The table as CSV in UTF-8; missing values are empty."""
    return write_csv(table(record)).encode()


def as_parquet(record: Mapping[str, Any]) -> bytes:
    """The table as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    heading, *body = table(record)
    counts = {*OF_TEXT, *WHOLE}
    kinds = {name: pa.int64() if name in counts else pa.float64() for name in COLUMNS[3:]}
    kinds |= dict.fromkeys(("add_special", "parse_special", "pattern_typed"), pa.bool_())
    schema = pa.schema([(str(name), kinds.get(str(name), pa.string())) for name in heading])
    written = io.BytesIO()
    columns = [dict(zip(schema.names, row, strict=True)) for row in body]
    parquet.write_table(pa.Table.from_pylist(columns, schema), written)
    return written.getvalue()
