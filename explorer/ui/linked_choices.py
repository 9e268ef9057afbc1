"""Select boxes whose options show titles, while the URL holds short names.

The browser writes the URL (`components/url_values.py`). Python reads it when it is new: when the session begins, when
another page was left, when the visitor went back. In between a choice belongs to the session, and stays while its
widget isn't drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import streamlit as st

from explorer.ui.components.url_values import went_back


@dataclass
class LinkedChoices:
    """A session's choices by their widgets' keys. page: the one drawn last; back: the last `Back` taken."""

    kept: dict[str, Any] = field(default_factory=dict)
    page: str = ""
    back: int = 0


def linked_choices() -> LinkedChoices:
    """This session's choices."""
    choices: LinkedChoices = st.session_state.setdefault("linked_choices", LinkedChoices())
    return choices


def new_url(
    page: str, names: Collection[str], key: str, keys: Mapping[str, str] = MappingProxyType({})
) -> dict[str, list[str]] | None:
    """The URL's values for these names, if the URL has come from outside; None if it only repeats the choices.

    A URL of another page that names nothing leaves the choices as they were. key: of the page's `url_values`. keys: a
    name → its widget's key, where that is another. On another page their widgets are others, although their keys are
    the same: they begin with what was kept.
    """
    choices, back = linked_choices(), went_back(key)
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
