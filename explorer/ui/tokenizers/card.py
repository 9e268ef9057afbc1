"""The card of the chosen tokenizer: opened when somebody asks for it, its warnings counted on the lid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from explorer.analysis.card import Listed
from explorer.answers.explore import card_of
from explorer.answers.offers import Run
from explorer.text.quantities import plural
from explorer.views.card import FEW, card_html, table_of_listed, tokens_html


@st.fragment
def about(run: Run) -> None:
    """The lid, and the card under it."""
    card = card_of(run.original)
    warned = f" · {plural(len(card.warnings), 'warning')}" if card.warnings else ""
    with st.expander(
        f"About this tokenizer{warned}", icon=":material/warning:" if warned else ":material/info:",
        on_change="rerun", key="about",
    ) as lid:  # fmt: skip
        if not lid.open:
            return
        st.html(Path(__file__).with_name("card.css"))
        st.html(card_html(card))
        for name, tokens in (("special token", card.special), ("user-defined token", card.user_defined)):
            listed(name, tokens)


def listed(name: str, tokens: Sequence[Listed]) -> None:
    """The tokens of one sort; many are a table to search in."""
    if not tokens:
        return
    st.html(f'<div class="tk-card"><h4>{plural(len(tokens), name)}</h4></div>')
    if len(tokens) <= FEW:
        st.html(tokens_html(tokens))
        return
    wanted = st.text_input("Find", type="search", live=True, key=f"find {name}", placeholder="spelling, id or kind",
                           width=320)  # fmt: skip
    found = table_of_listed(tokens, wanted or "")
    st.dataframe(found, hide_index=True, height=min(320, 38 + 35 * max(1, len(found))), width=520)
