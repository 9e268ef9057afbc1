"""What the Compare page is asked: the text, two to six tokenizers, a baseline, the options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from explorer.analysis.alignment import MOST
from explorer.errors import InputError
from explorer.text import clean, unescape
from explorer.ui.explore_input import text_field
from explorer.ui.offers import Run
from explorer.ui.prepared import tokenizer
from explorer.ui.problem import problem
from explorer.ui.tokenizers import offers

AT_FIRST = ("llama-2", "gpt-2@huggingface", "llama-3@huggingface", "o200k_base")


class Comparing(NamedTuple):
    """What is compared: runs by the names they have on the page, which of them is the baseline, and the options.

    typed: the text as it stands in the field, where `escapes` says whether its escapes are read.
    """

    runs: Mapping[str, Run]
    text: str
    typed: str
    escapes: bool
    add_special: bool
    parse_special: bool
    baseline: str

    @property
    def names(self) -> list[str]:
        return list(self.runs)


def known() -> dict[str, Run]:
    """Everything that can be compared, by name: with the implementation behind it where there are several."""
    return {
        offer.label if len(offer.implementations) == 1 else f"{offer.label}@{implementation}": Run(
            offer, implementation
        )
        for offer in offers().values()
        for implementation in offer.implementations
    }


def choose() -> Comparing | None:
    """Draws the controls and gives what was chosen; None where nothing can be compared, which is then said."""
    typed = text_field()
    every = known()
    names = st.multiselect(
        "Tokenizers", list(every), default=list(AT_FIRST), max_selections=MOST, key="with", bind="query-params",
        help="Two to six; the same model may stand there under two implementations. Files of your own are dropped on "
        "Explore",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        base = st.selectbox("Baseline", names, key="base", width=240, help="The one the others are measured by")
        add = st.toggle("add special", True, key="special", bind="query-params",
                        help="Add the tokens the model wants around a text, such as BOS")  # fmt: skip
        parse = st.toggle("parse special", True, key="parse", bind="query-params",
                          help="Take the spelling of a special token in the text for that token")  # fmt: skip
        escapes = st.toggle("read escapes", False, key="escapes", bind="query-params",
                            help=r"Read `\n`, `\t`, `\x00`, `\u00e9` … as the characters they name")  # fmt: skip
    if not names:
        st.info("Choose two tokenizers or more.", icon=":material/compare_arrows:")
        return None
    try:
        text = unescape(typed) if escapes else clean(typed)
        for name in names:
            tokenizer(every[name])
    except InputError as error:
        problem(error)
        return None
    return Comparing(
        {name: every[name] for name in names}, text, typed, escapes, add, parse, base if base in names else names[0]
    )
