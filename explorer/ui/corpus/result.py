"""The Corpus page: what is shown of a result."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from explorer.analysis.provenance import short_hash
from explorer.corpus.result import Result, Row
from explorer.corpus.table import result_csv
from explorer.ui.sentence import sentence
from explorer.views.corpus.charts import (
    FIGURES,
    MOST_ROWS,
    bars,
    chart_of_lengths,
    corpus_say,
    figures_of,
    heat_map,
    table_of_frequent,
    wide_table,
)

HOW = """python -m explorer corpus -m gpt-2 -m llama-2 texts/*.jsonl --field text --label language \\
    --baseline en --output result.json"""
SHARE = st.column_config.NumberColumn(format="percent")
COUNT = st.column_config.NumberColumn(format="localized")
FORMS = dict.fromkeys(("documents", "bytes", "words", "tokens"), COUNT) | {
    name: SHARE for name, figure in FIGURES.items() if figure.layout.endswith("%")
}
MOST_OF_TABLE = 10_000


def explain() -> None:
    """What to do where there is no result yet."""
    st.caption("A result is made on the command line, where the texts are; a corpus may be larger than any page:")
    st.code(HOW, language="sh", wrap_lines=True)


def show(result: Result) -> None:
    """Everything."""
    sentence(corpus_say(result), key="corpus_say")
    bars_part(result)
    if result.labels:
        map_part(result, result.labels, "By label", "labels")
    if len(result.files) > 1:
        map_part(result, result.files, "By file", "files")
    table_part(result)
    lengths_part(result)
    frequent_part(result)


def figure(names: Sequence[str], key: str) -> str:
    """Which measure is drawn, and what it is."""
    chosen = st.selectbox("Measure", names, key=key, width=240) or names[0]
    st.caption(f"{chosen}: {FIGURES[chosen].says}.")
    return chosen


def bars_part(result: Result) -> None:
    names = figures_of([result.total])
    if not names or not any(measures["tokens"] for measures in result.total.measures):
        st.info("There is no token in this result: its files were empty.", icon=":material/inbox:")
        return
    st.altair_chart(bars(result, figure(names, "corpus_bars"), st.context.theme.type or "light"), width="stretch")


def map_part(result: Result, rows: Sequence[Row], title: str, key: str) -> None:
    """Labels or files against tokenizers."""
    names = figures_of(rows)
    if not names:
        return
    st.subheader(title, anchor=False)
    names = sorted(names, key=lambda name: name != "parity")  # what labels are there for comes first
    chosen = figure(names, f"corpus_{key}")
    if len(rows) > MOST_ROWS:
        st.caption(f"The {MOST_ROWS} largest of {len(rows):,}; the table has them all.")
    st.altair_chart(heat_map(result, rows, chosen), width="stretch")


def table_part(result: Result) -> None:
    """All numbers; a click on a heading sorts by it."""
    st.subheader("All numbers", anchor=False)
    tables = {"Whole": (result.total,), "Labels": result.labels, "Files": result.files}
    names = [name for name, rows in tables.items() if rows]
    chosen = names[0]
    if len(names) > 1:
        chosen = st.segmented_control("Rows", names, default=names[0], key="corpus_rows", required=True) or names[0]
    rows = tables[chosen]
    if len(rows) * len(result.tokenizers) > MOST_OF_TABLE:
        rows = rows[: MOST_OF_TABLE // len(result.tokenizers)]
        st.caption(f"The first {len(rows):,} of {len(tables[chosen]):,}; `--output` as CSV has them all.")
    st.dataframe(wide_table(result, rows), hide_index=True, column_config=FORMS)
    # written only when somebody asks for it
    name = result.made.file_name(f"corpus-{short_hash(repr(result.total))}", "csv")
    st.download_button("All rows as CSV", lambda: result_csv(result), name, "text/csv", on_click="ignore",
                       icon=":material/download:")  # fmt: skip


def lengths_part(result: Result) -> None:
    if not any(details.buckets for details in result.details):
        return
    st.subheader("How long documents are", anchor=False)
    st.caption("The share of the documents that have at most so many tokens: what fits into a model's window.")
    st.altair_chart(chart_of_lengths(result), width="stretch")


def frequent_part(result: Result) -> None:
    if not any(details.frequent for details in result.details):
        return
    st.subheader("Most frequent tokens", anchor=False)
    place = 0
    if len(result.tokenizers) > 1:
        name = st.selectbox("Tokenizer", result.tokenizers, key="corpus_frequent", width=260)
        place = result.tokenizers.index(name) if name in result.tokenizers else 0
    st.dataframe(table_of_frequent(result, place), hide_index=True, column_config={"count": COUNT, "share": SHARE})
