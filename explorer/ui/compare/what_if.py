"""Compare: one switch of a tokenizer flipped, and a text while it is typed."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import (
    Comparing,
    Flip,
    flip_drawn,
    flips_file,
    flips_names,
    switches_of,
    typing_drawn,
    typing_file,
)
from explorer.ui.compare.controls import which
from explorer.ui.compare.downloads import take_away
from explorer.ui.compare.tokenized import tokenize
from explorer.ui.sentence import answer, sentence
from explorer.ui.working import Says, counted


def what_if_flipped(chosen: Comparing, says: Says) -> None:
    """Each switch this tokenizer has: what would change, and at which stage."""
    name = which(chosen, "Flip the switches of")
    run = chosen.runs[name]
    asked = chosen.asked(run)
    tokenize(chosen, says, (run,))
    flips = counted(switches_of(*asked), says, lambda each: f"flipping “{each.spec or each.switch.value}”")
    for place, variation in enumerate(flips):
        flip(place, flip_drawn(*asked, variation))
    take_away(chosen, flips_names(name, *asked), lambda ending: flips_file.later(name, *asked, ending))


def flip(place: int, found: Flip) -> None:
    """One switch, flipped."""
    with st.container(border=True, key=f"flip-{place}", gap="xsmall"):
        with st.container(key=f"head-{place}"):
            sentence(found.say, key=f"flip_{place}")
            st.caption(found.about)
        sentence(found.parting, key=f"flip_say_{place}")
        if found.more is not None:
            sentence(found.more, key=f"flip_more_{place}")
        if found.places is not None:
            with st.expander("Every place", on_change="rerun", key=f"flip_open_{place}") as box:
                if box.open:
                    st.dataframe(found.places, hide_index=True)


def typing(chosen: Comparing, says: Says) -> None:
    """Which earlier tokens change while the text is typed, as a picture."""
    name = which(chosen, "Type with")
    asked = name, chosen.runs[name], chosen.text, chosen.parse_special
    says("tokenizing every beginning of the text")
    found = typing_drawn(*asked)
    answer(found.say, key="typing_say")
    if found.chart is not None:
        st.altair_chart(found.chart, width="stretch")
        take_away(chosen, found.names, lambda ending: typing_file.later(*asked, ending))
