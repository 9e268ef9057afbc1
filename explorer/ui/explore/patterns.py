"""The pattern of a pre-tokenizer: another one in its place, and two of them beside each other.

Pre-tokens and ids follow every key press in the field. Like the text, the pattern is in the URL and stays when
another tokenizer is chosen. An invalid pattern is marked at the error, and the page keeps showing the result of the
last valid one. Two patterns are compared alternative by alternative: on Explore, and on Compare where two of them
part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from explorer.analysis.pattern_difference import KNOWN
from explorer.answers.explore import ExploreView, Request, explore_view, facts_of
from explorer.answers.offers import TokenizerSpec
from explorer.answers.patterns import PatternChoice, pattern_difference, patterns_of
from explorer.engine.pre_tokenizers.custom_pattern import PatternSlot
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.regexes.safe import LONGEST
from explorer.errors import InputError, TryAgain
from explorer.ui import STYLES
from explorer.ui.components.assets import whole
from explorer.ui.components.every_page import TextField, reported_text
from explorer.ui.frame import fragment, show_error, show_notice, side_by_side
from explorer.ui.parameters import PatternState, pattern_state
from explorer.views.patterns import difference_html, verdict_html


def pattern_index(patterns: tuple[PatternSlot, ...]) -> int:
    """Which of several patterns is replaced, from 0. Works before the widget that chooses it is drawn."""
    number = whole(str(st.session_state.get("pattern_of") or st.query_params.get("pattern_of") or ""))
    return min(max(1, number or 1), len(patterns)) - 1


def revision(spec: TokenizerSpec, index: int) -> str:
    """Identifies what Python last put into the field. Typing changes the text, never this."""
    return f"{spec.offer.label} {spec.implementation} {index} {pattern_state().fills}"


def view_with_pattern(request: Request, at: int, stage: str, stored: bool) -> ExploreView:
    """What the page draws: with the typed pattern, or while that is invalid with the last valid one.

    Raises InputError if the text fails with the tokenizer's own pattern as well.
    """
    spec = request.spec
    state, patterns = pattern_state(), facts_of(spec).patterns

    def view_of(spec: TokenizerSpec) -> ExploreView:
        return explore_view(request._replace(spec=spec), at, stage, stored)

    if not patterns:
        return view_of(spec)
    index = pattern_index(patterns)
    take_typed(state, spec, index, patterns[index].regex)
    if state.text is None:
        state.last_valid = state.failed = None
        return view_of(spec)
    patterned = spec._replace(pattern=state.text, pattern_index=index)
    asked = patterned, *request[1:], at, stage, stored
    if state.failed is None or state.failed[0] != asked or isinstance(state.failed[1], TryAgain):
        try:
            view = view_of(patterned)
        except InputError as error:
            state.failed = asked, error
        else:
            state.last_valid, state.failed = patterned, None
            return view
    valid = state.last_valid
    if valid is not None and valid.without_pattern == spec and valid.pattern_index == index:
        try:
            return view_of(valid)
        except InputError:
            state.last_valid = None
    return view_of(spec)


def take_typed(state: PatternState, spec: TokenizerSpec, index: int, own: str) -> None:
    """Takes what is typed into the field; None if it is the tokenizer's own pattern."""
    reported = reported_text("pattern", rev=revision(spec, index), longest=LONGEST)
    state.edited = reported is not None
    if reported is not None:
        state.text = reported
    if state.text == own:
        state.text = None


def reminder(view: ExploreView) -> None:
    """Draws, above the tokens, a notice that a typed pattern is in force."""
    # always present, if empty: otherwise what follows would be rebuilt and lose the focus
    with side_by_side():
        state, has_field = pattern_state(), view.focus == "pre-tokenize"
        if state.failed is not None and not (has_field and state.edited):
            show_error(state.failed[1], "Your pattern is not used.")
        if state.text is not None and not facts_of(view.spec.without_pattern).patterns:
            show_notice("This tokenizer has no pattern that yours could replace.")
        if view.spec.pattern is None:
            return
        show_notice("A pattern of your own splits this text, so these ids are not the model's.")
        st.button("Use the model's own pattern", key="own pattern", on_click=pattern_state().fill, args=(None,))


def pattern_field(view: ExploreView) -> None:
    """Draws the pattern in force below the pre-tokenizer, ready to edit."""
    spec = view.spec.without_pattern
    patterns = facts_of(spec).patterns
    if not patterns:
        return
    state, index = pattern_state(), pattern_index(patterns)
    own = patterns[index].regex

    def start_from() -> None:
        name = st.session_state["known pattern"]
        if name is not None:
            state.fill(PATTERNS[name].regex)
            st.session_state["known pattern"] = None

    with st.expander("Try another pattern", icon=":material/edit:", expanded=state.text is not None, key="try"):
        with side_by_side("bottom"):
            if len(patterns) > 1:
                numbers = [str(number + 1) for number in range(len(patterns))]
                st.selectbox("Replace pattern", numbers, key="pattern_of", bind="query-params", width=160)
            st.selectbox("Start from a known one", list(PATTERNS), None, key="known pattern", width=300,
                         placeholder="gpt-2, llama-3, …", on_change=start_from)  # fmt: skip
            st.button("Reset", key="reset pattern", icon=":material/undo:", on_click=state.fill, args=(None,),
                      disabled=state.text is None)  # fmt: skip
        note = "The pattern in force. Edit it and watch the pre-tokens and the ids." if state.text is None else ""
        field = TextField(LONGEST, "Pattern", "pattern", note=note, unlinked=own, selectable=False)
        field.draw(own if state.text is None else state.text, revision(spec, index), key="pattern")
        st.html(STYLES / "caret.css")
        with st.container():
            if state.text is not None:
                error = state.failed[1] if state.failed else None
                st.html(verdict_html(state.text, error, patterns[index].reader))


BESIDE: Final = {"gpt-2": "llama-3", "llama-3": "qwen-2", "qwen-2": "llama-3"}
"""Pattern → the one that it is compared with first; all others with GPT-2's."""
KNOWN_CHOICES: Final = {name: PatternChoice(name) for name in KNOWN}


def choices_of(spec: TokenizerSpec, tokenizer_label: str) -> dict[str, PatternChoice]:
    """The patterns of a tokenizer, each under its name. tokenizer_label: what one without a name is called."""
    names = patterns_of(spec)
    several = len(names) > 1
    return {
        name or (f"{tokenizer_label}, {index + 1}" if several else tokenizer_label): PatternChoice(name) if name else
        PatternChoice(spec=spec, number=index)
        for index, name in enumerate(names)
    }  # fmt: skip


def expander(view: ExploreView) -> None:
    """Draws the comparison of the pattern in force with another one, while its expander is open."""
    own = choices_of(view.spec.without_pattern, "The file's pattern")
    if not own:
        return
    typed: dict[str, PatternChoice] = {}
    if view.spec.pattern is not None:
        in_force = list(choices_of(view.spec, "Your pattern").items())
        typed = dict(in_force[view.spec.pattern_index : view.spec.pattern_index + 1])
    first = next(iter(typed or own))
    beside = next(iter(own)) if typed else BESIDE.get(first.partition(" ")[0], "gpt-2")
    _draw_difference({**typed, **own, **KNOWN_CHOICES}, first, beside)


def expander_of_pair(specs: tuple[TokenizerSpec, TokenizerSpec], titles: tuple[str, str]) -> None:
    """Draws a button that opens the comparison of the patterns of two tokenizers, if both have one."""
    left, right = (choices_of(spec, f"{title}: the file's") for spec, title in zip(specs, titles, strict=True))
    if left and right:
        _draw_difference({**left, **right, **KNOWN_CHOICES}, next(iter(left)), next(iter(right)), st.popover)


@fragment
def _draw_difference(
    choices: Mapping[str, PatternChoice], first: str, beside: str, opener: Callable[..., Any] = st.expander
) -> None:
    """Draws what opens the choice of two patterns, at first these, and their difference."""
    with opener("Difference of two patterns", icon=":material/difference:", on_change="rerun",
                key="difference") as box:  # fmt: skip
        if not box.open:
            return
        names = list(choices)
        with side_by_side("top"):
            left = st.selectbox("Pattern", names, names.index(first), key=f"left pattern {first}", width=300)
            right = st.selectbox("Beside", names, names.index(beside), key=f"right pattern {first} {beside}", width=300)
        try:
            found = pattern_difference(choices[left], choices[right])
        except InputError as error:
            show_error(error, "These patterns can't be compared.")
            return
        st.html(STYLES / "difference.css")
        st.html(difference_html(found, left, right))
