"""Compare: where two tokenizers part, and why."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import Comparing, Side, parting_drawn, parting_file, side_drawn
from explorer.answers.offers import Run
from explorer.ui.compare.downloads import take_away
from explorer.ui.compare.tokenized import tokenize
from explorer.ui.components.board import board
from explorer.ui.components.stepper import stepper
from explorer.ui.links import explore_link, to_explore
from explorer.ui.sentence import answer, sentence
from explorer.ui.tokenizers.question import answers
from explorer.ui.working import Says
from explorer.views.say import Say


def parting(chosen: Comparing, says: Says) -> None:
    """The first stage whose output differs, both sides beside each other, and every other place."""
    if len(chosen.runs) < 2:
        st.info("Choose a second tokenizer to see where they part.", icon=":material/compare_arrows:")
        return
    left, right = pair(chosen)
    tokenize(chosen, says, (left, right))
    says("comparing stage by stage")
    asked = left, right, chosen.text, chosen.add_special, chosen.parse_special
    found = parting_drawn(*asked)
    shown = Say.of("{0:t}", found.more) if found.more else None
    answer(found.say, key="parting_say", more=shown, quietly=found.kind)
    if found.spot is not None:
        says("drawing both sides")
        for place, (column, run) in enumerate(zip(st.columns(2), (left, right), strict=True)):
            with column:
                one_side(chosen, run, side_drawn(*asked, place), place, found.spot)
        st.subheader("Every place", anchor=False)
        st.dataframe(found.divergences, hide_index=True)
    if found.harmless is not None:
        st.subheader("Different on the way, the same in the end", anchor=False)
        st.dataframe(found.harmless, hide_index=True)
    take_away(chosen, found.names, lambda ending: parting_file.later(*asked, ending))


def pair(chosen: Comparing) -> tuple[Run, Run]:
    """Which two: at first the baseline and the one after it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = [chosen.baseline, *(name for name in chosen.names if name != chosen.baseline)]
        left = st.selectbox("One side", names, key="left", bind="query-params", width=260)
        right = st.selectbox(
            "The other", [name for name in names if name != left], key="right", bind="query-params", width=260
        )
    return chosen.runs[left], chosen.runs[right]


def one_side(chosen: Comparing, run: Run, side: Side, place: int, spot: tuple[int, int]) -> None:
    """One tokenizer's stage of the difference, with a link to the same place on Explore."""
    sentence(side.say, key=f"side_name_{place}")
    stage = side.stage
    if stage is not None and stage.board is not None:
        board(stage.board.rows, board_id=f"{place} {side.id}", key=f"side_{place}", say=stage.board.say._asdict(),
              spot=spot)  # fmt: skip
    if stage is not None and stage.script is not None:
        stepper(stage.script, script_id=f"{place} {side.step} {side.id}", key=f"side_stepper_{place}",
                parameter=f"step{place}", start=side.step)  # fmt: skip
    query = to_explore(
        run, chosen.typed, escapes=chosen.escapes, add_special=chosen.add_special, parse_special=chosen.parse_special,
        choices=answers(run).chosen, at=side.at, select=spot, section="" if stage is None else stage.key,
        step=side.step,
    )  # fmt: skip
    explore_link(f"Open {side.label} on Explore, at this place", query)
