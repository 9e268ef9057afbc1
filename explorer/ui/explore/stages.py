"""The Explore page below its controls: tokens, the stages of a text, downloads."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from explorer.answers.explore import ALL, ExploreView, SectionView, download, queue_chart, why_of
from explorer.text.quantities import number
from explorer.ui.components import overview
from explorer.ui.components.board import board
from explorer.ui.components.stepper import stepper
from explorer.ui.explore import custom_pattern
from explorer.ui.links import step_parameter
from explorer.ui.text_window import choose_window
from explorer.views.boards.board import Board
from explorer.views.glossary import Word


def overview_of(view: ExploreView) -> None:
    """Draws the result first: the text in its tokens, the row of stages."""
    custom_pattern.reminder(view)
    asked = overview.question("overview", view.id)
    answer = None
    if asked is not None:
        request = view.spec, view.text, view.add_special, view.parse_special, view.window.start
        card = why_of(*request, *asked)
        answer = card and {**card, "of": f"{'cut' if asked.cut else 'token'} {asked.number} {view.id}"}
    overview.overview(
        view.pieces, [node._asdict() for node in view.nodes], focus=view.focus, content_id=view.id, key="overview",
        ids=str(view.ids), outside=(view.window.first, len(view.ids) - view.window.last), asked=view.asked,
        answer=answer,
    )  # fmt: skip


def window(view: ExploreView) -> None:
    """Says which part of a long text is drawn, and offers another."""
    window = view.window
    choose_window(
        view.text,
        f"All {number(len(view.text))} characters of the text are tokenized. Characters {number(window.start + 1)} to "
        f"{number(window.end)} are drawn below, with the pairs of the queue that lie within them.",
    )


def stage(view: ExploreView) -> None:
    """Draws the stage in focus: its stepper in a panel of fixed height, else its board."""
    if view.focus == ALL:
        return
    (section,) = view.sections
    with st.container(key="stage"):
        if section.script is not None:
            player(view, section, fixed=True)
        elif section.board is not None:
            with st.container(height=508, border=True, key="board"):
                draw_board(section.key, section.board)
        else:
            st.caption(section.what)
    if section.key == "pre-tokenize":
        custom_pattern.pattern_field(view)


def report(view: ExploreView) -> None:
    """Draws a section for each stage."""
    if view.focus != ALL:
        return
    if view.tokens is not None:
        draw_board("tokens", view.tokens, hint=True)
    for index, section in enumerate(view.sections, 1):
        with st.container(key=f"section-{section.key}"):
            heading(index, section.title, section.what, section.words)
            if section.key == "pre-tokenize":
                custom_pattern.pattern_field(view)
            if section.board is not None:
                draw_board(section.key, section.board)
            if section.script is not None:
                player(view, section, fixed=False)
                if section.queue:
                    queue_expander(view, section.key, section.queue)


def player(view: ExploreView, section: SectionView, *, fixed: bool) -> None:
    """Draws the stepper of a section."""
    assert section.script is not None
    stepper(
        section.script,
        script_id=f"{section.key} {view.id}",
        key="stepper" if section.key == "model" else f"stepper_{section.key}",
        parameter=step_parameter(section.key),
        fixed=fixed,
    )


def downloads(view: ExploreView) -> None:
    """Draws the tokens as a table, and the downloads."""
    table, request = view.table, (view.spec, view.text, view.add_special, view.parse_special)
    with st.expander("Tokens as a table, and downloads", icon=":material/download:", key="section-take-away"):
        with st.container(horizontal=True):
            # functions, so that a file is written when it is requested
            st.download_button("Tokens as CSV", download.deferred(*request, "tokens"), view.names["tokens"], "text/csv",
                               on_click="ignore")  # fmt: skip
            st.download_button("Trace as JSON", download.deferred(*request, "trace"), view.names["trace"],
                               "application/json", on_click="ignore")  # fmt: skip
        # not every vocabulary has scores
        columns = [str(name) for name in table if name != "score" or table[name].notna().any()]
        st.dataframe(table, hide_index=True, height=320, placeholder="–", column_order=columns)


# --- parts of sections ---------------------------------------------------------------------------------------------


def heading(number: int, title: str, about: str, words: Iterable[Word] = ()) -> None:
    """Draws a section's heading. words: explained by the mark beside the title."""
    explained = "\n".join(f"- **{word.word}**: {word.means}" for word in words)
    st.header(f"{number} · {title}", anchor=title.lower().replace(" ", "-"), help=explained or None)
    st.caption(about)


@st.fragment
def queue_expander(view: ExploreView, key: str, priority: str) -> None:
    """Draws a chart of the queue while its expander is open. priority: what the queue sorts by."""
    with st.expander(f"Each {priority} in the order it left the queue", on_change="rerun", key="popped") as box:
        if box.open:
            request = view.spec, view.text, view.add_special, view.parse_special, view.window.start
            chart = queue_chart(*request, key, st.context.theme.type or "light")
            if chart is None:
                st.caption("The queue stayed empty.")
            else:
                st.altair_chart(chart, width="stretch")


def draw_board(key: str, content: Board, hint: bool = False) -> None:
    """Draws a board."""
    board(content.rows, board_id=content.id, key=f"board_{key}", say=content.say._asdict(), hint=hint)


PARTS = (overview_of, window, stage, report, downloads)
"""The parts of the page, from top to bottom."""
