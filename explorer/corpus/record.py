"""The result of a job: measures from its tally, as one record, written as JSON, or as a table in CSV or Parquet.

Words are runs of characters other than white space. So fertility means nothing for scripts without spaces; use bytes
per token there. Rényi efficiency is that of Zouhar et al. (2023), alpha 2.5: the Rényi entropy of the tokens divided
by the logarithm of the vocabulary's size, 1 if all tokens are equally common. Parity compares the tokens per document
with those of the baseline label (Petrov et al. 2023). It is a premium for the same content only if the documents of
each label have the same content. `needs` says what a corpus of any size would take at these rates.

A table has one row per tokenizer for the whole, each file and each label. Nothing in a result depends on when, where or
with how many workers it was computed, so the same corpus gives the same bytes.
"""

import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from explorer.analysis.export import Provenance, Table
from explorer.corpus.counter import OF_TEXT, OF_TOKENS, Tally, TokenizerStats, Whole, bounds_of, stats_of, tokenizers
from explorer.corpus.result import FORMAT, OF_ALL, RATES, SHARES, WHOLE, Result, Sources, provenance
from explorer.corpus.run import Plan
from explorer.csv_text import write_csv
from explorer.errors import InputError, shown
from explorer.formats.structs import convert
from explorer.stages.spelling import Form, Speller
from explorer.tables import Json, Record

ALPHA = 2.5
MOST_FREQUENT = 50

WORD_RULE = "a word is a run of characters other than white space"


def ratio(part: float, whole: float) -> float | None:
    """part / whole; None if whole is 0."""
    return part / whole if whole else None


def text_numbers(row: Whole) -> dict[str, int]:
    """A row's counts of the text."""
    return dict(zip(OF_TEXT, row[: len(OF_TEXT)].tolist(), strict=True))


def token_numbers(row: Whole, tokenizer: int) -> dict[str, int]:
    """A row's counts of a tokenizer's tokens."""
    first = len(OF_TEXT) + tokenizer * len(OF_TOKENS)
    return dict(zip(OF_TOKENS, row[first : first + len(OF_TOKENS)].tolist(), strict=True))


def token_measures(row: Whole, tokenizer: int) -> Record:
    """The measures of a row under a tokenizer. Rates and shares count the tokens of the text, not the added ones.

    >>> row = np.array([2, 12, 12, 3, 2, 0, 0, 8, 2, 0, 0, 3])
    >>> measures = token_measures(row, 0)
    >>> measures["bytes_per_token"], measures["fertility"], measures["single_byte_share"]
    (2.0, 2.0, 0.5)
    """
    text, tokens = text_numbers(row), token_numbers(row, tokenizer)
    count = text_tokens(tokens)
    return {
        "tokens": tokens["tokens"],
        "added": tokens["added"],
        "bytes_per_token": ratio(text["bytes"], count),
        "characters_per_token": ratio(text["characters"], count),
        "fertility": ratio(count, text["words"]),
        "unknown_share": ratio(tokens["unknown"], count),
        "byte_fallback_share": ratio(tokens["byte_fallback"], count),
        "single_byte_share": ratio(tokens["single_byte"], count),
    }


def text_tokens(tokens: Mapping[str, int]) -> int:
    """The number of tokens that come from the text."""
    return tokens["tokens"] - tokens["added"]


def parity(row: Whole, base: Whole | None, tokenizer: int) -> float | None:
    """Tokens per document, as a multiple of the baseline's."""
    if base is None:
        return None
    own, its = (
        ratio(text_tokens(token_numbers(each, tokenizer)), text_numbers(each)["documents"]) for each in (row, base)
    )
    return ratio(own, its) if own is not None and its is not None else None


def renyi_efficiency(counts: Whole) -> float | None:
    """The Rényi efficiency of token counts by id; None without tokens, or for a vocabulary of one entry.

    >>> renyi_efficiency(np.array([7, 7, 7, 7])), renyi_efficiency(np.array([9, 0])) == 0
    (1.0, True)
    """
    total = int(counts.sum())
    if not total or len(counts) < 2:
        return None
    # an exact sum, so that the result is the same on every machine
    power = math.fsum((count / total) ** ALPHA for count in counts[counts > 0].tolist())
    return max(0.0, math.log(power) / (1 - ALPHA) / math.log(len(counts)))


def vocabulary_use(counts: Whole) -> Record:
    """How many entries of the vocabulary occur."""
    used = int(np.count_nonzero(counts))
    return {"vocabulary": len(counts), "vocabulary_used": used, "vocabulary_use": ratio(used, len(counts))}


def quantile(lengths: Whole, share: float, longest: int) -> int | None:
    """The largest length in the bucket that contains the quantile, at most `longest`; None without documents."""
    total = int(lengths.sum())
    if not total:
        return None
    return min(longest, bounds_of(int(np.searchsorted(np.cumsum(lengths), math.ceil(share * total))))[1])


def most_frequent(counts: Whole, stats: TokenizerStats) -> list[Record]:
    """The most frequent tokens; on equal counts, the lower id first.

    piece: as the vocabulary stores it. text: as pages show it, with bytes that are not characters in hexadecimal.
    """
    total = int(counts.sum())
    order = [int(id) for id in np.argsort(-counts, kind="stable")[:MOST_FREQUENT] if counts[id]]
    spelling, shown = stats.tokenizer.vocabulary.spelling, Speller(stats.tokenizer.trace(""), Form.AS_TEXT)
    return [
        {
            "id": id,
            "piece": spelling(id),
            "text": shown.token(id),
            "count": int(counts[id]),
            "share": int(counts[id]) / total,
        }
        for id in order
    ]


SHORT_IDS = 1 << 16
"""So many ids fit into 16 bits."""


class Needs(NamedTuple):
    """What a corpus takes, in bytes. ids_16: None for a vocabulary of more ids. words_of_bytes, words_of_ids: suffix
    arrays of 4 or 8 bytes a position. hours: None without a rate.
    """

    tokens: int
    ids_16: int | None
    ids_32: int
    suffixes_of_bytes: int
    suffixes_of_ids: int
    words_of_bytes: int
    words_of_ids: int
    hours: float | None


def needs(size: int, bytes_per_token: float, vocabulary: int, rate: float = 0.0, cores: int = 1) -> Needs:
    """What a corpus of `size` bytes takes. rate: bytes of text a second on one core, 0 for unknown.

    >>> needs(10**12, 4.0, 50_257, rate=10e6, cores=100)
    Needs(tokens=250000000000, ids_16=500000000000, ids_32=1000000000000, suffixes_of_bytes=5000000000000, \
suffixes_of_ids=1250000000000, words_of_bytes=8000000000000, words_of_ids=2000000000000, hours=0.2777777777777778)
    """
    tokens = round(size / bytes_per_token) if bytes_per_token > 0 else 0
    return Needs(
        tokens,
        2 * tokens if vocabulary <= SHORT_IDS else None,
        4 * tokens,
        size * position_bytes(size),
        tokens * position_bytes(tokens),
        size * word_bytes(size),
        tokens * word_bytes(tokens),
        size / rate / cores / 3600 if rate > 0 and cores > 0 else None,
    )


def position_bytes(places: int) -> int:
    """The bytes of a number that names any of these places.

    >>> position_bytes(256), position_bytes(257), position_bytes(10**12)
    (1, 2, 5)
    """
    return max(1, ((places - 1).bit_length() + 7) // 8) if places > 0 else 0


def word_bytes(places: int) -> int:
    """The bytes of a position in 32 bits, or in 64 where they don't suffice.

    >>> word_bytes(1 << 32), word_bytes((1 << 32) + 1)
    (4, 8)
    """
    return 4 if places <= 1 << 32 else 8


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
    measures = []
    for index, model in enumerate(plan.work.models):
        counts, stats = tally.counts[index], stats_of(model)
        by_size = np.bincount(stats.sizes, weights=counts, minlength=1)
        lengths, longest = tally.lengths[index], tally.longest[index]
        measures.append(
            token_measures(tally.total, index)
            | vocabulary_use(counts)
            | {
                "renyi_efficiency": renyi_efficiency(counts),
                "document_tokens": {
                    "mean": ratio(token_numbers(tally.total, index)["tokens"], text_numbers(tally.total)["documents"]),
                    "half_up_to": quantile(lengths, 0.5, longest),
                    "95_percent_up_to": quantile(lengths, 0.95, longest),
                    "longest": longest,
                    # smallest and largest length, and the number of documents
                    "buckets": [[*bounds_of(int(each)), int(lengths[each])] for each in np.flatnonzero(lengths)],
                },
                "token_bytes": {str(size): int(by_size[size]) for size in np.flatnonzero(by_size)},
                "most_frequent": most_frequent(counts, stats),
            }
        )
    return measures


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


def as_json(record: Json) -> bytes:
    """The record as JSON in UTF-8."""
    return f"{json.dumps(record, ensure_ascii=False, indent=1)}\n".encode()


MEASURES = ("tokens", "added", *RATES, *(share for share in SHARES if share not in OF_ALL), *OF_ALL)
COLUMNS = ("of", "name", "tokenizer", *OF_TEXT, *MEASURES)


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


def with_made(rows: Iterable[Json], provenance: Provenance) -> Table:
    """The heading and the rows, with columns for their provenance."""
    return provenance.columns([list(COLUMNS), *([row[name] for name in COLUMNS] for row in rows)], {"": "tokenizer"})


def table(record: Json) -> Table:
    """The table of a record."""
    kinds = ("total", [record["total"]]), ("file", record["files"]), ("label", record["labels"])
    groups = ((kind, each.get("name", ""), each, each["tokenizers"]) for kind, all_of_it in kinds for each in all_of_it)
    made = provenance(convert(record, Sources, "the result"))
    return with_made(rows([each["label"] for each in record["tokenizers"]], groups), made)


def result_csv(result: Result) -> str:
    """The table of a result that was read, as CSV."""
    kinds = ("total", [result.total._replace(name="")]), ("file", result.files), ("label", result.labels)
    groups = ((kind, each.name, each.text, each.measures) for kind, all_of_it in kinds for each in all_of_it)
    return write_csv(with_made(rows(result.tokenizers, groups), result.made))


def as_csv(record: Json) -> bytes:
    """The table as CSV in UTF-8; missing values are empty."""
    return write_csv(table(record)).encode()


def as_parquet(record: Json) -> bytes:
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
