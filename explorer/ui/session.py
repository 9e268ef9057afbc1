"""The visitor's session in a script's thread, which answers the pages' questions, and its turn to draw a page.

A run that the visitor's next action has overtaken, or whose session has ended, stops while it waits for an answer. A
question that waits for its turn says how many are before it.

Whole pages are drawn two at a time, in the order they were asked for, so that edits stay quick however many come:
Python runs one thread at a time, so each page that is drawn beside an edit makes it slower. What runs a fragment of a
page, as an edit on Explore does, waits for nobody. A page that takes long, or waits for a process, keeps nobody out:
after `HOLD_SECONDS` the next one begins beside it. A page whose visitor has left meanwhile is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Condition
from time import monotonic
from typing import Final, TypeVar

import streamlit as st
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.questions import POLL_SECONDS
from explorer.answers.sessions import Session, session, use_sessions

T = TypeVar("T")
SHARED: Final = frozenset(
    {
        *("url", "key_list", "live text session"),
        *("m", "as", "offer", "before", "answers", "refused_choices", "about"),
        *("drop", "absent", "former", "undo removal", "remove"),
        *("text", "first_text", "rev", "reading", "reported_reading", "field", "examples", "at"),
        *("stage", "opened", "typed", "ways_asked", "borders_open", "prompt", "difference"),
        *("train_text", "train_rev", "train_first"),
    }
)
"""The keys that several pages use on purpose: of the tokenizer chosen, of uploads, of the text, and what one page opens
on another. Every other key of the session belongs to one page, or is that of an
object that its module keeps (`kept`)."""
NOTE_SECONDS: Final = 1.5
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
            about = f", about {max(1, round(seconds))} s" if seconds else ""
            st.toast(f"Waiting for a free processor: {before} before you{about}.")


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


AT_ONCE: Final = 2
"""Pages that are drawn at once."""
HOLD_SECONDS: Final = 0.5
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


PLACES: Final = Places()
"""Those of this server."""


def page_place() -> AbstractContextManager[None]:
    """The place of the page that this thread's script draws."""
    context = get_script_run_ctx(suppress_warning=True)
    return PLACES.place(getattr(context, "yield_check", lambda: None))
