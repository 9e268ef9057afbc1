"""Compare: ids from another program beside those of a tokenizer."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.answers.compare import (
    CompareRequest,
    examples_view,
    expected_examples,
    expected_export,
    expected_view,
)
from explorer.answers.offers import TokenizerSpec
from explorer.errors import InputError
from explorer.ui.compare.controls import choose_one, follow, tokenize_all
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.comparison import framed_rows
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.explore.patterns import pattern_state
from explorer.ui.frame import Report
from explorer.ui.links import open_page, to_explore
from explorer.ui.tokenizers.choices import choice_state

LONGEST = 2_000_000
"""Characters of the pasted ids: 100,000 ids and more, in any notation."""

PICTURE = "expected-rows"
"""The key of the picture."""


def expected_tab(request: CompareRequest, report: Report) -> None:
    """Draws a field for the ids, and what they are; examples while it is empty."""
    name = choose_one(request, "They should be the ids of")
    spec = request.specs[name]
    take_example(request, spec)
    pasted = id_field()
    tokenize_all(request, report, (spec,))
    if not pasted.strip():
        examples_card(request, spec)
        return
    args = name, request.of(spec), pasted
    report("looking for the reason")
    try:
        view = expected_view(*args)
    except InputError as error:
        examples_card(request, spec, sentence_of(error))
        return
    framed_rows(view.picture.frame, view.picture.drawn, key=PICTURE, names=request.names, on_go=follow(PICTURE))
    if view.pattern is not None:
        show_pattern(request, spec, view.pattern)
    downloads(request, view.names, expected_export, *args)


def sentence_of(error: InputError) -> str:
    """An error as a sentence."""
    text = str(error).strip()
    return text[:1].upper() + text[1:] + "." * (not text.endswith("."))


def others_of(request: CompareRequest, spec: TokenizerSpec) -> tuple[TokenizerSpec, ...]:
    """The other tokenizers of the page, whose ids are examples."""
    return tuple(other for other in request.specs.values() if other != spec)


def examples_card(request: CompareRequest, spec: TokenizerSpec, problem: str = "") -> None:
    """Draws the tokenizer's own ids and examples of other ones. problem: what is wrong with what was pasted."""
    picture = examples_view(request.of(spec), others_of(request, spec), problem)
    framed_rows(picture.frame, key=PICTURE)


def take_example(request: CompareRequest, spec: TokenizerSpec) -> None:
    """Fills the field with the example that was clicked since the last run."""
    state = st.session_state
    reported: Any = (state.get(PICTURE) or {}).get("use")
    if not isinstance(reported, str) or reported == state.get("expect_used"):
        return
    state.expect_used = reported
    number = reported.partition(" ")[0]
    offered = expected_examples(request.of(spec), others_of(request, spec))
    if number.isdecimal() and len(number) < 3 and int(number) < len(offered):
        state.expect = ", ".join(map(str, offered[int(number)].ids))
        state.expect_rev = state.get("expect_rev", 0) + 1


def show_pattern(request: CompareRequest, spec: TokenizerSpec, pattern: str) -> None:
    """Draws a button that opens the text on Explore with a pattern in place of the tokenizer's own."""
    if not st.button(
        "Open it on Explore with that pattern", key="with_pattern", icon=":material/search:", type="tertiary"
    ):
        return
    query = to_explore(
        spec, request.typed, escapes=request.escapes, **request.options._asdict(), choices=choice_state(spec).optional,
    )  # fmt: skip
    pattern_state().fill(pattern)
    st.session_state.stage = "pre-tokenize"
    open_page("explore", query | {"pattern": pattern, "stage": "pre-tokenize"})


def id_field() -> str:
    """Draws the field and returns what is pasted; at first from the URL."""
    state = st.session_state
    if "expect" not in state:
        state.expect = linked_text("expect", "", LONGEST)
    rev = state.get("expect_rev", 0)
    typed = reported_text("expected", rev=rev, longest=LONGEST)
    if typed is not None:
        state.expect = typed
    live_text(
        state.expect, rev=rev, key="expected", label="Ids from another program", parameter="expect", max_chars=LONGEST,
        placeholder="[1, 1724, 338, 4309, 4717, 29973]", selectable=False, bar=True, ids=True,
    )  # fmt: skip
    return str(state.expect)
