"""The frame of every page: its title and bar, errors and notices, and the visitor's session that it asks.

A run that the visitor's next action has overtaken, or whose session has ended, stops while it waits for an answer. A
question that waits for its turn says how many are before it.

Whole pages are drawn two at a time, in the order they were asked for, so that edits stay quick however many come:
Python runs one thread at a time, so each page that is drawn beside an edit makes it slower. What runs a fragment of a
page, as an edit on Explore does, waits for nobody. A page that takes long, or waits for a process, keeps nobody out:
after `HOLD_SECONDS` the next one begins beside it. A page whose visitor has left meanwhile is not drawn.

A page and each of its fragments run in a frame that draws what refuses a question, in one line. Any question may be
refused, whatever it is about: the visitor's process ended, or has to make room for others. A page draws a refusal
itself where the rest of it can stand. Callbacks run in no frame; `serving/faults.py` draws theirs.

Errors, notices and warnings are escaped and never read as markup. Not `st.error` and `st.info`, which would read a
token or a file's name in the message as Markdown.

The browser shows the line of progress while a run lasts (pages.css reads the state that Streamlit writes on the
page), so it appears at the click, before the server has answered. Python only fills in the current step. While
hidden, the line keeps its height, so nothing below it moves.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from threading import Condition
from time import monotonic
from typing import Any, Literal, ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.questions import POLL_SECONDS
from explorer.answers.sessions import Session, session, use_sessions
from explorer.errors import InputError
from explorer.languages import ENGLISH, languages, phrases
from explorer.text.say import Say, Value, plural
from explorer.ui import PAGES
from explorer.ui.components.every_page import register, reported, text_in
from explorer.ui.language import choose_language, language, words
from explorer.views.components import keys_of, words_in

T = TypeVar("T")
NOTE_SECONDS = 1.5
"""How long a question waits before the page says so, and between two notes."""


def current_session() -> Session | None:
    """This thread's session; None outside of a script."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    check_wanted: Callable[[], None] = getattr(context, "yield_check", lambda: None)
    found = session(context.session_id, check_wanted, has_ended)
    if not isinstance(found.waits, WaitNote):
        found.waits = WaitNote()
    return found


@dataclass
class WaitNote:
    """A note on the page while a question waits for more than a moment."""

    since: float = 0.0
    asked: float = 0.0
    shown: float = 0.0

    def __call__(self, before: int, seconds: float) -> None:
        """Shows the place in the queue, at most once in `NOTE_SECONDS`."""
        now = monotonic()
        if now - self.asked > NOTE_SECONDS:
            self.since = now
        self.asked = now
        if now - max(self.since, self.shown) > NOTE_SECONDS:
            self.shown = now
            about = "Waiting for a free processor: {0} before you, about {1} s."
            if not seconds:
                about = "Waiting for a free processor: {0} before you."
            st.toast(words(about, before, max(1, round(seconds))))


def session_key(make: Callable[[], object]) -> str:
    """The key of a session's object: the name of the class or function that makes it, so no two modules share one."""
    return f"{make.__module__}.{make.__qualname__}"


def kept(make: Callable[[], T]) -> T:
    """This session's object that a class or a function makes when it is first asked for."""
    state, key = st.session_state, session_key(make)
    if key not in state:
        state[key] = make()
    found: T = state[key]
    return found


def has_ended(id: str) -> bool:
    """Whether a session has ended or its browser has disconnected."""
    return exists() and not get_instance().is_active_session(id)


def at_session_end(name: str, release: Callable[[], None]) -> None:
    """Calls `release` when the session ends. name: what it releases; a later call with the same name replaces it."""
    current = current_session()
    if current is not None:
        current.at_end[name] = release


def release_uploads_at_end() -> None:
    """Has Streamlit's own copies of this session's uploads deleted when the session ends; it keeps them for minutes."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and exists():
        manager = get_instance().uploaded_file_mgr
        at_session_end("uploads in Streamlit", partial(manager.remove_session_files, context.session_id))
        at_session_end("values of upload fields", partial(close_files, context.session_state))


def close_files(state: SafeSessionState) -> None:
    """Frees the files that widgets of a session hold. A browser that returns sends the widgets' values again."""
    for value in state.filtered_state.values():
        for file in value if isinstance(value, list) else [value]:
            if isinstance(file, UploadedFile):
                file.close()


def release_private() -> None:
    """Frees what the session's uploads occupy."""
    current = current_session()
    if current is not None:
        current.release()


use_sessions(current_session)


AT_ONCE = 2
"""Pages that are drawn at once."""
HOLD_SECONDS = 0.5
"""How long a page keeps others waiting."""


class Places:
    """Who draws, at most `at_once`, and who waits. Thread-safe."""

    def __init__(self, at_once: int = AT_ONCE, clock: Callable[[], float] = monotonic) -> None:
        self._at_once, self._clock = at_once, clock
        self._changed = Condition()
        self._waiting: list[object] = []
        self._began: dict[object, float] = {}

    @contextmanager
    def place(self, check_wanted: Callable[[], None]) -> Iterator[None]:
        """Waits for a place, and keeps it. check_wanted: raises once the page isn't wanted; called while it waits."""
        own = object()
        with self._changed:
            self._waiting.append(own)
        try:
            while not self._enters(own):
                check_wanted()
                with self._changed:
                    self._changed.wait(POLL_SECONDS)
            yield
        finally:
            with self._changed:
                self._began.pop(own, None)
                if own in self._waiting:
                    self._waiting.remove(own)
                self._changed.notify_all()

    def _enters(self, own: object) -> bool:
        with self._changed:
            now = self._clock()
            drawing = sum(now - since < HOLD_SECONDS for since in self._began.values())
            if drawing >= self._at_once or self._waiting[0] is not own:
                return False
            self._began[self._waiting.pop(0)] = now
            return True


PLACES = Places()
"""Those of this server."""


def page_place() -> AbstractContextManager[None]:
    """The place of the page that this thread's script draws."""
    context = get_script_run_ctx(suppress_warning=True)
    return PLACES.place(getattr(context, "yield_check", lambda: None))


def show_error(error: InputError | str, title: str = "This can't be used as it is.") -> None:
    """Draws an error after a bold title."""
    _box("alert", "#d64550", words(error.args[0] if isinstance(error, InputError) else error), words(title))


def show_notice(text: str | Say, *values: Value) -> None:
    """Draws a notice. values: as of `words`."""
    _box("status", "#3b82f6", words(text, *values))


def _box(role: str, color: str, text: str, title: str = "") -> None:
    """Text in a frame of a color that is visible on light and dark."""
    st.html(
        f'<div role="{role}" style="border:1px solid {color};border-left-width:4px;border-radius:8px;padding:8px 14px;'
        f'background:color-mix(in srgb, {color} 7%, transparent);overflow-wrap:anywhere">'
        f"{f'<b>{escape(title)}</b> ' if title else ''}{escape(text)}</div>"
    )


END_LENGTH = 1_000
"""Code points, more than any special token has."""


def both_ends(text: str) -> str:
    """The two ends of a long text, which decide about warnings, so that Compare need not tokenize the rest."""
    return text if len(text) <= 2 * END_LENGTH else text[:END_LENGTH] + text[-END_LENGTH:]


def show_warnings(warnings: Iterable[str]) -> None:
    """Draws warnings behind a button that counts them; nothing without warnings."""
    lines = list(dict.fromkeys(warnings))
    if not lines:
        return
    about = words(plural(len(lines), "warning"))
    with st.popover(str(len(lines)), icon=":material/warning:", key="warnings", width="content", help=about):
        st.html(f'<ul style="margin:0;padding-left:1.2em;max-width:60ch">{items(lines)}</ul>')


def items(lines: Iterable[str]) -> str:
    """List items, escaped, each isolated from its neighbors' writing direction."""
    return "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in lines)


P = ParamSpec("P")


@contextmanager
def refusals() -> Iterator[None]:
    """Draws an `InputError` in the place of what comes after it."""
    try:
        yield
    except InputError as error:
        show_error(error)


def fragment(function: Callable[P, None], seconds: float | None = None) -> Callable[P, None]:
    """Decorator: a part of a page that runs again without the rest of it, in a frame of its own.

    seconds: after which it also runs again by itself.
    """
    return st.fragment(refusals()(function), run_every=seconds)


_draw_key_list = register("key_list", LANGUAGES=[ENGLISH, *(each for each in languages() if each != ENGLISH)])

SHARES = {"explore": "never", "prompt": "phone"}
"""Where a page with a menu of its own has the button, too; others always have it."""


IN_CSS = ("in", "compared with", "next", "or drop it")
"""What styles say, as `--said-in` and so on."""


def begin_page(title: str, name: str) -> None:
    """Draws the page's title for screen readers and the outline, the list of its keys, and the choice of a language.

    name: of its file; by it `arrival.js` tells this page from the one before.
    """
    # in a container, because Streamlit first shows a gray box in place of any HTML
    with st.container(key="title"):
        data: dict[str, object] = {"groups": keys_of(name), "shares": SHARES.get(name, "always")}
        styles = ""
        if language() != ENGLISH:  # which styles and components say by themselves
            to = phrases(language())
            says = [
                f"--said-{each.replace(' ', '-')}: {json.dumps(to.caption(each), ensure_ascii=False)}"
                for each in IN_CSS
            ]
            styles = f"<style>:root {{ {'; '.join(says)} }}</style>"
            data |= words_in(to)
        st.html(f'<h1 class="unseen" data-page="{name}">{words(title)}</h1>{styles}')
        drawn = _draw_key_list(key="key_list", data=data, on_language_change=lambda: choose_language(
            # the browser reports it with the time
            text_in(reported("key_list", "language"), 40).partition(" ")[0]
        ))  # fmt: skip
    if drawn and drawn.start:
        st.switch_page(PAGES / "start.py")


def bar() -> DeltaGenerator:
    """The container of the bar."""
    return st.container(horizontal=True, vertical_alignment="top", gap="small", key="bar")


def side_by_side(align: Literal["top", "center", "bottom"] = "center", **look: Any) -> DeltaGenerator:
    """A row, which is on the page even while it is empty, so that what follows keeps its position."""
    return st.container(horizontal=True, vertical_alignment=align, **look)


def choose_tab(
    label: str, names: Sequence[str] | Mapping[str, str], *, key: str, default: str | None = "", **look: Any
) -> str:
    """Draws names of which one is chosen, and returns it. key: also its parameter in the URL.

    names: as the URL has them; of a mapping, each with the words that are shown. default: the first name if empty; None
    in a run that sets the value, which Streamlit takes for a contradiction.
    """
    values = list(names)
    first = values[0] if default == "" else default
    chosen: str | None = st.segmented_control(
        words(label),
        values,
        default=first,
        key=key,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        **look,
    )
    drawn = list(map(look.get("format_func", str), values))
    said_in_style(key, dict(zip(drawn, names.values() if isinstance(names, Mapping) else drawn, strict=True)))
    return chosen or first or values[0]


def said_in_style(key: str, names: Mapping[str, str]) -> None:
    """Says a control's names: the URL has what it shows, so it shows those of the URL, and a style says the words.

    The browser gives them to screen readers (`key_list/tab_names.js`).
    """
    said = {number: words(shown) for number, (name, shown) in enumerate(names.items(), 1) if words(shown) != name}
    style = "".join(
        f".st-key-{key} button:nth-of-type({number}) {{"
        f" & :is(*, * *) {{ font-size: 0; }}"
        f" &::after {{ content: {json.dumps(each, ensure_ascii=False)}; font-size: 0.875rem; }} }}\n"
        for number, each in said.items()
    )
    if style:
        st.html(f"<style>{style}</style>")


def color_theme() -> str:
    """The theme that charts are drawn for."""
    return st.context.theme.type or "light"


def settings_button() -> DeltaGenerator:
    """The settings: a button at the end of the bar that opens them."""
    return st.popover(
        words("Settings"),
        icon=":material/tune:",
        key="settings",
        width="content",
        help=words("Settings, your own file"),
    )


Report = Callable[[str], None]
"""Called with the next step."""


def progress_line() -> Report:
    """Draws the line and returns the function that fills it in.

    A run that the visitor's next action has overtaken ends at its next report or drawing, so anything slow reports
    each of its steps.
    """
    line, working = st.empty(), words("Working…")

    def report(step: str) -> None:
        line.html(f'<div class="working" role="status">{working} <span>{escape(step)}</span></div>')

    report("")
    return report


def reporting(steps: Iterable[T], report: Report, describe: Callable[[T], str]) -> Iterator[T]:
    """The steps, each reported before it is yielded, with its number.

    >>> list(reporting("ab", print, lambda name: f"tokenizing with {name}"))
    tokenizing with a, 1 of 2
    tokenizing with b, 2 of 2
    ['a', 'b']
    """
    all_steps = list(steps)
    for number, step in enumerate(all_steps, 1):
        said = describe(step)
        report(words("{0:t}, {1} of {2}", said, number, len(all_steps)) if len(all_steps) > 1 else said)
        yield step
