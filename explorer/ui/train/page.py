"""The Train page: the bar, a question about the training if one is asked, the training, what becomes of it.

Questions are why a text is a token, what if, the ways to write a word, lint. What was trained takes the way of an
upload to the session's tokenizers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.offers import Upload
from explorer.answers.saved import training_file
from explorer.answers.train import (
    FEWER,
    FORBID,
    LONGEST_ASKED,
    MORE,
    TIES,
    TrainView,
    curves,
    learned_tokens,
    lint_of,
    train_view,
    what_if,
    what_if_choices,
    why_token,
    word_view,
)
from explorer.errors import InputError
from explorer.languages import phrases
from explorer.text import visible
from explorer.text.say import Say, plural, two_digits
from explorer.training.request import OFFERED, TrainRequest
from explorer.training.why import stored
from explorer.ui import STYLES
from explorer.ui.components.every_page import page_button, picture, sentence
from explorer.ui.components.tokens import LAST_STEP, Play, stepper
from explorer.ui.explore.controls import show_text
from explorer.ui.frame import color_theme, fragment, show_error, side_by_side
from explorer.ui.language import language, words
from explorer.ui.parameters import app_url
from explorer.ui.tokenizers.uploads import offer_made
from explorer.ui.train.controls import LEVELS, draw_bar, draw_corpus
from explorer.views.charts import chart_of_curve
from explorer.views.examples import CLAIMS, ENGLISH, GREETING, SETTINGS


def draw_curve(request: TrainRequest, view: TrainView) -> None:
    """Tokens of the corpus by the size of the vocabulary, for all algorithms: what a link with `curves` opens."""
    if not view.curve.points:
        st.caption(words("This training has no curve: it made no merge and no pruning."))
        return
    st.caption(words("Tokens for this text by vocabulary size. The dotted line: {0}, one a word.", view.curve.words))
    theme = color_theme()
    st.altair_chart(chart_of_curve(view.curve, request.vocab_size, theme, *curves(request)))


def draw_why(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Why a text is a token, or why not."""
    field, answer = st.columns(PARTS, gap="medium")
    typed = field.text_input(words("Why is this a token, or why not?"), key="why", bind="query-params",
                             max_chars=LONGEST_ASKED, placeholder=words("For example: {0:t}", "the"))  # fmt: skip
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
    change = field.selectbox(words("What if"), offered, key=f"{trainer_id}-change", label_visibility="collapsed",
                             format_func=words)  # fmt: skip
    value = ""
    if change == MORE:
        value = field.text_input(words("The line"), key="more", max_chars=LONGEST_ASKED,
                                 placeholder=words("For example: {0:t}", "the quick dog"),
                                 label_visibility="collapsed")  # fmt: skip
    elif change == FEWER:
        value = field.selectbox(words("The word"), choices.words, format_func=visible, label_visibility="collapsed")
    elif change == FORBID:
        value = field.selectbox(words("The merge"), choices.merges, label_visibility="collapsed").partition(":")[0]
    elif change == TIES:
        value = TIES
    if value:
        with answer:
            sentence(what_if(request, change, value), key="what-if-answer")


def draw_word(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """All ways to write a word with the pieces of a Unigram model."""
    if request.trainer_id[0] != "unigram":
        st.caption(words("Only a Unigram model weighs all ways to write a word. Choose Unigram above."))
        return
    every = request.text.split()
    usual = max((each for each in every if len(each) <= WORD), key=len, default=every[0][:WORD])
    longest = stored(f" {usual}", request.trainer_id, request.cutting).strip()
    field, answer = st.columns(PARTS, gap="medium")
    word = field.text_input(
        words("All ways to write"), longest, max_chars=LONGEST_ASKED, key="word", bind="query-params"
    )
    if not word:
        return
    found, lattice = word_view(request, word, language())
    joined = " + ".join(f"{{{at}:q}}" for at in range(len(found.best)))
    say = Say.of("The best: {0}.", Say.of(joined, *map(visible, found.best)))
    with answer:
        counted = Say.of("{0:t}, score {1:t}.", plural(found.ways, "way"), two_digits(found.score))
        sentence(say.then(counted), key="ways")
    rows = [(visible(piece.text), piece.expected, piece.score, piece.loss if piece.used else None)
            for piece in found.pieces]  # fmt: skip
    table = pd.DataFrame(rows, columns=[words("Piece"), words("Expected"), words("Score"), words("Loss")])
    numbers = {name: st.column_config.NumberColumn(format="%.2f", width="small") for name in table.columns[1:]}
    with beside:
        stepper(lattice, Play(f"{view.id} {word}", "lattice", start=LAST_STEP), key="word_lattice")
    with answer:
        st.dataframe(table, hide_index=True, height=176, column_config=numbers, placeholder=words("not in the best"))


def draw_lint(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Contradictions in the file."""
    found = lint_of(request)
    if len(found) < 2:  # the last says which versions can read it
        st.caption(words("Nothing found. Searched are marks that only one part of a tokenizer.json knows, tokens that "
                         "are missing, characters that get lost. For your own file: explorer lint FILE"))  # fmt: skip
    for number, say in enumerate(found):
        sentence(say, key=f"lint-{number}")


PARTS: Final = (3, 7)
"""Shares of the width: what is asked, and the answer."""
WORD: Final = 24
"""Characters of the word that is asked about at first."""
PANELS: Final = {"Why": draw_why, "What if": draw_what_if, "Word": draw_word, "Lint": draw_lint}
"""By their names on the page and in the URL."""


def draw_opening(view: TrainView, text: str) -> None:
    """Draws the button that opens the tokenizer on Explore. text: what it shows there."""
    if st.button(words("Open in Explore"), type="primary", key="to_explore"):
        show_trained("explore", view, text)


def draw_files(view: TrainView, text: str) -> None:
    """Draws the download of the file that the original writes, and the way to Compare. text: what it shows there."""
    if st.button(words("Compare"), key="to_compare", icon=":material/compare_arrows:", type="tertiary"):
        show_trained("compare", view, text)
    st.download_button(words("{0} tokens as {1:t}", view.tokens, Path(view.file_name).suffix), view.file,
                       view.file_name, "application/octet-stream", on_click="ignore", icon=":material/download:",
                       type="tertiary")  # fmt: skip
    st.download_button(words("Recipe"), view.recipe, "recipe.json", "application/json", on_click="ignore",
                       type="tertiary", icon=":material/receipt_long:",
                       help=words("Repeats this training with explorer train --replay, given the same text"),
                       )  # fmt: skip


def card_of(request: TrainRequest, view: TrainView) -> dict[str, Any]:
    """The picture of a training: what it makes of the text, and the tokens that it learned."""
    learned = learned_tokens(request)
    rows = [{"boxes": [{"t": text, "id": id} for text, id in learned]}]
    say = words("{0:t} learned: the text takes {1} tokens instead of {2}", plural(len(learned), "token"), view.after,
                view.before)  # fmt: skip
    return {"say": say, "facts": request.text.replace("\n", " ")[:300], "rows": rows if learned else []}


def show_trained(page: str, view: TrainView, text: str) -> None:
    """Leaves for a page that opens the tokenizer."""
    offer_made("trained", (Upload(view.file_name, view.file, Path(view.file_name).stem),))
    show_text(page, text)


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
    with side_by_side("top"):
        for on in (True, False):
            if st.button(
                words("See it with" if on else "See it without"),
                key=f"fallback-{on}",
                icon=":material/search:",
                type="tertiary",
            ):
                show_trained("explore", fallback_view(on=on), GREETING)


@fragment
def follow() -> None:
    """Draws the page; a key press runs this alone."""
    st.html(STYLES / "train.css")
    text_room, end, request, view_name = draw_bar(list(PANELS))
    with text_room:
        text = draw_corpus(request.trainer_id[0])
    with st.container(key="trainer"):
        question, stage, result = (st.container(key=f"{part}-part") for part in ("question", "stage", "result"))
    try:
        view = train_view(request, language())
    except InputError as error:
        with stage:
            show_error(error, "Nothing was trained.")
        return
    with end:
        draw_opening(view, text.split("\n")[0])
    with stage:
        beside = st.container()  # the drawing of a question goes before the training
        board = Say.of("Your text: {0} tokens", view.after)
        if view.before != view.after:
            board = Say.of("Your text: {0} → {1} tokens", view.before, view.after)
        play = Play(
            view.id,
            start=view.opens,
            level=LEVELS.get(view_name, "story"),
            board=phrases(language()).say(board)._asdict(),
        )
        stepper(view.script, play, key="training_stepper")
    if view_name in PANELS:
        with question:
            PANELS[view_name](request, view, beside)
    with result:
        with side_by_side(key="trained-end"):
            draw_files(view, text.split("\n")[0])
            picture(card_of(request, view), key="training_picture")
            page_button(lambda: training_file(request, app_url()), content_id=view.id, key="training_page")
            if text == ENGLISH:
                draw_fallback()
        if said := CLAIMS.get(text):
            st.caption(words(said))
        if st.session_state.setdefault("curves_linked", st.query_params.get("curves") == "true"):
            draw_curve(request, view)
