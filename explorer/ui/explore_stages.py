"""The Explore page below its controls: tokens, the stages a text goes through, files to keep."""

from __future__ import annotations

import json

import streamlit as st

from explorer.export import trace_record
from explorer.ui.components.board import board
from explorer.ui.components.selection import Span
from explorer.ui.components.stepper import stepper
from explorer.ui.prepared import Prepared
from explorer.ui.state import link, news, span, whole_number
from explorer.views.boards.board import Board
from explorer.views.say import number
from explorer.views.script import Script
from explorer.views.table import chart_of_scores, table_of_tokens
from explorer.views.window import WINDOW


def tokens(ready: Prepared) -> None:
    """The outcome first: the tokens on the text."""
    drawn("tokens", ready.tokens)


def window(ready: Prepared) -> None:
    """Which part of a long text is drawn, and where to choose another one."""
    length = len(ready.trace.text)
    if length <= WINDOW:
        return
    st.info(
        f"The text is tokenized whole, all {number(length)} characters. Drawn below are characters "
        f"{number(ready.window.start)} to {number(ready.window.end - 1)}; choose another part here.",
        icon=":material/width:",
    )
    last = length - WINDOW
    st.session_state.at = max(0, min(int(st.session_state.get("at", 0)), last))
    at = st.slider("The part drawn begins at character", 0, last, key="at", step=min(500, last))
    link("at", str(at) if at else None)


def stages(ready: Prepared) -> None:
    """The way of the text, one section a stage."""
    for place, section in enumerate(ready.sections, 1):
        heading(place, section.title, section.what)
        if section.board is not None:
            drawn(section.key, section.board)
        if section.script is not None:
            play(ready, section.key)
            scores(section.script)


def take_away(ready: Prepared) -> None:
    """The tokens as a table, and files to keep. The address of the page is a link to all of it."""
    heading(
        len(ready.sections) + 1, "Take it away", "The address of this page opens this very text, tokenizer and step."
    )

    def trace_file() -> str:
        """Written only when somebody asks for it."""
        return json.dumps(trace_record(ready.tokenizer, ready.trace), ensure_ascii=False)

    table = table_of_tokens(ready.trace, ready.tokenizer.vocabulary)
    with st.container(horizontal=True):
        st.download_button("Tokens as CSV", table.to_csv(index=False), "tokens.csv", "text/csv", on_click="ignore")
        st.download_button("Trace as JSON", trace_file, "trace.json", "application/json", on_click="ignore")
    st.dataframe(table.head(WINDOW), hide_index=True, height=320)


# --- pieces --------------------------------------------------------------------------------------------------------


def heading(place: int, title: str, what: str) -> None:
    st.subheader(f"{place} · {title}", anchor=title.lower().replace(" ", "-"))
    st.caption(what)


@st.fragment
def scores(script: Script) -> None:
    """A chart of the queue, drawn only when it is opened."""
    with st.expander("The scores in the order they came out of the queue", on_change="rerun", key="scores") as box:
        if box.open:
            chart = chart_of_scores(script)
            if chart is None:
                st.caption("Nothing was put in the queue.")
            else:
                st.altair_chart(chart, width="stretch")


def stepped(step: int) -> None:
    link("step", str(step) if step else None)


def selected(chosen: Span | None) -> None:
    link("sel", None if chosen is None else f"{chosen[0]}-{chosen[1]}")


@st.fragment
def drawn(key: str, content: Board) -> None:
    """A board; a selection made in it goes to the URL."""
    board(
        content.rows,
        board_id=content.id,
        key=f"board_{key}",
        say=content.say._asdict(),
        selection=span(st.query_params.get("sel")),
        on_selection_change=selected,
    )


@st.fragment
def play(ready: Prepared, key: str) -> None:
    """The stepper; the step it rests at goes to the URL, and a step from the URL opens it there."""
    state = st.session_state
    if news("step"):
        state.opening = whole_number(st.query_params.get("step")) or 0

    stepper(
        ready.scripts[key],
        script_id=ready.id,
        step=state.get("opening"),
        selection=span(st.query_params.get("sel")),
        key="stepper",
        on_step_change=stepped,
        on_selection_change=selected,
    )


IN_ORDER = (tokens, window, stages, take_away)
