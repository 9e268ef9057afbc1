"""What the Compare page is asked: the text, two to six tokenizers, a baseline, the options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from explorer.analysis.alignment import MOST
from explorer.answers.compare import Comparing
from explorer.answers.explore import told
from explorer.answers.offers import Offer, Run
from explorer.errors import InputError
from explorer.ui.explore.controls import text_field
from explorer.ui.problem import notice
from explorer.ui.tokenizers.chooser import offers
from explorer.ui.tokenizers.drop_field import absent, drop_field, look_for_absent, said, understood, what_came
from explorer.ui.tokenizers.held import ask_for_echo, choose_for_person, hold, is_held
from explorer.ui.tokenizers.question import answered, answers, refused, refused_choices, take_choices
from explorer.ui.tokenizers.uploads import came
from explorer.ui.typed import as_read, switches

AT_FIRST = ("llama-2", "gpt-2@huggingface", "llama-3@huggingface", "o200k_base")


def known() -> dict[str, Run]:
    """Everything that can be compared, by name: with the implementation behind it where there are several."""
    return {
        name_of(offer, implementation): answered(Run(offer, implementation))
        for offer in offers().values()
        for implementation in offer.implementations
    }


def name_of(offer: Offer, implementation: str) -> str:
    return offer.label if len(offer.implementations) == 1 else f"{offer.label}@{implementation}"


def choose() -> Comparing | None:
    """Draws the controls and gives what was chosen; None where nothing can be compared, which is then said."""
    typed = text_field()
    with st.container():
        take_dropped()
    hold("with")
    take_linked(known())
    every = known()
    look_for_absent(st.query_params.get_all("with"), every)
    look_for_too_many(st.query_params.get_all("with"), every)
    at_first = None if is_held("with") else list(AT_FIRST)
    names = st.multiselect(
        "Tokenizers", list(every), default=at_first, max_selections=MOST, key="with", bind="query-params",
        help="Two to six; the same model may stand there under two implementations, or a file of your own",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
        base = st.selectbox("Baseline", names, key="base", bind="query-params", width=240,
                            help="The one the others are measured by")  # fmt: skip
        drop_field()
        ask_for_echo()
        # other names in the address than on Explore: on the way from page to page Streamlit takes away what a switch of
        # the page before is bound to
        add, parse, escapes = switches("addspecial", "parsespecial", "readescapes")
    with st.container(key="tokenizer"):
        absent(f"you see {', '.join(names)}" if names else "nothing is compared")
        refused_choices()
        too_many()
        what_came()
        if not names:
            notice("Choose two tokenizers or more.")
            return None
        with st.spinner("Reading the tokenizers", show_time=True):
            for name in names:
                try:
                    told(every[name].original)
                except InputError as error:
                    refused(every[name], error)
                    return None
        chosen_of({name: every[name] for name in names})
    text = as_read(typed, escapes)
    if text is None:
        return None
    return Comparing(
        {name: every[name] for name in names}, text, typed, escapes, add, parse, base if base in names else names[0]
    )


def take_linked(every: Mapping[str, Run]) -> None:
    """Takes what the address chooses for tokenizers, once a session: `NAME KEY=VALUE`, as often as there is one."""
    state = st.session_state
    if state.get("linked_here"):
        return
    refused: list[str] = []
    for each in st.query_params.get_all("chosen"):
        name, _, choice = each.rpartition(" ")
        key, _, value = choice.partition("=")
        lines = take_choices(every[name], {key: value}) if name in every else []
        if lines is None:
            return
        refused += lines
    state.linked_here = True
    if refused:
        state.refused_choices = refused


def chosen_of(runs: Mapping[str, Run]) -> None:
    """What was chosen of those that are compared, to be seen, and to be taken back.

    Streamlit writes a switch that Python set into the address once it draws it a second time: with the next click.
    """
    state = st.session_state
    there = {
        f"{name} {key}={value}": (run, key) for name, run in runs.items() for key, value in answers(run).chosen.items()
    }

    def take_back() -> None:
        for each, (run, key) in there.items():
            if each not in state.chosen:
                answers(run).chosen.pop(key, None)

    # always there, if empty: what follows would be put together anew if its place moved
    with st.container():
        if there:
            state.chosen = list(there)
            st.multiselect(
                "Chosen for them", list(there), key="chosen", bind="query-params", on_change=take_back,
                help="What was chosen on Explore; removed here, the tokenizer is as its file has it",
            )  # fmt: skip


def look_for_too_many(linked: Iterable[str], every: Mapping[str, Run]) -> None:
    """Keeps in mind what of an address there is no place for: the field takes the first ones."""
    here = [name for name in dict.fromkeys(linked) if name in every]
    if len(here) > MOST:
        st.session_state.left_out = here[MOST:]


def too_many() -> None:
    """Says what was left out."""
    names = st.session_state.get("left_out", [])
    lines = [f"{MOST} tokenizers are compared at once. This link names more; left out: {said(names)}."] if names else []
    understood(lines, "left_out", "dismiss left out")


def which(chosen: Comparing, label: str) -> str:
    """Which of them a question is about that is asked of one; the same one in all such questions."""
    return st.selectbox(label, chosen.names, key="of", bind="query-params", width=260)


def take_dropped() -> None:
    """A file that was dropped is compared at once; where there is no place left, in place of the last one."""
    new = came()
    if new is None:
        return
    name = name_of(new, new.implementations[0])
    before = [each for each in st.session_state.get("with", AT_FIRST) if each != name]
    choose_for_person(**{"with": [*before[: MOST - 1], name]})
