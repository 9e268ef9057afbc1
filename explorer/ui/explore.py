"""The Explore page: its controls; below them tokens, the stages of a text, another pattern for one, downloads.

Bytes in hexadecimal are typed in a popover on the stage of bytes, which then reads these instead of the text. A file's
bytes go into the same field. They are kept in the URL as `bytes`, at every stage. A tokenizer takes a text, so all
other stages run on what a reader makes of the bytes that writes U+FFFD for each malformed run. An edit of the text ends
it. An example is a link (`query_of`).

A pattern of a pre-tokenizer may have another one in its place; pre-tokens and ids follow every key press in its field.
Like the text, the pattern is in the URL and stays when another tokenizer is chosen. An invalid pattern is marked at the
error, and the page keeps showing the result of the last valid one. Two patterns are compared alternative by
alternative: on Explore, and on Compare where two of them part.

All of it follows the text, so it is one fragment (`follow_text`): a key press reruns it, and neither the tokenizer's
controls nor the navigation. What is seen first is computed and sent first.

In the place of a stage are questions: between two texts a border, ids within the ids of the text, a stop string in
tokens; and other ways to cut the text, many draws beside their exact odds, or one draw step by step. Backwards, the
field holds ids, and the page shows how they become text, at once or one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.export import Export
from explorer.analysis.pattern_difference import KNOWN
from explorer.answers.explore import (
    BORDER,
    MOST_BYTES,
    ONE,
    ROWS,
    STREAMED,
    WAYS,
    DecodeView,
    ExploreView,
    IdsRequest,
    PatternChoice,
    Request,
    StreamView,
    WaysRequest,
    best_export,
    border_export,
    border_view,
    content_id,
    decode_rows,
    decode_section,
    decode_view,
    decoded_text,
    downloads_of,
    draw_script,
    drift_export,
    drift_view,
    explore_view,
    facts_of,
    known_ids,
    pattern_difference,
    patterns_of,
    script_of_bytes,
    section_view,
    stages_before_end,
    stop_export,
    stop_view,
    stream_of_ids,
    stream_of_text,
    text_export,
    ways_export,
    ways_frame,
    ways_view,
    why_elsewhere,
    why_of,
    within_export,
    within_view,
)
from explorer.answers.offers import TokenizerSpec, short_name
from explorer.answers.saved import explore_file
from explorer.engine.part import Options
from explorer.engine.pre_tokenizers.custom_pattern import PatternSlot
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.regexes.safe import LONGEST
from explorer.errors import InputError, TryAgain, Unfinished
from explorer.languages import phrases
from explorer.text.input import bytes_of_hex, strict_error
from explorer.text.say import Say, Text, plural
from explorer.ui import STYLES
from explorer.ui.components import tokens
from explorer.ui.components.every_page import (
    Made,
    TextField,
    asked_page,
    download_buttons,
    headline,
    page_for,
    reported_text,
    sentence,
    whole,
)
from explorer.ui.components.tokens import LAST_STEP, Around, Hint, Play, aligned_rows, framed_rows, stepper
from explorer.ui.frame import bar, choose_tab, fragment, show_error, show_notice, show_warnings, side_by_side
from explorer.ui.language import language, said_id, words
from explorer.ui.parameters import (
    CHOOSE,
    PatternState,
    app_url,
    choose_window,
    context,
    examples_button,
    links,
    open_page,
    pattern_state,
    read_text,
    reading,
    step_parameter,
    stored_switch,
    text_field,
    text_switches,
    url_values,
    window_start,
    with_links,
)
from explorer.ui.tokenizers import chooser
from explorer.ui.tokenizers.chooser import fresh_uploader, note_former, other_specs
from explorer.views.charts import trie_structures
from explorer.views.examples import EXAMPLE_BYTES, PRESETS, Example, example_of
from explorer.views.patterns import difference_html, verdict_html


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


def typed_bytes(text: str) -> bytes:
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


def bytes_reminder(data: bytes) -> None:
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
        st.button(words("Use the text"), key="no bytes", on_click=fill_bytes, args=("",))


def bytes_field() -> bytes:
    """Draws the field; the bytes in it, none if it is empty or can't be read."""

    def start_from() -> None:
        name = st.session_state["known bytes"]
        if name is not None:
            fill_bytes(EXAMPLE_BYTES[name])
            st.session_state["known bytes"] = None

    with st.container(key="typed-bytes", width="content"), st.popover(words("Other bytes"), width="content"):
        typed = st.text_input(
            words("Read bytes in hexadecimal, valid or not, instead of the text"), key="bytes", bind="query-params",
            max_chars=3 * MOST_BYTES, placeholder=words("C3 85 57 … (Enter reads them)"), on_change=forget_bytes,
        )  # fmt: skip
        st.selectbox(words("Start from"), list(EXAMPLE_BYTES), None, format_func=words, key="known bytes",
                     on_change=start_from, placeholder=words("An example for each rule"))  # fmt: skip
        with st.container(key="drop-bytes", width="content"):
            about = words("Up to {0} bytes of any kind, read as UTF-8, valid or not.", MOST_BYTES)
            fresh_uploader(words("Or a file"), "bytes file", take_bytes, width=170, help=about)
    problem = st.session_state.get("bytes problem")
    if problem:
        show_error(problem, "The file is not read.")
    try:
        return bytes_of_hex(typed or "", MOST_BYTES)
    except InputError as error:
        show_error(error)
        return b""


def fill_bytes(typed: str) -> None:
    """Puts bytes in hexadecimal into the field."""
    st.session_state["bytes"] = typed
    forget_bytes()


def forget_bytes() -> None:
    """Drops the message about the last file."""
    st.session_state["bytes problem"] = ""


def take_bytes(files: list[UploadedFile]) -> None:
    """Puts a file's bytes into the field, so that a link has them."""
    try:
        fill_bytes(hex_of_file(files[0].name, files[0].getvalue()))
    except InputError as error:
        st.session_state["bytes problem"] = error


def hex_of_file(name: str, data: bytes) -> str:
    """A file's bytes as the field has them. Raises InputError for an empty file and for one of too many bytes.

    >>> hex_of_file("a.bin", b"A\\xff")
    '41 FF'
    """
    if not data:
        raise InputError("{0:t} is empty; give a file with at least one byte", short_name(name))
    if len(data) > MOST_BYTES:
        size = plural(len(data), "byte")
        about = "{0:t} has {1:t}, and at most {2} can be drawn; give a part of it"
        raise InputError(about, short_name(name), size, MOST_BYTES)
    return data.hex(" ").upper()


def keep_bytes_in_url() -> None:
    """Keeps the bytes in the URL at a stage without the field, and takes them out once there are none."""
    data = st.session_state["bytes"]
    if data or st.session_state.get("bytes_in_url"):
        url_values({"bytes": data or None}, key="url-bytes")
    st.session_state.bytes_in_url = bool(data)


def bytes_stage(panel: DeltaGenerator, data: bytes) -> None:
    """Draws the stepper of these bytes into the panel of the stage."""
    with panel:
        stage_stepper(script_of_bytes(data, language()), "bytes", data.hex(), step_parameter("utf8"))


KEY = "stream"
"""The key of the choice, and its parameter in the URL."""


def one_by_one() -> bool:
    """Draws the choice; whether ids are to arrive one by one."""
    return chosen_tab("Ids become text", {AT_ONCE: AT_ONCE, ONE_BY_ONE: "Streaming"}, key=KEY) == ONE_BY_ONE


def player(view: StreamView, content_id: str) -> None:
    """Draws the stepper of a stream."""
    stage_stepper(view.script, "stream", content_id, "arrived")
    if view.total > STREAMED:
        st.caption(words("The first {0} of {1} ids are drawn; the command line plays 10,000.", STREAMED, view.total))


def follow_ids(bar: Bar, pasted: str) -> None:
    """Draws the ids as tokens on their text, and the stage in focus. Raises InputError."""
    ids = IdsRequest(bar.chosen.spec, pasted, bar.add_special)
    request = ids, window_start(decoded_text(ids)), bar.stored
    view = decode_view(*request)
    keys = [node.key for node in view.top.stages]
    focus = chosen_stage() if chosen_stage() in keys else "decode"
    around = tokens.Around(tokens.Hint(words(view.say)), explains=False)
    tokens.overview(view.top, around, focus=focus, key="overview")
    count = sum(view.top.outside) + len(view.top.tokens)
    choose_window(view.text, Say("All {0} ids are decoded. A part of their text is drawn below.", count))
    by_one = focus == "decode" and one_by_one()
    with st.container(key="stage"):
        if by_one:
            player(stream_of_ids(ids, language()), view.top.content_id)
        else:
            draw(view, focus, request)


def draw(view: DecodeView, focus: str, request: tuple[IdsRequest, int, bool]) -> None:
    """Draws the stage in focus in the room that a stepper takes."""
    if focus not in ROWS:
        script = decode_section(*request, focus, language()).script
        assert script is not None
        stage_stepper(script, focus, view.top.content_id)
        return
    with st.container(height=508, border=True, key="rows"):
        if focus == "again":
            draw_again(view, request)
        else:
            st.caption(words("The numbers that were given, each with its token."))
            aligned_rows(decode_rows(*request), key="decode_rows", names=[request[0].spec.name])


def draw_again(view: DecodeView, request: tuple[IdsRequest, int, bool]) -> None:
    """Draws which ids are not canonical, and the stage that makes each differ."""
    found, asked = drift_view(*request), request[:1]
    framed_rows(found.picture.frame, found.picture.drawn, key="again_rows")
    with side_by_side("top"):
        st.button(words("Open this text"), key="open decoded", on_click=context().fill, args=(view.text,))
        if not found.same:
            download_buttons(drift_export, asked, {"json": "Round trip as JSON"})
    if not found.same:
        st.dataframe(found.rows, hide_index=True)
        about = "A program that keeps only the text of an answer, and encodes it later, gets the canonical ids."
        st.caption(words(about))


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
    state, has_field = pattern_state(), view.focus == "pre-tokenize"
    if not has_field and state.text is None and state.failed is None:
        return
    # beside the field it is present, if empty: otherwise what follows would be rebuilt and lose the focus
    with side_by_side():
        if state.failed is not None and not (has_field and state.edited):
            show_error(state.failed[1], "Your pattern is not used.")
        if state.text is not None and not facts_of(view.spec.without_pattern).patterns:
            show_notice("This tokenizer has no pattern that yours could replace.")
        if view.spec.pattern is None:
            return
        show_notice("A pattern of your own splits this text, so these ids are not the model's.")
        st.button(words("Use the model's own pattern"), key="own pattern", on_click=pattern_state().fill, args=(None,))


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

    with st.expander(words("Try another pattern"), icon=":material/edit:", expanded=state.text is not None, key="try"):
        with side_by_side("bottom"):
            if len(patterns) > 1:
                numbers = [str(number + 1) for number in range(len(patterns))]
                st.selectbox(words("Replace pattern"), numbers, key="pattern_of", bind="query-params", width=160)
            st.selectbox(words("Start from a known one"), list(PATTERNS), None, key="known pattern", width=300,
                         placeholder="gpt-2, llama-3, …", on_change=start_from)  # fmt: skip
            st.button(words("Reset"), key="reset pattern", icon=":material/undo:", on_click=state.fill, args=(None,),
                      disabled=state.text is None)  # fmt: skip
        note = "The pattern in force. Edit it and watch the pre-tokens and the ids." if state.text is None else ""
        field = TextField(LONGEST, "Pattern", "pattern", note=note, unlinked=own, selectable=False)
        field.draw(own if state.text is None else state.text, revision(spec, index), key="pattern")
        st.html(STYLES / "caret.css")
        with st.container():
            if state.text is not None:
                error = state.failed[1] if state.failed else None
                st.html(verdict_html(state.text, error, patterns[index].reader, words))


BESIDE = {"gpt-2": "llama-3", "llama-3": "qwen-2", "qwen-2": "llama-3"}
"""Pattern → the one that it is compared with first; all others with GPT-2's."""
KNOWN_CHOICES = {name: PatternChoice(name) for name in KNOWN}


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
    own = choices_of(view.spec.without_pattern, words("The file's pattern"))
    if not own:
        return
    typed: dict[str, PatternChoice] = {}
    if view.spec.pattern is not None:
        in_force = list(choices_of(view.spec, words("Your pattern")).items())
        typed = dict(in_force[view.spec.pattern_index : view.spec.pattern_index + 1])
    first = next(iter(typed or own))
    beside = next(iter(own)) if typed else BESIDE.get(first.partition(" ")[0], "gpt-2")
    _draw_difference({**typed, **own, **KNOWN_CHOICES}, first, beside)


def expander_of_pair(specs: tuple[TokenizerSpec, TokenizerSpec], titles: tuple[str, str]) -> None:
    """Draws a button that opens the comparison of the patterns of two tokenizers, if both have one."""
    left, right = (
        choices_of(spec, words("{0:t}: the file's", title)) for spec, title in zip(specs, titles, strict=True)
    )
    if left and right:
        _draw_difference({**left, **right, **KNOWN_CHOICES}, next(iter(left)), next(iter(right)), st.popover)


@fragment
def _draw_difference(
    choices: Mapping[str, PatternChoice], first: str, beside: str, opener: Callable[..., Any] = st.expander
) -> None:
    """Draws what opens the choice of two patterns, at first these, and their difference."""
    with opener(words("Difference of two patterns"), icon=":material/difference:", on_change="rerun",
                key="difference") as box:  # fmt: skip
        if not box.open:
            return
        names = list(choices)
        with side_by_side("top"):
            left = st.selectbox(words("Pattern"), names, names.index(first), key=f"left pattern {first}", width=300)
            right = st.selectbox(
                words("Beside"), names, names.index(beside), key=f"right pattern {first} {beside}", width=300
            )
        try:
            found = pattern_difference(choices[left], choices[right])
        except InputError as error:
            show_error(error, "These patterns can't be compared.")
            return
        st.html(STYLES / "difference.css")
        st.html(difference_html(found, left, right, words))


@fragment
def follow_text(bar: Bar, usable: bool, table: DeltaGenerator | None) -> None:
    """Draws the text field and all that follows from the text: a key press runs this alone.

    bar: where the field belongs. usable: whether its tokenizer is open. table: where the tokens are a table, if they
    are. Every container costs a key press as much as 50 steps of a stepper: there is one only where something needs it.
    """
    with bar.text:
        typed = text_field()
    backwards = reading() == "ids"
    choice = choice_of(bar, typed) if usable and not backwards else None
    if usable and backwards:
        follow_known_ids(bar, typed)
    if choice is None:
        return
    data = typed_bytes(typed)
    if data:
        choice = with_bytes(choice, data)
        bytes_reminder(data)
    try:
        view = view_with_pattern(*choice)
        if data:
            view = view_of_bytes(view, data)
        with bar.text:
            # where an example has its words beside the text
            show_warnings((*(map(words, view.doubled) if hint(view).words else ()), *view.warnings))
        overview_of(view)
        window(view)
        stage(view)
        if table is not None:
            with table:
                downloads(view)
    except Unfinished as error:
        show_error(error, "The stages end before there are tokens.")
        unfinished(choice)
    except InputError as error:
        show_error(error)


def unfinished(choice: Choice) -> None:
    """Draws the stages up to their end."""
    request, *_, stored = choice
    for index, section in enumerate(stages_before_end(request, stored, language()), 1):
        # a stage may be there twice
        key = f"{section.key}-{index}"
        with st.container(key=f"section-{key}"):
            explained = "\n".join(f"- **{words(word.word)}**: {words(word.means)}" for word in section.words)
            anchor = section.title.lower().replace(" ", "-")
            st.header(f"{index} · {words(section.title)}", anchor=anchor, help=explained or None)
            st.caption(words(section.what))
            if section.result is not None:
                sentence(section.result, key=f"result_{key}")
            if section.script is not None:
                stage_stepper(section.script, key, content_id(*request, stored), start=LAST_STEP)


def follow_known_ids(bar: Bar, typed: str) -> None:
    """Draws the way from ids to their text: of those that the vocabulary has."""
    try:
        ids, problem = known_ids(IdsRequest(bar.chosen.spec, typed, bar.add_special))
    except InputError as error:
        show_error(error, "These ids can't be decoded.")
        return
    if problem:
        show_error(problem, "Below are the other ids, without those that this vocabulary lacks.")
    follow_ids(bar, ids)


def overview_of(view: ExploreView) -> None:
    """Draws the result first: the text in its tokens, the row of stages."""
    reminder(view)
    draw_top(view, "overview", Around(hint(view), border=True, saves=True))


def hint(view: ExploreView) -> Hint:
    """What to look for while the page shows the example opened last, by a click or by its link; or a warning."""
    state, spec = st.session_state, view.spec
    here = view.text, spec.offer.label, spec.implementation, view.focus
    if "opened" not in state:
        step = st.query_params.get(step_parameter(view.focus), "0")
        state.opened = example_of(*here, step, spec.choices)
    opened: Example | None = state.opened
    shown = opened and (opened.text, opened.model, opened.implementation, opened.stage)
    warning = " ".join(map(words, view.doubled))
    if opened is None or shown != here or opened.choose != spec.choices:
        return Hint(warning=warning)
    return Hint(words(opened.shows), opened.level, warning)


def window(view: ExploreView) -> None:
    """Says which part of a long text is drawn, and offers another."""
    window = view.window
    choose_window(
        view.text,
        Say("All {0} characters of the text are tokenized.", len(view.text)),
        Say(
            "Characters {0} to {1} are drawn below, with the pairs of the queue that lie within them.",
            window.start + 1,
            window.end,
        ),
    )


def stage(view: ExploreView) -> None:
    """Draws the stage in focus, the border or other ways."""
    if view.focus == BORDER:
        draw_between(view)
        return
    if view.focus == WAYS:
        draw_ways(view)
        return
    section = section_view(view.request, view.window.start, view.focus, view.stored, language())
    by_one = section.key == "decode" and one_by_one()
    if section.key == "utf8":
        with st.container(gap="small"):
            panel = st.container(key="stage")
            data = bytes_field()
        if data:
            bytes_stage(panel, data)
            return
    else:
        keep_bytes_in_url()
        panel = st.container(key="stage")
    with panel:
        if by_one:
            spec, text, options = view.request
            player(stream_of_text(spec, text, options.parse_special, language()), view.id)
        elif section.script is not None:
            stage_stepper(section.script, section.key, view.id)
        else:
            st.caption(words(section.what))
    if section.key == "pre-tokenize":
        pattern_field(view)
        expander(view)
    if section.trie:
        structures_expander()


def table_place() -> DeltaGenerator | None:
    """Draws the expander of the tokens as a table, and the downloads: below all that follows the text. None: closed."""
    label = words("Tokens as a table, and downloads")
    box = st.expander(label, icon=":material/download:", on_change="rerun", key="section-take-away")
    return box if box.open else None


def downloads(view: ExploreView) -> None:
    """Draws the tokens as a table, and the downloads."""
    table, names = downloads_of(view.request)
    files = {"csv": names["tokens"], "json": names["trace"]}
    with side_by_side("top"):
        labels = {"csv": "Tokens as CSV", "json": "Trace as JSON"}
        download_buttons(text_export, (view.request,), labels, files)
        if view.focus == BORDER:
            between_downloads(view)
    # not every vocabulary has scores
    table = with_links(table, view.spec.name)
    columns = [str(name) for name in table if name != "score" or table[name].notna().any()]
    titles = {name: words(name) for name in columns} | links()
    st.dataframe(table, hide_index=True, height=320, placeholder="–", column_order=columns, column_config=titles)


@fragment
def structures_expander() -> None:
    """Draws the comparison while its expander is open."""
    with st.expander(
        words("How else a trie can be held"), icon=":material/account_tree:", on_change="rerun", key="tries"
    ) as box:
        if not box.open:
            return
        found = trie_structures()
        st.table(list(found.rows))
        st.caption(
            words(
                "The longest match needs nothing but a trie; how it is kept is a question of memory and speed. All of "
                "these give the same tokens. Speed is relative to this engine, memory is what Python's allocator "
                "counts. pygtrie, marisa-trie and pyahocorasick are packages of PyPI. Measured by "
                "`python -m benchmarks.tries`:"
            )
        )
        st.text(found.measured)


def draw_top(view: ExploreView, key: str, around: Around) -> None:
    """Draws the top of a view. key: of the component."""
    asked, answer = tokens.question(key, view.id), None
    if asked is not None:
        card = why_of(view.request, view.window.start, view.stored, asked.cut, asked.number)
        if card and asked.others:
            found = why_elsewhere(view.request, asked.number, other_specs(view.spec))
            card = {**card, "elsewhere": found}
        answer = card and {**phrases(language()).data(card), "of": f"{asked.kind} {asked.number} {view.id}"}

    def page() -> Made:
        return explore_file(view.request, view.window.start, view.stored, app_url())

    saved = page_for(asked_page(key, view.id), page)
    tokens.overview(view.top, around, focus=view.focus, key=key, answer=answer, page=saved)


NAMES = {CUT: "Cut it in two", WITHIN: "Find a sequence", STOP: "Find a stop string"}
"""By their values in the URL."""
BETWEEN = "between"
"""The key of the choice, and its parameter in the URL."""
FIELDS = {
    WITHIN: TextField(
        100_000, "Ids to look for", "find", "[25, 198], or a text such as Assistant:", selectable=False, bar=True
    ),
    STOP: TextField(1_000, "Stop string", "stop", "Human: (\\n is a line break)", selectable=False, bar=True),
}
"""The field of a question."""
ABOUT = {
    WITHIN: "Programs look for ids in ids: the template before an answer, a stop sequence. Where a token reaches over "
    "the end of the text, its own ids are not there.",
    STOP: "A program that compares ids misses a stop string that begins inside a token.",
}


def draw_between(view: ExploreView) -> None:
    """Draws the choice, and what was chosen in the place of a stage."""
    # the choice is drawn in the head of the panel
    with st.container(key="between-texts"):
        asked = chosen_tab("Between two texts", NAMES, key=BETWEEN)
        with st.container(key="stage"):
            if asked in FIELDS:
                with st.container(height=508, border=True, key="rows"):
                    ask(view, asked)
            else:
                tokens.border(picture(view), content_id=content(view), key=BORDER)


def ask(view: ExploreView, asked: str) -> None:
    """Draws the field of a question, and the answer."""
    field = FIELDS[asked]
    typed = field.kept(f"{field.parameter}_field")
    if not typed:
        st.caption(words(ABOUT[asked]))
        return
    try:
        if asked == WITHIN:
            within = within_view(view.request, typed, view.stored)
            framed_rows(within.frame, within.rows, key="within_rows")
        else:
            stop = stop_view(view.request, typed)
            headline(stop.say, stop.more, key="stop_say")
            st.dataframe(stop.rows.rename(columns=words), hide_index=True)
    except InputError as error:
        show_error(error)


EXPORTS: Mapping[str, Callable[[Request, str], Export]] = {WITHIN: within_export, STOP: stop_export}
LABELS = {WITHIN: "Sequence as JSON", STOP: "Stop string as JSON"}
"""Of an answer's download."""


def content(view: ExploreView) -> str:
    """The id of what a border is in."""
    return content_id(*view.request, view.stored)


def picture(view: ExploreView) -> Mapping[str, Any]:
    """The picture of the border that was asked for last, at first the one in the URL."""
    return border_view(view.request, tokens.border_offset(BORDER, content(view)), view.stored)


def between_downloads(view: ExploreView) -> None:
    """Draws the downloads of what is shown: the border that the mark is at, or an answer."""
    asked = st.session_state.get(BETWEEN, CUT)
    if asked in EXPORTS:
        typed = st.session_state.get(FIELDS[asked].parameter)
        if typed:
            download_buttons(EXPORTS[asked], (view.request, typed), {"json": LABELS[asked]})
    elif len(view.text) > 1:
        at = tokens.border_mark(BORDER, content(view), picture(view))
        download_buttons(border_export, (view.request, at), {"csv": "Cut as CSV", "json": "Cut as JSON"})


DRAWS = "ways"


def draw_ways(view: ExploreView) -> None:
    """Draws what was asked for last, at first what the URL asks for."""
    state, request = st.session_state, view.request
    asked: WaysRequest = tokens.asked_ways(DRAWS) or state.get("ways_asked") or tokens.linked_ways()
    state.ways_asked = asked
    one = asked.view == ONE
    picture = ways_frame(request, asked.rule) if one else ways_view(request, asked, view.stored)
    here = content_id(*request, view.stored, *asked)
    with st.container(key="stage"), st.container(key="one-draw" if one else "many-draws"):
        tokens.ways(picture, asked=asked, content_id=here, key=DRAWS)
        if one and picture["rules"]:
            try:
                script = draw_script(request, asked, view.stored, language())
            except InputError as error:
                show_error(error, "This draw can't be made.")
                return
            stage_stepper(script, "draw", here, "drawn")
    if picture["rows"] or (one and picture["rules"]):
        with side_by_side("top", key="ways-downloads"):
            label = "This draw as JSON" if one else "These draws as JSON"
            download_buttons(ways_export, (request, asked), {"json": label})
            if picture["scored"]:
                download_buttons(best_export, (request,), {"json": "The 100 best ways as JSON"})
