"""What is asked of a training, one question at a time: its curve, why a text is a token or not, what if."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import streamlit as st

from explorer.answers.train import TrainRequest, TrainView
from explorer.answers.train_curves import Curves, curves
from explorer.answers.train_what_if import FEWER, FORBID, MORE, what_if, what_if_choices
from explorer.answers.train_why import LONGEST, why_token
from explorer.text import visible
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
        st.caption("This training has no curve: it made no merge and no pruning.")
        return
    st.caption(f"Tokens for this text by vocabulary size. The dotted line: {view.curve.words:,}, one a word.")
    room = st.empty()
    both = Curves((), ())
    if st.toggle("All algorithms, and larger vocabularies", key="curves", bind="query-params"):
        both = curves(request)
    theme = st.context.theme.type or "light"
    room.altair_chart(chart_of_curve(view.curve, request.vocab_size, theme, *both))


def draw_why(request: TrainRequest, view: TrainView) -> None:
    """Why a text is a token, or why not."""
    typed = st.text_input("Why is this a token, or why not?", key="why", bind="query-params", max_chars=LONGEST,
                          placeholder="For example: the")  # fmt: skip
    if typed:
        sentence(why_token(request, typed), key="why-answer")


def draw_what_if(request: TrainRequest, view: TrainView) -> None:
    """One thing of the training changed, and what that changes in the vocabulary."""
    choices = what_if_choices(request)
    offered = [MORE, *([FEWER] if choices.words else []), *([FORBID] if choices.merges else [])]
    whose = "-".join(request.whose)
    change = st.selectbox("What if", offered, key=f"{whose}-change", label_visibility="collapsed")
    value = ""
    if change == MORE:
        value = st.text_input("The line", key="more", max_chars=LONGEST, placeholder="For example: the quick dog",
                              label_visibility="collapsed")  # fmt: skip
    elif change == FEWER:
        value = st.selectbox("The word", choices.words, format_func=visible, label_visibility="collapsed")
    elif change == FORBID:
        value = st.selectbox("The merge", choices.merges, label_visibility="collapsed").partition(":")[0]
    if value:
        sentence(what_if(request, change, value), key="what-if-answer")


CURVE: Final = "Curve"
PANELS: Final[Mapping[str, Callable[[TrainRequest, TrainView], None]]] = MappingProxyType(
    {CURVE: draw_curve, "Why": draw_why, "What if": draw_what_if}
)
"""By their names on the page and in the URL."""
