"""Addresses of the Explore page: which parameter says what.

Switches name theirs themselves (`bind="query-params"`), and leave out what is the default. A text that is too long for
an address is left out: within a session the page has it all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import streamlit as st

from explorer.answers.offers import Run
from explorer.ui import PAGES
from explorer.ui.components.live_text import LONGEST_LINK

CHOOSE: Final = "choose_"
"""Before the key of what was chosen of a tokenizer, in the address."""


class FirstPage(st.Page):
    """The Explore page, as a link on another page leads to it.

    Streamlit calls it "" there, and a link that begins with its question mark would lead to the page it stands on.
    """

    @property
    def url_path(self) -> Literal["./"]:
        return "./"


def explore_link(label: str, query: Mapping[str, str]) -> None:
    """A link to Explore with these parameters: to be clicked, opened in another tab, or copied."""
    page = FirstPage(PAGES / "explore.py", default=True)
    st.page_link(page, label=label, icon=":material/search:", query_params=query)


def step_parameter(section: str) -> str:
    """What the step of a section's stepper is called in the address."""
    return "step" if section == "model" else section


def to_explore(
    run: Run,
    typed: str,
    *,
    escapes: bool,
    add_special: bool,
    parse_special: bool,
    choices: Mapping[str, str] = MappingProxyType({}),
    at: int = 0,
    select: tuple[int, int] | None = None,
    section: str = "",
    step: int = 0,
) -> dict[str, str]:
    """The parameters that open a text on Explore: a place selected, a section's stepper at a step.

    choices: what was chosen of the tokenizer (`Answers.chosen`).

    >>> from explorer.answers.offers import bundled
    >>> run = Run(bundled()["gpt-2"], "huggingface")
    >>> to_explore(run, "a b", escapes=False, add_special=False, parse_special=True, select=(2, 3))
    {'text': 'a b', 'm': 'gpt-2', 'as': 'huggingface', 'special': 'false', 'sel': '2-3'}
    """  # fmt: skip
    query = {} if len(typed) > LONGEST_LINK else {"text": typed}
    query |= {"m": run.offer.label, "as": run.implementation}
    switches = {"special": (add_special, True), "parse": (parse_special, True), "escapes": (escapes, False)}
    query |= {name: str(on).lower() for name, (on, default) in switches.items() if on != default}
    query |= {CHOOSE + key: value for key, value in choices.items()}
    if at:
        query["at"] = str(at)
    if select is not None and select[0] < select[1]:
        query["sel"] = f"{select[0]}-{select[1]}"
    if section and step:
        query[step_parameter(section)] = str(step)
    return query
