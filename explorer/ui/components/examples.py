"""The examples of Explore: a menu of questions, walk-throughs and texts, each a plain link.

The lists never change, so they are part of the component's code and not of its messages. A click opens the link without
loading the page again: the browser writes the address, as one history entry, and Python sets the text, the tokenizer
and the stage. The stepper takes level and step from the address (`explorer-arrived`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from explorer.ui.components.assets import register
from explorer.ui.links import CHOOSE, step_parameter
from explorer.views.presets import EXAMPLES, PRESETS, QUESTIONS, SEARCHES, WALKS, Example, Preset, Search


def query_of(example: Example) -> str:
    """The parameters that open an example. The text that Explore begins with is in no link.

    >>> query_of(QUESTIONS[0])
    'm=llama-2&as=llama.cpp&stage=model&level=algorithm&step=40'
    """
    query = {} if example.text == PRESETS[0].text else {"text": example.text}
    query |= {"m": example.model, "as": example.implementation, "stage": example.stage, "level": example.level}
    query |= {CHOOSE + key: value for key, value in example.choose}
    if example.step:
        query[step_parameter(example.stage)] = str(example.step)
    if example.tab:
        query["tab"] = example.tab
    return urlencode(query)


def link(example: Example) -> dict[str, Any]:
    """An example as the browser draws it."""
    return {
        "value": f"example {EXAMPLES.index(example)}",
        "label": example.label,
        "shows": example.shows,
        "query": query_of(example),
    }


def text_link(index: int, preset: Preset) -> dict[str, Any]:
    """An ordinary text as the browser draws it."""
    query = urlencode({"text": preset.text})
    return {"value": f"text {index}", "label": preset.label, "shows": preset.shows, "query": query}


def search_link(search: Search) -> dict[str, Any]:
    """A search as the browser draws it: a link to another page.

    >>> search_link(SEARCHES[1])["href"]
    './vocabulary?m=rwkv-world&q=%5Cp%7BHan%7D%7B2%7D&by=regex&case=exact'
    """
    query = urlencode({"m": search.model, "q": search.pattern, "by": "regex", "case": "exact"})
    return {"label": search.label, "shows": search.shows, "href": f"./vocabulary?{query}"}


_mount = register(
    "explorer_examples",
    "examples",
    js=["examples.js"],
    css=["examples.css"],
    constants={
        "QUESTIONS": [link(each) for each in QUESTIONS],
        "WALKS": [{"title": walk.title, "stops": [link(stop) for stop in walk.stops]} for walk in WALKS],
        "SEARCHES": [search_link(each) for each in SEARCHES],
        "TEXTS": [text_link(*each) for each in enumerate(PRESETS)],
    },
)


def examples(key: str, on_choice: Callable[[], None], *, texts_only: bool = False) -> None:
    """Draws the button that opens the menu. on_choice: called after a click; `choice` then has what was clicked.

    texts_only: leaves out the examples that need Explore.
    """
    _mount(key=key, data={"texts_only": texts_only}, width="content", on_choice_change=on_choice)


def choice(key: str) -> Example | Preset | None:
    """What was clicked in the menu; None for anything that is not in it.

    >>> read_choice("text 1").label, read_choice("example 0").model, read_choice("text 99"), read_choice(7)
    ('An accent', 'llama-2', None, None)
    """
    return read_choice((st.session_state.get(key) or {}).get("choice"))


def read_choice(reported: object) -> Example | Preset | None:
    """The example in what the browser reports, which may be anything."""
    kind, _, number = reported.partition(" ") if isinstance(reported, str) else ("", "", "")
    lists: dict[str, Sequence[Example | Preset]] = {"example": EXAMPLES, "text": PRESETS}
    offered = lists.get(kind, ())
    return offered[int(number)] if number.isdecimal() and len(number) < 4 and int(number) < len(offered) else None
