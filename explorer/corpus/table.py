"""The result as a table, one row for each tokenizer on the whole, each file and each label; as CSV or Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any, Final

from explorer.corpus.result import OF_ALL, RATES, SHARES
from explorer.corpus.tally import OF_TEXT
from explorer.csv_text import write_csv

MEASURES: Final = ("tokens", *RATES, *(share for share in SHARES if share not in OF_ALL), *OF_ALL)
COLUMNS: Final = ("of", "name", "tokenizer", *OF_TEXT, *MEASURES)


def rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows; what a row does not have is None."""
    labels = [each["label"] for each in record["tokenizers"]]
    groups = [("total", record["total"])]
    groups += [("file", each) for each in record["files"]] + [("label", each) for each in record["labels"]]
    for kind, group in groups:
        for label, measures in zip(labels, group["tokenizers"], strict=True):
            row = {"of": kind, "name": group.get("name", ""), "tokenizer": label}
            yield row | {key: group[key] for key in OF_TEXT} | {key: measures.get(key) for key in MEASURES}


def as_csv(record: Mapping[str, Any]) -> bytes:
    """The table as CSV in UTF-8; what is not known is empty."""
    return write_csv([COLUMNS, *([row[name] for name in COLUMNS] for row in rows(record))]).encode()


def as_parquet(record: Mapping[str, Any]) -> bytes:
    """The table as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    whole = {*OF_TEXT, "tokens", "vocabulary", "vocabulary_used"}
    kinds = {name: pa.int64() if name in whole else pa.float64() for name in COLUMNS[3:]}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    written = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows(record)), schema), written)
    return written.getvalue()
