"""The frame of every page: its title and bar, errors and notices, the line that reports progress.

A page and each of its fragments run in a frame that draws what refuses a question, in one line. Any question may be
refused, whatever it is about: the visitor's process ended, or has to make room for others. A page draws a refusal
itself where the rest of it can stand. Callbacks run in no frame; `serving/faults.py` draws theirs.

Errors, notices and warnings are escaped and never read as markup. Not `st.error` and `st.info`, which would read a
token or a file's name in the message as Markdown.

The browser shows the line of progress while a run lasts (pages.css reads the state that Streamlit writes on the
page), so it appears at the click, before the server has answered. Python only fills in the current step. While
hidden, the line keeps its height, so nothing below it moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, Final, Literal, ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.errors import InputError
from explorer.text.say import plural
from explorer.ui.components.assets import register
from explorer.views.components import Component, keys_of


def show_error(error: InputError | str, title: str = "This can't be used as it is.") -> None:
    """Draws an error after a bold title."""
    _box("alert", "#d64550", str(error), title)


def show_notice(text: str) -> None:
    """Draws a notice."""
    _box("status", "#3b82f6", text)


def _box(role: str, color: str, text: str, title: str = "") -> None:
    """Text in a frame of a color that is visible on light and dark."""
    st.html(
        f'<div role="{role}" style="border:1px solid {color};border-left-width:4px;border-radius:8px;padding:8px 14px;'
        f'background:color-mix(in srgb, {color} 7%, transparent);overflow-wrap:anywhere">'
        f"{f'<b>{escape(title)}</b> ' if title else ''}{escape(text)}</div>"
    )


END_LENGTH: Final = 1_000
"""Code points, more than any special token has."""


def both_ends(text: str) -> str:
    """The two ends of a long text, which decide about warnings, so that Compare need not tokenize the rest."""
    return text if len(text) <= 2 * END_LENGTH else text[:END_LENGTH] + text[-END_LENGTH:]


def show_warnings(warnings: Iterable[str]) -> None:
    """Draws warnings behind a button that counts them; nothing without warnings."""
    lines = list(dict.fromkeys(warnings))
    if not lines:
        return
    about = plural(len(lines), "warning")
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


def fragment(function: Callable[P, None]) -> Callable[P, None]:
    """Decorator: a part of a page that runs again without the rest of it, in a frame of its own."""
    return st.fragment(refusals()(function))


def repeated(seconds: float) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorator: such a part that also runs again after so many seconds."""
    return lambda function: st.fragment(refusals()(function), run_every=seconds)


_draw_key_list = register(
    Component("key_list", "../picture/actions.js key_list.js", "key_list.css", '<div class="tx ky"></div>')
)

SHARES: Final = {"explore": "never", "prompt": "phone"}
"""Where a page with a menu of its own has the button, too; others always have it."""


def begin_page(title: str, name: str) -> None:
    """Draws the page's title for screen readers and the outline, and the list of its keys. name: of its file."""
    # in a container, because Streamlit first shows a gray box in place of any HTML
    with st.container(key="title"):
        st.html(f'<h1 class="unseen">{title}</h1>')
        data = {"groups": keys_of(name), "shares": SHARES.get(name, "always")}
        _draw_key_list(key="key_list", data=data)


def bar() -> DeltaGenerator:
    """The container of the bar."""
    return st.container(horizontal=True, vertical_alignment="top", gap="small", key="bar")


def side_by_side(align: Literal["top", "center", "bottom"] = "center", **look: Any) -> DeltaGenerator:
    """A row, which is on the page even while it is empty, so that what follows keeps its position."""
    return st.container(horizontal=True, vertical_alignment=align, **look)


def choose_tab(label: str, names: Sequence[str], *, key: str, default: str | None = "", **look: Any) -> str:
    """Draws names of which one is chosen, and returns it. key: also its parameter in the URL.

    default: the first name if empty; None in a run that sets the value, which Streamlit takes for a contradiction.
    """
    first = names[0] if default == "" else default
    chosen: str | None = st.segmented_control(
        label, names, default=first, key=key, bind="query-params", required=True, label_visibility="collapsed", **look
    )
    return chosen or first or names[0]


def color_theme() -> str:
    """The theme that charts are drawn for."""
    return st.context.theme.type or "light"


def settings_button() -> DeltaGenerator:
    """The settings: a button at the end of the bar that opens them."""
    return st.popover(
        "Settings", icon=":material/tune:", key="settings", width="content", help="Settings, your own file"
    )


T = TypeVar("T")
Report = Callable[[str], None]
"""Called with the next step."""


def progress_line() -> Report:
    """Draws the line and returns the function that fills it in.

    A run that the visitor's next action has overtaken ends at its next report or drawing, so anything slow reports
    each of its steps.
    """
    line = st.empty()

    def report(step: str) -> None:
        line.html(f'<div class="working" role="status">Working… <span>{escape(step)}</span></div>')

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
        report(f"{describe(step)}, {number} of {len(all_steps)}" if len(all_steps) > 1 else describe(step))
        yield step
