"""Compare: where two tokenizers part, and why."""

from __future__ import annotations

import streamlit as st

from explorer.analysis.divergence import Comparison, Divergence, Half
from explorer.analysis.run import Run as Traced
from explorer.analysis.take_away import parting_export
from explorer.ui.compare_input import Comparing
from explorer.ui.compare_prepared import noted, parted, stage_of, tokenized
from explorer.ui.compare_take_away import take_away
from explorer.ui.components.board import board
from explorer.ui.components.stepper import stepper
from explorer.ui.links import explore_link, to_explore
from explorer.ui.offers import Run
from explorer.ui.question import answers
from explorer.ui.sentence import answer, sentence
from explorer.ui.working import Says
from explorer.views.differences import (
    absent_say,
    more_say,
    parting_say,
    side_say,
    table_of_divergences,
    table_of_harmless,
)
from explorer.views.say import Say, plain
from explorer.views.window import WINDOW


def parting(chosen: Comparing, says: Says) -> None:
    """The first stage whose output differs, both sides beside each other, and every other place."""
    if len(chosen.runs) < 2:
        st.info("Choose a second tokenizer to see where they part.", icon=":material/compare_arrows:")
        return
    left, right = pair(chosen)
    tokenized(chosen, says, (left, right))
    says("comparing stage by stage")
    comparison = parted(left, right, chosen.text, chosen.add_special, chosen.parse_special)
    kind = "" if comparison.first is None else comparison.first.kind.says
    says("looking for what is behind it")
    more = [plain(say) for say in (more_say(comparison),) if say is not None]
    more += noted(left, right, chosen.text, chosen.add_special, chosen.parse_special)
    shown = Say.of("{0:t}", " ".join(more)) if more else None
    answer(parting_say(comparison), key="parting_say", more=shown, quietly=kind)
    if comparison.first is not None:
        says("drawing both sides")
        both_sides(chosen, (left, right), comparison)
        st.subheader("Every place", anchor=False)
        st.dataframe(table_of_divergences(comparison), hide_index=True)
    if comparison.harmless:
        st.subheader("Different on the way, the same in the end", anchor=False)
        st.dataframe(table_of_harmless(comparison), hide_index=True)
    take_away(chosen, parting_export(comparison))


def pair(chosen: Comparing) -> tuple[Run, Run]:
    """Which two: at first the baseline and the one after it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = [chosen.baseline, *(name for name in chosen.names if name != chosen.baseline)]
        left = st.selectbox("One side", names, key="left", bind="query-params", width=260)
        right = st.selectbox(
            "The other", [name for name in names if name != left], key="right", bind="query-params", width=260
        )
    return chosen.runs[left], chosen.runs[right]


def both_sides(chosen: Comparing, runs: tuple[Run, Run], comparison: Comparison) -> None:
    """The stage of the first difference under each of them, at the event where it begins."""
    first = comparison.first
    assert first is not None
    sides = zip(st.columns(2), runs, (comparison.left, comparison.right), (first.left, first.right), strict=True)
    for place, (column, run, side, half) in enumerate(sides):
        with column:
            one_side(chosen, run, side, half, place, first)


def one_side(chosen: Comparing, run: Run, side: Traced, half: Half, place: int, first: Divergence) -> None:
    """One tokenizer's stage of the difference, with a link to the same place on Explore."""
    # of a long text that part is drawn in which the difference lies, with some of what stands in front of it
    at = max(0, first.spot.start - WINDOW // 4) if len(chosen.text) > WINDOW else 0
    step, section = 0, ""
    if half.stage is None:
        sentence(absent_say(side.label, first.stage, half), key=f"side_name_{place}")
    else:
        shown = stage_of(run, chosen.text, chosen.add_special, chosen.parse_special, half.stage, at)
        section = shown.section.key
        sentence(side_say(side.label, shown.section.title, half), key=f"side_name_{place}")
        if shown.section.board is not None:
            drawn = shown.section.board
            board(drawn.rows, board_id=f"{place} {shown.id}", key=f"side_{place}", say=drawn.say._asdict(),
                  spot=first.spot)  # fmt: skip
        if shown.section.script is not None:
            step = shown.section.script.step_of(half.event)
            stepper(shown.json, script_id=f"{place} {step} {shown.id}", key=f"side_stepper_{place}",
                    parameter=f"step{place}", start=step)  # fmt: skip
    query = to_explore(
        run, chosen.typed, escapes=chosen.escapes, add_special=chosen.add_special, parse_special=chosen.parse_special,
        choices=answers(run).chosen, at=at, select=first.spot, section=section, step=step,
    )  # fmt: skip
    explore_link(f"Open {side.label} on Explore, at this place", query)
