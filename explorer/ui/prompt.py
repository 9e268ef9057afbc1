"""The Prompt page: messages as pills and as rows, the cards, the stage of a view, the settings.

One browser module (`components/prompt/`) is mounted four times; all mounts share what is asked (`store.js`): the
call, the template, whether control tokens are read as text, the date. The browser owns it, writes it to the URL, and
the mount in the bar reports it to Python, as a text field reports its text. The cards report the view that was
chosen. All of the page follows the messages, so it is one fragment: a key press reruns it. The stage is computed and
sent first, then the cards above it.

Links lead from a prompt to its text on other pages. The template writes the special tokens, so none are added there;
where messages' control tokens are read as text, the other page reads none.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.export import LONGEST_LINK
from explorer.answers.prompt import (
    PromptRequest,
    cards_of,
    check_file,
    check_part,
    export_of,
    file_names,
    prompt_view,
    settings_of,
    template_names,
    template_play,
)
from explorer.errors import InputError
from explorer.formats.strict_json import LINK
from explorer.prompts.check import parts
from explorer.prompts.messages import Call, is_anthropic, unpacked
from explorer.prompts.model_input import LLAMA_CPP
from explorer.prompts.templates import own_template
from explorer.tables import Record, read_toml
from explorer.text.input import whole_characters
from explorer.text.say import Say, Text
from explorer.ui.components import tokens
from explorer.ui.components.every_page import (
    browser_mark,
    download_buttons,
    json_in,
    number_in,
    register,
    reported,
    table_in,
)
from explorer.ui.components.tokens import LAST_STEP, Play, stepper
from explorer.ui.frame import bar, fragment, show_error, show_notice, side_by_side
from explorer.ui.language import language, words
from explorer.ui.parameters import context, to_explore
from explorer.ui.tokenizers import chooser
from explorer.views.examples import CONVERSATIONS, FIRST_CONVERSATION
from explorer.views.prompt.registry import view_named

LONGEST_SOURCE = 200_000
"""Characters of a template of the visitor's own."""
LONGEST_RESPONSE = 2_000
"""Characters of a text after which is trained."""
LONGEST_CALL = 1_000_000
"""Characters of a call that is reported."""

_draw_part = register(
    "prompt", EXAMPLES=[each._asdict() for each in CONVERSATIONS], FIRST_CALL=FIRST_CONVERSATION.call,
    OWN_SOURCE=own_template("chatml").source, MARKERS=read_toml(__file__, "markers.toml"),
)  # fmt: skip


class Asked(NamedTuple):
    """What is asked. call: JSON. template: a name, "" for the model's default. source: of the visitor's own one.

    response: the text after which is trained, None for what the template asks for an answer with. server: which changes
    the call first, "" for none.
    """

    call: str
    template: str = ""
    source: str | None = None
    as_text: bool = False
    date: str = ""
    response: str | None = None
    server: str = ""


def read_asked(given: object, rev: int) -> Asked | None:
    """What is asked in what the browser reports, which may be anything; None if that is not for this `rev`.

    >>> read_asked({"rev": 1, "call": "[]", "as_text": True}, 1)
    Asked(call='[]', template='', source=None, as_text=True, date='', response=None, server='')
    >>> read_asked({"rev": 1, "call": 7}, 1), read_asked({"rev": 0, "call": "[]"}, 1)
    (None, None)
    """
    found = table_in(given)
    call = found.get("call")
    if found.get("rev") != rev or not isinstance(call, str) or len(call) > LONGEST_CALL:
        return None
    source, response = (
        whole_characters(found[name][:most]) if isinstance(found.get(name), str) else None
        for name, most in (("source", LONGEST_SOURCE), ("response", LONGEST_RESPONSE))
    )
    names = [str(found.get(name) or "")[:100] for name in ("template", "date", "server")]
    as_text = found.get("as_text") is True
    return Asked(whole_characters(call), names[0], source, as_text, names[1], response, names[2])


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
    prompt_state().begin_with(context().own_text)
    return Bar(messages, chosen)


@dataclass
class PromptState:
    """What is asked in this session. rev: how often Python has replaced it. problem: of the link that was opened.

    first: the messages that it began with. converted: the call that one in Anthropic's form became.
    """

    asked: Asked
    problem: str
    rev: int = 0
    first: list[Record] = field(default_factory=lambda: FIRST_CONVERSATION.call["messages"])
    converted: Record = field(default_factory=dict)

    def begin_with(self, text: str | None) -> None:
        """Puts the visitor's text into the first message, while no message is edited; None is the page's own."""
        call = json_in(self.asked.call, LONGEST_CALL)
        first = FIRST_CONVERSATION.call["messages"] if text is None else [{"role": "user", "content": text}]
        if call.get("messages") == self.first != first:
            self.asked = self.asked._replace(call=json.dumps(call | {"messages": first}))
            self.first, self.rev = first, self.rev + 1

    def convert(self) -> None:
        """Puts a call in OpenAI's form in place of one in Anthropic's."""
        call = json_in(self.asked.call, LONGEST_CALL)
        if is_anthropic(call):
            with suppress(InputError):  # said where it is read
                self.converted = Call.from_json(call).to_json()
                self.asked, self.rev = self.asked._replace(call=json.dumps(self.converted)), self.rev + 1


def prompt_state() -> PromptState:
    """This session's state, at first from the URL."""
    if "prompt" not in st.session_state:
        st.session_state.prompt = PromptState(*linked())
    state: PromptState = st.session_state.prompt
    return state


def linked() -> tuple[Asked, str]:
    """What the URL asks, and what is wrong with it."""
    query = st.query_params
    problem, call = "", dict(FIRST_CONVERSATION.call)
    if "chat" in query:
        try:
            call = Call.read(unpacked(query["chat"]), "chat", LINK).to_json()
        except InputError as error:
            problem = str(error)
    call |= asks(call, query.get("then", ""), query.get_all("on"), query.get_all("off"))
    as_text = query.get("as_text") == "1"
    names = query.get("template", "")[:100], None, as_text, query.get("date", "")[:10]
    after = query["after"][:LONGEST_RESPONSE] if "after" in query else None
    return Asked(json.dumps(call), *names, after, query.get("server", "")[:100]), problem


def asks(call: Record, then: str, on: list[str], off: list[str]) -> Record:
    """The fields of a call that say what comes after its messages, and the template's switches.

    >>> asks({}, "nothing", [], ["enable_thinking"])
    {'add_generation_prompt': False, 'chat_template_kwargs': {'enable_thinking': False}}
    """
    made: Record = {}
    if then in ("nothing", "continue"):
        made["add_generation_prompt"] = False
    if then == "continue":
        made["continue_final_message"] = True
    switches = {name[:100]: True for name in on[:20]} | {name[:100]: False for name in off[:20]}
    known = call.get("chat_template_kwargs")
    if switches:
        made["chat_template_kwargs"] = {**(known if isinstance(known, dict) else {}), **switches}
    return made


def request_of(bar: Bar, usable: bool) -> PromptRequest:
    """What the page asks: draws the messages, and takes what the browser reports of them."""
    state = prompt_state()
    asked = read_asked(reported(PILLS, "asked"), state.rev)
    if asked is not None:
        state.asked, state.problem = asked, ""
        state.convert()
    with bar.messages:
        data = {"part": "pills", "asked": state.asked._asdict(), "rev": state.rev, "session": browser_mark()}
        _draw_part(key=PILLS, data=data)
    call, template, source, as_text, date, response, server = state.asked
    spec = bar.chosen.spec
    if source is not None:
        spec = spec._replace(template=source)
    elif usable and not template and not template_names(spec):
        template = BORROWED
    return PromptRequest(spec, call, template, as_text, date, response, server)


BESIDE = "gpt-2@huggingface"
"""The tokenizer that Compare shows beside a model that runs in one way only."""


def links_of(request: PromptRequest, text: str) -> dict[str, str]:
    """The addresses that open a prompt's text on Explore and on Compare; none for a text too long for a link."""
    if not text or len(text) > LONGEST_LINK:
        return {}
    spec = request.spec
    # llama-server has stripped what its tokenizer adds
    adds = spec.implementation == LLAMA_CPP
    reads = not request.as_text or adds
    explore = to_explore(spec, text, escapes=False, add_special=adds, parse_special=reads, choices=dict(spec.choices))
    others = [name for name in spec.offer.implementations if name != spec.implementation]
    beside = f"{spec.offer.label}@{others[0]}" if others else BESIDE
    switches = {"addspecial": (adds, True), "parsespecial": (reads, True)}
    compare = {"text": text, "with": [spec.name, beside]}
    compare |= {name: str(on).lower() for name, (on, default) in switches.items() if on != default}
    return {"explore": f"./?{urlencode(explore)}", "compare": f"./compare?{urlencode(compare, doseq=True)}"}


def draw_template(request: PromptRequest) -> None:
    """Draws the stepper, or why there is nothing to play."""
    play = template_play(request, language())
    if play is None:
        fault = prompt_view(request, "template").fault
        st.info(fault.say if fault else "There is no template.", icon=":material/info:")
        return
    stepper(play.script, Play(play.id, start=LAST_STEP if play.fails else None), key="template_stepper")


STAGE = "prompt-stage"
"""The key of the stage."""


def check_stage(request: PromptRequest) -> Record:
    """The part of a check that the browser asks for, the first one of another template. It asks for each in turn."""
    report = table_in(reported(STAGE, "check"))
    try:
        first = check_part(request.spec, request.template, 0)
        part = number_in(report.get("part"), 1, parts()) if report.get("of") == first["id"] else None
        return dict(check_part(request.spec, request.template, part) if part else first)
    except InputError as error:
        return {"problem": Say("{0:t}", str(error))._asdict()}


CHECK_FILES = {"json": Text("Check as JSON"), "xml": Text("Check as JUnit")}


def draw_check_files(request: PromptRequest) -> None:
    """Draws the buttons that save a check, which is finished then."""
    with side_by_side("top", key="section-take-away"):
        for ending, label in CHECK_FILES.items():
            file = check_file.deferred(request.spec, request.template, ending)
            st.download_button(
                words(label), file, f"check.{ending}", f"application/{ending}", key=f"check {ending}",
                on_click="ignore", icon=":material/download:", type="tertiary",
            )  # fmt: skip


CARDS = "prompt-cards"
"""The key of the cards."""

LABELS = {"csv": "Tokens as CSV", "json": "Prompt as JSON"}
"""Of the downloads."""


@fragment
def follow(bar: Bar, usable: bool) -> None:
    """Draws the messages and all that follows from them. usable: whether the tokenizer is open."""
    request = request_of(bar, usable)
    if not usable:
        return
    state = prompt_state()
    if state.problem:
        show_error(state.problem, "This link can't be opened.")
    if state.converted and json_in(state.asked.call, LONGEST_CALL) == state.converted:
        show_notice("The request has Anthropic's form; here it is in OpenAI's.")
    above = st.container(key="prompt-top")
    view = prompt_view(request, chosen_view())
    if view.fault and view.fault.line and "prompt_view" not in st.session_state and "view" not in st.query_params:
        # a template that fails opens where it does, unless a link says otherwise
        view = prompt_view(request, "template")
    st.session_state.prompt_view = view.focus
    with st.container(key="prompt-stage-place", gap=None):  # one of two draws; a gap makes the page scroll
        if view.focus == "template":
            with st.container(key="prompt-drawn"):
                draw_template(request)
        data = view._asdict() | {"part": "stage", "fault": view.fault and view.fault._asdict()}
        if view.focus == "check":
            data["stage"] = check_stage(request)
        data |= {"links": links_of(request, view.text), "asked": state.asked._asdict()}
        del data["request"]
        _draw_part(key=STAGE, data=data)
    with above:
        data = {
            "part": "cards",
            "cards": [each._asdict() for each in cards_of(request)],
            "focus": "engines" if view.focus == "check" else view.focus,
            "view": view.focus,
            "answers": tokens.reported_stage(CARDS),
        }
        _draw_part(key=CARDS, data=data)
    with bar.chosen.settings:
        _draw_part(key="prompt-settings", data={"part": "settings", **settings_of(request)._asdict()})
    if view.focus == "check":
        draw_check_files(request)
        return
    names = file_names(request)
    with side_by_side("top", key="section-take-away"):
        labels = {ending: label for ending, label in LABELS.items() if ending in names}
        download_buttons(export_of, (request,), labels, names, "prompt", icon=":material/download:", type="tertiary")


def chosen_view() -> str:
    """The name of the view in focus: the one chosen last in the browser, at first the one in the URL."""
    state = st.session_state
    now = tokens.chosen_stage(CARDS)
    if now != state.get("reported_prompt_view"):
        state.reported_prompt_view = now
        state.prompt_view = now.key if now is not None else state.get("prompt_view")
    return view_named(state.get("prompt_view") or st.query_params.get("view", "")).name
