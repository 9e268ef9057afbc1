"""The card of the chosen tokenizer, in an expander whose label counts its warnings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from explorer.analysis.card import ListedToken
from explorer.answers.explore import card_of, known_pre_tokenizers
from explorer.answers.offers import TokenizerSpec
from explorer.text.say import plural
from explorer.ui import STYLES
from explorer.ui.frame import fragment
from explorer.views.card import FEW, card_html, facts_html, table_of_listed, tokens_html


@fragment
def about(spec: TokenizerSpec) -> None:
    """Draws the expander, and the card while it is open."""
    card = card_of(spec.without_pattern)
    warnings = f" · {plural(len(card.warnings), 'warning')}" if card.warnings else ""
    with st.expander(
        f"About this tokenizer{warnings}", icon=":material/warning:" if warnings else ":material/info:",
        on_change="rerun", key="about",
    ) as expander:  # fmt: skip
        if not expander.open:
            return
        st.html(STYLES / "card.css")
        st.html(card_html(card))
        known = known_pre_tokenizers(spec.without_pattern)
        if known:
            st.html(facts_html("Which pre-tokenizer is this", known))
        for name, tokens in (("special token", card.special), ("user-defined token", card.user_defined)):
            token_list(name, tokens)


def token_list(name: str, tokens: Sequence[ListedToken]) -> None:
    """Draws the tokens of one kind; many are drawn as a table with a search field."""
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
