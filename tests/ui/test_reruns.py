"""What is done once instead of in every run is as Streamlit does it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner_utils.run_descriptor import RunDescriptor
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

from explorer.ui.serving.reruns import keep_openings, presenter, wake_once
from tests.ui.app import APP


def test_a_session_is_opened_with_the_same_words_at_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    write = AppSession._create_new_session_message
    write = getattr(write, "__wrapped__", write)
    written: list[object] = []

    def counted(self: AppSession, *arguments: Any) -> Any:
        written.append(self)
        return write(self, *arguments)

    monkeypatch.setattr(AppSession, "_create_new_session_message", counted)
    keep_openings()
    kept = AppSession._create_new_session_message
    keep_openings()
    assert AppSession._create_new_session_message is kept
    pages = {"one": {"page_name": "One", "icon": "a"}, "two": {"page_name": "Two", "icon": "b"}}
    sessions = [Bare("one"), Bare("two")]

    def opens(session: AppSession, page: str) -> None:
        run = RunDescriptor.create(("part",))
        own = {name: dict(info) for name, info in pages.items()}
        expected = write(session, page, run, own)  # type: ignore[arg-type]
        opening = kept(session, page, run, own)  # type: ignore[arg-type]
        assert opening == expected
        opening.new_session.name = "changed by who sends it"

    for session in sessions:
        for _ in range(3):
            opens(session, "one")
    assert written == sessions, "once a session"
    opens(sessions[0], "two")
    pages["two"]["page_name"] = "Three"
    opens(sessions[0], "two")
    sessions[0]._state = AppSessionState.APP_IS_RUNNING
    opens(sessions[0], "two")
    streamlit.config._on_config_parsed.send()
    opens(sessions[0], "two")
    assert len(written) == 6


class Bare(AppSession):
    """A session without a runtime: what its opening is written of."""

    def __init__(self, name: str) -> None:
        self.id, self._run_on_save, self._state = name, False, AppSessionState.APP_NOT_RUNNING
        self._script_data = ScriptData(str(APP), False)
        self._pages_manager = PagesManager(str(APP))

    def __del__(self) -> None:
        pass


STATES: list[Any] = [None, 3, {}, {"text": "a", "rev": 1}, {"question": "token 3 ab", "text": "a"}]
TRIGGERED: list[Any] = [
    None, [], {"event": "go", "value": 1}, [{"event": "go", "value": {"a": [2]}}, {"event": "text", "value": "b"}],
    [{"event": "go"}], [{"value": 1}, 7, {"event": 3, "value": 1}], "go",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["json_trigger_value", "json_value", None])
def test_a_page_reads_of_a_component_what_streamlit_shows(kind: Any) -> None:
    for state, given in product(STATES, TRIGGERED):
        session = SessionState()
        if kind is not None:
            session._set_widget_metadata(WidgetMetadata("events", lambda each: each, lambda each: each, kind))
        session._new_widget_state.set_from_value("events", given)
        shown: Any = presenter("events", "field", {"go"})(state, session)
        assert shown == make_bidi_component_presenter("events", "field", {"go"})(state, session)
        if isinstance(state, dict) and kind == "json_trigger_value":
            assert (shown.text, shown.absent) == (shown.get("text"), None)
            assert deepcopy(shown) is shown


def test_a_loop_is_woken_once_for_many_messages() -> None:
    async def woken() -> list[int]:
        need = asyncio.Event()
        loop = SimpleNamespace(eventloop=asyncio.get_running_loop(), need_send_data=need)
        runtime: Any = SimpleNamespace(_get_async_objs=lambda: loop)
        calls: list[int] = []

        def wake(self: Runtime) -> None:
            calls.append(1)
            need.set()

        once = wake_once(wake)
        assert wake_once(once) is once
        once(runtime)
        once(runtime)
        need.clear()
        once(runtime)
        return calls

    with ThreadPoolExecutor(1) as other:  # in a thread of its own: playwright keeps a loop in the one of the tests
        assert len(other.submit(lambda: asyncio.run(woken())).result()) == 2
