"""What a URL says of a page: its parameters, the values of widgets, its text and the options of it.

Switches declare their own parameters (`bind="query-params"`), and omit defaults. A text that is too long for a URL is
omitted; within a session the page has it anyway.

The options of select boxes show titles, while the URL holds short names, which `bind="query-params"` can't do. The
browser writes the URL (`components/url_values/`). Python reads it when it is new: when the session begins, when
another page was left, when the visitor went back. In between a choice belongs to the session, and stays while its
widget isn't drawn.

Every message from the browser carries the current values of all its widgets. After Python sets a widget, for example
selects a new upload, a message that was already on its way may still bring the old value, as if the visitor had
chosen it. So every run sets the value again until its echo comes back from the browser.

Which part of a long text is drawn is one setting for all pages, so it stays when you switch pages.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode, urlsplit

import pandas as pd
import streamlit as st

from explorer.analysis.export import link_of
from explorer.answers.offers import TokenizerSpec
from explorer.engine.part import Options
from explorer.engine.regexes.safe import LONGEST as LONGEST_PATTERN
from explorer.errors import InputError
from explorer.script.script import WINDOW
from explorer.tables import Json, Record
from explorer.text import clean, unescape
from explorer.text.say import Say
from explorer.ui import PAGES
from explorer.ui.components.every_page import TextField, list_in, number_in, register, reported, reported_text, whole
from explorer.ui.frame import kept, show_error
from explorer.ui.language import words
from explorer.views.examples import PRESETS

CHOOSE = "choose_"
"""Prefix of the parameters that hold a tokenizer's optional choices."""


class FirstPage(st.Page):
    """The Explore page as other pages link to it.

    Streamlit's own path of the first page is "", so a link would begin with "?" and lead to the current page.
    """

    @property
    def url_path(self) -> Literal["./"]:
        """The app's root, relative to any page."""
        return "./"


def open_page(name: str, query: Json) -> None:
    """Leaves for a page, by the name of its file, with these parameters."""
    st.switch_page(PAGES / f"{name}.py", query_params=query)


def explore_link(label: str, query: Mapping[str, str]) -> None:
    """Draws a link to Explore with these parameters."""
    page = FirstPage(PAGES / "explore.py", default=True)
    st.page_link(page, label=words(label), icon=":material/search:", query_params=query)


def app_url() -> str:
    """The URL of the first page, as this visitor reaches it."""
    found = urlsplit(st.context.url or "")
    folder = found.path.rstrip("/")
    outer, _, page = folder.rpartition("/")
    folder = outer if (PAGES / f"{page}.py").exists() else folder
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
    """A table of tokens, with a column that links each id to its dossier; `links` configures it."""
    return table.assign(vocabulary=[vocabulary_url(name, int(id)) for id in table["id"]])


def links() -> Record:
    """How the column of `with_links` is drawn."""
    return {"vocabulary": st.column_config.LinkColumn(words("in the vocabulary"), display_text=words("open"))}


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
    options = Options(add_special, parse_special)
    query = link_of(spec.offer.label, spec.implementation, typed, options, choices.items())
    if escapes:
        query["escapes"] = "true"
    if at:
        query["at"] = str(at)
    if select is not None and select[0] < select[1]:
        query["sel"] = f"{select[0]}-{select[1]}"
    if section and step:
        query[step_parameter(section)] = str(step)
    return query


_draw_url_values = register("url_values")

URL = "url"
"""The key of the component that acknowledges what Python set: the one in a page's bar."""
LONGEST = 200
"""Characters of a value that the browser reports."""


def url_values(
    values: Mapping[str, str | Sequence[str] | None],
    defaults: Mapping[str, str | Sequence[str]] = MappingProxyType({}),
    *,
    key: str,
    echo: int | None = None,
) -> None:
    """Writes parameters to the URL; None and a default omit one, several values repeat it. Draws nothing visible.

    echo: for the component of a page's bar, which reports where the visitor goes back to: a number that comes back once
    the page is drawn.

    >>> url_values({"m": "gpt-2", "as": None}, {"m": "llama-2"}, key="url")   # doctest: +SKIP
    """
    written = {name: None if value == defaults.get(name) else value for name, value in values.items()}
    _draw_url_values(key=key, data={"values": written, "echo": echo})


class Back(NamedTuple):
    """The parameters of the URL that the visitor went back or forward to. number: increases with each."""

    number: int
    values: dict[str, list[str]]


def read_back(reported: Any) -> Back | None:
    """What the browser reports, which may be anything.

    >>> read_back({"number": 1, "values": {"m": ["gpt-2"], "as": []}})
    Back(number=1, values={'m': ['gpt-2'], 'as': []})
    >>> read_back({"number": "1"}), read_back({"number": 1, "values": {"m": [2]}})
    (None, Back(number=1, values={'m': []}))
    """
    match reported:
        case {"number": int(number), "values": dict(values)}:
            return Back(number, {str(name): texts_of(given) for name, given in values.items()})
    return None


def texts_of(given: object) -> list[str]:
    """The texts in a list that may hold anything."""
    return [each for each in list_in(given) if isinstance(each, str) and len(each) <= LONGEST]


TOKENIZER = ("m", "as")
"""The keys of the tokenizer, and its parameters in the URL."""


@dataclass
class Context:
    """What goes with a visitor to every page: the text, and the choices by their widgets' keys, the tokenizer as "m".

    text: of the field, None before there was one; first: what its page begins with; rev: how often Python has filled
    the field. page: the one drawn last; back: the last `Back` taken. before: the text and the tokenizer that were set
    back; changed: whether they were set since a page drew its widgets. leads: for a list of tokenizers, the one
    put first in it, and the list without and with it. restored: the name of the tokenizer that the browser had kept.
    link: what an address brought in place of the visitor's own, by "text", "m" and "as"; own: what that was.
    """

    text: str | None = None
    first: str = ""
    rev: int = 0
    kept: Record = field(default_factory=dict)
    page: str = ""
    back: int = 0
    before: tuple[str | None, Record] | None = None
    changed: bool = False
    leads: dict[str, tuple[str, list[str], list[str]]] = field(default_factory=dict)
    restored: str = ""
    link: Record = field(default_factory=dict)
    own: Record = field(default_factory=lambda: dict.fromkeys(("text", *TOKENIZER)))

    @property
    def own_text(self) -> str | None:
        """The text, if the visitor has given one; ids are none."""
        return None if self.text == self.first or st.session_state.get("reading") == "ids" else self.text

    def fill(self, text: str | None) -> None:
        """Puts a text into the field; None is the page's first one."""
        # in this order: if the next run cuts this short, the field shows the text that the page has
        self.rev += 1
        self.text = self.first if text is None else text
        st.session_state.reading = "text"

    def leave_link(self) -> None:
        """Sets what a link brought back to the visitor's own."""
        text = self.own["text"] if "text" in self.link else self.own_text
        own = self.own if "m" in self.link else self.kept
        self.set_to(text, {key: own[key] for key in TOKENIZER if own.get(key)})

    def undo(self) -> None:
        """Takes that back."""
        if self.before is not None:
            self.set_to(*self.before)
            self.before = None

    def tokenizer(self) -> Record:
        """The choices that say which tokenizer it is."""
        return {key: self.kept[key] for key in TOKENIZER if key in self.kept}

    def set_to(self, text: str | None, tokenizer: Record) -> None:
        """Sets text and tokenizer, on the page that is drawn, too."""
        self.before = self.own_text, self.tokenizer()
        for key in TOKENIZER:
            self.kept.pop(key, None)
        self.kept |= tokenizer
        self.fill(text)
        self.changed = True
        self.link = {}

    def lead(
        self, key: str, own: str, names: Sequence[str], most: int, *, linked: bool, uploads: Collection[str]
    ) -> list[str]:
        """A list of tokenizers with the visitor's own first. own: its name, "" without one; key: of the list.

        It is put there once: a visitor who removes it does not get it again. The list of a link stays as it is. When
        the visitor takes another one, it goes, unless it is an upload.
        """
        before = list(names)
        if linked or (own == self.restored and not self.leads.get(key, [""])[0]):
            self.leads[key] = own, before, before
            return before
        if key in self.leads:
            was, without, led = self.leads[key]
            if was == own:
                return before
            if was not in uploads:
                before = without if before == led else [each for each in before if each != was]
            del self.leads[key]
        if own:
            led = [own, *(each for each in before if each != own)][:most]
            self.leads[key] = own, before, led
            return led
        return before


def context() -> Context:
    """This session's context."""
    return kept(Context)


def new_url(
    page: str, names: Collection[str], key: str, keys: Mapping[str, str] = MappingProxyType({})
) -> dict[str, list[str]] | None:
    """The URL's values for these names, if the URL has come from outside; None if it only repeats the choices.

    A URL of another page that names nothing leaves the choices as they were. key: of the page's `url_values`. keys: a
    name → its widget's key, where that is another. On another page their widgets are others, although their keys are
    the same: they begin with what was kept.
    """
    choices, back = context(), read_back(reported(key, "back"))
    left, choices.page = choices.page, page
    if left != page:
        for name in names:
            st.session_state.pop(keys.get(name, name), None)
        values = {name: st.query_params.get_all(name) for name in names}
        choices.back = 0 if back is None else back.number
        return values if any(values.values()) else None
    if back is not None and back.number != choices.back:
        choices.back = back.number
        return {name: back.values.get(name, []) for name in names}
    return None


def linked_select(
    label: str, options: Sequence[str], *, key: str, title: Callable[[str], str], default: str = "", **widget: Any
) -> str:
    """Draws a select box and returns the name chosen.

    default: the first option if it is none of them. A given default is this page's own: it is kept only once chosen.
    """
    state, kept = st.session_state, context().kept
    if state.get(key) not in options:
        state[key] = next(each for each in (kept.get(key), default, options[0]) if each in options)
    chosen = st.selectbox(label, options, key=key, format_func=title, **widget)
    if chosen != default or key in kept:
        kept[key] = chosen
    return str(chosen)


def linked_multiselect(
    label: str, options: Sequence[str], *, key: str, title: Callable[[str], str], default: Sequence[str], **widget: Any
) -> list[str]:
    """Draws a list to choose several and returns the names chosen."""
    state, kept = st.session_state, context().kept
    if key not in state:
        state[key] = [each for each in kept.get(key, default) if each in options]
    kept[key] = st.multiselect(label, options, key=key, format_func=title, **widget)
    return list(kept[key])


def keep(values: Mapping[str, object]) -> None:
    """Sets choices that are drawn later in this run."""
    context().kept |= values
    for key, value in values.items():
        st.session_state[key] = value


@dataclass
class Overrides:
    """The values to set, by the widget's key. number: counts the overrides of a session.

    Callbacks use the object that was there when their widget was drawn. Any access to `st.session_state` may end a
    callback halfway, when the browser has already asked for the next run.
    """

    number: int = 0
    values: dict[str, object] = field(default_factory=dict)

    def set(self, **values: object) -> None:
        """Sets widgets by key, when the page next calls `apply_overrides`."""
        self.number, self.values = self.number + 1, values


def overrides() -> Overrides:
    """This session's overrides."""
    return kept(Overrides)


def apply_overrides(*keys: str) -> None:
    """Sets these widgets if they are overridden. Call it before drawing them."""
    current = overrides()
    if current.values and (number_in(reported(URL, "echo")) or 0) >= current.number:
        current.values = {}
    for key in keys:
        if key in current.values:
            st.session_state[key] = current.values[key]


def is_overridden(key: str) -> bool:
    """Whether `apply_overrides` sets this widget; it must not have a default then."""
    return key in overrides().values


def switch(label: str, default: bool, key: str, about: str) -> bool:
    """Draws a switch of the page and returns its value. key: also its parameter in the URL."""
    apply_overrides(key)
    given: Record = {} if is_overridden(key) else {"value": default}
    return st.toggle(words(label), key=key, bind="query-params", help=words(about), **given)


def text_switches(add: str, parse: str, escapes: str) -> tuple[bool, bool, bool]:
    """Draws the switches and returns their values. add, parse, escapes: their keys."""
    return (
        switch("Add BOS/EOS", True, add, "Add the tokens that the model expects around a text, such as BOS"),
        switch(
            "Recognize control tokens", True, parse, "Read the spelling of a special token in the text as that token"
        ),
        switch(r"Interpret `\n`", False, escapes, r"Read `\n`, `\t`, `\x00`, `\u00e9` … as the characters they name"),
    )


def stored_switch(key: str) -> bool:
    """Draws the switch between tokens as text and as the vocabulary stores them. key: a URL parameter."""
    about = r"Spell tokens as in the vocabulary: `Ġ` or `▁` for a space, `\xe8` for a byte"
    return switch("Raw spelling", False, key, about)


LONGEST_TEXT = 100_000
"""Characters of a text on a page; the command line has no limit."""


def reading() -> str:
    """What the field holds: "text", or "ids", if the URL has those or the visitor said so."""
    state = st.session_state
    said = reported("field", "reading")
    if isinstance(said, str) and said != state.get("reported_reading"):
        state.reported_reading = said
        state.reading = "ids" if said.startswith("ids ") else "text"
    return str(state.setdefault("reading", "ids" if {"ids", "ids_kept"} & set(st.query_params) else "text"))


def text_field(first: str = PRESETS[0].text) -> str:
    """Draws the field and returns its text: at first from the URL, later typed or from an example.

    first: what the page begins with. A text that nobody touched is not taken along to another page.
    """
    now, holds = context(), reading()
    shown = TextField(
        LONGEST_TEXT, holds.capitalize(), holds, "[1, 1724, 338]" if holds == "ids" else "Type or paste any text",
        unlinked=None if holds == "ids" else first, readings={"text": first, "ids": None}, bar=True,
    )  # fmt: skip
    if now.text is None:
        now.text = shown.linked()
    elif now.text == now.first != first and not {"text", "text_kept"} & set(st.query_params):
        now.first = first
        now.fill(None)
    now.first = first
    typed = reported_text("field", rev=now.rev, longest=LONGEST_TEXT)
    if typed is not None:
        now.text = typed
    shown.draw(now.text, now.rev, key="field")
    return now.text


def examples_button() -> None:
    """Draws the button that leads to the gallery."""
    if st.button(words("Examples"), key="examples", type="tertiary"):
        open_page("start", {})


def read_text(typed: str, escapes: bool) -> str | None:
    """The typed text, with its escapes read if asked; None after showing an error if it can't be read."""
    try:
        return unescape(typed) if escapes else clean(typed)
    except InputError as error:
        show_error(error)
        return None


def window_at(text: str) -> int:
    """Where the drawn part of a long text begins, at first from the URL; 0 for a text that is drawn whole."""
    wanted = st.session_state.get("at", whole(st.query_params.get("at", "")) or 0)
    return max(0, min(int(wanted), len(text) - WINDOW))


def window_start(text: str) -> int:
    """The same, which the slider of `choose_window` then shows."""
    if len(text) > WINDOW:
        st.session_state.at = window_at(text)
    return window_at(text)


def choose_window(text: str, *message: Say) -> None:
    """For a text that isn't drawn whole: draws a message and a slider to choose another part."""
    last = len(text) - WINDOW
    if last <= 0:
        return
    st.info(words(message[0].then(*message[1:], Say("Choose another part here."))), icon=":material/width:")
    st.slider(words("The part drawn begins at offset"), 0, last, key="at", step=min(500, last))


@dataclass
class PatternState:
    """One session's pattern.

    text: None for the tokenizer's own pattern. fills: how often something other than typing filled the field.
    last_valid: the last spec whose pattern could be used. failed: the last arguments that failed, and their error.
    edited: whether the visitor typed since, so that an error is in sight at the field.
    """

    text: str | None
    fills: int = 0
    last_valid: TokenizerSpec | None = None
    failed: tuple[object, InputError] | None = None
    edited: bool = False

    def fill(self, text: str | None) -> None:
        """Puts a pattern into the field; None is the tokenizer's own."""
        self.text = text
        self.fills += 1


def pattern_state() -> PatternState:
    """This session's pattern, at first from the URL."""
    if "typed" not in st.session_state:
        linked = st.query_params.get("pattern")
        # one character more than the limit, so that a longer pattern is reported
        st.session_state.typed = PatternState(linked if linked is None else linked[: LONGEST_PATTERN + 1])
    state: PatternState = st.session_state.typed
    return state
