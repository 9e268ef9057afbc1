"""Input that bypasses the page: forged reports, names of missing files, long texts; and what a visitor and the log get
about an unexpected error."""

from __future__ import annotations

import logging
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest

import explorer
from explorer.ui.components.every_page import current_text
from explorer.ui.explore import pattern_index
from explorer.ui.parameters import LONGEST_TEXT
from explorer.ui.serving import faults
from explorer.ui.serving.faults import LOGGERS, WithoutMessages, fault_number, redact_logs, show_fault, stack
from explorer.ui.serving.responses import FRAMED_BY, Headers, headers, inline_scripts
from explorer.ui.tokenizers import chooser as held_files
from tests.ui.app import data_of, html_of, page

ROOT = Path(explorer.__file__).parent.parent


# --- forged reports ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    [("a\ud800b", "a\ufffdb"), ("\ud83d\ude0a", "😊"), ("\udc00" * 3, "\ufffd" * 3), ("x" * (LONGEST_TEXT + 1), None),
     (7, None), (["a"], None), (None, None)],
)  # fmt: skip
def test_a_report_is_checked_again_on_the_server(text: object, read: str | None) -> None:
    assert current_text({"text": text, "rev": 0}, 0, LONGEST_TEXT) == read


def test_a_link_with_more_text_than_the_field_takes_is_not_followed() -> None:
    at = page(m="gpt-2", text="é" * (LONGEST_TEXT + 1))
    assert not at.exception
    assert len(data_of(at, "max")["text"]) < 1_000
    at = page(m="gpt-2", text="a\ufffd")
    assert data_of(at, "max")["text"] == "a\ufffd"


def test_a_link_with_a_number_of_thousands_of_digits() -> None:
    at = page(m="gpt-2", text="a", pattern="a", pattern_of="1" * 5_000, at="9" * 5_000)
    assert not at.exception
    assert pattern_index(()) == -1 or pattern_index(()) == 0


class Held:
    """A session with one real file and one that is only named."""

    def __init__(self) -> None:
        record = UploadedFileRec("1", "a.txt", "text/plain", b"0 'a' 1")
        self.real = UploadedFile(record, FileURLs(file_id="1", upload_url="", delete_url=""))
        self.forged = DeletedFile("no such file")


def test_the_name_of_a_file_that_was_never_sent_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Held()
    uploads = held_files.Uploads()
    monkeypatch.setattr(held_files, "uploads", lambda: uploads)
    for sent, received in (([files.forged], []), ([files.forged, files.real], ["a.txt"])):
        monkeypatch.setattr(st, "session_state", {uploads.widget: sent})
        got: list[str] = []
        monkeypatch.setattr(uploads, "receive", lambda came, *_, got=got: got.extend(each.name for each in came))
        held_files.open_new_uploads()
        assert got == received


# --- an unexpected error ---------------------------------------------------------------------------------------------

SECRET = "what the visitor typed"


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """What Streamlit's logger of errors writes."""
    found: list[str] = []
    handler = logging.Handler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    handler.emit = lambda record: found.append(handler.format(record))  # type: ignore[method-assign]
    logger = logging.getLogger(LOGGERS[0])
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


def raised() -> Exception:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(f"{SECRET} is wrong") from error
    except ValueError as error:
        return error


def test_the_log_has_the_stack_and_not_what_was_typed(logged: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    redact_logs()
    redact_logs()
    error = raised()
    logger = logging.getLogger(LOGGERS[0])
    assert sum(isinstance(each, WithoutMessages) for each in logger.filters) == 1
    monkeypatch.setattr(faults, "_times", Counter())
    logger.error("Uncaught app execution", exc_info=error)
    monkeypatch.setattr(faults, "_times", Counter())
    logger.error("Uncaught %s", "x", exc_info=error)
    assert len(logged) == 2
    for said in logged:
        assert "test_page.py" in said
        assert "builtins.ValueError" in said
        assert "builtins.KeyError" in said
        assert fault_number(error) in said
        assert SECRET not in said


def test_chained_stacks_end() -> None:
    one, other = ValueError(), KeyError()
    one.__cause__, other.__cause__ = other, one
    assert len(list(stack(one))) == 2


def test_a_visitor_reads_a_sentence_and_a_number_and_no_stack() -> None:
    def script() -> None:
        from explorer.ui.serving.faults import show_fault
        from tests.hostile.test_page import raised

        show_fault(raised())

    at = AppTest.from_function(script).run()
    assert not at.exception
    said = html_of(at)
    assert fault_number(raised()) in said
    for hidden in (SECRET, "Traceback", "test_page.py", "ValueError", str(ROOT)):
        assert hidden not in said
    assert show_fault.__name__ in (ROOT / "app.py").read_text()


def test_streamlits_own_message_has_no_stack() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["server"]["address"] == "127.0.0.1", "the first command of the README is for one person"


# --- headers ----------------------------------------------------------------------------------------------------------


def answered(kind: str = "http") -> list[tuple[bytes, bytes]]:
    """The headers of a response that already has two of its own."""
    sent: list[dict[str, Any]] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        own = [(b"content-type", b"text/html"), (b"X-Frame-Options", b"ALLOWALL")]
        await send({"type": "http.response.start", "status": 200, "headers": own})
        await send({"type": "http.response.body", "body": b"x"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    answer = Headers(inner)({"type": kind}, None, send)
    with pytest.raises(StopIteration):  # it waits for nothing, and a loop may be running already
        answer.send(None)
    return list(sent[0]["headers"])


def test_every_response_has_each_header_once() -> None:
    found = answered()
    names = [name.lower() for name, _ in found]
    assert len(names) == len(set(names))
    values = {name.decode().lower(): value.decode() for name, value in found}
    assert values["content-type"] == "text/html"
    assert values["x-frame-options"] == "SAMEORIGIN"
    assert values["x-content-type-options"] == "nosniff"
    policy = dict(rule.split(" ", 1) for rule in values["content-security-policy"].split("; "))
    assert policy["object-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert "unsafe" not in policy["script-src"] + policy["default-src"]
    assert len(inline_scripts()) == policy["script-src"].count("sha256-") > 0
    assert [name for name, _ in answered("websocket")] == [b"content-type", b"X-Frame-Options"]


def test_who_may_frame_the_pages_is_the_operators_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FRAMED_BY, "https://huggingface.co javascript:x https://*.hf.space 'none';script-src")
    values = {name.decode(): value.decode() for name, value in Headers(None).added}
    assert values["content-security-policy"].endswith(
        "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
    )
    assert "x-frame-options" not in values
    assert headers()["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (
            "https://a.org, https://b.org/ http://localhost:3000",
            ["https://a.org", "https://b.org", "http://localhost:3000"],
        ),
        ("* https://* https://a*.org https://*.*.org https://a.org:* 'unsafe-inline'", ["https://a.org:*"]),
        (
            "https://a.org\r\nSet-Cookie:x https://b.org;script-src https://\u043e.org https://c.org/path https://d.org:x",
            ["https://a.org"],
        ),
    ],
    ids=["lists", "wildcards", "injection"],
)
@pytest.mark.sample(3)
def test_only_origins_may_frame_the_pages(
    given: str, taken: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(FRAMED_BY, given)
    values = dict(Headers(None).added)
    rule = values[b"content-security-policy"].decode("ascii").rpartition("; ")[2]
    assert rule.split() == ["frame-ancestors", "'self'", *taken]
    assert len(caplog.records) == (len(taken) < len(given.split()))
    assert "\n" not in caplog.text.strip()
