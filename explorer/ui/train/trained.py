"""What was trained, as a tokenizer of the session: it takes the way of an upload."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import streamlit as st

from explorer.answers.offers import Upload
from explorer.answers.train import TrainView, learned_tokens, train_view
from explorer.text.say import plural
from explorer.training.request import OFFERED, TrainRequest
from explorer.ui.explore.controls import open_text
from explorer.ui.links import open_page
from explorer.ui.tokenizers.uploads import offer_made
from explorer.views.train_examples import ENGLISH, GREETING, SETTINGS


def draw_opening(view: TrainView, text: str) -> None:
    """Draws the button that opens the tokenizer on Explore. text: what it shows there."""
    if st.button("Open in Explore", type="primary", key="to_explore"):
        offer(view)
        open_text(text)
        open_page("explore", {"text": text})


def draw_files(view: TrainView, text: str) -> None:
    """Draws the download of the file that the original writes, and the way to Compare. text: what it shows there."""
    if st.button("Compare", key="to_compare", icon=":material/compare_arrows:", type="tertiary"):
        offer(view)
        open_text(text)
        open_page("compare", {"text": text})
    st.download_button(f"{view.tokens:,} tokens as {Path(view.file_name).suffix}", view.file, view.file_name,
                       "application/octet-stream", on_click="ignore", icon=":material/download:",
                       type="tertiary")  # fmt: skip
    st.download_button("Recipe", view.recipe, "recipe.json", "application/json", on_click="ignore", type="tertiary",
                       icon=":material/receipt_long:", help="Repeats this training with explorer train --replay, given "
                       "the same text")  # fmt: skip


def card_of(request: TrainRequest, view: TrainView) -> dict[str, Any]:
    """The picture of a training: what it makes of the text, and the tokens that it learned."""
    learned = learned_tokens(request)
    rows = [{"boxes": [{"t": text, "id": id} for text, id in learned]}]
    say = f"{plural(len(learned), 'token')} learned: the text takes {view.after:,} tokens instead of {view.before:,}"
    return {"say": say, "facts": request.text.replace("\n", " ")[:300], "rows": rows if learned else []}


def offer(view: TrainView) -> None:
    """Has the next page open the tokenizer."""
    offer_made("trained", (Upload(view.file_name, view.file, Path(view.file_name).stem),))


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
            if st.button(
                f"See it {'with' if on else 'without'}", key=f"fallback-{on}", icon=":material/search:", type="tertiary"
            ):
                offer(fallback_view(on=on))
                open_text(GREETING)
                open_page("explore", {"text": GREETING})
