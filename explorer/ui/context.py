"""What goes with a visitor to every page, in the page's head: the own text and tokenizer as a chip.

The state is `parameters.Context`, which every bar writes. The head is drawn after the page, which may have taken
another text from the address. While a text is typed, the browser follows it by itself (`components/header/`). It keeps
the context while its tab is open, so that a new session, as after a reload, has it where the address doesn't.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from explorer.answers.explore import Request, first_tokens
from explorer.answers.offers import Origin
from explorer.errors import InputError
from explorer.ui.components.every_page import json_in, number_in, register, reported, text_in
from explorer.ui.explore.controls import LONGEST
from explorer.ui.frame import fragment
from explorer.ui.palette import rows
from explorer.ui.parameters import TOKENIZER, Context, context
from explorer.ui.prompt import prompt_state
from explorer.ui.tokenizers.chooser import offers, own_spec
from explorer.views.components import Component

BEGINNING: Final = 200
"""Code points of a text whose tokens are drawn in the chip."""
WITH_TEXT: Final = ("explore", "compare")
WITH_TOKENIZER: Final = ("explore", "vocabulary", "prompt")
"""Pages whose address has the text, and the tokenizer."""
SHOWN: Final = 40
"""Those that the chip has room for."""
HEAD: Final = "header"
"""The key of the component."""

_draw_head = register(
    Component("header", "chip.js palette.js header.js", "chip.css", '<div class="tx hd" hidden></div>'), "set"
)


def chip() -> dict[str, Any]:
    """What the chip shows. kept: what is the visitor's own, nothing at first."""
    text, own = context().own_text, own_spec()
    spec = next(iter(offers().values())).spec() if own is None else own
    try:
        bars = [] if text is None else first_tokens(Request(spec, text[:BEGINNING]))
    except InputError:
        bars = []
    kept = ({} if text is None else {"text": text}) | (
        {} if own is None else {"m": own.offer.label, "as": own.implementation}
    )
    return {
        "name": spec.offer.name, "file": spec.offer.origin in (Origin.UPLOAD, Origin.HUB), "bars": bars,
        "text": (text or "")[:SHOWN], "kept": kept,
    }  # fmt: skip


def take() -> bool:
    """Takes what the browser reports, which may be anything. Returns whether the page follows; a question is none."""
    given, now = json_in(reported(HEAD, "set"), 2 * LONGEST), context()
    if given.get("set") == "first":
        now.start_again()
    elif given.get("set") == "before":
        now.undo()
    elif given.get("set") == "kept":
        take_kept(now, given)
    return given.get("set") != "ask"


def take_kept(now: Context, given: dict[str, Any]) -> None:
    """Takes what the browser kept for a new session: what the address of this page would say stays as it is."""
    text, chosen = text_in(given.get("text"), LONGEST), {key: text_in(given.get(key), 200) for key in TOKENIZER}
    offer = offers().get(chosen["m"])
    if (
        offer is not None
        and chosen["as"] in offer.implementations
        and own_spec() is None
        and now.page not in WITH_TOKENIZER
    ):
        now.kept |= chosen
        now.restored = offer.spec(chosen["as"]).name
    if text and now.own_text is None and now.page not in WITH_TEXT:
        now.fill(text)
        if now.page == "prompt":
            prompt_state().first = []


@fragment
def draw_head() -> None:
    """Draws the head's part that is the visitor's."""

    def taken() -> None:
        st.session_state["head_taken"] = take()

    given, answers = json_in(reported(HEAD, "set"), 2 * LONGEST), None
    if given.get("set") == "ask" and given.get("at") != st.session_state.get("head_asked"):
        st.session_state["head_asked"] = given.get("at")
        answers = {"number": number_in(given.get("number")), "rows": rows(text_in(given.get("typed"), LONGEST))}
    _draw_head(key=HEAD, data={"chip": chip(), "answers": answers}, on_set_change=taken)
    if st.session_state.pop("head_taken", False):
        st.rerun()
