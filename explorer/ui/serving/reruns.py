"""What Streamlit does again in every run of a page or a fragment, and need not: a third of its work for a key.

Each function replaces one of Streamlit's own by one with the same answers, and leaves it where this Streamlit has
another. Leaves out what a run does once, and what the pages have it do.
"""

from __future__ import annotations

import gc
from functools import wraps
from typing import Any, Final
from weakref import WeakKeyDictionary

from streamlit import config
from streamlit.components.v2.bidi_component import main as components
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime

PAGE: Final = ("page_name", "icon")
"""What the message that opens a run says of a page."""
THRESHOLDS: Final = (20_000, 20, 50)
"""Of the garbage collector: a run makes a thousand objects that last until its end, and nearly none in a cycle."""


def lighten_reruns() -> None:
    """Replaces what is slow. Idempotent."""
    keep_openings()
    components.make_bidi_component_presenter = presenter  # type: ignore[attr-defined, assignment]
    Runtime._enqueued_some_message = wake_once(Runtime._enqueued_some_message)  # type: ignore[method-assign]
    gc.set_threshold(*THRESHOLDS)


def keep_openings() -> None:
    """Has Streamlit write the message that opens a run once for each session and page: six themes, all settings and
    pages. Only the run that it names differs; before 1.67 it says more of it, and is written each time. Idempotent."""
    write, name_run = AppSession._create_new_session_message, getattr(app_session, "_set_run_identity", None)
    if hasattr(write, "__wrapped__") or name_run is None:
        return
    openings: WeakKeyDictionary[AppSession, tuple[object, ForwardMsg]] = WeakKeyDictionary()
    config.on_config_parsed(openings.clear, force_connect=True)

    @wraps(write)
    def kept(self: AppSession, page: str, run: Any, pages: Any = None) -> ForwardMsg:
        shown = pages or self._pages_manager.get_pages()
        key = page, self._state, self._run_on_save, [(each, *map(info.get, PAGE)) for each, info in shown.items()]
        before = openings.get(self)
        if before is None or before[0] != key:
            written = write(self, page, run, pages)
            written.ClearField("metadata")
            openings[self] = before = key, written
        opening = ForwardMsg()
        opening.CopyFrom(before[1])
        name_run(opening, run)
        return opening

    AppSession._create_new_session_message = kept  # type: ignore[assignment]


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


def wake_once(wake: Any) -> Any:
    """Streamlit's call that wakes its loop for a message, unless it is to wake already: a write to a pipe each."""

    @wraps(wake)
    def wake_unless_awake(self: Runtime) -> None:
        if not self._get_async_objs().need_send_data.is_set():
            wake(self)

    return wake if hasattr(wake, "__wrapped__") else wake_unless_awake
