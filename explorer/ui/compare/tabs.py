"""The tabs of the Compare page: each asks one question.

Here are those of few lines: aligned rows or a border under all tokenizers, ids from another program, each switch
flipped, a text as it is typed. Where two tokenizers part and languages have modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import streamlit as st

from explorer.answers.compare import (
    CompareRequest,
    borders_export,
    borders_view,
    examples_view,
    expected_examples,
    expected_export,
    expected_view,
    flip_one,
    rows_export,
    rows_view,
    typing_export,
    typing_view,
    variations_of,
    what_if_export,
    what_if_names,
    what_if_view,
)
from explorer.answers.explore import Request, content_id, file_names
from explorer.answers.offers import TokenizerSpec
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.text.say import number
from explorer.ui.compare.controls import choose_one, downloads, explore_query, follow, tokenize_all
from explorer.ui.compare.divergence import divergence_tab
from explorer.ui.compare.languages import languages_bar, languages_tab
from explorer.ui.components import tokens
from explorer.ui.components.assets import reported, whole
from explorer.ui.components.comparison import aligned_rows, framed_rows, typed_rows
from explorer.ui.components.every_page import TextField
from explorer.ui.explore.patterns import pattern_state
from explorer.ui.frame import Report, refusals, reporting
from explorer.ui.parameters import choose_window, open_page, window_start

BORDERS: Final = "borders"
"""The key of the component."""


def set_open(open: bool) -> None:
    """Shows the border, or the rows."""
    st.session_state.borders_open = open


def show_border(request: CompareRequest) -> None:
    """Draws the border that was asked for last, at first the one in the URL, and its downloads."""
    state = st.session_state
    stored = bool(state.get("asstored"))
    first = next(iter(request.specs.values()))
    here = content_id(first, request.names, request.text, request.options, stored)
    at = tokens.border_offset(BORDERS, here)
    picture = borders_view(request, at, stored)
    with st.container(key="stage"):
        tokens.border(picture, content_id=here, key=BORDERS, on_closed=lambda: set_open(False))
    if picture["borders"]:
        marked = tokens.border_mark(BORDERS, here, picture)
        downloads(request, file_names(borders_export, (request, marked)), borders_export, request, marked)


def rows_tab(request: CompareRequest, report: Report) -> None:
    """Draws the aligned rows, each with its count; or a border in the text."""
    if st.session_state.setdefault("borders_open", "border" in st.query_params):
        report("cutting the text")
        show_border(request)
        return
    at = window_start(request.text)
    tokenize_all(request, report)
    report("aligning and drawing the rows")
    view = rows_view(request, at, bool(st.session_state.get("asstored")))
    choose_window(
        request.text,
        f"All {number(len(request.text))} characters of the text are tokenized and counted. Characters "
        f"{number(view.part.start + 1)} to {number(view.part.end)} are drawn below.",
    )
    aligned_rows(view.drawn, view.say, view.parting, key="rows", names=request.names, on_go=follow("rows"),
                 on_border=lambda: set_open(True))  # fmt: skip
    if request.text:
        downloads(request, view.names, rows_export, request, saves=at)


def what_if_tab(request: CompareRequest, report: Report) -> None:
    """Draws a row for each switch of a tokenizer: the tokens it changes."""
    name = choose_one(request)
    spec = request.specs[name]
    asked = request.of(spec)
    tokenize_all(request, report, (spec,))
    for variation in reporting(
        variations_of(asked), report, lambda each: f"flipping “{each.spec or each.switch.value}”"
    ):
        flip_one(asked, variation)
    report("aligning the rows")
    view = what_if_view(name, asked)
    framed_rows(view.frame, view.drawn, key="flips", names=request.names, on_go=follow("flips"))
    downloads(request, what_if_names(name, asked), what_if_export, name, asked)


def typing_tab(request: CompareRequest, report: Report) -> None:
    """Draws which earlier tokens change while the text is typed."""
    name = choose_one(request)
    args = name, Request(request.specs[name], request.text, Options(False, request.options.parse_special))
    report("tokenizing every prefix of the text")
    view = typing_view(*args)
    typed_rows(view.picture, key="typing-rows")
    if request.text:
        downloads(request, view.names, typing_export, *args)


IDS: Final = TextField(
    2_000_000, "Ids from another program", "expect", "[1, 1724, 338, 4309, 4717, 29973]", selectable=False, bar=True,
    ids=True,
)  # fmt: skip
"""The field, for 100,000 ids and more in any notation."""
PICTURE = "expected-rows"
"""The key of the picture."""


def expected_tab(request: CompareRequest, report: Report) -> None:
    """Draws a field for the ids, and what they are; examples while it is empty."""
    name = choose_one(request)
    spec = request.specs[name]
    take_example(request, spec)
    pasted = IDS.kept("expected")
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
    clicked = reported(PICTURE, "use")
    if not isinstance(clicked, str) or clicked == state.get("expect_used"):
        return
    state.expect_used = clicked
    number = whole(clicked.partition(" ")[0])
    offered = expected_examples(request.of(spec), others_of(request, spec))
    if number is not None and number < len(offered):
        state.expect = ", ".join(map(str, offered[number].ids))
        state.expect_rev = state.get("expect_rev", 0) + 1


def show_pattern(request: CompareRequest, spec: TokenizerSpec, pattern: str) -> None:
    """Draws a button that opens the text on Explore with a pattern in place of the tokenizer's own."""
    if not st.button(
        "Open it on Explore with that pattern", key="with_pattern", icon=":material/search:", type="tertiary"
    ):
        return
    pattern_state().fill(pattern)
    st.session_state.stage = "pre-tokenize"
    query = explore_query(request, spec) | {"pattern": pattern, "stage": "pre-tokenize"}
    open_page("explore", query)


class Tab(NamedTuple):
    """draw: draws the answer and reports its steps. chosen: how many of the tokenizers it is about; 0 for all.

    reads: draws in the bar what it reads, if not the text.
    """

    draw: Callable[[CompareRequest, Report], None]
    chosen: int = 0
    reads: Callable[[], None] | None = None


TABS: Final = {
    "Side by side": Tab(rows_tab),
    "Where they part": Tab(divergence_tab, 2),
    "Expected ids": Tab(expected_tab, 1),
    "What if": Tab(what_if_tab, 1),
    "While typing": Tab(typing_tab, 1),
    "Languages": Tab(languages_tab, reads=languages_bar),
}
"""The tabs by name. A name is a value of the URL parameter `view`."""
READ: Final = "read-instead"
"""The key of the container in the bar for what a tab reads if not the text."""


def tab_key(name: str) -> str:
    """The key of a tab's container.

    >>> tab_key("Side by side")
    'tab-side-by-side'
    """
    return f"tab-{name.lower().replace(' ', '-')}"


def hide_unless_selected(name: str) -> str:
    """CSS that hides a tab's container, and the gap before it, while another tab is selected."""
    number, container = list(TABS).index(name) + 1, f".st-key-{tab_key(name)}"
    other, here = (
        f".stMain:has(.st-key-view button[aria-checked=true]{which})"
        for which in (f":not(:nth-of-type({number}))", f":nth-of-type({number})")
    )
    own = f"{other} :is({container}, [data-testid=stLayoutWrapper]:has(> {container})) {{ display: none; }}\n"
    if TABS[name].reads is None:
        return own
    bar, text = (f"[data-testid=stLayoutWrapper]:has(> .st-key-{key})" for key in (READ, "text"))
    return f"{own}{other} {bar}, {here}:has(.st-key-{READ} *) {text} {{ display: none; }}\n"


def draw_read(name: str) -> None:
    """Draws in the bar what a tab reads, if not the text."""
    with st.container(key=READ):
        reads = TABS[name].reads
        if reads is not None:
            reads()


def draw_tab(name: str, request: CompareRequest, report: Report) -> None:
    """Draws one tab; the others are not computed.

    Each tab has a container of its own, and CSS hides those not selected. So a click hides the previous tab at once,
    without waiting for the server to clear it.
    """
    st.html(f"<style>{''.join(map(hide_unless_selected, TABS))}</style>")
    for each, tab in TABS.items():
        with st.container(key=tab_key(each)):
            if each == name:
                with refusals():
                    tab.draw(request, report)
