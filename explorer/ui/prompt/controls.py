"""The controls of the Prompt page: the messages, the model, the settings; and what is asked, at first from the URL."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.prompt import Request, template_names
from explorer.errors import InputError
from explorer.formats.strict_json import LINK
from explorer.prompts.links import unpacked
from explorer.prompts.messages import Call
from explorer.ui.components import prompt
from explorer.ui.components.prompt import LONGEST_RESPONSE, Asked
from explorer.ui.frame import bar
from explorer.ui.tokenizers import chooser
from explorer.views.prompt.examples import FIRST

PILLS = "prompt-pills"
"""The key of the messages in the bar."""
FIRST_MODEL = "qwen2.5"
"""The model that the page opens with."""
BORROWED = "ours:chatml"
"""The template of a model that has none. The page says so."""


class Bar(NamedTuple):
    """What the bar above the page holds. messages: the place of the messages."""

    messages: DeltaGenerator
    chosen: chooser.Chosen


def draw_bar() -> Bar:
    """Draws the bar without the messages."""
    with bar():
        messages = st.container(key="prompt-messages")
        with chooser.row("prompt", FIRST_MODEL) as chosen:
            pass
    return Bar(messages, chosen)


class PromptState:
    """What is asked in this session. rev: how often Python has replaced it. problem: of the link that was opened."""

    def __init__(self, asked: Asked, problem: str) -> None:
        """What the URL asks."""
        self.asked, self.problem, self.rev = asked, problem, 0


def prompt_state() -> PromptState:
    """This session's state, at first from the URL."""
    if "prompt" not in st.session_state:
        st.session_state.prompt = PromptState(*linked())
    state: PromptState = st.session_state.prompt
    return state


def linked() -> tuple[Asked, str]:
    """What the URL asks, and what is wrong with it."""
    query = st.query_params
    problem, call = "", dict(FIRST.call)
    if "chat" in query:
        try:
            call = Call.read(unpacked(query["chat"]), "chat", LINK).to_json()
        except InputError as error:
            problem = str(error)
    call |= asks(call, query.get("then", ""), query.get_all("on"), query.get_all("off"))
    as_text = query.get("as_text") == "1"
    names = query.get("template", "")[:100], None, as_text, query.get("date", "")[:10]
    after = query["after"][:LONGEST_RESPONSE] if "after" in query else None
    return Asked(json.dumps(call), *names, after), problem


def asks(call: dict[str, Any], then: str, on: list[str], off: list[str]) -> dict[str, Any]:
    """The fields of a call that say what comes after its messages, and the template's switches.

    >>> asks({}, "nothing", [], ["enable_thinking"])
    {'add_generation_prompt': False, 'chat_template_kwargs': {'enable_thinking': False}}
    """
    made: dict[str, Any] = {}
    if then in ("nothing", "continue"):
        made["add_generation_prompt"] = False
    if then == "continue":
        made["continue_final_message"] = True
    switches = {name[:100]: True for name in on[:20]} | {name[:100]: False for name in off[:20]}
    known = call.get("chat_template_kwargs")
    if switches:
        made["chat_template_kwargs"] = {**(known if isinstance(known, dict) else {}), **switches}
    return made


def request_of(bar: Bar, usable: bool) -> Request:
    """What the page asks: draws the messages, and takes what the browser reports of them."""
    state = prompt_state()
    asked = prompt.reported(PILLS, state.rev)
    if asked is not None:
        state.asked, state.problem = asked, ""
    with bar.messages:
        prompt.pills(state.asked, rev=state.rev, key=PILLS)
    call, template, source, as_text, date, response = state.asked
    spec = bar.chosen.spec
    if source is not None:
        spec = spec._replace(template=source)
    elif usable and not template and not template_names(spec):
        template = BORROWED
    return Request(spec, call, template, as_text, date, response)
