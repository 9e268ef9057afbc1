"""The pre-tokenizer's pattern beside another one, alternative by alternative."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer.analysis.pattern_difference import KNOWN, name_of
from explorer.answers.explore import ExploreView, facts_of
from explorer.answers.patterns import pattern_difference
from explorer.views.pattern_table import difference_html

BESIDE = {"gpt-2": "llama-3", "llama-3": "qwen-2", "qwen-2": "llama-3"}
"""Pattern → the one that it is compared with first; all others with GPT-2's."""


@st.fragment
def expander(view: ExploreView) -> None:
    """Draws the comparison while its expander is open. Patterns of uploaded files take no part."""
    own = [name for slot in facts_of(view.spec.without_pattern).patterns if (name := name_of(slot.regex))]
    if not own:
        return
    with st.expander("Difference of two patterns", icon=":material/difference:", on_change="rerun",
                     key="difference") as box:  # fmt: skip
        if not box.open:
            return
        names = list(KNOWN)
        with st.container(horizontal=True):
            left = st.selectbox("Pattern", names, names.index(own[0]), key=f"left pattern {own[0]}", width=300)
            other = BESIDE.get(own[0].partition(" ")[0], "gpt-2")
            right = st.selectbox("Beside", names, names.index(other), key=f"right pattern {own[0]}", width=300)
        st.html(Path(__file__).with_name("difference.css"))
        st.html(difference_html(pattern_difference(left, right), left, right))
