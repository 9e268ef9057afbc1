"""What the Explore page is asked: the text, the tokenizer, the options."""

from __future__ import annotations

from typing import Literal, NamedTuple

import streamlit as st

from explorer.answers.offers import Run
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.part_shown import part_shown
from explorer.ui.tokenizers import chooser as tokenizers
from explorer.ui.typed import as_read, switches
from explorer.views.presets import PRESETS

LONGEST = 100_000
"""Characters the page takes; the command line takes any number."""


class Choice(NamedTuple):
    """The arguments of `prepared_as_typed`."""

    run: Run
    text: str
    add_special: bool
    parse_special: bool
    at: int


def choose() -> Choice | None:
    """Draws the controls and gives what was chosen; None where the text cannot be used, which is then said."""
    typed = text_field()
    with tokenizers.row() as run:
        add, parse, escapes = switches("special", "parse", "escapes")
    if not tokenizers.usable(run):
        return None
    text = as_read(typed, escapes)
    if text is None:
        return None
    return Choice(run, text, add, parse, part_shown(text))


def text_field() -> str:
    """The text as it is typed; at first from the address, later from the keyboard or an example."""
    state = st.session_state
    if "text" not in state:
        state.text, state.rev = linked_text("text", PRESETS[0].text, LONGEST), 0
    typed = reported_text("field", rev=state.rev, longest=LONGEST)
    if typed is not None:
        state.text = typed

    shown = next((place for place, preset in enumerate(PRESETS) if preset.text == state.text), None)

    def example(place: int) -> None:
        state.text = PRESETS[place].text
        state.rev += 1

    # Buttons, which have no value: pills would keep one, and a rerun that was on its way while somebody typed brings
    # the old one back, which counts as a click.
    with st.container(horizontal=True, gap="xsmall", key="examples"):
        for place, preset in enumerate(PRESETS):
            kind: Literal["primary", "secondary"] = "primary" if place == shown else "secondary"
            st.button(preset.label, key=f"example {place}", type=kind, on_click=example, args=(place,))
    live_text(
        state.text, rev=state.rev, key="field", max_chars=LONGEST, placeholder="Type or paste any text",
        note=PRESETS[shown].shows if shown is not None else "", unlinked=PRESETS[0].text,
    )  # fmt: skip
    return str(state.text)
