"""The measures of a result: one as bars or as a map, all as a table, and two results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import pandas as pd
import streamlit as st

from explorer.analysis.provenance import short_hash
from explorer.corpus.record import result_csv
from explorer.corpus.result import Result, ResultRow
from explorer.ui.components.sentence import explained, headline
from explorer.ui.corpus.controls import BESIDE, choose_beside, own_file, with_titles
from explorer.ui.widget_values import linked_choices
from explorer.views.corpus.charts import (
    FIGURES,
    MOST_ROWS,
    bars,
    figures_of,
    heat_map,
    long_table,
    wide_table,
)
from explorer.views.corpus.sentences import corpus_said
from explorer.views.premiums import LOST_FROM

SHARE = st.column_config.NumberColumn(format="percent")
DIGITS = 3
"""Digits of a measure; more say nothing about another corpus."""
COUNT = st.column_config.NumberColumn(format="localized")
COLUMN_FORMATS = dict.fromkeys(("documents", "bytes", "words", "tokens", "added"), COUNT) | {
    name: st.column_config.NumberColumn(
        format=f"%.{DIGITS}g" + " %%" * figure.layout.endswith("%"), help=f"{figure.says}."
    )
    for name, figure in FIGURES.items()
}
ALL: Final = "all of them"
MAX_CELLS = 10_000
"""Rows times tokenizers of a table on the page."""


def whole_part(result: Result) -> None:
    """Draws one measure of the whole corpus as bars, or that of two results side by side."""
    other = choose_beside()
    if other is not None:
        show_beside(result, with_titles(other))
        return
    headline(*corpus_said(result), key="corpus_say")
    measure = choose_measure(figures_of([result.total]), "corpus_bars")
    st.altair_chart(bars(result, measure, st.context.theme.type or "light"), width="stretch")


def choose_measure(names: Sequence[str], key: str) -> str:
    """Draws the choice of a measure, explains it, and returns its name."""
    chosen = st.selectbox("Measure", names, key=key, width=240) or names[0]
    explained(f"{chosen}: {FIGURES[chosen].says}.", key=key)
    return chosen


def show_beside(left: Result, right: Result) -> None:
    """Draws both results, their tokenizers by the names people know."""
    both = [with_titles(each) for each in (left, right)]
    shared = [name for name in figures_of([both[0].total]) if name in figures_of([both[1].total])]
    if not shared:
        st.info("These two results share no measure: one of them has no tokens.", icon=":material/inbox:")
        return
    measure = choose_measure(shared, "corpus_beside_measure")
    names = [str(linked_choices().kept[key]) for key in ("result", BESIDE)]
    for column, result, name, side in zip(st.columns(2), both, names, ("left", "right"), strict=True):
        with column:
            st.html(f'<p style="font-size:1.2rem;font-weight:600;margin:0;overflow-wrap:anywhere">{escape(name)}</p>')
            headline(*corpus_said(result), key=f"corpus_say_{side}")
            st.altair_chart(bars(result, measure, st.context.theme.type or "light", both), width="stretch")
    tables = [wide_table(each, [each.total]).assign(name=name) for each, name in zip(both, names, strict=True)]
    st.dataframe(pd.concat(tables), hide_index=True, column_config=COLUMN_FORMATS)


def numbers_part(result: Result, made: Result) -> None:
    """Draws all measures as a table, or one of them as a map. made: the result with the names of its file."""
    tables = {"Whole": (result.total,), "Labels": result.labels, "Files": result.files}
    names = [name for name, rows in tables.items() if rows]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rows_name = st.segmented_control("Rows", names, default=names[0], key="corpus_rows", required=True)
        rows = tables[rows_name or names[0]]
        figures = figures_of(rows) if len(rows) > 1 else []
        measure = st.selectbox("Measure", [ALL, *figures], key="corpus_map", width=240) if figures else ALL
    if measure != ALL:
        explained(f"{measure}: {FIGURES[measure].says}.", key="corpus_map")
        if len(rows) > MOST_ROWS:
            st.caption(f"The {MOST_ROWS} largest of {len(rows):,}; the table has all of them.")
        with st.container(key="corpus-heat-map"):
            st.altair_chart(heat_map(result, rows, measure), width="content")
            if long_table(result, rows, measure)["lost"].any():
                st.caption(f"White: more than {100 * LOST_FROM:.0f} % of the tokens are unknown, so the text is lost.")
    else:
        table_of(result, rows, {"Labels": "label", "Files": "file"}.get(rows_name or names[0], ""))
    exports(result, made)


def table_of(result: Result, rows: Sequence[ResultRow], head: str) -> None:
    """Draws a table of all measures. head: of the rows' names; without one, a sentence says what they are about."""
    if len(rows) * len(result.tokenizers) > MAX_CELLS:
        shown = rows[: MAX_CELLS // len(result.tokenizers)]
        st.caption(f"The first {len(shown):,} of {len(rows):,}; `--output` as CSV has all of them.")
        rows = shown
    table = wide_table(result, rows)
    if not head:
        headline(*corpus_said(result), key="corpus_numbers_say")
        table = table.drop(columns=["name", "documents", "bytes", "words"])
    st.dataframe(table.rename(columns={"name": head}), hide_index=True, column_config=COLUMN_FORMATS)


def exports(result: Result, made: Result) -> None:
    """Draws the downloads. made: the result with the names of its file."""
    name = result.made.file_name(f"corpus-{short_hash(repr(result.total))}", "csv")
    with st.container(horizontal=True):
        # a function, so that the file is written when it is requested
        st.download_button("All rows as CSV", lambda: result_csv(made), name, "text/csv", on_click="ignore",
                           icon=":material/download:")  # fmt: skip
        if (kept := own_file()) is not None:
            file, data = kept
            st.download_button("Result as JSON", data, file, "application/json", on_click="ignore", key="corpus_keep",
                               icon=":material/download:", help="Opens here again, and beside others")  # fmt: skip
