"""What the server refuses: requests under foreign names and from foreign pages, uploads beyond a limit, forged values.

Requests are answered under this machine's names only, against DNS rebinding. A site can have its own name resolve to
127.0.0.1, and its script then reads whatever this server answers: Host and Origin agree, so neither the browser nor
Streamlit objects. Allowed are addresses, which no name service decides, this machine's names, and those that the
operator gives: `--host NAME`, or `EXPLORER_HOSTS` with spaces between names; `*.example.org` allows all names below
example.org, and `*` every name, where a proxy checks them. A page of any site may open a socket, and send a request
that changes something; the browser says whose page it is. Streamlit takes such a page from every port of this
machine, and asks another server for this machine's address before it refuses one. Here its origin must be the host
that was asked, or one that the operator gave Streamlit.

Streamlit accepts a file at every upload URL and keeps it until the session ends, whether a page asks for it or not. A
page takes its files at once (`chooser.delete_from_streamlit`), so whatever Streamlit still holds is unclaimed.

Streamlit takes any value of a widget, and keeps it: JSON nested too deeply for its reader, an infinite number, a text
for a list of choices then fails in every run of that session until the page is reloaded. Values are checked twice:
what no widget has, before the message is read (`CheckedValues`), and what this widget can't have, when it is asked
for (`check_widget_values`). A widget whose value is refused has the value it begins with. Leaves out limits that a
page sets, which it checks itself.
"""

import json
import os
import re
import socket
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from itertools import accumulate
from math import isfinite
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.state.session_state import Serialized, SessionState, Value, WStates
from streamlit.url_util import get_hostname
from streamlit.web.server.server_util import allow_all_cross_origin_requests, is_allowed_origin

from explorer.text.say import size
from explorer.ui.tokenizers.server import app_arguments

VARIABLE = "EXPLORER_HOSTS"
"""An environment variable: more names of this server, separated by spaces."""
PORT = re.compile(r":\d{0,5}$")
LONGEST = 260
"""Characters of a host with its port."""
READING = ("GET", "HEAD", "OPTIONS")
"""Requests that change nothing; what they answer, the browser keeps from pages of others."""
FOREIGN_NAME = f"This server does not have this name. Start it with --host NAME, or set {VARIABLE}=NAME."
FOREIGN_PAGE = (
    "This comes from a page of another server. Start this one with --server.corsAllowedOrigins ORIGIN to allow it."
)


@dataclass(eq=False)
class Hosts:
    """ASGI middleware that refuses requests and connections under other names. allowed: by default, `allowed_hosts`."""

    app: ASGIApp
    allowed: Collection[str] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        headers = Headers(raw=list(scope.get("headers", ())))  # without any for what is no request
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        allowed = allowed_hosts() if self.allowed is None else self.allowed
        # a browser always sends one
        if len(hosts) > 1 or not all(is_allowed(each, allowed) for each in hosts):
            await refuse(scope, receive, send, 421, FOREIGN_NAME)
        elif scope.get("method") not in READING and not all(is_own(each, "".join(hosts)) for each in origins):
            await refuse(scope, receive, send, 403, FOREIGN_PAGE)
        else:
            await self.app(scope, receive, send)


@cache
def allowed_hosts() -> frozenset[str]:
    """The names of this machine, and those the operator gave."""
    given = [*os.environ.get(VARIABLE, "").split(), *app_arguments().hosts]
    name = socket.gethostname()
    own = ["localhost", "*.localhost", name, socket.getfqdn(), f"{name.partition('.')[0]}.local"]
    return frozenset(each.lower().rstrip(".") for each in (*own, *given))


def is_allowed(host: str, allowed: Collection[str]) -> bool:
    """Whether a Host header names this server.

    >>> [is_allowed(each, {"localhost", "*.a.org"}) for each in ("localhost:8501", "127.0.0.1", "[::1]:80", "x.a.org")]
    [True, True, True, True]
    >>> [is_allowed(each, {"localhost", "*.a.org"}) for each in ("localhost.evil.org", "127.0.0.1.evil.org", "a.org")]
    [False, False, False]
    """
    if len(host) > LONGEST:
        return False
    name = PORT.sub("", host).lower().rstrip(".")
    if name in allowed or "*" in allowed:
        return True
    try:
        ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        parents = (name[at + 1 :] for at, ch in enumerate(name) if ch == ".")
        return any(f"*.{each}" in allowed for each in parents)
    return True


def is_own(origin: str, host: str) -> bool:
    """Whether a page of this origin is this server's, which was asked by that host, or the operator's.

    >>> [is_own(f"http://{each}", "localhost:8501") for each in ("localhost:8501", "localhost:9000", "127.0.0.1:8501")]
    [True, False, False]
    """
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    if not name:
        return False
    if parts.netloc.lower() == host.lower() or allow_all_cross_origin_requests() or is_allowed_origin(origin):
        return True
    address = "browser.serverAddress"
    return config.is_manually_set(address) and name == get_hostname(config.get_option(address))


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    """Answers a request with a status and a sentence, and a connection with 403."""
    # a body that is on its way is not read
    answer = PlainTextResponse(why, status, {"connection": "close"})
    await (WebSocketClose(1008) if scope["type"] == "websocket" else answer)(scope, receive, send)


MOST_BYTES = 256_000_000
"""Unclaimed bytes of one session, including uploads in progress."""
MOST_FILES = 48
"""Unclaimed files of one session, including uploads in progress."""

PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
REQUEST_OVERHEAD = 1_000_000
"""Bytes by which a request may exceed its file."""
TOO_MANY = f"Too many files at once: a page takes at most {MOST_FILES}, {size(MOST_BYTES)} together."


class UploadLimit:
    """ASGI middleware. stored: the bytes and the number of unclaimed files of a session."""

    def __init__(self, app: ASGIApp, stored: Callable[[str], tuple[int, int]] | None = None) -> None:
        self.app, self.stored = app, stored or stored_by_streamlit
        self.bytes_in_progress: Counter[str] = Counter()
        self.files_in_progress: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request; refuses an upload beyond the limit."""
        found = PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        session, length = found[1], content_length(scope)
        bytes, files = self.stored(session)
        too_large = bytes + self.bytes_in_progress[session] + length > MOST_BYTES
        if too_large or files + self.files_in_progress[session] >= MOST_FILES:
            await refuse(scope, receive, send, 413, TOO_MANY)
            return
        self.bytes_in_progress[session] += length
        self.files_in_progress[session] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            # unary plus drops sessions that are at zero
            self.bytes_in_progress = +(self.bytes_in_progress - Counter({session: length}))
            self.files_in_progress = +(self.files_in_progress - Counter({session: 1}))


def stored_by_streamlit(session: str) -> tuple[int, int]:
    """The bytes and the number of files that Streamlit stores for a session."""
    manager = get_instance().uploaded_file_mgr if exists() else None
    if not isinstance(manager, MemoryUploadedFileManager):
        return 0, 0
    files = list(manager.file_storage.get(session, {}).values())
    return sum(len(file.data) for file in files), len(files)


def content_length(scope: Scope) -> int:
    """The bytes a request announces; without an announcement, the most that Streamlit accepts."""
    value = Headers(scope=scope).get("content-length", "")
    if value.isdecimal() and len(value) < 20:
        return int(value)
    return int(config.get_option("server.maxUploadSize")) * 2**20 + REQUEST_OVERHEAD


LONGEST_MESSAGE = 8_000_000
"""Bytes of a message; a connection that sends a longer one is closed."""
LONGEST_VALUE = 2_000_000
"""Characters of a value. A text of 100,000 characters takes up to 1,200,000 in JSON."""
DEEPEST = 32
"""Nesting of a value in JSON."""
LARGEST = 2.0**53
"""Numbers that JavaScript counts with."""


class CheckedValues(NamedTuple):
    """ASGI middleware that checks the messages of connections."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a connection."""
        closed = False

        async def receive_checked() -> Message:
            nonlocal closed
            message: Message = await receive()
            data = message.get("bytes")
            if message["type"] != "websocket.receive" or closed:
                return message
            checked = None if data is None or len(data) > LONGEST_MESSAGE else checked_message(data)
            if checked is None:
                closed = True
                await send({"type": "websocket.close", "code": 1009})
                return {"type": "websocket.disconnect", "code": 1009}
            return {**message, "bytes": checked}

        await self.app(scope, receive_checked if scope["type"] == "websocket" else receive, send)


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
    """The nesting of JSON, at most.

    >>> depth('[[], {"a": "[[[["}]')
    2
    """
    return max(accumulate(1 if ch in "[{" else -1 for ch in STRING.sub("", text) if ch in "[{}]"), default=0)


STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A string in JSON, or the rest of a text that doesn't end it."""


def _number(written: str) -> float:
    if not is_plain(value := float(written)):
        raise ValueError
    return value


def _refuse(written: str) -> float:
    raise ValueError
