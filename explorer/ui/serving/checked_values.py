"""Checks what the socket brings before Streamlit reads it: a value that no page sends is left out of its message.

Streamlit takes any value of a widget, and keeps it: JSON nested too deeply for its reader, an infinite number, a text
for a list of choices then fails in every run of that session until the page is reloaded. Values are checked twice: what
no widget has, before the message is read (`CheckedValues`), and what this widget can't have, when it is asked for
(`check_widget_values`). A widget whose value is refused has the value it begins with.

Left out: limits that a page sets, which it checks itself.
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from math import isfinite
from typing import Any, Final

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.state.session_state import Serialized, SessionState, Value, WStates

LONGEST_MESSAGE: Final = 8_000_000
"""Bytes of a message; a connection that sends a longer one is closed."""
LONGEST_VALUE: Final = 2_000_000
"""Characters of a value. A text of 100,000 characters takes up to 1,200,000 in JSON."""
DEEPEST: Final = 32
"""Nesting of a value in JSON."""
LARGEST: Final = 2.0**53
"""Numbers that JavaScript counts with."""


class CheckedValues:
    """ASGI middleware that checks the messages of connections."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Handles a connection."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        closed = False

        async def receive_checked() -> MutableMapping[str, Any]:
            nonlocal closed
            message: MutableMapping[str, Any] = await receive()
            data = message.get("bytes")
            if message["type"] != "websocket.receive" or closed:
                return message
            checked = None if data is None or len(data) > LONGEST_MESSAGE else checked_message(data)
            if checked is None:
                closed = True
                await send({"type": "websocket.close", "code": 1009})
                return {"type": "websocket.disconnect", "code": 1009}
            return {**message, "bytes": checked}

        await self.app(scope, receive_checked, send)


def checked_message(data: bytes) -> bytes | None:
    """A message without the values that no page sends; None for something else than a message."""
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except Exception:  # protobuf's own, which is no dependency of this package
        return None
    if message.WhichOneof("type") != "rerun_script":
        return data
    states = message.rerun_script.widget_states.widgets
    good = [each for each in states if is_good(each)]
    if len(good) == len(states):
        return data
    kept = BackMsg()
    kept.CopyFrom(message)
    del kept.rerun_script.widget_states.widgets[:]
    kept.rerun_script.widget_states.widgets.extend(good)
    serialized: bytes = kept.SerializeToString()
    return serialized


def is_good(state: Any) -> bool:
    """Whether a page could have sent the state of a widget."""
    kind = state.WhichOneof("value")
    value: Any = getattr(state, kind) if kind else None
    if kind in ("json_value", "json_trigger_value"):
        return is_json(value) and (kind == "json_trigger_value" or value.lstrip()[:1] == "{")
    if kind in ("double_array_value", "int_array_value", "string_array_value"):
        return all(map(is_plain, value.data))
    return is_plain(value)


def check_widget_values() -> None:
    """Has Streamlit read widgets' values so that one that a widget can't have is its first value. Idempotent.

    Also those of a link, of which Streamlit itself leaves out all but a number that no integer holds.
    """
    usual: Any = WStates.__getitem__
    if getattr(usual, "is_checked", False):
        return

    def read(self: WStates, key: str) -> Any:
        state, widget = self.states.get(key), self.widget_metadata.get(key)
        if not isinstance(state, Serialized) or widget is None:
            return usual(self, key)
        sent = state.value.WhichOneof("value")
        # a number field says that it holds fractions, and sends whole numbers as such
        if sent in (None, widget.value_type) or {sent, widget.value_type} == {"int_value", "double_value"}:
            try:
                return usual(self, key)
            except Exception:  # whatever a stranger's value makes Streamlit raise
                pass
        first = widget.deserializer(None)
        self.states[key] = Value(first)
        return first

    seed: Any = SessionState._seed_widget_from_url

    def seeded(self: SessionState, metadata: Any, user_key: str, *given: Any) -> bool:
        try:
            return bool(seed(self, metadata, user_key, *given))
        except Exception:  # whatever a stranger's link makes Streamlit raise
            self._clear_url_param(user_key)
            return False

    read.is_checked = True  # type: ignore[attr-defined]
    WStates.__getitem__ = read  # type: ignore[method-assign]
    SessionState._seed_widget_from_url = seeded  # type: ignore[method-assign, assignment]


def is_plain(value: object) -> bool:
    """Whether a number or text is within limits."""
    if isinstance(value, float | int):
        return isfinite(value) and abs(value) <= LARGEST
    return not isinstance(value, str | bytes) or len(value) <= LONGEST_VALUE


def is_json(text: str) -> bool:
    """Whether a text is JSON that is neither too long nor nested too deeply, of numbers within limits.

    >>> [is_json(each) for each in ('{"a": [1]}', "[" * 100 + "]" * 100, "NaN", "1e999", "9" * 400, "{")]
    [True, False, False, False, False, False]
    """
    if len(text) > LONGEST_VALUE or (text.count("[") + text.count("{") > DEEPEST and depth(text) > DEEPEST):
        return False
    try:
        json.loads(text, parse_constant=_refuse, parse_float=_number, parse_int=_number)
    except (ValueError, RecursionError):
        return False
    return True


def depth(text: str) -> int:
    """The nesting of JSON, at most; brackets in strings count, too.

    >>> depth("[[], {}]")
    2
    """
    now = most = 0
    for ch in text:
        if ch in "[{":
            now += 1
            most = max(most, now)
        elif ch in "]}":
            now -= 1
    return most


def _number(written: str) -> float:
    if not is_plain(value := float(written)):
        raise ValueError
    return value


def _refuse(written: str) -> float:
    raise ValueError
