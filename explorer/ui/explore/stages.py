"""The Explore page below its controls: tokens, the stages a text goes through, files to keep."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from explorer.answers.explore import Prepared, file_of, queue_chart
from explorer.text.quantities import number
from explorer.ui import cautions
from explorer.ui.components.board import board
from explorer.ui.components.stepper import stepper
from explorer.ui.explore import custom_pattern
from explorer.ui.links import step_parameter
from explorer.ui.part_shown import choose_part
from explorer.views.boards.board import Board
from explorer.views.glossary import Word


def tokens(ready: Prepared) -> None:
    """The outcome first: what to know about it, then the tokens on the text."""
    cautions.said(ready.warnings)
    custom_pattern.reminder(ready)
    drawn("tokens", ready.tokens, hint=True)


def window(ready: Prepared) -> None:
    """Which part of a long text is drawn, and where to choose another one."""
    window = ready.window
    choose_part(
        ready.text,
        f"The text is tokenized whole, all {number(len(ready.text))} characters. Drawn below are characters "
        f"{number(window.start + 1)} to {number(window.end)}, and of the queue the pairs within them.",
    )


def stages(ready: Prepared) -> None:
    """The way of the text, one section a stage."""
    for place, section in enumerate(ready.sections, 1):
        with st.container(key=f"section-{section.key}"):
            heading(place, section.title, section.what, section.words)
            if section.key == "pre-tokenize":
                custom_pattern.field(ready)
            if section.board is not None:
                drawn(section.key, section.board)
            if section.script is not None:
                stepper(
                    section.script,
                    script_id=f"{section.key} {ready.id}",
                    key="stepper" if section.key == "model" else f"stepper_{section.key}",
                    parameter=step_parameter(section.key),
                )
                if section.queue:
                    popped(ready, section.key, section.queue)


def take_away(ready: Prepared) -> None:
    """The tokens as a table, and files to keep. The address of the page is a link to all of it."""
    table, asked = ready.table, (ready.run, ready.text, ready.add_special, ready.parse_special)
    with st.container(key="section-take-away"):
        what = "The address of this page opens this very text, tokenizer and step."
        heading(len(ready.sections) + 1, "Take it away", what)
        with st.container(horizontal=True):
            # written only when somebody asks for it
            st.download_button("Tokens as CSV", file_of.later(*asked, "tokens"), ready.names["tokens"], "text/csv",
                               on_click="ignore")  # fmt: skip
            st.download_button("Trace as JSON", file_of.later(*asked, "trace"), ready.names["trace"],
                               "application/json", on_click="ignore")  # fmt: skip
        # not every vocabulary has scores
        columns = [str(name) for name in table if name != "score" or table[name].notna().any()]
        st.dataframe(table, hide_index=True, height=320, placeholder="–", column_order=columns)


# --- pieces --------------------------------------------------------------------------------------------------------


def heading(place: int, title: str, what: str, words: Iterable[Word] = ()) -> None:
    """words: explained when the mark beside the title is pointed at or reached with the keyboard."""
    explained = "\n".join(f"- **{word.word}**: {word.means}" for word in words)
    st.header(f"{place} · {title}", anchor=title.lower().replace(" ", "-"), help=explained or None)
    st.caption(what)


@st.fragment
def popped(ready: Prepared, key: str, worth: str) -> None:
    """A chart of the queue, drawn only when it is opened."""
    with st.expander(f"Each {worth} in the order it came out of the queue", on_change="rerun", key="popped") as box:
        if box.open:
            asked = ready.run, ready.text, ready.add_special, ready.parse_special, ready.window.start
            chart = queue_chart(*asked, key, st.context.theme.type or "light")
            if chart is None:
                st.caption("Nothing was put in the queue.")
            else:
                st.altair_chart(chart, width="stretch")


def drawn(key: str, content: Board, hint: bool = False) -> None:
    board(content.rows, board_id=content.id, key=f"board_{key}", say=content.say._asdict(), hint=hint)


IN_ORDER = (tokens, window, stages, take_away)
