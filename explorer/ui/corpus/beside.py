"""Draws two results side by side: one measure of each as bars, and all measures of both in one table."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from explorer.corpus.result import Result
from explorer.ui.corpus.names import with_titles
from explorer.ui.corpus.result import COLUMN_FORMATS, choose_measure
from explorer.ui.linked_choices import linked_choices
from explorer.ui.sentence import sentence
from explorer.views.corpus.charts import bars, corpus_say, figures_of, wide_table


def show_beside(left: Result, right: Result) -> None:
    """Draws both results, their tokenizers by the names people know."""
    both = [with_titles(each) for each in (left, right)]
    shared = [name for name in figures_of([both[0].total]) if name in figures_of([both[1].total])]
    if not shared:
        st.info("These two results share no measure: one of them has no tokens.", icon=":material/inbox:")
        return
    measure = choose_measure(shared, "corpus_beside")
    names = [str(linked_choices().kept[key]) for key in ("result", "beside")]
    for column, result, name, side in zip(st.columns(2), both, names, ("left", "right"), strict=True):
        with column:
            st.html(f'<p style="font-size:1.2rem;font-weight:600;margin:0;overflow-wrap:anywhere">{escape(name)}</p>')
            sentence(corpus_say(result), key=f"corpus_say_{side}")
            st.altair_chart(bars(result, measure, st.context.theme.type or "light", both), width="stretch")
    tables = [wide_table(each, [each.total]).assign(name=name) for each, name in zip(both, names, strict=True)]
    st.dataframe(pd.concat(tables), hide_index=True, column_config=COLUMN_FORMATS)
