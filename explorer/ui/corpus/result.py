"""Draws the result of a corpus job."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from explorer.analysis.provenance import short_hash
from explorer.corpus.result import Result, ResultRow
from explorer.corpus.table import result_csv
from explorer.ui.corpus.controls import own_file
from explorer.ui.corpus.names import name_in_urls, with_titles
from explorer.ui.links import LINKS, with_links
from explorer.ui.sentence import explained, sentence
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

COMMAND = """python -m explorer corpus -m gpt-2 -m llama-2 texts/*.jsonl --field text --label language \\
    --baseline en --output result.json"""
SHARE = st.column_config.NumberColumn(format="percent")
COUNT = st.column_config.NumberColumn(format="localized")
COLUMN_FORMATS = dict.fromkeys(("documents", "bytes", "words", "tokens"), COUNT) | {
    name: SHARE for name, figure in FIGURES.items() if figure.layout.endswith("%")
}
MAX_CELLS = 10_000
"""Rows times tokenizers of a table on the page."""


def explain() -> None:
    """Draws what the page is for."""
    explained(
        "Tokenizers measured on a whole collection of texts: how many tokens it takes, how evenly they are used, and "
        "which languages pay more. Drop the JSON of a job above, or count a text of your own.",
        key="corpus",
    )


def command() -> None:
    """Draws how to make a result on the command line."""
    st.code(COMMAND, language="sh", wrap_lines=True)


def show(made: Result) -> None:
    """Draws every part of a result, its tokenizers by the names people know."""
    result = with_titles(made)
    sentence(corpus_say(result), key="corpus_say")
    bars_part(result)
    if result.labels:
        map_part(result, result.labels, "By label", "labels")
    if len(result.files) > 1:
        map_part(result, result.files, "By file", "files")
    table_part(result, made)
    lengths_part(result)
    frequent_part(result)


def choose_measure(names: Sequence[str], key: str) -> str:
    """Draws the choice of a measure, explains it, and returns its name."""
    chosen = st.selectbox("Measure", names, key=key, width=240) or names[0]
    explained(f"{chosen}: {FIGURES[chosen].says}.", key=key)
    return chosen


def bars_part(result: Result) -> None:
    """Draws one measure of the whole corpus as bars."""
    names = figures_of([result.total])
    if not names or not any(measures["tokens"] for measures in result.total.measures):
        st.info("This result has no tokens: its files were empty.", icon=":material/inbox:")
        return
    measure = choose_measure(names, "corpus_bars")
    st.altair_chart(bars(result, measure, st.context.theme.type or "light"), width="stretch")


def map_part(result: Result, rows: Sequence[ResultRow], title: str, key: str) -> None:
    """Draws a heat map of labels or files against tokenizers."""
    names = figures_of(rows)
    if not names:
        return
    st.header(title, anchor=False)
    names = sorted(names, key=lambda name: name != "parity")  # the main reason to give labels comes first
    measure = choose_measure(names, f"corpus_{key}")
    if len(rows) > MOST_ROWS:
        st.caption(f"The {MOST_ROWS} largest of {len(rows):,}; the table has all of them.")
    st.altair_chart(heat_map(result, rows, measure), width="stretch")


def table_part(result: Result, made: Result) -> None:
    """Draws a table of all measures, and its download. made: the result with the names of its file."""
    st.header("All numbers", anchor=False)
    tables = {"Whole": (result.total,), "Labels": result.labels, "Files": result.files}
    names = [name for name, rows in tables.items() if rows]
    chosen = names[0]
    if len(names) > 1:
        chosen = st.segmented_control("Rows", names, default=names[0], key="corpus_rows", required=True) or names[0]
    rows = tables[chosen]
    if len(rows) * len(result.tokenizers) > MAX_CELLS:
        rows = rows[: MAX_CELLS // len(result.tokenizers)]
        st.caption(f"The first {len(rows):,} of {len(tables[chosen]):,}; `--output` as CSV has all of them.")
    st.dataframe(wide_table(result, rows), hide_index=True, column_config=COLUMN_FORMATS)
    name = result.made.file_name(f"corpus-{short_hash(repr(result.total))}", "csv")
    with st.container(horizontal=True):
        # a function, so that the file is written when it is requested
        st.download_button("All rows as CSV", lambda: result_csv(made), name, "text/csv", on_click="ignore",
                           icon=":material/download:")  # fmt: skip
        if (kept := own_file()) is not None:
            file, data = kept
            st.download_button("Result as JSON", data, file, "application/json", on_click="ignore", key="corpus_keep",
                               icon=":material/download:", help="Opens here again, and beside others")  # fmt: skip


def lengths_part(result: Result) -> None:
    """Draws the distribution of document lengths."""
    if not any(details.buckets for details in result.details):
        return
    st.header("Document lengths", anchor=False)
    explained(
        "The share of documents with at most so many tokens: how many fit into a model's context window.", key="lengths"
    )
    st.altair_chart(chart_of_lengths(result), width="stretch")


def frequent_part(result: Result) -> None:
    """Draws a tokenizer's most frequent tokens."""
    if not any(details.frequent for details in result.details):
        return
    st.header("Most frequent tokens", anchor=False)
    index = 0
    if len(result.tokenizers) > 1:
        name = st.selectbox("Tokenizer", result.tokenizers, key="corpus_frequent", width=260)
        index = result.tokenizers.index(name) if name in result.tokenizers else 0
    table, name = table_of_frequent(result, index), name_in_urls(result, index)
    table = with_links(table, name) if name else table
    st.dataframe(table, hide_index=True, column_config={"count": COUNT, "share": SHARE, **LINKS})
