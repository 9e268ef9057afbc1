"""What is asked of a training, one question at a time: why a token, what if, the ways to write a word, lint."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.train import (
    FEWER,
    FORBID,
    LONGEST,
    MORE,
    TIES,
    TrainView,
    curves,
    lint_of,
    what_if,
    what_if_choices,
    why_token,
    word_view,
)
from explorer.text import visible
from explorer.text.say import Say, plural, two_digits
from explorer.training.request import TrainRequest
from explorer.training.why import stored
from explorer.ui.components.sentence import sentence
from explorer.ui.components.stepper import stepper
from explorer.views.train_chart import chart_of_curve


def draw_curve(request: TrainRequest, view: TrainView) -> None:
    """Tokens of the corpus by the size of the vocabulary, for all algorithms: what a link with `curves` opens."""
    if not view.curve.points:
        st.caption("This training has no curve: it made no merge and no pruning.")
        return
    st.caption(f"Tokens for this text by vocabulary size. The dotted line: {view.curve.words:,}, one a word.")
    theme = st.context.theme.type or "light"
    st.altair_chart(chart_of_curve(view.curve, request.vocab_size, theme, *curves(request)))


def draw_why(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Why a text is a token, or why not."""
    field, answer = st.columns(PARTS, gap="medium")
    typed = field.text_input("Why is this a token, or why not?", key="why", bind="query-params", max_chars=LONGEST,
                             placeholder="For example: the")  # fmt: skip
    if typed:
        found = why_token(request, typed)
        with answer:
            sentence(found.say, key="why-answer", steps=found.lines)


def draw_what_if(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """One thing of the training changed, and what that changes in the vocabulary."""
    choices = what_if_choices(request)
    offered = [
        MORE,
        *([FEWER] if choices.words else []),
        *([FORBID] if choices.merges else []),
        *([TIES] if choices.ties else []),
    ]
    trainer_id = "-".join(request.trainer_id)
    field, answer = st.columns(PARTS, gap="medium")
    change = field.selectbox("What if", offered, key=f"{trainer_id}-change", label_visibility="collapsed")
    value = ""
    if change == MORE:
        value = field.text_input("The line", key="more", max_chars=LONGEST, placeholder="For example: the quick dog",
                                 label_visibility="collapsed")  # fmt: skip
    elif change == FEWER:
        value = field.selectbox("The word", choices.words, format_func=visible, label_visibility="collapsed")
    elif change == FORBID:
        value = field.selectbox("The merge", choices.merges, label_visibility="collapsed").partition(":")[0]
    elif change == TIES:
        value = TIES
    if value:
        with answer:
            sentence(what_if(request, change, value), key="what-if-answer")


def draw_word(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """All ways to write a word with the pieces of a Unigram model."""
    if request.trainer_id[0] != "unigram":
        st.caption("Only a Unigram model weighs all ways to write a word. Choose Unigram above.")
        return
    words = request.text.split()
    usual = max((each for each in words if len(each) <= WORD), key=len, default=words[0][:WORD])
    longest = stored(f" {usual}", request.trainer_id, request.cutting).strip()
    field, answer = st.columns(PARTS, gap="medium")
    word = field.text_input("All ways to write", longest, max_chars=LONGEST, key="word", bind="query-params")
    if not word:
        return
    found, lattice = word_view(request, word)
    joined = " + ".join(f"{{{at}:q}}" for at in range(len(found.best)))
    say = Say.of(f"The best: {joined}.", *map(visible, found.best))
    with answer:
        counted = Say.of("{0:t}, score {1:t}.", plural(found.ways, "way"), two_digits(found.score))
        sentence(say.then(counted), key="ways")
    rows = [(visible(piece.text), piece.expected, piece.score, piece.loss if piece.used else None)
            for piece in found.pieces]  # fmt: skip
    table = pd.DataFrame(rows, columns=["Piece", "Expected", "Score", "Loss"])
    numbers = {name: st.column_config.NumberColumn(format="%.2f", width="small") for name in table.columns[1:]}
    with beside:
        stepper(lattice, script_id=f"{view.id} {word}", key="word_lattice", parameter="lattice", start=LAST)
    with answer:
        st.dataframe(table, hide_index=True, height=176, column_config=numbers, placeholder="not in the best")


def draw_lint(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Contradictions in the file."""
    found = lint_of(request)
    if len(found) < 2:  # the last says which versions can read it
        st.caption("Nothing found. Searched are marks that only one part of a tokenizer.json knows, tokens that "
                   "are missing, characters that get lost. For your own file: explorer lint FILE")  # fmt: skip
    for number, say in enumerate(found):
        sentence(say, key=f"lint-{number}")


PARTS: Final = (3, 7)
"""Shares of the width: what is asked, and the answer."""
WORD: Final = 24
"""Characters of the word that is asked about at first."""
LAST: Final = 1_000_000
"""More steps than a script has: it opens at its last."""
PANELS: Final = {"Why": draw_why, "What if": draw_what_if, "Word": draw_word, "Lint": draw_lint}
"""By their names on the page and in the URL."""
