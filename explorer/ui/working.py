"""What the server is doing, said while it does it.

The browser shows the line as long as a run lasts (pages.css looks at the state that Streamlit writes on the page): it
is there from the very click on, before the server has answered. Python only fills in what is being done. Its place is
kept while nothing is said, so nothing below it moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
Says = Callable[[str], None]
"""Told what comes next."""


def working() -> Says:
    """Draws the line, and gives what tells it what is being done.

    A run that was overtaken by the person's next wish ends at the first thing it says or draws after that: so whatever
    takes long says each of its steps.
    """
    place = st.empty()

    def says(what: str) -> None:
        place.html(f'<div class="working" role="status">Working… <span>{escape(what)}</span></div>')

    says("")
    return says


def counted(steps: Iterable[T], says: Says, what: Callable[[T], str]) -> Iterator[T]:
    """The steps, each said before it is given out: what is done with it, and how far that is.

    >>> list(counted("ab", print, lambda name: f"tokenizing with {name}"))
    tokenizing with a, 1 of 2
    tokenizing with b, 2 of 2
    ['a', 'b']
    """
    all_steps = list(steps)
    for number, step in enumerate(all_steps, 1):
        says(f"{what(step)}, {number} of {len(all_steps)}" if len(all_steps) > 1 else what(step))
        yield step
