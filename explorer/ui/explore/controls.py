"""The controls of the Explore page: the text or its bytes, examples, the tokenizer, the options.

Bytes in hexadecimal are typed in a popover on the stage of bytes, which then reads these instead of the text. A file's
bytes go into the same field. They are kept in the URL as `bytes`, at every stage. A tokenizer takes a text, so all
other stages run on what a reader makes of the bytes that writes U+FFFD for each malformed run. An edit of the text ends
it.

An example is a link (`query_of`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.explore import BORDER, MOST_BYTES, WAYS, ExploreView, Request, script_of_bytes
from explorer.answers.offers import short_name
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.text.input import bytes_of_hex, strict_error
from explorer.text.say import Say, Text, plural
from explorer.ui.components import tokens
from explorer.ui.components.tokens import Play, stepper
from explorer.ui.frame import bar, choose_tab, show_error, show_notice, side_by_side
from explorer.ui.language import language, said_id, words
from explorer.ui.parameters import (
    CHOOSE,
    context,
    examples_button,
    open_page,
    read_text,
    step_parameter,
    stored_switch,
    text_switches,
    url_values,
    window_start,
)
from explorer.ui.tokenizers import chooser
from explorer.ui.tokenizers.uploads import fresh_uploader, note_former
from explorer.views.examples import PRESETS, Example


def query_of(example: Example) -> str:
    """The parameters that open an example. The text that Explore begins with is in no link.

    >>> from explorer.views.examples import QUESTIONS
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


CUT = "A border"
WITHIN = "Ids in these ids"
STOP = "A stop string"
"""What is asked between two texts."""
AT_ONCE = "At once"
ONE_BY_ONE = "One by one"
"""How ids become text."""


class Bar(NamedTuple):
    """What the bar above the page holds. text: the place of the text and what warns of it."""

    text: DeltaGenerator
    chosen: chooser.Chosen
    add_special: bool
    parse_special: bool
    escapes: bool
    stored: bool


class Choice(NamedTuple):
    """What is chosen: the arguments of `patterns.view_with_pattern`."""

    request: Request
    at: int
    stage: str
    stored: bool


def draw_bar() -> Bar:
    """Draws the bar without the text field: what an edit of the text leaves as it is."""
    if "stage" not in st.session_state:
        note_former("stage", st.query_params.get_all("stage"))
    with bar():
        with side_by_side("top", gap=None, key="text"):
            text = st.container(horizontal=True, gap="small", key="typing")
            examples_button()
        with chooser.row() as chosen:
            switches = *text_switches("special", "parse", "escapes"), stored_switch("stored")
    return Bar(text, chosen, *switches)


def choice_of(bar: Bar, typed: str) -> Choice | None:
    """The choice; None after an error if the text can't be used."""
    text = read_text(typed, bar.escapes)
    if text is None:
        return None
    request = Request(bar.chosen.spec, text, Options(bar.add_special, bar.parse_special))
    return Choice(request, window_start(text), chosen_stage(), bar.stored)


def stage_stepper(script: bytes, name: str, content: str, parameter: str = "", start: int | None = None) -> None:
    """Draws a stepper in the place of a stage. content: the id of what it is about."""
    play = Play(said_id(f"{name} {content}", language()), parameter or step_parameter(name), start, context().rev)
    stepper(script, play, key="stepper" if name == "model" else f"stepper_{name}")


ASKED = {
    "border": (BORDER, "between", CUT),
    "stop": (BORDER, "between", STOP),
    "stream": ("decode", "stream", ONE_BY_ONE),
}
"""What the menu asks for, by the name that the browser has → the stage, and what is chosen there."""


def chosen_stage() -> str:
    """The key of the stage in focus: the one chosen last in the browser, at first the one in the URL."""
    state = st.session_state
    reported = tokens.chosen_stage("overview")
    # an example may have chosen another stage since
    if reported != state.get("reported_stage"):
        state.reported_stage = reported
        state.stage = reported.key if reported is not None else state.get("stage")
        if state.stage in ASKED:
            state.stage, widget, value = ASKED[state.stage]
            state[widget], state["tab set"] = value, widget
    instead = next((each for each in (BORDER, WAYS) if each in st.query_params), None)
    linked = instead or st.query_params.get("stage", "model")[:40]
    return str(state.setdefault("stage", linked))


def chosen_tab(label: str, names: Mapping[str, str] | Sequence[str], *, key: str) -> str:
    """Draws a choice of tabs that the menu may have set, and returns the one chosen."""
    was_set = st.session_state.get("tab set") == key and st.session_state.pop("tab set")
    return choose_tab(label, names, key=key, default=None if was_set else "")


def show_text(page: str, text: str) -> None:
    """Leaves for Explore or Compare with a text."""
    context().fill(text)
    open_page(page, {"text": text})


EXAMPLE_BYTES = {
    "Valid: ÅWhat": "C3 85 57 68 61 74",
    "Lone continuation": "41 85 42",
    "Cut short": "E2 82 41",
    "Overlong": "C0 AF E0 80 AF",
    "Surrogate": "ED A0 80",
    "Above 10FFFF": "F4 90 80 80",
    "No such byte": "FF FE",
}
"""Name → bytes: one for each rule of UTF-8."""


def chosen(text: str) -> bytes:
    """The bytes that are read instead of the text; none if there are none, if they can't be read, or for a new text.

    Call it once in a run, before the field is drawn.
    """
    state = st.session_state
    typed = str((state["bytes"] if "bytes" in state else st.query_params.get("bytes")) or "")[: 3 * MOST_BYTES]
    before, was = state.get("bytes beside", (typed, text))
    if before == typed and was != text:
        typed = ""
    state["bytes"], state["bytes beside"] = typed, (typed, text)  # set, so that a stage without the field keeps it
    try:
        return bytes_of_hex(typed, MOST_BYTES)
    except InputError:
        return b""


def with_bytes(choice: Choice, data: bytes) -> Choice:
    """The choice with what a reader makes of the bytes in place of the text."""
    text = data.decode("utf-8", "replace")
    return choice._replace(request=choice.request._replace(text=text), at=window_start(text))


def view_of_bytes(view: ExploreView, data: bytes) -> ExploreView:
    """The view of that text; its first stage counts the bytes that were typed, its last one says if they are lost."""
    nodes = {node.key: node for node in view.top.stages}
    nodes["utf8"] = nodes["utf8"]._replace(result=plural(len(data), "byte"))
    if "decode" in nodes and strict_error(data) is not None:
        nodes["decode"] = nodes["decode"]._replace(result=Text("other bytes"), changed=True)
    return view._replace(top=view.top._replace(stages=list(nodes.values())))


def reminder(data: bytes) -> None:
    """Draws a notice that the page is about bytes, what readers make of them, and the way back to the text."""
    refused = strict_error(data)
    said = Say("{0:t} in place of the text.", plural(len(data), "byte"))
    if refused is None:
        said = said.then(Say("They are valid UTF-8, so every reader gives the same text."))
    else:
        said = said.then(
            Say("A strict reader refuses them ({0:t}).", str(refused)),
            Say("One that replaces writes � for each malformed run: that text is tokenized here."),
        )
    with side_by_side(key="bytes-reminder"):
        show_notice(said)
        st.button(words("Use the text"), key="no bytes", on_click=fill, args=("",))


def field() -> bytes:
    """Draws the field; the bytes in it, none if it is empty or can't be read."""

    def start_from() -> None:
        name = st.session_state["known bytes"]
        if name is not None:
            fill(EXAMPLE_BYTES[name])
            st.session_state["known bytes"] = None

    with st.container(key="typed-bytes", width="content"), st.popover(words("Other bytes"), width="content"):
        typed = st.text_input(
            words("Read bytes in hexadecimal, valid or not, instead of the text"), key="bytes", bind="query-params",
            max_chars=3 * MOST_BYTES, placeholder=words("C3 85 57 … (Enter reads them)"), on_change=forget,
        )  # fmt: skip
        st.selectbox(words("Start from"), list(EXAMPLE_BYTES), None, format_func=words, key="known bytes",
                     on_change=start_from, placeholder=words("An example for each rule"))  # fmt: skip
        with st.container(key="drop-bytes", width="content"):
            about = words("Up to {0} bytes of any kind, read as UTF-8, valid or not.", MOST_BYTES)
            fresh_uploader(words("Or a file"), "bytes file", take_file, width=170, help=about)
    problem = st.session_state.get("bytes problem")
    if problem:
        show_error(problem, "The file is not read.")
    try:
        return bytes_of_hex(typed or "", MOST_BYTES)
    except InputError as error:
        show_error(error)
        return b""


def fill(typed: str) -> None:
    """Puts bytes in hexadecimal into the field."""
    st.session_state["bytes"] = typed
    forget()


def forget() -> None:
    """Drops the message about the last file."""
    st.session_state["bytes problem"] = ""


def take_file(files: list[UploadedFile]) -> None:
    """Puts a file's bytes into the field, so that a link has them."""
    try:
        fill(typed_of_file(files[0].name, files[0].getvalue()))
    except InputError as error:
        st.session_state["bytes problem"] = error


def typed_of_file(name: str, data: bytes) -> str:
    """A file's bytes as the field has them. Raises InputError for an empty file and for one of too many bytes.

    >>> typed_of_file("a.bin", b"A\\xff")
    '41 FF'
    """
    if not data:
        raise InputError("{0:t} is empty; give a file with at least one byte", short_name(name))
    if len(data) > MOST_BYTES:
        size = plural(len(data), "byte")
        about = "{0:t} has {1:t}, and at most {2} can be drawn; give a part of it"
        raise InputError(about, short_name(name), size, MOST_BYTES)
    return data.hex(" ").upper()


def keep_in_url() -> None:
    """Keeps the bytes in the URL at a stage without the field, and takes them out once there are none."""
    data = st.session_state["bytes"]
    if data or st.session_state.get("bytes_in_url"):
        url_values({"bytes": data or None}, key="url-bytes")
    st.session_state.bytes_in_url = bool(data)


def stage(panel: DeltaGenerator, data: bytes) -> None:
    """Draws the stepper of these bytes into the panel of the stage."""
    with panel:
        stage_stepper(script_of_bytes(data, language()), "bytes", data.hex(), step_parameter("utf8"))
