"""Buttons that leave a lesson for the page its panel belongs to, with the same text and settings."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from explorer.answers.explore import WAYS
from explorer.learning.checks.engine import train_request
from explorer.learning.lessons.lesson import (
    ComparePanel,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    SamplePanel,
    TrainPanel,
)
from explorer.prompts.links import packed
from explorer.training.request import query_of as training_query
from explorer.ui.components.prompt import Asked as PromptAsked
from explorer.ui.explore.controls import open_text
from explorer.ui.explore.patterns import pattern_state
from explorer.ui.links import open_page, step_parameter, to_explore
from explorer.ui.tokenizers.chooser import spec_of
from explorer.ui.train.controls import open_corpus


def draw_leaving(panel: Panel, label: str) -> None:
    """Draws the button. label: with {0} for the page. The browser's Back comes back to the card."""
    name = name_of(panel)
    if not st.button(label.replace("{0}", name), key="learn_leave", icon=":material/open_in_new:", type="tertiary"):
        return
    query = query_of(panel)
    state = st.session_state
    if isinstance(panel, ExplorePanel):
        open_text(panel.text)
        pattern_state().fill(None)
        state.stage, state.opened = panel.stage, None
    if isinstance(panel, ComparePanel | NextPanel | SamplePanel):
        open_text(panel.text)
    if isinstance(panel, SamplePanel):
        state.stage, state.opened, state.ways_asked = WAYS, None, None
    if isinstance(panel, PromptPanel) and "prompt" in state:
        given = PromptAsked(json.dumps(call_of(panel)), panel.template, None, panel.as_text)
        state.prompt.asked, state.prompt.rev = given, state.prompt.rev + 1
    if isinstance(panel, TrainPanel):
        open_corpus(panel.text)
    open_page(name.lower(), query)


def name_of(panel: Panel) -> str:
    """The page that a panel belongs to."""
    names = {ExplorePanel: "Explore", TrainPanel: "Train", ComparePanel: "Compare", NextPanel: "Explore",
             PromptPanel: "Prompt", SamplePanel: "Explore"}  # fmt: skip
    return names.get(type(panel), "Vocabulary")


def query_of(panel: Panel) -> dict[str, str | list[str]]:
    """The parameters that open a panel on its page.

    >>> query_of(ComparePanel("a", ("llama-2", "gpt-2")))
    {'text': 'a', 'with': ['llama-2', 'gpt-2@huggingface']}
    """
    if isinstance(panel, ExplorePanel):
        selected = {} if panel.select is None else {"sel": "{}-{}".format(*panel.select)}
        step = {step_parameter(panel.stage): str(panel.step)}
        return {**explore_query(panel), **selected, **step}
    if isinstance(panel, ComparePanel):
        return {"text": panel.text, "with": [spec_of(each).name for each in panel.tokenizers]}
    if isinstance(panel, TrainPanel):
        return {**training_query(train_request(panel)), **({"step": str(panel.step)} if panel.step else {})}
    if isinstance(panel, NextPanel):
        return dict(explore_query(ExplorePanel(panel.text, panel.tokenizer, panel.implementation)))
    if isinstance(panel, SamplePanel):
        opens = explore_query(ExplorePanel(panel.text, panel.tokenizer, panel.implementation))
        drawn = {"sample": "one", "alpha": f"{panel.alpha:g}", "seed": str(panel.seed), "draw": str(panel.draw)}
        return {**opens, **drawn, "drawn": str(panel.step), **({"rule": panel.rule} if panel.rule else {})}
    if isinstance(panel, PromptPanel):
        asked = {"m": panel.tokenizer, "as": panel.implementation, "template": panel.template}
        asked |= {"chat": packed(call_of(panel)) or "", "as_text": "1" if panel.as_text else ""}
        return {key: value for key, value in asked.items() if value}
    query = {"m": panel.tokenizer, "as": panel.implementation, "q": panel.search, "by": panel.by}
    return {**query, **({} if panel.token is None else {"token": str(panel.token)})}


def call_of(panel: PromptPanel) -> dict[str, Any]:
    """The call of a panel, as Prompt takes it."""
    call: dict[str, Any] = {"messages": [{"role": role, "content": text} for role, text in panel.messages]}
    return call | ({} if panel.asks else {"add_generation_prompt": False})


def explore_query(panel: ExplorePanel) -> dict[str, str]:
    """The parameters that open a panel's text on Explore, with no step: another text has others.

    >>> explore_query(ExplorePanel("a", "gpt-2", "huggingface"))
    {'text': 'a', 'm': 'gpt-2', 'as': 'huggingface', 'stage': 'model'}
    """
    spec = spec_of(panel.tokenizer, panel.implementation)
    query = to_explore(spec, panel.text, escapes=False, add_special=panel.special, parse_special=True)
    return query | {"stage": panel.stage} | ({"level": panel.level} if panel.level else {})
