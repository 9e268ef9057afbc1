"""What is asked of a training, one question at a time: its curve, and why a text is a token or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import streamlit as st

from explorer.answers.train import TrainRequest, TrainView
from explorer.answers.train_why import LONGEST, why_token
from explorer.ui.sentence import sentence
from explorer.views.train_chart import chart_of_curve


def draw_panels(request: TrainRequest, view: TrainView) -> None:
    """Draws the choice and the panel that is chosen; only that one is computed."""
    name = st.segmented_control("Question", list(PANELS), default=CURVE, key="ask", bind="query-params", required=True,
                                label_visibility="collapsed")  # fmt: skip
    PANELS[name or CURVE](request, view)


def draw_curve(request: TrainRequest, view: TrainView) -> None:
    """Tokens of the corpus by the size of the vocabulary."""
    if not view.curve.points:
        st.caption("This trainer doesn't grow one vocabulary from a smaller one, so it has no curve.")
        return
    st.caption(f"Tokens for this text by vocabulary size. The dotted line: {view.curve.words:,}, one a word.")
    st.altair_chart(chart_of_curve(view.curve, request.vocab_size, st.context.theme.type or "light"))


def draw_why(request: TrainRequest, view: TrainView) -> None:
    """Why a text is a token, or why not."""
    typed = st.text_input("Why is this a token, or why not?", key="why", bind="query-params", max_chars=LONGEST,
                          placeholder="For example: the")  # fmt: skip
    if typed:
        sentence(why_token(request, typed), key="why-answer")


CURVE: Final = "Curve"
PANELS: Final[Mapping[str, Callable[[TrainRequest, TrainView], None]]] = MappingProxyType(
    {CURVE: draw_curve, "Why": draw_why}
)
"""By their names on the page and in the URL."""
