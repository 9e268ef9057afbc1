"""What Streamlit does again in every run of a page or a fragment, and need not: a third of its work for a key.

Each function replaces one of Streamlit's own by one with the same answers, and leaves it where this Streamlit has
another. Leaves out what a run does once, and what the pages have it do.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final
from weakref import WeakKeyDictionary

from streamlit import config, delta_generator
from streamlit.components.v2.bidi_component import main as components
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

PAGE = ("page_name", "icon")
"""What the message that opens a run says of a page."""
MOST_OPENINGS = 64
"""Those messages that are kept: one for each page in each language, and a page is what a browser says it is."""
THRESHOLDS = (20_000, 20, 50)
"""Of the garbage collector: a run makes a thousand objects that last until its end, and nearly none in a cycle."""


def lighten_reruns() -> None:
    """Replaces what is slow. Idempotent."""
    if hasattr(AppSession._create_new_session_message, "__wrapped__"):
        return
    gc.set_threshold(*THRESHOLDS)
    # the first element of a process reads the source of every caller, to see whether somebody types it in Python
    delta_generator._use_warning_has_been_displayed = True
    components.make_bidi_component_presenter = presenter  # type: ignore[attr-defined, assignment]
    if hasattr(app_session, "_set_run_identity"):  # since 1.67
        AppSession._create_new_session_message = keep_openings()  # type: ignore[method-assign]
        AppSession._on_scriptrunner_event = gather  # type: ignore[assignment, method-assign]
        AppSession.request_rerun = refuse_left(AppSession.request_rerun)  # type: ignore[method-assign]
        # every message is enqueued on the loop: it need not be woken by a write to a pipe
        Runtime._enqueued_some_message = lambda self: self._get_async_objs().need_send_data.set()  # type: ignore[method-assign]


def keep_openings() -> Any:
    """Streamlit's call that writes the message that opens a run, now once for each page: six themes, all settings and
    pages. Only the run and the session that it names differ."""
    write = AppSession._create_new_session_message
    openings: dict[object, ForwardMsg] = {}
    config.on_config_parsed(openings.clear, force_connect=True)

    @wraps(write)
    def kept(self: AppSession, page: str, run: Any, pages: Any = None) -> ForwardMsg:
        shown = pages or self._pages_manager.get_pages()
        nudge = config.get_option("server.headless") or self._compute_skills_nudge_state()
        names = ((each, *map(info.get, PAGE)) for each, info in shown.items())
        key = page, self._state, self._run_on_save, nudge, *names
        if key not in openings:
            if len(openings) >= MOST_OPENINGS:
                openings.clear()
            openings[key] = write(self, page, run, pages)
            openings[key].ClearField("metadata")
        opening = ForwardMsg()
        opening.CopyFrom(openings[key])
        app_session._set_run_identity(opening, run)
        opening.new_session.initialize.session_id = self.id
        return opening

    return kept


def refuse_left(ask: Any) -> Any:
    """Streamlit's call that takes what a browser reports, without reports of a part of a page that was left before.

    It would run the old page in place of the new one, which stayed blank.
    """

    def refusing(self: AppSession, state: Any) -> None:
        now = self._client_state
        state = state or now
        if not state.fragment_id:
            now.page_script_hash = state.page_script_hash
        if state.page_script_hash == now.page_script_hash:
            ask(self, state)

    return refusing


class Reported(dict[str, Any]):
    """What a component reports, as `st.session_state` shows it. No page changes it, so it is not copied, either."""

    __getattr__ = dict.get

    def __deepcopy__(self, memo: object) -> Reported:
        return self


def presenter(aggregator: str, *_: object) -> Any:
    """A function that shows what a component reports: its state, and what was triggered in this run.

    Streamlit's own makes a class each time, twenty for a key, and the collector takes them apart. aggregator: the id of
    the widget that has the triggers.
    """

    def present(state: object, session: Any) -> object:
        widgets = session._new_widget_state
        known = widgets.widget_metadata.get(aggregator)
        if not isinstance(state, dict) or known is None or known.value_type != "json_trigger_value":
            return state
        given = widgets.get(aggregator)
        fired = (each for each in (given if isinstance(given, list) else [given]) if isinstance(each, dict))
        named = {each["event"]: each.get("value") for each in fired if isinstance(each.get("event"), str)}
        return Reported(named | state)

    return present


GATHER_SECONDS = 0.005
"""How long an event waits for those that follow it."""
_waiting: Final[WeakKeyDictionary[AppSession, deque[Callable[[], None]]]] = WeakKeyDictionary()
"""Events that are on the way from a run's thread to the event loop."""


def gather(self: AppSession, sender: object, event: ScriptRunnerEvent, **values: Any) -> None:
    """Takes an event of a run to the event loop, with those of the next milliseconds; the last event waits for none.

    Streamlit's own wakes the loop for each, and the loop then waits for the lock that the run holds.
    """
    events = _waiting.setdefault(self, deque())
    events.append(partial(self._handle_scriptrunner_event_on_event_loop, sender, event, **values))  # type: ignore[arg-type]

    def handle() -> None:
        while events:
            self._event_loop.call_soon(events.popleft())

    delay = 0 if event is ScriptRunnerEvent.SHUTDOWN else GATHER_SECONDS
    if not delay or len(events) == 1:
        self._call_soon_on_event_loop(partial(self._event_loop.call_later, delay, handle))  # type: ignore[arg-type]
