"""The card of the chosen tokenizer: opened when somebody asks for it, its warnings counted on the lid."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer.ui.offers import Run
from explorer.ui.prepared import card_of
from explorer.views.card import FEW, card_html, special_html, table_of_special
from explorer.views.say import plural


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
        if not card.special:
            return
        st.html(f'<div class="tk-card"><h4>{plural(len(card.special), "special token")}</h4></div>')
        if len(card.special) <= FEW:
            st.html(special_html(card.special))
            return
        wanted = st.text_input("Find", type="search", live=True, key="find special", placeholder="spelling, id or kind",
                               width=320)  # fmt: skip
        found = table_of_special(card.special, wanted or "")
        st.dataframe(found, hide_index=True, height=min(320, 38 + 35 * max(1, len(found))), width=520)
