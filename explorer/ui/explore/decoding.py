"""Explore backwards: the field holds ids, and the page shows how they become text, at once or one by one."""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.ids import (
    ROWS,
    STREAMED,
    DecodeView,
    IdsRequest,
    StreamView,
    decode_rows,
    decode_section,
    decode_view,
    decoded_text,
    drift_export,
    drift_view,
    stream_of_ids,
)
from explorer.text.say import Say
from explorer.ui.components import tokens
from explorer.ui.components.every_page import download_buttons
from explorer.ui.components.tokens import aligned_rows, framed_rows
from explorer.ui.explore.controls import AT_ONCE, ONE_BY_ONE, Bar, chosen_stage, chosen_tab, stage_stepper
from explorer.ui.frame import side_by_side
from explorer.ui.language import language, words
from explorer.ui.parameters import choose_window, context, window_start

KEY: Final = "stream"
"""The key of the choice, and its parameter in the URL."""


def one_by_one() -> bool:
    """Draws the choice; whether ids are to arrive one by one."""
    return chosen_tab("Ids become text", {AT_ONCE: AT_ONCE, ONE_BY_ONE: "Streaming"}, key=KEY) == ONE_BY_ONE


def player(view: StreamView, content_id: str) -> None:
    """Draws the stepper of a stream."""
    stage_stepper(view.script, "stream", content_id, "arrived")
    if view.total > STREAMED:
        st.caption(words("The first {0} of {1} ids are drawn; the command line plays 10,000.", STREAMED, view.total))


def follow_ids(bar: Bar, pasted: str) -> None:
    """Draws the ids as tokens on their text, and the stage in focus. Raises InputError."""
    ids = IdsRequest(bar.chosen.spec, pasted, bar.add_special)
    request = ids, window_start(decoded_text(ids)), bar.stored
    view = decode_view(*request)
    keys = [node.key for node in view.top.stages]
    focus = chosen_stage() if chosen_stage() in keys else "decode"
    around = tokens.Around(tokens.Hint(words(view.say)), explains=False)
    tokens.overview(view.top, around, focus=focus, key="overview")
    count = sum(view.top.outside) + len(view.top.tokens)
    choose_window(view.text, Say.of("All {0} ids are decoded. A part of their text is drawn below.", count))
    by_one = focus == "decode" and one_by_one()
    with st.container(key="stage"):
        if by_one:
            player(stream_of_ids(ids, language()), view.top.content_id)
        else:
            draw(view, focus, request)


def draw(view: DecodeView, focus: str, request: tuple[IdsRequest, int, bool]) -> None:
    """Draws the stage in focus in the room that a stepper takes."""
    if focus not in ROWS:
        script = decode_section(*request, focus, language()).script
        assert script is not None
        stage_stepper(script, focus, view.top.content_id)
        return
    with st.container(height=508, border=True, key="rows"):
        if focus == "again":
            draw_again(view, request)
        else:
            st.caption(words("The numbers that were given, each with its token."))
            aligned_rows(decode_rows(*request), key="decode_rows", names=[request[0].spec.name])


def draw_again(view: DecodeView, request: tuple[IdsRequest, int, bool]) -> None:
    """Draws which ids are not canonical, and the stage that makes each differ."""
    found, asked = drift_view(*request), request[:1]
    framed_rows(found.picture.frame, found.picture.drawn, key="again_rows")
    with side_by_side("top"):
        st.button(words("Open this text"), key="open decoded", on_click=context().fill, args=(view.text,))
        if not found.same:
            download_buttons(drift_export, asked, {"json": "Round trip as JSON"})
    if not found.same:
        st.dataframe(found.rows, hide_index=True)
        about = "A program that keeps only the text of an answer, and encodes it later, gets the canonical ids."
        st.caption(words(about))
