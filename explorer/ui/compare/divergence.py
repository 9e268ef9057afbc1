"""Compare: where two tokenizers first differ, and why."""

from __future__ import annotations

import streamlit as st

from explorer.answers.compare import CompareRequest, SideView, divergence_view, parting_export, side_view
from explorer.answers.offers import TokenizerSpec
from explorer.ui.compare.controls import choose_pair, tokenize_all
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.sentence import answer, sentence
from explorer.ui.components.stepper import stepper
from explorer.ui.links import explore_link, to_explore
from explorer.ui.pattern_difference import expander_of_pair
from explorer.ui.progress import Report
from explorer.ui.tokenizers.choices import choice_state


def divergence_tab(request: CompareRequest, report: Report) -> None:
    """Draws the first stage whose output differs, for both sides, and a table of every difference."""
    if len(request.specs) < 2:
        st.info("Choose a second tokenizer to see where they differ.", icon=":material/compare_arrows:")
        return
    left, right = choose_pair(request)
    together = st.toggle("step together", True, key="together", bind="query-params",
                         help="A step on one side is a step on both, counted from the difference")  # fmt: skip
    tokenize_all(request, report, (left, right))
    report("comparing stage by stage")
    args = request.of(left), right
    view = divergence_view(*args)
    answer(view.say, key="divergence_say", more=view.more, caption=view.kind)
    if view.spot is not None:
        report("drawing both sides")
        sides = side_view(*args, 0), side_view(*args, 1)
        for index, (column, spec) in enumerate(zip(st.columns(2), (left, right), strict=True)):
            with column:
                one_side(request, spec, sides[index], index, view.spot, together)
        if all(side.stage is not None and side.stage.key == "pre-tokenize" for side in sides):
            expander_of_pair((left, right), (sides[0].label, sides[1].label))
        st.header("Every difference", anchor=False)
        st.dataframe(view.divergences, hide_index=True)
    if view.harmless is not None:
        st.header("Differences that don't change the ids", anchor=False)
        st.dataframe(view.harmless, hide_index=True)
    downloads(request, view.names, parting_export, *args)


def one_side(
    request: CompareRequest, spec: TokenizerSpec, side: SideView, index: int, spot: tuple[int, int], together: bool
) -> None:
    """Draws one tokenizer's stage of the difference, with a link to it on Explore."""
    sentence(side.say, key=f"side_name_{index}")
    stage = side.stage
    offered = None if spot == (0, len(request.text)) else spot  # all of it says nothing
    if stage is not None and stage.script is not None:
        stepper(stage.script, script_id=f"{index} {side.step} {side.id}", key=f"side_stepper_{index}",
                parameter=f"step{index}", start=side.step, together=together, spot=offered)  # fmt: skip
    query = to_explore(
        spec, request.typed, escapes=request.escapes, **request.options._asdict(), choices=choice_state(spec).optional,
        at=side.at, select=spot, section="" if stage is None else stage.key, step=side.step,
    )  # fmt: skip
    explore_link(f"Open {side.label} on Explore, at this difference", query)
