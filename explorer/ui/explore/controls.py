"""The controls of the Explore page: the text, the tokenizer, the options."""

from __future__ import annotations

from typing import Literal, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.offers import TokenizerSpec
from explorer.ui.components import overview
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.text_options import read_text, text_switches
from explorer.ui.text_window import window_start
from explorer.ui.tokenizers import chooser
from explorer.views.presets import PRESETS

LONGEST = 100_000
"""Characters of a text on the page; the command line has no limit."""


class Choice(NamedTuple):
    """What is chosen: the arguments of `custom_pattern.view_with_pattern`."""

    spec: TokenizerSpec
    text: str
    add_special: bool
    parse_special: bool
    at: int
    stage: str


def choose() -> tuple[DeltaGenerator, Choice | None]:
    """Draws the bar; returns it with the choice, which is None if the tokenizer or the text can't be used."""
    bar = st.container(horizontal=True, vertical_alignment="top", gap="small", key="bar")
    with bar:
        typed = text_field()
        with chooser.row() as chosen:
            add, parse, escapes = text_switches("special", "parse", "escapes")
    return bar, choice_of(chosen, typed, add, parse, escapes)


def choice_of(chosen: chooser.Chosen, typed: str, add: bool, parse: bool, escapes: bool) -> Choice | None:
    """The choice; None after an error if the tokenizer or the text can't be used."""
    if not chooser.is_usable(chosen):
        return None
    text = read_text(typed, escapes)
    if text is None:
        return None
    return Choice(chosen.spec, text, add, parse, window_start(text), chosen_stage())


def chosen_stage() -> str:
    """The key of the stage in focus: the one chosen last in the browser, at first the one in the URL."""
    state = st.session_state
    reported = overview.chosen_stage("overview")
    if reported is not None:
        state.stage = reported
    return str(state.setdefault("stage", st.query_params.get("stage", "model")[:40]))


def text_field() -> str:
    """Draws the field and returns its text: at first from the URL, later typed or from an example."""
    state = st.session_state
    if "text" not in state:
        state.text, state.rev = linked_text("text", PRESETS[0].text, LONGEST), 0
    typed = reported_text("field", rev=state.rev, longest=LONGEST)
    if typed is not None:
        state.text = typed

    current = next((index for index, preset in enumerate(PRESETS) if preset.text == state.text), None)

    def use_example(index: int) -> None:
        # in this order: if the next run cuts this short, the field shows the text that the page has
        state.rev += 1
        state.text = PRESETS[index].text

    # Buttons, because they have no value. Pills have one, and a rerun that started before a key press would bring the
    # old value back, which counts as a click.
    with st.container(horizontal=True, gap=None, key="text"):
        live_text(
            state.text, rev=state.rev, key="field", max_chars=LONGEST, placeholder="Type or paste any text",
            note=PRESETS[current].shows if current is not None else "", unlinked=PRESETS[0].text, bar=True,
        )  # fmt: skip
        with st.popover("Examples", key="examples", type="tertiary"):
            for index, preset in enumerate(PRESETS):
                kind: Literal["primary", "tertiary"] = "primary" if index == current else "tertiary"
                st.button(preset.label, key=f"example {index}", type=kind, on_click=use_example, args=(index,),
                          help=preset.shows)  # fmt: skip
    return str(state.text)
