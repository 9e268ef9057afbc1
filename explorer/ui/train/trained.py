"""What was trained, as a tokenizer of the session: it takes the way of an upload."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer.answers.train import TrainView
from explorer.answers.upload_groups import Upload
from explorer.ui.explore.controls import open_text
from explorer.ui.links import open_page
from explorer.ui.tokenizers.uploads import offer_made


def draw_opening(view: TrainView, text: str) -> None:
    """Draws the button that opens the tokenizer on Explore. text: what it shows there."""
    if st.button("Open in Explore", type="primary", key="to_explore"):
        offer(view)
        open_text(text)
        open_page("explore", {"text": text})


def draw_files(view: TrainView, text: str) -> None:
    """Draws the download of the file that the original writes, and the way to Compare. text: what it shows there."""
    if st.button("Compare", key="to_compare", icon=":material/compare_arrows:"):
        offer(view)
        open_text(text)
        open_page("compare", {"text": text})
    st.download_button(f"{view.tokens:,} tokens as {Path(view.file_name).suffix}", view.file, view.file_name,
                       "application/octet-stream", on_click="ignore", icon=":material/download:")  # fmt: skip
    st.download_button("Recipe", view.recipe, "recipe.json", "application/json", on_click="ignore",
                       icon=":material/receipt_long:", help="Repeats this training with explorer train --replay, given "
                       "the same text")  # fmt: skip


def offer(view: TrainView) -> None:
    """Has the next page open the tokenizer."""
    offer_made("trained", (Upload(view.file_name, view.file, Path(view.file_name).stem),))
