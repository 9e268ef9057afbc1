"""Two patterns beside each other, alternative by alternative: on Explore, and on Compare where two of them part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from explorer.analysis.pattern_difference import KNOWN
from explorer.answers.explore import ExploreView
from explorer.answers.offers import TokenizerSpec
from explorer.answers.patterns import PatternChoice, pattern_difference, patterns_of
from explorer.errors import InputError
from explorer.ui import STYLES
from explorer.ui.frame import fragment, show_error
from explorer.views.pattern_table import difference_html

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
    _draw({**typed, **own, **KNOWN_CHOICES}, first, beside)


def expander_of_pair(specs: tuple[TokenizerSpec, TokenizerSpec], titles: tuple[str, str]) -> None:
    """Draws a button that opens the comparison of the patterns of two tokenizers, if both have one."""
    left, right = (choices_of(spec, f"{title}: the file's") for spec, title in zip(specs, titles, strict=True))
    if left and right:
        _draw({**left, **right, **KNOWN_CHOICES}, next(iter(left)), next(iter(right)), st.popover)


@fragment
def _draw(
    choices: Mapping[str, PatternChoice], first: str, beside: str, opener: Callable[..., Any] = st.expander
) -> None:
    """Draws what opens the choice of two patterns, at first these, and their difference."""
    with opener("Difference of two patterns", icon=":material/difference:", on_change="rerun",
                key="difference") as box:  # fmt: skip
        if not box.open:
            return
        names = list(choices)
        with st.container(horizontal=True):
            left = st.selectbox("Pattern", names, names.index(first), key=f"left pattern {first}", width=300)
            right = st.selectbox("Beside", names, names.index(beside), key=f"right pattern {first} {beside}", width=300)
        try:
            found = pattern_difference(choices[left], choices[right])
        except InputError as error:
            show_error(error, "These patterns can't be compared.")
            return
        st.html(STYLES / "difference.css")
        st.html(difference_html(found, left, right))
