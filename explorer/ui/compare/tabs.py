"""The tabs of the Compare page: each asks one question and has a module that draws the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import streamlit as st

from explorer.answers.compare import CompareRequest
from explorer.ui.compare.divergence import divergence_tab
from explorer.ui.compare.expected import expected_tab
from explorer.ui.compare.languages import languages_bar, languages_tab
from explorer.ui.compare.rows import rows_tab
from explorer.ui.compare.what_if import what_if_tab
from explorer.ui.compare.while_typing import typing_tab
from explorer.ui.components.sentence import explained
from explorer.ui.frame import Report, refusals


class Tab(NamedTuple):
    """about: explains the tab, where its answer does not. draw: draws the answer and reports its steps.

    chosen: how many of the tokenizers it is about; 0 for all. reads: draws in the bar what it reads, if not the text.
    """

    about: str
    draw: Callable[[CompareRequest, Report], None]
    chosen: int = 0
    reads: Callable[[], None] | None = None


TABS: Final = {
    "Side by side": Tab(
        "",
        rows_tab,
    ),
    "Where they part": Tab(
        "",
        divergence_tab,
        2,
    ),
    "Expected ids": Tab(
        "",
        expected_tab,
        1,
    ),
    "What if": Tab(
        "",
        what_if_tab,
        1,
    ),
    "While typing": Tab(
        "",
        typing_tab,
        1,
    ),
    "Languages": Tab(
        "",
        languages_tab,
        reads=languages_bar,
    ),
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
                if tab.about:
                    explained(tab.about, key=tab_key(each))
                with refusals():
                    tab.draw(request, report)
