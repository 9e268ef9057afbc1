"""Bytes in hexadecimal, typed in a popover on the stage of bytes: it then reads these instead of the text.

A file's bytes go into the same field. They are kept in the URL as `bytes`, at every stage. A tokenizer takes a text, so
all other stages run on what a reader makes of the bytes that writes U+FFFD for each malformed run. An edit of the text
ends it.
"""

from __future__ import annotations

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.explore import MOST_BYTES, ExploreView, script_of_bytes
from explorer.answers.offers import short_name
from explorer.errors import InputError
from explorer.text.say import plural
from explorer.text.utf8 import bytes_of_hex, strict_error
from explorer.ui.explore.controls import Choice, stage_stepper
from explorer.ui.frame import show_error, show_notice, side_by_side
from explorer.ui.links import step_parameter
from explorer.ui.text_options import window_start
from explorer.ui.tokenizers.uploads import fresh_uploader
from explorer.ui.widget_values import url_values

EXAMPLES: Final = {
    "Valid: ÅWhat": "C3 85 57 68 61 74",
    "Lone continuation": "41 85 42",
    "Cut short": "E2 82 41",
    "Overlong": "C0 AF E0 80 AF",
    "Surrogate": "ED A0 80",
    "Above 10FFFF": "F4 90 80 80",
    "No such byte": "FF FE",
}
"""Name → bytes: one for each rule of UTF-8."""


def chosen(text: str) -> bytes:
    """The bytes that are read instead of the text; none if there are none, if they can't be read, or for a new text.

    Call it once in a run, before the field is drawn.
    """
    state = st.session_state
    typed = str((state["bytes"] if "bytes" in state else st.query_params.get("bytes")) or "")[: 3 * MOST_BYTES]
    before, was = state.get("bytes beside", (typed, text))
    if before == typed and was != text:
        typed = ""
    state["bytes"], state["bytes beside"] = typed, (typed, text)  # set, so that a stage without the field keeps it
    try:
        return bytes_of_hex(typed, MOST_BYTES)
    except InputError:
        return b""


def with_bytes(choice: Choice, data: bytes) -> Choice:
    """The choice with what a reader makes of the bytes in place of the text."""
    text = data.decode("utf-8", "replace")
    return choice._replace(request=choice.request._replace(text=text), at=window_start(text))


def view_of_bytes(view: ExploreView, data: bytes) -> ExploreView:
    """The view of that text; its first stage counts the bytes that were typed, its last one says if they are lost."""
    nodes = {node.key: node for node in view.top.stages}
    nodes["utf8"] = nodes["utf8"]._replace(result=plural(len(data), "byte"))
    if "decode" in nodes and strict_error(data) is not None:
        nodes["decode"] = nodes["decode"]._replace(result="other bytes", changed=True)
    return view._replace(top=view.top._replace(stages=list(nodes.values())))


def reminder(data: bytes) -> None:
    """Draws a notice that the page is about bytes, what readers make of them, and the way back to the text."""
    refused = strict_error(data)
    said = f"{plural(len(data), 'byte')} in place of the text. "
    if refused is None:
        said += "They are valid UTF-8, so every reader gives the same text."
    else:
        said += (
            f"A strict reader refuses them ({refused}). One that replaces writes � for each malformed run: that "
            "text is tokenized here."
        )
    with side_by_side(key="bytes-reminder"):
        show_notice(said)
        st.button("Use the text", key="no bytes", on_click=fill, args=("",))


def field() -> bytes:
    """Draws the field; the bytes in it, none if it is empty or can't be read."""

    def start_from() -> None:
        name = st.session_state["known bytes"]
        if name is not None:
            fill(EXAMPLES[name])
            st.session_state["known bytes"] = None

    with st.container(key="typed-bytes", width="content"), st.popover("Other bytes", width="content"):
        typed = st.text_input(
            "Read bytes in hexadecimal, valid or not, instead of the text", key="bytes", bind="query-params",
            max_chars=3 * MOST_BYTES, placeholder="C3 85 57 … (Enter reads them)", on_change=forget,
        )  # fmt: skip
        st.selectbox("Start from", list(EXAMPLES), None, key="known bytes", on_change=start_from,
                     placeholder="An example for each rule")  # fmt: skip
        with st.container(key="drop-bytes", width="content"):
            about = f"Up to {MOST_BYTES:,} bytes of any kind, read as UTF-8, valid or not."
            fresh_uploader("Or a file", "bytes file", take_file, width=170, help=about)
    problem = st.session_state.get("bytes problem")
    if problem:
        show_error(problem, "The file is not read.")
    try:
        return bytes_of_hex(typed or "", MOST_BYTES)
    except InputError as error:
        show_error(error)
        return b""


def fill(typed: str) -> None:
    """Puts bytes in hexadecimal into the field."""
    st.session_state["bytes"] = typed
    forget()


def forget() -> None:
    """Drops the message about the last file."""
    st.session_state["bytes problem"] = ""


def take_file(files: list[UploadedFile]) -> None:
    """Puts a file's bytes into the field, so that a link has them."""
    try:
        fill(typed_of_file(files[0].name, files[0].getvalue()))
    except InputError as error:
        st.session_state["bytes problem"] = str(error)


def typed_of_file(name: str, data: bytes) -> str:
    """A file's bytes as the field has them. Raises InputError for an empty file and for one of too many bytes.

    >>> typed_of_file("a.bin", b"A\\xff")
    '41 FF'
    """
    if not data:
        raise InputError(f"{short_name(name)} is empty; give a file with at least one byte")
    if len(data) > MOST_BYTES:
        size = plural(len(data), "byte")
        raise InputError(f"{short_name(name)} has {size}, and at most {MOST_BYTES:,} can be drawn; give a part of it")
    return data.hex(" ").upper()


def keep_in_url() -> None:
    """Keeps the bytes in the URL at a stage without the field, and takes them out once there are none."""
    data = st.session_state["bytes"]
    if data or st.session_state.get("bytes_in_url"):
        url_values({"bytes": data or None}, key="url-bytes")
    st.session_state.bytes_in_url = bool(data)


def stage(panel: DeltaGenerator, data: bytes) -> None:
    """Draws the stepper of these bytes into the panel of the stage."""
    with panel:
        stage_stepper(script_of_bytes(data), "bytes", data.hex(), step_parameter("utf8"))
