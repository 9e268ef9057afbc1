"""Draws the result of a corpus job: a tab for each question, and the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import streamlit as st

from explorer.analysis.provenance import short_hash
from explorer.corpus.result import Result, only
from explorer.corpus.sample import sample_article, sample_result
from explorer.ui.components.comparison import premiums as draw_premiums
from explorer.ui.components.sentence import explained, headline
from explorer.ui.corpus.calculator import calculator
from explorer.ui.corpus.controls import BASE, ONLY, PART, name_in_urls, with_titles
from explorer.ui.corpus.measures import COUNT, SHARE, numbers_part, whole_part
from explorer.ui.links import LINKS, with_links
from explorer.views.corpus.charts import chart_of_lengths, table_of_frequent
from explorer.views.corpus.premiums import article_sample, left_out_words, mean_sample, premiums_of
from explorer.views.corpus.sentences import frequent_said, lengths_said
from explorer.views.premiums import Premiums, picture


def explain() -> None:
    """Draws what the page is for."""
    explained(
        "Tokenizers measured on a whole collection of texts: how many tokens it takes, how evenly they are used, and "
        "which languages pay more. Drop the JSON of a job above, or count a text of your own.",
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
        st.info("This result has no tokens: its files were empty.", icon=":material/inbox:")
    state = st.session_state
    if state.get(PART) not in names:  # the part of another result
        state.pop(PART, None)
    chosen = st.segmented_control("Part", names, default=names[0], key=PART, bind="query-params", required=True,
                                  label_visibility="collapsed")  # fmt: skip
    with st.container(key=f"corpus-{(chosen or names[0]).lower().replace(' ', '-')}"):
        parts[chosen or names[0]]()


def languages_part(result: Result, premiums: Premiums | None, sampled: Result | None) -> None:
    """Draws who pays more for the same text. sampled: the sample's whole result, if this is from it."""
    assert premiums is not None
    sample = mean_sample(premiums) if sampled is None else article_sample(sampled, sample_article())
    names = [name for index in range(len(result.tokenizers)) if (name := name_in_urls(result, index))]
    link = f"./compare?{urlencode({'with': names[:4]}, doseq=True)}" if sampled else ""
    drawn = picture(premiums, sample, left_out=left_out_words(premiums), link=link)
    draw_premiums(drawn, content_id=short_hash(repr(drawn)), key="premiums")


def lengths_part(result: Result) -> None:
    """Draws the distribution of document lengths."""
    headline(*lengths_said(result), key="lengths")
    st.altair_chart(chart_of_lengths(result), width="stretch")


def frequent_part(result: Result) -> None:
    """Draws a tokenizer's most frequent tokens."""
    index = 0
    if len(result.tokenizers) > 1:
        name = st.selectbox("Tokenizer", result.tokenizers, key="corpus_frequent", width=260)
        index = result.tokenizers.index(name) if name in result.tokenizers else 0
    if result.details[index].frequent:
        headline(*frequent_said(result, index), key="frequent")
    table, name = table_of_frequent(result, index), name_in_urls(result, index)
    table = with_links(table, name) if name else table
    st.dataframe(table, hide_index=True, column_config={"count": COUNT, "share": SHARE, **LINKS})
