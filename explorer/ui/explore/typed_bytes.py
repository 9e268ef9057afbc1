"""Bytes in hexadecimal, typed below the stage of bytes: it then reads these instead of the text.

They are kept in the URL as `bytes`. The tokens above stay those of the text, because a tokenizer takes a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.typed_bytes import MOST, script_of_bytes
from explorer.errors import InputError
from explorer.text.utf8_readers import bytes_of_hex
from explorer.ui.components.stepper import stepper
from explorer.ui.links import step_parameter
from explorer.ui.notices import show_error

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
            st.session_state["bytes"] = EXAMPLES[name]
            st.session_state["known bytes"] = None

    with st.container(horizontal=True, vertical_alignment="bottom", key="typed-bytes"):
        typed = st.text_input(
            "Or read bytes in hexadecimal, valid or not", key="bytes", bind="query-params", max_chars=3 * MOST,
            placeholder="C3 85 57 … (Enter reads them)",
        )  # fmt: skip
        st.selectbox("Start from", list(EXAMPLES), None, key="known bytes", width=220, on_change=start_from,
                     placeholder="An example for each rule")  # fmt: skip
    try:
        return bytes_of_hex(typed or "", MOST)
    except InputError as error:
        show_error(error)
        return b""


def stage(panel: DeltaGenerator, data: bytes) -> None:
    """Draws the stepper of these bytes into the panel of the stage."""
    with panel:
        stepper(script_of_bytes(data), script_id=f"bytes {data.hex()}", key="stepper_bytes",
                parameter=step_parameter("utf8"), fixed=True)  # fmt: skip
