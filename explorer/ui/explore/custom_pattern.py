"""Another pattern for the pre-tokenizer, typed by the person: pieces and ids follow every key.

The pattern stands in the address and stays when another tokenizer is chosen, like the text. A pattern that cannot be
used is marked where it is wrong, and the page keeps what the last good one made of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from explorer.answers.explore import Prepared, prepared, told
from explorer.answers.offers import Run
from explorer.engine.limits.pattern import LONGEST
from explorer.engine.pre_tokenizers.custom_pattern import Place
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.errors import InputError
from explorer.ui.components.live_text import live_text, reported_text
from explorer.ui.problem import notice
from explorer.views.caret import verdict_html


@dataclass
class Typed:
    """One session's pattern.

    text: None where the tokenizer's own is in force. fills: how often something else than typing filled the field.
    good: the last run whose pattern could be used. failed: what could not, and why.
    """

    text: str | None
    fills: int = 0
    good: Run | None = None
    failed: tuple[object, InputError] | None = None

    def fill(self, text: str | None) -> None:
        """Puts a pattern in the field; None is the tokenizer's own."""
        self.text = text
        self.fills += 1


def typed() -> Typed:
    """This session's, at first from the address."""
    if "typed" not in st.session_state:
        linked = st.query_params.get("pattern")
        # one character more than is run, so that it is said
        st.session_state.typed = Typed(linked if linked is None else linked[: LONGEST + 1])
    held: Typed = st.session_state.typed
    return held


def number_of(known: tuple[Place, ...]) -> int:
    """Which of several patterns it stands in for; asked before the widget that says so is drawn."""
    asked = str(st.session_state.get("pattern_of") or st.query_params.get("pattern_of") or "1")
    return min(int(asked[:4]), len(known)) - 1 if asked.isdecimal() and int(asked[:4]) > 0 else 0


def filling(run: Run, which: int) -> str:
    """Names what Python put into the field last: typing into it changes the text, never this."""
    return f"{run.offer.label} {run.implementation} {which} {typed().fills}"


def prepared_as_typed(run: Run, text: str, add_special: bool, parse_special: bool, at: int) -> Prepared:
    """What the page draws: under the typed pattern, or where that cannot be used under the last that could.

    Raises InputError where the tokenizer's own pattern does not do either.
    """
    held, known, rest = typed(), told(run).places, (text, add_special, parse_special, at)
    if not known:
        return prepared(run, *rest)
    which = number_of(known)
    reported = reported_text("pattern", rev=filling(run, which), longest=LONGEST)
    if reported is not None:
        held.text = reported
    if held.text == known[which].regex:
        held.text = None
    if held.text is None:
        held.good = held.failed = None
        return prepared(run, *rest)
    wanted = run._replace(pattern=held.text, which=which)
    if held.failed is None or held.failed[0] != (wanted, *rest):
        try:
            ready = prepared(wanted, *rest)
        except InputError as error:
            held.failed = ((wanted, *rest), error)
        else:
            held.good, held.failed = wanted, None
            return ready
    if held.good is not None and held.good.original == run and held.good.which == which:
        try:
            return prepared(held.good, *rest)
        except InputError:
            held.good = None
    return prepared(run, *rest)


def reminder(ready: Prepared) -> None:
    """Beside the tokens: whose ids these are."""
    # always there, if empty: what follows would be put together anew, and the focus lost, if its place moved
    with st.container(horizontal=True, vertical_alignment="center"):
        if ready.run.pattern is None:
            return
        notice("The text is cut by a pattern that was typed, so these ids are those of no original.")
        st.button("The model's own pattern", key="own pattern", on_click=typed().fill, args=(None,))


def field(ready: Prepared) -> None:
    """Beside the pre-tokenizer: the pattern in force, to be edited."""
    run = ready.run.original
    known = told(run).places
    if not known:
        return
    held, which = typed(), number_of(known)
    own = known[which].regex

    def start_from() -> None:
        name = st.session_state["known pattern"]
        if name is not None:
            held.fill(PATTERNS[name].regex)
            st.session_state["known pattern"] = None

    with st.expander("Try another pattern", icon=":material/edit:", expanded=held.text is not None, key="try"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if len(known) > 1:
                st.selectbox("In place of pattern", [str(number + 1) for number in range(len(known))], key="pattern_of",
                             bind="query-params", width=160)  # fmt: skip
            st.selectbox("Start from a known one", list(PATTERNS), None, key="known pattern", width=300,
                         placeholder="gpt-2, llama-3, …", on_change=start_from)  # fmt: skip
            st.button("Reset", key="reset pattern", icon=":material/undo:", on_click=held.fill, args=(None,),
                      disabled=held.text is None)  # fmt: skip
        live_text(
            own if held.text is None else held.text, rev=filling(run, which), key="pattern", label="Pattern",
            parameter="pattern", max_chars=LONGEST, unlinked=own, selectable=False,
            note="The pattern in force. Edit it and watch the pieces and the ids." if held.text is None else "",
        )  # fmt: skip
        st.html(Path(__file__).with_name("caret.css"))
        with st.container():
            if held.text is not None:
                reader = "Hugging Face's Oniguruma" if known[which].oniguruma else "Python's regex module"
                st.html(verdict_html(held.text, held.failed[1] if held.failed else None, reader))
