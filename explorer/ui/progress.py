"""The line that reports what the server is doing.

The browser shows the line while a run lasts (pages.css reads the state that Streamlit writes on the page), so it
appears at the click, before the server has answered. Python only fills in the current step. While hidden, the line
keeps its height, so nothing below it moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import TypeVar

import streamlit as st

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
