"""The frame around a page and around each of its fragments: it draws what refuses a question, in one line.

Any question may be refused, whatever it is about: the visitor's process ended, or has to make room for others. A page
draws a refusal itself where the rest of it can stand. Callbacks run in no frame; `serving/faults.py` draws theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import streamlit as st

from explorer.errors import InputError
from explorer.ui.notices import show_error

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
