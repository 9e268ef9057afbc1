"""Compare: one switch of a tokenizer flipped, and a text while it is typed."""

from __future__ import annotations

import streamlit as st

from explorer.analysis.divergence import Comparison
from explorer.analysis.take_away import flips_export, stability_export
from explorer.analysis.what_if import Variation
from explorer.ui.compare_input import Comparing, which
from explorer.ui.compare_prepared import flipped, made_of, switches_of, tokenized, typed
from explorer.ui.compare_take_away import take_away
from explorer.ui.prepared import tokenizer
from explorer.ui.sentence import answer, sentence
from explorer.ui.working import Says, counted
from explorer.views.differences import SWITCHES, flip_say, more_say, parting_say, table_of_divergences
from explorer.views.say import plain
from explorer.views.typing_chart import chart_of_typing, typing_say


def what_if_flipped(chosen: Comparing, says: Says) -> None:
    """Each switch this tokenizer has: what would change, and at which stage."""
    run = chosen.runs[which(chosen, "Flip the switches of")]
    asked = run, chosen.text, chosen.add_special, chosen.parse_special
    tokenized(chosen, says, (run,))
    flips: list[tuple[Variation, Comparison]] = []
    for variation in counted(switches_of(*asked), says, lambda each: f"flipping “{each.spec or each.switch.value}”"):
        comparison = flipped(*asked, variation)
        flip(len(flips), variation, comparison)
        flips.append((variation, comparison))
    made = made_of(chosen, run)
    take_away(chosen, flips_export(made, flips, [plain(flip_say(*each)) for each in flips]))


def flip(place: int, variation: Variation, comparison: Comparison) -> None:
    """One switch, flipped."""
    with st.container(border=True, key=f"flip-{place}", gap="xsmall"):
        with st.container(key=f"head-{place}"):
            sentence(flip_say(variation, comparison), key=f"flip_{place}")
            st.caption(SWITCHES[variation.switch])
        sentence(parting_say(comparison), key=f"flip_say_{place}")
        more = more_say(comparison)
        if more is not None:
            sentence(more, key=f"flip_more_{place}")
        if len(comparison.divergences) > 1:
            with st.expander("Every place", on_change="rerun", key=f"flip_open_{place}") as box:
                if box.open:
                    st.dataframe(table_of_divergences(comparison), hide_index=True)


def typing(chosen: Comparing, says: Says) -> None:
    """Which earlier tokens change while the text is typed, as a picture."""
    run = chosen.runs[which(chosen, "Type with")]
    says("tokenizing every beginning of the text")
    found = typed(run, chosen.text, chosen.parse_special)
    answer(typing_say(found), key="typing_say")
    if found.prefixes:
        st.altair_chart(chart_of_typing(found, tokenizer(run).vocabulary), width="stretch")
        made = made_of(chosen, run, add_special=False)
        take_away(chosen, stability_export(made, found, plain(typing_say(found))))
