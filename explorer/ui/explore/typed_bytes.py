"""Bytes in hexadecimal, typed in a popover on the stage of bytes: it then reads these instead of the text.

A file's bytes go into the same field. They are kept in the URL as `bytes`. The tokens above stay those of the text,
because a tokenizer takes a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.typed_bytes import MOST, script_of_bytes
from explorer.answers.upload_offer import short_name
from explorer.errors import InputError
from explorer.text.quantities import plural
from explorer.text.utf8_readers import bytes_of_hex
from explorer.ui.components.stepper import stepper
from explorer.ui.links import step_parameter
from explorer.ui.notices import show_error
from explorer.ui.tokenizers.uploads import delete_from_streamlit

EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Valid: ÅWhat": "C3 85 57 68 61 74",
        "Lone continuation": "41 85 42",
        "Cut short": "E2 82 41",
        "Overlong": "C0 AF E0 80 AF",
        "Surrogate": "ED A0 80",
        "Above 10FFFF": "F4 90 80 80",
        "No such byte": "FF FE",
    }
)
"""Name → bytes: one for each rule of UTF-8."""


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
            max_chars=3 * MOST, placeholder="C3 85 57 … (Enter reads them)", on_change=forget,
        )  # fmt: skip
        st.selectbox("Start from", list(EXAMPLES), None, key="known bytes", on_change=start_from,
                     placeholder="An example for each rule")  # fmt: skip
        file_field()
    problem = st.session_state.get("bytes problem")
    if problem:
        show_error(problem, "The file is not read.")
    try:
        return bytes_of_hex(typed or "", MOST)
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


def file_field() -> None:
    """Draws the field for a file. Its bytes go into the field beside it, so that a link has them."""
    state = st.session_state
    key = f"bytes file {state.setdefault('bytes files', 0)}"

    def take() -> None:
        file = state[key]
        if file is None:
            return
        state["bytes files"] += 1  # an empty field for the next file
        try:
            fill(typed_of_file(file.name, file.getvalue()))
        except InputError as error:
            state["bytes problem"] = str(error)
        finally:
            delete_from_streamlit([file])

    with st.container(key="drop-bytes", width="content"):
        st.file_uploader("Or a file", key=key, width=170, on_change=take, max_upload_size=1,
                         help=f"Up to {MOST:,} bytes of any kind. They are read as UTF-8, valid or not.")  # fmt: skip


def typed_of_file(name: str, data: bytes) -> str:
    """A file's bytes as the field has them. Raises InputError for an empty file and for one of too many bytes.

    >>> typed_of_file("a.bin", b"A\\xff")
    '41 FF'
    """
    if not data:
        raise InputError(f"{short_name(name)} is empty; give a file with at least one byte")
    if len(data) > MOST:
        raise InputError(f"{short_name(name)} has {plural(len(data), 'byte')}, and at most {MOST:,} can be drawn; "
                         "give a part of it")  # fmt: skip
    return data.hex(" ").upper()


def stage(panel: DeltaGenerator, data: bytes) -> None:
    """Draws the stepper of these bytes into the panel of the stage."""
    with panel:
        stepper(script_of_bytes(data), script_id=f"bytes {data.hex()}", key="stepper_bytes",
                parameter=step_parameter("utf8"), fixed=True)  # fmt: skip
