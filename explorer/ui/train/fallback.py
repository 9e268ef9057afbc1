"""Byte fallback on and off: the same pieces of an English text, and a greeting they have no tokens for, on Explore."""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.train import TrainRequest, TrainView, train_view
from explorer.answers.train_offers import OFFERED
from explorer.ui.explore.controls import open_text
from explorer.ui.links import open_page
from explorer.ui.train.trained import offer
from explorer.views.train_examples import ENGLISH, GREETING, SETTINGS

SETTING: Final = SETTINGS["Byte fallback"]
"""Its size is that without the bytes."""
BYTES: Final = 256


def fallback_view(*, on: bool) -> TrainView:
    """The training with byte fallback or without: the same pieces, and one more for each byte."""
    # no BOS and EOS: which of them are added to a text depends on byte fallback, and bytes alone are to differ
    options = (*OFFERED[SETTING.trainer_id].options, ("bos_id", -1), ("eos_id", -1), *((("byte_fallback", True),) * on))
    view = train_view(TrainRequest(SETTING.trainer_id, SETTING.cutting, ENGLISH, SETTING.size + BYTES * on, options))
    return view._replace(file_name=f"English, byte fallback {'on' if on else 'off'}.model")


def draw_fallback() -> None:
    """Draws a button for each, which opens Explore."""
    with st.container(horizontal=True, gap="small"):
        for on in (True, False):
            if st.button(f"See it {'with' if on else 'without'}", key=f"fallback-{on}", icon=":material/search:"):
                offer(fallback_view(on=on))
                open_text(GREETING)
                open_page("explore", {"text": GREETING})
