"""Draws the calculator: what a corpus of another size would take, from the rates of the result on the page."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from explorer.corpus.calculator import needs
from explorer.corpus.result import Result
from explorer.text.say import size as shown_size
from explorer.text.say import three_digits
from explorer.ui.components.sentence import headline
from explorer.ui.corpus.controls import with_titles
from explorer.ui.frame import fragment
from explorer.views.corpus.sentences import larger_said

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
        with st.container(horizontal=True, vertical_alignment="bottom"):
            amount = st.number_input("Corpus", 0.001, 1e6, 1.0, key="calculator_amount", width=140, format="%g")
            unit = st.selectbox("Unit", UNITS, index=2, key="calculator_unit", width=100)
            # a new measurement is a new field, which begins with it
            known = st.session_state.get("corpus_rate", README_RATE)
            rate = st.number_input("MB a second, one core", SLOWEST, FASTEST, known, step=1.0, format="%g",
                                   key=f"calculator_rate {known}", width=190)  # fmt: skip
            cores = st.number_input("Cores", 1, 100_000, 32, key="calculator_cores", width=120)
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
                "tokens": three_digits(found.tokens),
                "ids, 16 bits": "too many ids" if found.ids_16 is None else shown_size(found.ids_16),
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
        st.dataframe(pd.DataFrame(rows), hide_index=True)


def in_range(rate: float) -> float:
    """MB a second as the field takes it.

    >>> in_range(0.01), in_range(12.34)
    (0.1, 12.3)
    """
    return min(max(SLOWEST, round(rate, 1)), FASTEST)
