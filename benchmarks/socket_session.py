"""A session of the app without a browser: sends over the socket what a page sends, or what a forger might."""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import ExitStack
from socket import create_connection
from typing import Any
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

FIELD = "explorer_live_text"
"""The component that reports typed text."""
PROMPT = "explorer_prompt"
"""The component that reports a call and a template."""


class Session:
    """One visitor. address: the server's, without the protocol. cookie: what its browser sends. page: its path.

    host: what the browser takes for the server's address. origin: whose page it says it is, the server's by default.
    """

    def __init__(
        self, address: str, query: str = "", cookie: str = "", page: str = "", host: str = "", origin: str = ""
    ) -> None:
        self.address, self.query, self.cookie, self.path = address, query, cookie, page
        self.host = host or address
        self.origin = origin or f"http://{self.host}"
        self.open_socket = ExitStack()
        self.socket = self.connected()
        self.fields: dict[str, str] = {}
        """a field's key → the id of its widget"""
        self.revisions: dict[str, Any] = {}
        self.fragments: dict[str, str] = {}
        """a field's key → the fragment that a change of it runs, "" for the page"""
        self.stage: tuple[str, dict[str, Any]] = "", {}
        """the widget of the stage on Prompt, and what it draws"""
        self.asked: dict[str, Any] = {}
        """what Prompt says that it was asked: the call, the template"""
        self.drop = ""
        self.page = ""
        self.buttons: dict[str, str] = {}
        """a button's label → the id of its widget"""
        self.values: dict[str, WidgetState] = {}
        self.widgets: dict[str, str] = {}
        """a widget's label → its id"""
        self.numbers: list[str] = []
        """the labels of fields for numbers"""
        self.received = 0
        """bytes of all messages"""
        self.repeated = ""
        """the fragment that the page asks to run again and again"""
        self.captions: list[str] = []
        """small text of all runs"""
        self.said: list[str] = []
        """the text of boxes and exceptions in the last run"""

    def connected(self) -> ClientConnection:
        """A new connection, which takes the cookie that a proxy sets."""
        host, _, port = self.address.partition(":")
        opening = connect(
            f"ws://{self.host}/_stcore/stream", subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=self.origin, sock=create_connection((host, int(port or 80))),  # type: ignore[arg-type]
            additional_headers={"Cookie": self.cookie} if self.cookie else None, max_size=None,
            close_timeout=1, ping_timeout=None,
        )  # fmt: skip
        socket = self.open_socket.enter_context(opening)
        assert socket.response is not None
        given = socket.response.headers.get("Set-Cookie", "").partition(";")[0]
        self.cookie = given or self.cookie
        return socket

    def open(self, seconds: float = 60) -> float:
        """Requests the first run; returns its seconds."""
        return self.run(seconds)

    def type(self, text: str, field: str = "field", seconds: float = 60) -> float:
        """Changes the text of a field; returns the seconds until the page is redrawn."""
        self.put(text, field)
        return self.run(seconds, self.fragments[field])

    def put(self, text: str, field: str = "field") -> None:
        """Changes the text of a field; the next run sends it."""
        state = WidgetState(id=self.fields[field])
        state.json_value = json.dumps({"text": text, "rev": self.revisions[field]})
        self.values[state.id] = state

    def ask(self, call: Any, template: str, seconds: float = 60) -> float:
        """Changes the call and the template on Prompt; returns the seconds until the page is redrawn."""
        state = WidgetState(id=self.fields[PROMPT])
        asked = {"rev": self.revisions[PROMPT], "call": json.dumps(call), "source": template}
        state.json_value = json.dumps({"asked": asked})
        self.values[state.id] = state
        return self.run(seconds, self.fragments[PROMPT])

    def ask_part(self, part: Any, seconds: float = 60) -> float:
        """Asks for a part of a check, as the stage on Prompt does; returns the seconds until it is drawn."""
        id, drawn = self.stage
        report = {"check": {"of": drawn.get("id"), "part": part}}
        self.values[id] = WidgetState(id=id, json_value=json.dumps(report))
        return self.run(seconds, self.fragments[PROMPT])

    def set(self, label: str, **value: Any) -> None:
        """Gives a widget a value, whatever it may have; the next run sends it. value: of a field of `WidgetState`.

        Raises KeyError if no widget has this label.
        """
        self.values[self.widgets[label]] = WidgetState(id=self.widgets[label], **value)

    def send_file(self, name: str, data: bytes, seconds: float = 120, field: str = "") -> float:
        """Drops a file; returns the seconds until the page is drawn with it. field: its label, the last one by default.

        Raises KeyError if no widget has this label.
        """
        state = WidgetState(id=self.widgets[field] if field else self.drop)
        urls = self.upload(name, data, seconds)
        found = state.file_uploader_state_value.uploaded_file_info.add()
        found.file_id, found.name, found.size = urls.file_id, name, len(data)
        found.file_urls.CopyFrom(urls)
        self.values[state.id] = state
        return self.run(seconds)

    def press(self, label: str, seconds: float = 60) -> float:
        """Presses a button; returns the seconds until the page is redrawn."""
        state = WidgetState(id=self.buttons[label], trigger_value=True)
        self.values[state.id] = state
        try:
            return self.run(seconds)
        finally:
            del self.values[state.id]

    def upload(self, name: str, data: bytes, seconds: float = 120) -> Any:
        """Uploads a file without reporting it to a page; returns its addresses. Raises HTTPError if it is refused."""
        asked = BackMsg()
        asked.file_urls_request.request_id = str(uuid4())
        asked.file_urls_request.file_names.append(name)
        self.socket.send(asked.SerializeToString())
        while True:
            answer = self.receive(seconds)
            if answer.WhichOneof("type") == "file_urls_response":
                break
        urls = answer.file_urls_response.file_urls[0]
        boundary = uuid4().hex
        body = (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n").encode()  # fmt: skip
        body += data + f"\r\n--{boundary}--\r\n".encode()
        request = urllib.request.Request(
            f"http://{self.address}{urls.upload_url}", body, method="PUT",
            headers={"Content-Type": f"multipart/form-data; boundary={boundary}"} | self.token(),
        )  # fmt: skip
        urllib.request.urlopen(request).close()
        return urls

    def token(self) -> dict[str, str]:
        """The headers by which Streamlit recognizes its own page."""
        with urllib.request.urlopen(f"http://{self.address}/_stcore/health") as answer:
            given = answer.headers.get("Set-Cookie", "").partition(";")[0]
        return {"Cookie": given, "X-Xsrftoken": given.partition("=")[2].strip('"')}

    def run(self, seconds: float, fragment: str = "") -> float:
        """Requests a run with all values and waits for its end. fragment: all that runs. Raises TimeoutError."""
        began = time.monotonic()
        self.request(fragment)
        self.finish(seconds)
        return time.monotonic() - began

    def request(self, fragment: str = "") -> None:
        """Requests a run with all values without waiting for it."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.fragment_id = fragment
        rerun.query_string, rerun.page_script_hash, rerun.page_name = self.query, self.page, self.path
        rerun.widget_states.widgets.extend(self.values.values())
        self.said = []
        self.socket.send(message.SerializeToString())

    def finish(self, seconds: float) -> None:
        """Waits for the end of the run that is requested, or of the one that overtook it. Raises TimeoutError."""
        began = time.monotonic()
        while True:
            answer = self.receive(seconds - (time.monotonic() - began))
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.page = answer.new_session.page_script_hash
            elif kind == "navigation":
                self.page = answer.navigation.page_script_hash
            elif kind == "auto_rerun":
                self.repeated = answer.auto_rerun.fragment_id
            elif kind == "delta":
                self.look(answer.delta.new_element, answer.delta.fragment_id)
            elif kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def look(self, element: Any, fragment: str) -> None:
        """Records the widgets and the messages of a run. fragment: which the element belongs to."""
        kind = element.WhichOneof("type")
        widget = getattr(element, kind) if kind else None
        if getattr(widget, "id", "") and getattr(widget, "label", ""):
            self.widgets[widget.label] = widget.id  # type: ignore[union-attr]
        if kind == "bidi_component" and element.bidi_component.component_name.endswith(FIELD):
            data = json.loads(element.bidi_component.json or element.bidi_component.bytes or "{}")
            if "rev" in data:
                field = {"text": "field", "pattern": "pattern"}.get(data["parameter"], data["label"])
                self.fields[field], self.revisions[field] = element.bidi_component.id, data["rev"]
                self.fragments[field] = fragment
        elif kind == "bidi_component" and element.bidi_component.component_name.endswith(PROMPT):
            data = json.loads(element.bidi_component.json or "{}")
            if data.get("part") == "pills":
                self.asked = data["asked"]
                self.fields[PROMPT], self.revisions[PROMPT] = element.bidi_component.id, data["rev"]
                self.fragments[PROMPT] = fragment
            elif data.get("part") == "stage":
                self.stage = element.bidi_component.id, data.get("stage") or {}
                self.said += [data["fault"]["say"]] if data.get("fault") else []
        elif kind == "markdown" and element.markdown.element_type == element.markdown.CAPTION:
            self.captions.append(element.markdown.body)
        elif kind == "number_input":
            self.numbers.append(element.number_input.label)
        elif kind == "button":
            self.buttons[element.button.label] = element.button.id
        elif kind == "file_uploader":
            self.drop = element.file_uploader.id
        elif kind == "html" and 'role="alert"' in element.html.body:
            said = element.html.body.rpartition("</b>")[2].partition("<")[0]
            self.said += [said] if said else []
        elif kind == "exception":
            self.said.append(f"EXCEPTION {element.exception.type}")

    def receive(self, seconds: float) -> ForwardMsg:
        message = ForwardMsg()
        data = self.socket.recv(timeout=max(0.01, seconds))
        self.received += len(data)
        message.ParseFromString(data)  # type: ignore[arg-type]
        return message

    def close(self) -> None:
        self.open_socket.close()
