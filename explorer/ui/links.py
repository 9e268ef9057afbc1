"""URLs of the Explore page and their parameters.

Switches declare their own parameters (`bind="query-params"`), and omit defaults. A text that is too long for a URL is
omitted; within a session the page has it anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import urlencode, urlsplit

import pandas as pd
import streamlit as st

from explorer.answers.offers import TokenizerSpec
from explorer.ui import PAGES
from explorer.ui.components.every_page import LONGEST_LINK

CHOOSE: Final = "choose_"
"""Prefix of the parameters that hold a tokenizer's optional choices."""


class FirstPage(st.Page):
    """The Explore page as other pages link to it.

    Streamlit's own path of the first page is "", so a link would begin with "?" and lead to the current page.
    """

    @property
    def url_path(self) -> Literal["./"]:
        """The app's root, relative to any page."""
        return "./"


def open_page(name: str, query: Mapping[str, Any]) -> None:
    """Leaves for a page, by the name of its file, with these parameters."""
    path = PAGES / f"{name}.py"
    page = FirstPage(path, default=True) if name == "explore" else st.Page(path)
    st.switch_page(page, query_params=query)


def explore_link(label: str, query: Mapping[str, str]) -> None:
    """Draws a link to Explore with these parameters."""
    page = FirstPage(PAGES / "explore.py", default=True)
    st.page_link(page, label=label, icon=":material/search:", query_params=query)


def app_url() -> str:
    """The URL of the first page, as this visitor reaches it."""
    found = urlsplit(st.context.url or "")
    folder = found.path.rstrip("/")
    pages = {f"/{path.stem}" for path in PAGES.glob("*.py")}
    folder = folder[: folder.rindex("/")] if any(map(folder.endswith, pages)) else folder
    return f"{found.scheme}://{found.netloc}{folder}/" if found.scheme in ("http", "https") else ""


def vocabulary_url(name: str, token: int) -> str:
    """The URL of a token's dossier. name: of its tokenizer, in URLs (`TokenizerSpec.name`).

    >>> vocabulary_url("gpt-2@llama.cpp", 262)
    './vocabulary?m=gpt-2&as=llama.cpp&token=262'
    """
    label, _, implementation = name.rpartition("@") if "@" in name else (name, "", "")
    asked = {"m": label, "as": implementation} if implementation else {"m": label}
    return f"./vocabulary?{urlencode({**asked, 'token': token})}"


def with_links(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """A table of tokens, with a column that links each id to its dossier; `LINKS` configures it."""
    return table.assign(vocabulary=[vocabulary_url(name, int(id)) for id in table["id"]])


LINKS: Final = {"vocabulary": st.column_config.LinkColumn("in the vocabulary", display_text="open")}
"""How the column of `with_links` is drawn."""


def step_parameter(section: str) -> str:
    """The URL parameter of a section's stepper."""
    return "step" if section == "model" else section


def to_explore(
    spec: TokenizerSpec,
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
    """The parameters that open a text on Explore, with a span selected and a section's stepper at a step.

    choices: the tokenizer's optional choices (`ChoiceState.optional`).

    >>> from explorer.answers.offers import bundled
    >>> spec = TokenizerSpec(bundled()["gpt-2"], "huggingface")
    >>> to_explore(spec, "a b", escapes=False, add_special=False, parse_special=True, select=(2, 3))
    {'text': 'a b', 'm': 'gpt-2', 'as': 'huggingface', 'special': 'false', 'sel': '2-3'}
    """  # fmt: skip
    query = {} if len(typed) > LONGEST_LINK else {"text": typed}
    query |= {"m": spec.offer.label, "as": spec.implementation}
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
