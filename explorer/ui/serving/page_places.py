"""Whole pages are drawn two at a time, in the order they were asked for, so that edits stay quick however many come.

Python runs one thread at a time, so each page that is drawn beside an edit makes it slower. What runs a fragment of a
page, as an edit on Explore does, waits for nobody. A page that takes long, or waits for a process, keeps nobody out:
after `HOLD_SECONDS` the next one begins beside it. A page whose visitor has left meanwhile is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Condition
from time import monotonic
from typing import Final

from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.answers.questions import POLL_SECONDS

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
