"""Byte fallback on and off: the same pieces of an English text, and a greeting they have no tokens for, on Explore."""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.train import TrainRequest, TrainView, train_view
from explorer.ui.explore.controls import open_text
from explorer.ui.links import open_page
from explorer.ui.train.trained import offer
from explorer.views.train_examples import ENGLISH, GREETING

SIZE: Final = 50
"""Pieces without those of the bytes."""
BYTES: Final = 256


def fallback_view(*, on: bool) -> TrainView:
    """The training with byte fallback or without: the same pieces, and one more for each byte."""
    options = (("hard_vocab_limit", False), *([("byte_fallback", True)] if on else []))
    view = train_view(TrainRequest(("bpe", "sentencepiece"), "none", ENGLISH, SIZE + BYTES * on, options))
    return view._replace(file_name=f"English, byte fallback {'on' if on else 'off'}.model")


def draw_fallback() -> None:
    """Draws a button for each, which opens Explore."""
    with st.container(horizontal=True, gap="small"):
        for on in (True, False):
            if st.button(f"See it {'with' if on else 'without'}", key=f"fallback-{on}", icon=":material/search:"):
                offer(fallback_view(on=on))
                open_text(GREETING)
                open_page("explore", {"text": GREETING})
