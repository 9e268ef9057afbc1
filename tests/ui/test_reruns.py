"""What is done once instead of in every run is as Streamlit does it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import product
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
import streamlit
from streamlit import delta_generator, env_util
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.run_descriptor import RunDescriptor
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

from explorer.ui.serving.reruns import (
    MOST_OPENINGS,
    gather,
    keep_openings,
    lighten_reruns,
    presenter,
    refuse_left,
)
from tests.ui.app import APP

T = TypeVar("T")


def test_a_page_is_opened_with_the_same_words_at_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    write = AppSession._create_new_session_message
    write = getattr(write, "__wrapped__", write)
    written: list[object] = []

    def counted(self: AppSession, *arguments: Any) -> Any:
        written.append(self)
        return write(self, *arguments)

    monkeypatch.setattr(AppSession, "_create_new_session_message", counted)
    kept = keep_openings()
    pages = {"one": {"page_name": "One", "icon": "a"}, "two": {"page_name": "Two", "icon": "b"}}
    sessions = [Bare("one"), Bare("two")]

    def opens(session: AppSession, page: str) -> None:
        run = RunDescriptor.create(("part",))
        own = {name: dict(info) for name, info in pages.items()}
        expected = write(session, page, run, own)  # type: ignore[arg-type]
        opening = kept(session, page, run, own)
        assert opening == expected
        opening.new_session.name = "changed by who sends it"

    for session in sessions:
        for _ in range(3):
            opens(session, "one")
    assert written == sessions[:1], "once for all sessions"
    opens(sessions[0], "two")
    pages["two"]["page_name"] = "Three"
    opens(sessions[0], "two")
    sessions[0]._state = AppSessionState.APP_IS_RUNNING
    opens(sessions[0], "two")
    streamlit.config._on_config_parsed.send()
    opens(sessions[0], "two")
    assert len(written) == 5
    for number in range(2 * MOST_OPENINGS):
        opens(sessions[1], f"page {number}")
    opens(sessions[0], "two")
    assert len(written) == 6 + 2 * MOST_OPENINGS, "what browsers make up is dropped"


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


def test_a_part_of_a_page_that_was_left_does_not_run() -> None:
    ran: list[tuple[str, str]] = []
    ask = refuse_left(lambda self, state: ran.append((state.page_script_hash, state.fragment_id)))
    session = Bare("one")
    session._client_state = ClientState()
    for page, part in [
        ("", ""), ("explore", ""), ("explore", "text"), ("compare", ""), ("explore", "text"), ("compare", "rows"),
        ("explore", ""), ("compare", ""), ("explore", "text"),
    ]:  # fmt: skip
        ask(session, ClientState(page_script_hash=page, fragment_id=part))
    session._client_state.page_script_hash = "start"  # a page to which Python led, as its run begins
    ask(session, ClientState(page_script_hash="compare", fragment_id="rows"))
    ask(session, ClientState(page_script_hash="start", fragment_id="cards"))
    assert ran == [
        ("", ""), ("explore", ""), ("explore", "text"), ("compare", ""), ("compare", "rows"), ("explore", ""),
        ("compare", ""), ("start", "cards"),
    ]  # fmt: skip
    asked: list[object] = []
    refuse_left(lambda self, state: asked.append(state))(session, None)
    assert asked == [session._client_state], "as it was last"


class Run(Bare):
    """A session whose loop writes down what it handles."""

    def __init__(self) -> None:
        self._event_loop = asyncio.get_running_loop()
        self.handled: list[object] = []
        self.crossings = 0

    def _call_soon_on_event_loop(self, callback: Any) -> None:
        self.crossings += 1
        super()._call_soon_on_event_loop(callback)

    def _handle_scriptrunner_event_on_event_loop(self, sender: object, event: Any, forward_msg: Any = None) -> None:  # type: ignore[override]
        self.handled.append(forward_msg or event)
        if forward_msg == "broken":
            raise ValueError


def test_events_of_a_run_reach_the_loop_together_in_their_order() -> None:
    async def follow() -> None:
        run, errors = Run(), []
        run._event_loop.set_exception_handler(lambda loop, context: errors.append(context["exception"]))
        text = ["a", "broken", "b"]

        def write() -> None:
            gather(run, None, event=ScriptRunnerEvent.SCRIPT_STARTED)
            for each in text:
                gather(run, None, event=ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=each)

        await asyncio.to_thread(write)
        while len(run.handled) < 4:  # nothing else comes, and they arrive
            await asyncio.sleep(0.001)
        assert run.handled == [ScriptRunnerEvent.SCRIPT_STARTED, *text]
        assert run.crossings == 1
        assert [type(each) for each in errors] == [ValueError]
        write()
        gather(run, None, event=ScriptRunnerEvent.SHUTDOWN)
        while len(run.handled) < 9:
            await asyncio.sleep(0)
        assert run.handled[4:] == [ScriptRunnerEvent.SCRIPT_STARTED, *text, ScriptRunnerEvent.SHUTDOWN]

    in_a_loop(follow())


def in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """The result of work in a thread of its own: playwright keeps a loop in the one of the tests."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(lambda: asyncio.run(work)).result()


def test_nothing_is_replaced_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("_create_new_session_message", "_on_scriptrunner_event")
    usual = {each: getattr(AppSession, each) for each in names}
    for each, function in usual.items():
        monkeypatch.setattr(AppSession, each, getattr(function, "__wrapped__", function))
    monkeypatch.setattr(Runtime, "_enqueued_some_message", Runtime._enqueued_some_message)
    lighten_reruns()
    need = asyncio.Event()
    runtime: Any = SimpleNamespace(_get_async_objs=lambda: SimpleNamespace(need_send_data=need))
    Runtime._enqueued_some_message(runtime)
    assert need.is_set(), "a message is sent in the turn that enqueues it"
    monkeypatch.setattr(env_util, "is_repl", None)
    delta_generator._maybe_print_use_warning()
    first = [getattr(AppSession, each) for each in names]
    lighten_reruns()
    assert [getattr(AppSession, each) for each in names] == first
    assert not set(first) & {getattr(each, "__wrapped__", each) for each in usual.values()} - {gather}
