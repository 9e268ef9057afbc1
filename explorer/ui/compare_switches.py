"""Compare: one switch of a tokenizer flipped, and a text while it is typed."""

from __future__ import annotations

import streamlit as st

from explorer.ui.compare_input import Comparing
from explorer.ui.compare_prepared import flipped, typed
from explorer.ui.prepared import tokenizer
from explorer.ui.sentence import sentence
from explorer.views.differences import more_say, parting_say, table_of_divergences
from explorer.views.say import Say, plural
from explorer.views.typing_chart import chart_of_typing, typing_say


def what_if_flipped(chosen: Comparing) -> None:
    """Each switch this tokenizer has: what would change, and at which stage."""
    spec = st.selectbox("Flip the switches of", chosen.names, key="flip_of", width=260)
    for place, (variation, comparison) in enumerate(
        flipped(chosen.runs[spec], chosen.text, chosen.add_special, chosen.parse_special)
    ):
        with st.container(border=True):
            what = variation.spec or ("off" if variation.on else "on")
            count = len(comparison.right.ids) - len(comparison.left.ids)
            change = (
                "no id changes"
                if comparison.same
                else f"{plural(abs(count), 'token')} {'more' if count > 0 else 'fewer'}"
                if count
                else "as many tokens, other ids"
            )
            sentence(Say.of("{0:t} → {1:t}: {2:t}.", variation.switch.value, what, change), key=f"flip_{place}")
            sentence(parting_say(comparison), key=f"flip_say_{place}")
            more = more_say(comparison)
            if more is not None:
                sentence(more, key=f"flip_more_{place}")
            if len(comparison.divergences) > 1:
                with st.expander("Every place", on_change="rerun", key=f"flip_open_{place}") as box:
                    if box.open:
                        st.dataframe(table_of_divergences(comparison), hide_index=True)


def typing(chosen: Comparing) -> None:
    """Which earlier tokens change while the text is typed, as a picture."""
    spec = st.selectbox("Type with", chosen.names, key="typing_of", width=260)
    found = typed(chosen.runs[spec], chosen.text, chosen.parse_special)
    sentence(typing_say(found), key="typing_say")
    if found.prefixes:
        st.altair_chart(chart_of_typing(found, tokenizer(chosen.runs[spec]).vocabulary), width="stretch")
