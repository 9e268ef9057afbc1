"""Makes the result of a job from its tally, as one record, and writes it as JSON, or as a table in CSV or Parquet.

A table has one row per tokenizer for the whole, each file and each label. Nothing in a result depends on when, where or
with how many workers it was computed, so the same corpus gives the same bytes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from explorer.analysis.export import Provenance, Record, Table
from explorer.corpus.measures import (
    ALPHA,
    WORD_RULE,
    document_lengths,
    most_frequent,
    parity,
    renyi_efficiency,
    text_numbers,
    token_lengths,
    token_measures,
    vocabulary_use,
)
from explorer.corpus.models import stats_of, tokenizers
from explorer.corpus.result import FORMAT, OF_ALL, RATES, SHARES, WHOLE, Checked, Result, provenance
from explorer.corpus.run import Plan
from explorer.corpus.tally import OF_TEXT, Tally, Whole
from explorer.csv_text import write_csv
from explorer.errors import InputError, shown


def record(plan: Plan, tally: Tally, baseline: str = "") -> Record:
    """The result as plain values. Raises InputError if the baseline is not one of the labels."""
    work = plan.work
    opened = tokenizers(work.models)
    labels = dict(sorted(tally.labels.items()))
    if list(labels) == [""]:
        raise InputError(f"no record has a {shown(work.reading.label)}; choose one of their fields with --label")
    if baseline and baseline not in labels:
        known = ", ".join(shown(name) for name in list(labels)[:10]) or "there are none"
        raise InputError(f"the baseline {shown(baseline)} is not a label ({known}); choose another --baseline")
    base = labels.get(baseline)

    def row(numbers: Whole, **more: Any) -> Record:
        return more | text_numbers(numbers)

    def measured(numbers: Whole) -> list[Record]:
        return [token_measures(numbers, index) for index in range(len(opened))]

    order = {file.shown: index for index, file in enumerate(plan.files)}
    return {
        "format": FORMAT,
        "provenance": made_by(plan, baseline).record(),
        "options": {
            "field": work.reading.field,
            "label": work.reading.label or None,
            "baseline": baseline or None,
            "documents": "files" if work.reading.whole else "lines or records",
            "invalid": work.reading.invalid.value,
            "add_special": work.add_special,
            "parse_special": work.parse_special,
        },
        "rules": {"word": WORD_RULE, "renyi_alpha": ALPHA},
        "files_passed_over": plan.passed_over,
        "tokenizers": [
            {"label": label, "name": each.name, "implementation": each.implementation, "family": each.family,
             "sha256": " ".join(file.digest for file in each.origin.files)}
            for label, each in opened.items()
        ],
        "total": row(tally.total, tokenizers=whole_measures(plan, tally)),
        "files": [
            row(tally.files[name], name=name, tokenizers=measured(tally.files[name]))
            for name in sorted(tally.files, key=order.__getitem__)
        ],
        "labels": [
            row(numbers, name=name, tokenizers=[
                measures | {"parity": parity(numbers, base, index)} for index, measures in enumerate(measured(numbers))
            ])
            for name, numbers in labels.items()
        ],
    }  # fmt: skip


def whole_measures(plan: Plan, tally: Tally) -> list[Record]:
    """The measures of the whole corpus by tokenizer, with those that need counts by id."""
    made = []
    for index, model in enumerate(plan.work.models):
        counts, stats = tally.counts[index], stats_of(model)
        lengths = document_lengths(tally.lengths[index], tally.longest[index], tally.total, index)
        made.append(
            token_measures(tally.total, index)
            | vocabulary_use(counts)
            | {
                "renyi_efficiency": renyi_efficiency(counts),
                "document_tokens": lengths,
                "token_bytes": token_lengths(counts, stats),
                "most_frequent": most_frequent(counts, stats),
            }
        )
    return made


def made_by(plan: Plan, baseline: str = "") -> Provenance:
    """The provenance of a result. It names no text: the record lists the files."""
    work, opened = plan.work, tokenizers(plan.work.models)
    options = {
        "add_special": work.add_special,
        "parse_special": work.parse_special,
        "text_field": work.reading.field,
        "label_field": work.reading.label or None,
        "baseline": baseline or None,
        "one_document": "file" if work.reading.whole else "line or record",
        "invalid": work.reading.invalid.value,
    }
    return replace(Provenance.of(list(opened.values()), labels=list(opened)), options=options)


def as_json(record: Mapping[str, Any]) -> bytes:
    """The record as JSON in UTF-8."""
    return f"{json.dumps(record, ensure_ascii=False, indent=1)}\n".encode()


MEASURES: Final = ("tokens", "added", *RATES, *(share for share in SHARES if share not in OF_ALL), *OF_ALL)
COLUMNS: Final = ("of", "name", "tokenizer", *OF_TEXT, *MEASURES)


Group = tuple[str, str, Mapping[str, int], Iterable[Mapping[str, float | None]]]
"""The whole, a file or a label: which of these, its name, the counts of its text, its measures by tokenizer."""


def rows(tokenizers: Sequence[str], groups: Iterable[Group]) -> Iterator[Record]:
    """The rows of a table; missing values are None."""
    for kind, name, text, measured in groups:
        for tokenizer, measures in zip(tokenizers, measured, strict=True):
            row = {"of": kind, "name": name, "tokenizer": tokenizer} | {key: text[key] for key in OF_TEXT}
            yield row | {key: whole(key, measures.get(key)) for key in MEASURES}


def whole(key: str, value: float | None) -> float | None:
    """A measure; counts as whole numbers."""
    return int(value) if value is not None and key in WHOLE else value


def with_made(rows: Iterable[Mapping[str, Any]], made: Provenance) -> Table:
    """The heading and the rows, with columns for their provenance."""
    return made.columns([list(COLUMNS), *([row[name] for name in COLUMNS] for row in rows)], {"": "tokenizer"})


def table(record: Mapping[str, Any]) -> Table:
    """The table of a record."""
    kinds = ("total", [record["total"]]), ("file", record["files"]), ("label", record["labels"])
    groups = ((kind, each.get("name", ""), each, each["tokenizers"]) for kind, all_of_it in kinds for each in all_of_it)
    made = provenance(Checked(record, "the file", "the result"))
    return with_made(rows([each["label"] for each in record["tokenizers"]], groups), made)


def result_csv(result: Result) -> str:
    """The table of a result that was read, as CSV."""
    kinds = ("total", [result.total._replace(name="")]), ("file", result.files), ("label", result.labels)
    groups = ((kind, each.name, each.text, each.measures) for kind, all_of_it in kinds for each in all_of_it)
    return write_csv(with_made(rows(result.tokenizers, groups), result.made))


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
