"""Forged values of widgets and foreign host names, and a log that counts what is repeated."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import DoubleArray
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import Serialized, WStates
from streamlit.testing.v1 import AppTest

from explorer.ui import PAGES
from explorer.ui.serving import faults
from explorer.ui.serving.faults import LOGGERS, redact_logs
from explorer.ui.serving.limits import (
    LONGEST_MESSAGE,
    VARIABLE,
    CheckedValues,
    Hosts,
    allowed_hosts,
    check_widget_values,
    checked_message,
    is_allowed,
)
from explorer.ui.tokenizers.server import ServerArguments
from tests.hostile.test_upload_limit import finished
from tests.ui.app import APP, html_of

# --- what no widget has -----------------------------------------------------------------------------------------------

FORGED: dict[str, dict[str, Any]] = {
    "open brackets": {"json_value": "[" * 100_000},
    "deep JSON": {"json_value": '{"a":' * 200 + "1" + "}" * 200},
    "a text of escapes without an end": {"json_value": '{"text": "' + '\\"' * 500_000},
    "JSON with NaN": {"json_value": '{"a": NaN}'},
    "JSON beyond floats": {"json_value": '{"a": 1e999}'},
    "JSON of 5,000 digits": {"json_value": '{"a": ' + "9" * 5_000 + "}"},
    "a list": {"json_value": "[]"},
    "long JSON": {"json_value": '{"a": "' + "x" * 2_000_001 + '"}'},
    "NaN": {"double_value": math.nan},
    "infinity": {"double_value": math.inf},
    "a large number": {"int_value": 2**62},
    "NaN in a list": {"double_array_value": DoubleArray(data=[1.0, math.nan])},
}
GOOD: dict[str, dict[str, Any]] = {
    "text": {"json_value": '{"text": "' + "\\ud83d\\ude0a" * 100_000 + '", "rev": 3}'},
    "brackets in a text": {"json_value": '{"text": "' + "[{" * 100_000 + '\\"[", "rev": 3}'},
    "number": {"double_value": 0.5},
    "event": {"json_trigger_value": '[{"event": "a", "value": 1}]'},
}


def message(**values: dict[str, Any]) -> bytes:
    asked = BackMsg()
    asked.rerun_script.query_string = "m=gpt-2"
    asked.rerun_script.widget_states.widgets.extend(WidgetState(id=id, **value) for id, value in values.items())
    return asked.SerializeToString()


def ids(data: bytes | None) -> list[str]:
    assert data is not None
    read = BackMsg.FromString(data)
    assert read.rerun_script.query_string == "m=gpt-2"
    return [each.id for each in read.rerun_script.widget_states.widgets]


@pytest.mark.sample(len(FORGED))
@pytest.mark.parametrize("forged", FORGED)
def test_a_value_that_no_page_sends_is_left_out(forged: str) -> None:
    assert ids(checked_message(message(bad=FORGED[forged], **GOOD))) == [*GOOD]


def test_other_messages_are_not_touched() -> None:
    data = message(**GOOD)
    assert checked_message(data) is data
    assert checked_message(b"\xff" * 100) is None


def test_a_connection_that_sends_too_much_is_closed() -> None:
    sent: list[dict[str, Any]] = []
    came: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        came.append(await receive())

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "bytes": b"x" * (LONGEST_MESSAGE + 1)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    finished(CheckedValues(app)({"type": "websocket"}, receive, send))
    assert [each["type"] for each in sent] == ["websocket.close"]
    assert [each["type"] for each in came] == ["websocket.disconnect"]


# --- what one widget can't have ---------------------------------------------------------------------------------------


def choices(value: Any) -> str:
    """A widget with two choices, as Streamlit reads it."""
    return {None: "first", "a": "first", "b": "second"}[value]


@pytest.mark.parametrize(
    "value", [{"string_value": "c"}, {"json_value": "{"}, {"int_value": 1}, {"double_array_value": DoubleArray()}],
    ids=lambda each: next(iter(each)),
)  # fmt: skip
def test_a_value_that_this_widget_cannot_have_is_its_first(value: dict[str, Any]) -> None:
    check_widget_values()
    states = WStates()
    states.set_widget_metadata(WidgetMetadata("a", choices, lambda each: each, "string_value"))
    states.states["a"] = Serialized(WidgetState(id="a", **value))
    assert states["a"] == states["a"] == "first"
    assert states.get_serialized("a") is not None
    states.states["a"] = Serialized(WidgetState(id="a", string_value="b"))
    assert states["a"] == "second"


def test_a_whole_number_is_a_value_of_a_field_for_numbers() -> None:
    """Streamlit declares fractions for every number field; its browser sends whole numbers as such."""
    check_widget_values()
    states = WStates()
    states.set_widget_metadata(WidgetMetadata("a", lambda each: 0 if each is None else each, str, "double_value"))
    states.states["a"] = Serialized(WidgetState(id="a", int_value=55))
    assert states["a"] == 55


def test_a_number_in_a_link_that_its_field_cannot_have_is_left_out() -> None:
    check_widget_values()
    for value in ("9" * 5_000, "-" + "9" * 400, "inf", "1e999", "nan", "x", "-1"):
        at = AppTest.from_file(APP, default_timeout=60)
        at.switch_page(str(PAGES / "train.py"))
        at.query_params["size"] = value
        at.run()
        assert not at.exception, value
        assert (at.number_input(key="size").value or 0) > 0
        assert "fault of the program" not in html_of(at)


# --- the log ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What Streamlit's logger of errors writes."""
    redact_logs()
    monkeypatch.setattr(faults, "_times", faults.Counter())
    found: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(LOGGERS[0])
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


def test_what_is_repeated_is_counted(logged: list[str]) -> None:
    for _ in range(1_500):
        try:
            raise ValueError("typed")
        except ValueError as error:
            logging.getLogger(LOGGERS[0]).error("Uncaught", exc_info=error)
    assert len(logged) == 4
    assert "test_forged_values.py" in logged[0]
    assert [each.split()[-4] for each in logged[1:]] == ["10", "100", "1,000"]
    assert sum(map(len, logged)) < 2_000


def test_a_deep_stack_is_shortened(logged: list[str]) -> None:
    def deeper(left: int) -> None:
        if not left:
            raise ValueError
        deeper(left - 1)

    try:
        deeper(500)
    except ValueError as error:
        logging.getLogger(LOGGERS[0]).error("Uncaught", exc_info=error)
    assert len(logged[0].splitlines()) < 300
    assert "more" in logged[0]


# --- names of this server ---------------------------------------------------------------------------------------------


def answered(kind: str, host: str | None, allowed: tuple[str, ...] = ("localhost", "*.example.org")) -> str:
    """What comes of a request: "app", or how it is refused."""
    said: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        said.append("app")

    async def send(message: dict[str, Any]) -> None:
        said.append(str(message.get("status") or message["type"]))

    headers = [] if host is None else [(b"host", host.encode("latin-1"))]
    finished(Hosts(app, allowed)({"type": kind, "headers": headers}, None, send))
    return said[0]


@pytest.mark.sample(30)
@pytest.mark.parametrize(
    ("host", "taken"),
    [("localhost:8501", True), ("LOCALHOST.", True), ("127.0.0.1:1", True), ("[::1]:8501", True), ("10.1.2.3", True),
     ("a.b.example.org", True), (None, True), ("evil.example", False), ("localhost.evil.example", False),
     ("127.0.0.1.evil.example", False), ("example.org", False), ("xexample.org", False), ("", False),
     ("localhost@evil.example", False), ("a" * 300, False), ("locälhost", False)],
)  # fmt: skip
def test_only_names_of_this_server_are_answered(host: str | None, taken: bool) -> None:
    assert answered("http", host) == ("app" if taken else "421")
    assert answered("websocket", host) == ("app" if taken else "websocket.close")


def test_the_operator_names_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "explorer.example.org  *.school.example")
    monkeypatch.setattr("explorer.ui.serving.limits.app_arguments", lambda: ServerArguments(hosts=("Own.Example",)))
    allowed = allowed_hosts.__wrapped__()
    for name in ("explorer.example.org", "room.school.example:80", "own.example", "localhost"):
        assert is_allowed(name, allowed)
    assert not is_allowed("other.example.org", allowed)
    monkeypatch.setenv(VARIABLE, "*")
    assert is_allowed("other.example.org", allowed_hosts.__wrapped__())
