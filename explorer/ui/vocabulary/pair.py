"""The Vocabulary page's charts, and a second vocabulary beside the first: in the charts, and token by token."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from explorer.answers.offers import TokenizerSpec
from explorer.answers.vocabulary import MOST_ROWS, pair_rows, pair_text, pair_view, picture_of
from explorer.errors import InputError
from explorer.text.say import Say, number, plural
from explorer.ui.components.sentence import sentence
from explorer.ui.frame import show_error
from explorer.ui.tokenizers.chooser import offers
from explorer.views.vocabulary_charts import (
    chart_of_growth,
    chart_of_lengths,
    chart_of_scripts,
    named_scripts,
    turn_say,
)

CHARTS: Final = "Charts"
PAIR: Final = "Differences"
ALONE: Final = "no other"
LONGEST: Final = 2_000
"""Characters of a text."""
NAMED: Final = 12
"""Tokens that a sentence names."""


def choose_look() -> str | None:
    """Draws the choice between charts and a comparison."""
    return st.segmented_control("Look at it", [CHARTS, PAIR], key="look", bind="query-params",
                                label_visibility="collapsed")  # fmt: skip


def draw_look(spec: TokenizerSpec, look: str) -> None:
    """Draws charts or a comparison."""
    other = draw_other(spec)
    try:
        if look == CHARTS:
            draw_charts(spec, other)
        elif other is None:
            st.caption("Choose a vocabulary to compare with.")
        else:
            draw_pair(spec, other)
    except InputError as error:
        show_error(error, "The other vocabulary can't be used.")


def draw_other(spec: TokenizerSpec) -> TokenizerSpec | None:
    """Draws the choice of the other vocabulary."""
    known = offers()
    label = st.selectbox("Compared with", [ALONE, *known], key="beside", bind="query-params", width=320)
    return None if label == ALONE else TokenizerSpec(known[label], known[label].implementations[0])


def draw_charts(spec: TokenizerSpec, other: TokenizerSpec | None) -> None:
    """What was learned when, scripts and lengths."""
    both = {each.title: each for each in (spec, *((other,) if other is not None else ()))}
    with st.spinner("Reading the vocabulary"):
        pictures = {title: picture_of(each) for title, each in both.items()}
    for number_of, (title, one) in enumerate(pictures.items()):
        sentence(turn_say(title, one), key=f"turn-{number_of}")
    named, theme = named_scripts(pictures), st.context.theme.type or "light"
    rooms = st.columns(len(pictures), gap="medium")
    for room, (title, one) in zip(rooms, pictures.items(), strict=True):
        room.altair_chart(chart_of_growth(title, one, named, theme))
    left, right = st.columns(2, gap="medium")
    left.altair_chart(chart_of_scripts(pictures, theme))
    right.altair_chart(chart_of_lengths(pictures, theme))


def draw_pair(left: TokenizerSpec, right: TokenizerSpec) -> None:
    """What differs, and what that does to a text."""
    with st.spinner("Comparing the vocabularies"):
        view = pair_view(left, right)
    say = Say.of("{0:t} with the same id.", plural(view.same, "token"))
    if view.merges is not None:
        say = say.then(Say.of("Merges: {0} only left, {1} only right, {2} in both.", *view.merges))
    kinds = {kind: n for kind, n in view.counts.items() if n}
    say = say.then(*(Say.of(f"{kind}: {{0}}.", n) for kind, n in kinds.items()))
    sentence(say, key="pair")
    if not kinds:
        st.caption("Both have the same tokens.")
    else:
        kind = st.segmented_control("Tokens", list(kinds), default=next(iter(kinds)), required=True, key="pair-kind",
                                    bind="query-params", label_visibility="collapsed")  # fmt: skip
        kind = kind or next(iter(kinds))
        table = pd.DataFrame(pair_rows(left, right, kind), columns=["Token", left.title, right.title])
        st.dataframe(table, hide_index=True, height=300)
        if view.counts[kind] > MOST_ROWS:
            st.caption(f"The first {number(MOST_ROWS)}. All of them: explorer vocab diff --json")
    draw_text(left, right)


def draw_text(left: TokenizerSpec, right: TokenizerSpec) -> None:
    """What the difference does to a typed text."""
    text = st.text_input("What it does to a text", key="pair-text", bind="query-params", max_chars=LONGEST,
                         placeholder="For example: I love 東京 and coffee")  # fmt: skip
    if not text:
        return
    found = pair_text(left, right, text)
    for spec, count, own in zip((left, right), found.tokens, found.own, strict=True):
        say = Say.of("{0:t}: {1:t}.", spec.title, plural(count, "token"))
        if own:
            listed = " ".join(f"{{{at}:q}}" for at in range(min(len(own), NAMED)))
            more = " …" if len(own) > NAMED else ""
            say = say.then(Say.of(f"Only it has {listed}{more}", *own[:NAMED]))
        else:
            say = say.then(Say.of("The other has all of them, too."))
        sentence(say, key=f"pair-text-{spec.name}-{count}")
