"""Draws the result of a corpus job: a tab for each question, measures as bars, map or table, and a calculator.

The calculator says what a corpus of another size would take, from the rates of the result on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from explorer.analysis.export import short_hash
from explorer.corpus.record import needs, result_csv
from explorer.corpus.result import Result, ResultRow, only
from explorer.corpus.sample import sample_article, sample_result
from explorer.text.say import Text, three_digits
from explorer.text.say import size as shown_size
from explorer.ui.components.every_page import explained, headline
from explorer.ui.components.tokens import premiums as draw_premiums
from explorer.ui.corpus.controls import BASE, BESIDE, ONLY, PART, choose_beside, name_in_urls, own_file, with_titles
from explorer.ui.frame import choose_tab, color_theme, fragment, side_by_side
from explorer.ui.language import words
from explorer.ui.parameters import LINKS, context, with_links
from explorer.views.corpus import (
    FIGURES,
    MOST_ROWS,
    article_sample,
    bars,
    chart_of_lengths,
    corpus_said,
    figures_of,
    frequent_said,
    heat_map,
    larger_said,
    left_out_words,
    lengths_said,
    long_table,
    mean_sample,
    premiums_of,
    table_of_frequent,
    wide_table,
)
from explorer.views.premiums import LOST_FROM, Premiums, picture

DIGITS = 3
"""Digits of a measure; more say nothing about another corpus."""
COUNTS: Final = ("documents", "bytes", "words", "tokens", "added")


def draw_table(table: pd.DataFrame) -> None:
    """Draws a table of measures."""
    columns: dict[str, Any] = {str(name): words(str(name)) for name in table.columns}
    columns |= {name: st.column_config.NumberColumn(words(name), format="localized") for name in COUNTS}
    columns |= {
        name: st.column_config.NumberColumn(
            words(name), format=f"%.{DIGITS}g" + " %%" * figure.layout.endswith("%"), help=f"{words(figure.says)}."
        )
        for name, figure in FIGURES.items()
    }
    st.dataframe(table, hide_index=True, column_config=columns)


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
    st.altair_chart(bars(result, measure, color_theme(), words=words), width="stretch")


def choose_measure(names: Sequence[str], key: str) -> str:
    """Draws the choice of a measure, explains it, and returns its name."""
    chosen = st.selectbox(words("Measure"), names, key=key, width=240, format_func=words) or names[0]
    explain_measure(chosen, key)
    return chosen


def explain_measure(name: str, key: str) -> None:
    """Says what a measure is."""
    explained(words("{0:t}: {1:t}.", Text.of(name), Text.of(FIGURES[name].says)), key=key)


def show_beside(left: Result, right: Result) -> None:
    """Draws both results, whose tokenizers have the names people know."""
    both = left, right
    shared = [name for name in figures_of([both[0].total]) if name in figures_of([both[1].total])]
    if not shared:
        st.info(words("These two results share no measure: one of them has no tokens."), icon=":material/inbox:")
        return
    measure = choose_measure(shared, "corpus_beside_measure")
    names = [str(context().kept[key]) for key in ("result", BESIDE)]
    for column, result, name, side in zip(st.columns(2), both, names, ("left", "right"), strict=True):
        with column:
            st.html(f'<p style="font-size:1.2rem;font-weight:600;margin:0;overflow-wrap:anywhere">{escape(name)}</p>')
            headline(*corpus_said(result), key=f"corpus_say_{side}")
            st.altair_chart(bars(result, measure, color_theme(), both, words), width="stretch")
    tables = [wide_table(each, [each.total]).assign(name=name) for each, name in zip(both, names, strict=True)]
    draw_table(pd.concat(tables))


def numbers_part(result: Result, made: Result) -> None:
    """Draws all measures as a table, or one of them as a map. made: the result with the names of its file."""
    tables = {"Whole": (result.total,), "Labels": result.labels, "Files": result.files}
    names = [name for name, rows in tables.items() if rows]
    with side_by_side("bottom"):
        rows_name = st.segmented_control(words("Rows"), names, default=names[0], key="corpus_rows", required=True,
                                         format_func=words)  # fmt: skip
        rows = tables[rows_name or names[0]]
        figures = figures_of(rows) if len(rows) > 1 else []
        measure = st.selectbox(words("Measure"), [ALL, *figures], key="corpus_map", width=240,
                               format_func=words) if figures else ALL  # fmt: skip
    if measure != ALL:
        explain_measure(measure, "corpus_map")
        if len(rows) > MOST_ROWS:
            st.caption(words("The {0} largest of {1}; the table has all of them.", MOST_ROWS, len(rows)))
        with st.container(key="corpus-heat-map"):
            st.altair_chart(heat_map(result, rows, measure, words), width="content")
            if long_table(result, rows, measure)["lost"].any():
                st.caption(words("White: more than {0} % of the tokens are unknown, so the text is lost.",
                                 round(100 * LOST_FROM)))  # fmt: skip
    else:
        table_of(result, rows, {"Labels": "label", "Files": "file"}.get(rows_name or names[0], ""))
    exports(result, made)


def table_of(result: Result, rows: Sequence[ResultRow], head: str) -> None:
    """Draws a table of all measures. head: of the rows' names; without one, a sentence says what they are about."""
    if len(rows) * len(result.tokenizers) > MAX_CELLS:
        shown = rows[: MAX_CELLS // len(result.tokenizers)]
        st.caption(words("The first {0} of {1}; `--output` as CSV has all of them.", len(shown), len(rows)))
        rows = shown
    table = wide_table(result, rows)
    if not head:
        headline(*corpus_said(result), key="corpus_numbers_say")
        table = table.drop(columns=["name", "documents", "bytes", "words"])
    draw_table(table.rename(columns={"name": head}))


def exports(result: Result, made: Result) -> None:
    """Draws the downloads. made: the result with the names of its file."""
    name = result.made.file_name(f"corpus-{short_hash(repr(result.total))}", "csv")
    with side_by_side("top"):
        # a function, so that the file is written when it is requested
        st.download_button(words("All rows as CSV"), lambda: result_csv(made), name, "text/csv", on_click="ignore",
                           icon=":material/download:")  # fmt: skip
        if (kept := own_file()) is not None:
            file, data = kept
            st.download_button(words("Result as JSON"), data, file, "application/json", on_click="ignore",
                               key="corpus_keep", icon=":material/download:",
                               help=words("Opens here again, and beside others"))  # fmt: skip


UNITS: Final = {"MB": 10**6, "GB": 10**9, "TB": 10**12}


SLOWEST, FASTEST = 0.1, 10_000.0
"""MB a second that can be given."""
README_RATE: Final = 53.0
"""MB a second of the README's terabyte, with which the field begins."""


@fragment
def calculator(result: Result) -> None:
    """Draws the calculator, for every tokenizer of the result."""
    with st.container(key="corpus-calculator"):
        said = st.container(key="calculator-said")
        with side_by_side("bottom"):
            amount = st.number_input(words("Corpus"), 0.001, 1e6, 1.0, key="calculator_amount", width=140, format="%g")
            unit = st.selectbox(words("Unit"), UNITS, index=2, key="calculator_unit", width=100)
            # a new measurement is a new field, which begins with it
            known = st.session_state.get("corpus_rate", README_RATE)
            rate = st.number_input(words("MB a second, one core"), SLOWEST, FASTEST, known, step=1.0, format="%g",
                                   key=f"calculator_rate {known}", width=190)  # fmt: skip
            cores = st.number_input(words("Cores"), 1, 100_000, 32, key="calculator_cores", width=120)
        total = int(amount * UNITS[unit or "TB"])
        rows, tokens, titled = [], {}, with_titles(result)
        for index, (label, measures) in enumerate(zip(titled.tokenizers, titled.total.measures, strict=True)):
            per_token, vocabulary = measures.get("bytes_per_token"), measures.get("vocabulary")
            if per_token is None or vocabulary is None:
                continue
            found = needs(total, per_token, int(vocabulary), rate * 1e6, int(cores))
            tokens[index] = found.tokens
            rows.append({
                "tokenizer": label,
                "tokens": words(three_digits(found.tokens)),
                "ids, 16 bits": words("too many ids") if found.ids_16 is None else shown_size(found.ids_16),
                "ids, 32 bits": shown_size(found.ids_32),
                "suffixes of bytes": shown_size(found.suffixes_of_bytes),
                "suffixes of ids": shown_size(found.suffixes_of_ids),
                "of bytes, 4 or 8 each": shown_size(found.words_of_bytes),
                "of ids, 4 or 8 each": shown_size(found.words_of_ids),
                "hours": f"{found.hours:,.1f}",
            })  # fmt: skip
        if tokens:
            with said:
                headline(*larger_said(titled, f"{amount:g} {unit or 'TB'}", tokens), key="calculator")
        st.dataframe(pd.DataFrame(rows).rename(columns=words), hide_index=True)


def in_range(rate: float) -> float:
    """MB a second as the field takes it.

    >>> in_range(0.01), in_range(12.34)
    (0.1, 12.3)
    """
    return min(max(SLOWEST, round(rate, 1)), FASTEST)


def explain() -> None:
    """Draws what the page is for."""
    explained(
        words(
            "Tokenizers measured on a whole collection of texts: how many tokens it takes, how evenly they are used, "
            "and which languages pay more. Drop the JSON of a job above, or count a text of your own."
        ),
        key="corpus_about",
    )


def show(made: Result) -> None:
    """Draws the tabs, and the one that is chosen. made: the tokenizers have the names of its file."""
    every = with_titles(made)
    result = only(every, st.session_state.get(ONLY) or ())
    premiums = premiums_of(result, str(st.session_state.get(BASE, "")))
    parts: dict[str, Callable[[], None]] = {
        "Languages": lambda: languages_part(result, premiums, every if made is sample_result() else None),
        "Whole text": lambda: whole_part(result),
        "Lengths": lambda: lengths_part(result),
        "Frequent tokens": lambda: frequent_part(result),
        "All numbers": lambda: numbers_part(result, made),
        "A larger corpus": lambda: calculator(made),
    }
    empty = not any(measures["tokens"] for measures in result.total.measures)
    missing = {
        "Languages": premiums is None,
        "Whole text": empty,
        "Lengths": not any(details.buckets for details in result.details),
        "Frequent tokens": not any(details.frequent for details in result.details),
    }
    names = [name for name in parts if not missing.get(name)]
    if empty:
        st.info(words("This result has no tokens: its files were empty."), icon=":material/inbox:")
    state = st.session_state
    if state.get(PART) not in names:  # the part of another result
        state.pop(PART, None)
    chosen = choose_tab("Part", names, key=PART)
    with st.container(key=f"corpus-{chosen.lower().replace(' ', '-')}"):
        parts[chosen]()


def languages_part(result: Result, premiums: Premiums | None, sampled: Result | None) -> None:
    """Draws who pays more for the same text. sampled: the sample's whole result, if this is from it."""
    assert premiums is not None
    sample = mean_sample(premiums) if sampled is None else article_sample(sampled, sample_article())
    names = [name for index in range(len(result.tokenizers)) if (name := name_in_urls(result, index))]
    link = f"./compare?{urlencode({'with': names[:4]}, doseq=True)}" if sampled else ""
    drawn = picture(premiums, sample, left_out=left_out_words(premiums), link=link)
    draw_premiums(drawn, key="premiums")


def lengths_part(result: Result) -> None:
    """Draws the distribution of document lengths."""
    headline(*lengths_said(result), key="lengths")
    st.altair_chart(chart_of_lengths(result, words), width="stretch")


def frequent_part(result: Result) -> None:
    """Draws a tokenizer's most frequent tokens."""
    index = 0
    if len(result.tokenizers) > 1:
        name = st.selectbox(words("Tokenizer"), result.tokenizers, key="corpus_frequent", width=260)
        index = result.tokenizers.index(name) if name in result.tokenizers else 0
    if result.details[index].frequent:
        headline(*frequent_said(result, index), key="frequent")
    table, name = table_of_frequent(result, index), name_in_urls(result, index)
    table = with_links(table, name) if name else table
    count = st.column_config.NumberColumn(words("count"), format="localized")
    share = st.column_config.NumberColumn(words("share"), format="percent")
    titles = {str(name): words(str(name)) for name in table.columns}
    st.dataframe(table, hide_index=True, column_config={**titles, "count": count, "share": share, **LINKS})
