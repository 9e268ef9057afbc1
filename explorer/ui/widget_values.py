"""Values of widgets beyond what Streamlit keeps: short names in the URL, kept choices, values that Python sets.

The options of select boxes show titles, while the URL holds short names, which `bind="query-params"` can't do. The
browser writes the URL (`components/url_values/`). Python reads it when it is new: when the session begins, when
another page was left, when the visitor went back. In between a choice belongs to the session, and stays while its
widget isn't drawn.

Every message from the browser carries the current values of all its widgets. After Python sets a widget, for example
selects a new upload, a message that was already on its way may still bring the old value, as if the visitor had
chosen it. So every run sets the value again until its echo comes back from the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from explorer.ui.components.assets import list_in, number_in, register, reported
from explorer.ui.session import kept
from explorer.views.components import Component

_draw_url_values = register(
    Component("url_values", "url_values.js", html='<div class="tx" hidden></div>'), "echo", "back"
)

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


@dataclass
class LinkedChoices:
    """A session's choices by their widgets' keys. page: the one drawn last; back: the last `Back` taken."""

    kept: dict[str, Any] = field(default_factory=dict)
    page: str = ""
    back: int = 0


def linked_choices() -> LinkedChoices:
    """This session's choices."""
    return kept(LinkedChoices)


def new_url(
    page: str, names: Collection[str], key: str, keys: Mapping[str, str] = MappingProxyType({})
) -> dict[str, list[str]] | None:
    """The URL's values for these names, if the URL has come from outside; None if it only repeats the choices.

    A URL of another page that names nothing leaves the choices as they were. key: of the page's `url_values`. keys: a
    name → its widget's key, where that is another. On another page their widgets are others, although their keys are
    the same: they begin with what was kept.
    """
    choices, back = linked_choices(), read_back(reported(key, "back"))
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
    state, kept = st.session_state, linked_choices().kept
    if state.get(key) not in options:
        known = (each for each in (kept.get(key), default, options[0]) if each in options)
        state[key] = next(known)
    chosen = st.selectbox(label, options, key=key, format_func=title, **widget)
    if chosen != default or key in kept:
        kept[key] = chosen
    return str(chosen)


def linked_multiselect(
    label: str, options: Sequence[str], *, key: str, title: Callable[[str], str], default: Sequence[str], **widget: Any
) -> list[str]:
    """Draws a list to choose several and returns the names chosen."""
    state, kept = st.session_state, linked_choices().kept
    if key not in state:
        state[key] = [each for each in kept.get(key, default) if each in options]
    kept[key] = st.multiselect(label, options, key=key, format_func=title, **widget)
    return list(kept[key])


def keep(values: Mapping[str, object]) -> None:
    """Sets choices that are drawn later in this run."""
    linked_choices().kept |= values
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
