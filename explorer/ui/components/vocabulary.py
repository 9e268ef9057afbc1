"""The Vocabulary page's search field, facets, list and dossier, one browser component (`vocabulary/`).

The browser owns what is asked for: it writes the URL and reports the question as JSON, which is checked here, because
anything may arrive at the socket. Every text that is sent is already visible, and reaches the DOM as textContent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeGuard

import streamlit as st

from explorer.analysis.vocabulary.query import LONGEST, By, Query, Sort
from explorer.ui.components.assets import register
from explorer.views.components import EMBLEM, PICTURE

_mount = register(
    "explorer_vocabulary",
    "vocabulary",
    js=[*PICTURE, "../overview/why_tree.js", "facets.js", "list.js", "dossier.js", "vocabulary.js"],
    css=["../overview/why.css", "../picture/button.css", "vocabulary.css"],
    constants={"EMBLEM": EMBLEM},
    html='<div class="tx vo" hidden></div>',
)

FACETS: Final[Mapping[str, str]] = {"kind": "kind", "script": "script", "with": "having", "check": "check"}
"""The URL parameter of each facet."""


class Asked(NamedTuple):
    """What the visitor asks for.

    token: the one whose dossier is open. more: rows beyond the first are wanted. others: the token whose text is asked
    for in other tokenizers. number: of the question, so that the browser knows its answer; None in a link.
    """

    query: Query = Query()
    token: int | None = None
    more: bool = False
    others: int | None = None
    number: int | None = None


def vocabulary(data: Mapping[str, Any], *, key: str) -> None:
    """Draws the page. data: rows, counts and dossier (`answers.vocabulary`), or an error; see `vocabulary.js`.

    >>> vocabulary({"error": "", "rows": [], "dossier": None}, key="vocabulary")   # doctest: +SKIP
    """
    _mount(key=key, data=dict(data), on_ask_change=lambda: None)


def asked(key: str) -> Asked:
    """What the browser asked last; before it has reported, what the URL asks."""
    reported = (st.session_state.get(key) or {}).get("ask")
    return read_asked(reported) if isinstance(reported, str) and len(reported) < 20_000 else asked_in_url()


def asked_in_url() -> Asked:
    """What a link asks for."""
    given = st.query_params
    return read_asked(
        json.dumps(
            {
                "q": given.get("q", ""), "by": given.get("by"), "exact": given.get("case") == "exact",
                "facets": {name: given.get_all(parameter) for name, parameter in FACETS.items()},
                "bytes": span(given.get("bytes", "")), "characters": span(given.get("characters", "")),
                "sort": given.get("sort"), "token": whole(given.get("token", "")),
            }
        )
    )  # fmt: skip


def span(text: str) -> list[int] | None:
    """A range in a URL.

    >>> span("3-5"), span("3")
    ([3, 5], None)
    """
    first, _, last = text.partition("-")
    one, other = whole(first), whole(last)
    return None if one is None or other is None else [one, other]


def whole(text: str) -> int | None:
    """A number in a URL."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def read_asked(reported: str) -> Asked:
    """What the browser reports, which may be anything.

    >>> found = read_asked('{"q": "a", "by": "regex", "facets": {"kind": ["letters", 3], "x": []}, "token": 5}')
    >>> found.query.text, found.query.by.name, found.query.facets, found.token
    ('a', 'REGEX', (('kind', ('letters',)),), 5)
    >>> read_asked("[").token, read_asked('{"bytes": [1, "2"], "sort": []}').query.bytes
    (None, None)
    """
    try:
        given = json.loads(reported)
    except (ValueError, RecursionError):
        return Asked()
    if not isinstance(given, dict):
        return Asked()
    text, facets = given.get("q"), given.get("facets")
    chosen = facets if isinstance(facets, dict) else {}
    values = ((name, names_in(chosen.get(name))) for name in FACETS)
    token, others, number = given.get("token"), given.get("others"), given.get("number")
    return Asked(
        Query(
            text[: LONGEST + 1] if isinstance(text, str) else "",
            next((by for by in By if by == given.get("by")), By.TEXT),
            given.get("exact") is True,
            tuple((name, names) for name, names in values if names),
            range_in(given.get("bytes")),
            range_in(given.get("characters")),
            next((sort for sort in Sort if sort == given.get("sort")), Sort.ID),
        ),
        token if is_number(token) else None,
        given.get("more") is True,
        others if is_number(others) else None,
        number if is_number(number) else None,
    )


def names_in(given: object) -> tuple[str, ...]:
    """The names in a list that may hold anything."""
    every: Sequence[object] = given if isinstance(given, list) else []
    return tuple(each for each in every[:40] if isinstance(each, str) and 0 < len(each) < 200)


def range_in(given: object) -> tuple[int, int] | None:
    """A range of lengths."""
    match given:
        case [first, last] if is_number(first) and is_number(last):
            return first, last
    return None


def is_number(given: object) -> TypeGuard[int]:
    """Whether something is a whole number that an id or a length can be."""
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 1 << 31
