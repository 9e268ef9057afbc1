"""Compare: a link from one tab to another. It sets the widgets, as a click on each would, and they write the URL."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from explorer.ui.tokenizers.chooser import all_specs
from explorer.ui.widget_values import linked_choices, overrides

VIEWS = ("Where they part", "What if")
"""The tabs that links lead to."""


def follow(key: str) -> Callable[[], None]:
    """A callback for the component `key`: goes where the link that was clicked leads."""
    # any access to the session state may end a callback halfway
    kept, changed, known = linked_choices().kept, overrides(), frozenset(all_specs())

    def go() -> None:
        state = st.session_state
        view, named, several = read_link((state.get(key) or {}).get("go"), known)
        if view is None:
            return
        kept.update(named)
        changed.set(**({"with": several} if several else {}), view=view)

    return go


def read_link(reported: object, known: frozenset[str]) -> tuple[str | None, dict[str, str], list[str]]:
    """The tab, the tokenizers it is about and those of the page, in what the browser reports, which may be anything.

    >>> read_link('{"view": "What if", "of": "a", "with": ["a", 7], "x": 1}', frozenset("ab"))
    ('What if', {'of': 'a'}, ['a'])
    >>> read_link("[]", frozenset()), read_link('{"view": "None"}', frozenset())
    ((None, {}, []), (None, {}, []))
    """
    try:
        query = json.loads(reported) if isinstance(reported, str) and len(reported) < 10_000 else None
    except ValueError:
        query = None
    if not isinstance(query, dict) or query.get("view") not in VIEWS:
        return None, {}, []
    named = {
        each: query[each]
        for each in ("of", "left", "right")
        if isinstance(query.get(each), str) and query[each] in known
    }
    listed = query.get("with")
    several = [each for each in listed if isinstance(each, str) and each in known] if isinstance(listed, list) else []
    return query["view"], named, several
