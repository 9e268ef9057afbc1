"""Chooses the result of a corpus job: one that the operator gave, or the visitor's own upload.

The operator starts the app with `streamlit run app.py -- --corpus RESULT.json`, once for each result. URLs name
results by file name, never by path. An upload lives in its session only.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.upload_offer import short_name
from explorer.corpus.result import Result, read
from explorer.errors import InputError
from explorer.formats.strict_json import MAX_FILE
from explorer.ui.bar import bar
from explorer.ui.notices import show_error
from explorer.ui.tokenizers.server_arguments import app_arguments, parse_arguments

OWN = "a file of your own"


def server_results() -> dict[str, Path]:
    """The operator's results by name; repeated names are numbered."""
    found: dict[str, Path] = {}
    for path in map(Path, parse_arguments(app_arguments()).results):
        name, number = short_name(path.name), 2
        while name in found:
            name, number = f"{short_name(path.name)} ({number})", number + 1
        found[name] = path
    return found


def choose() -> Result | None:
    """Draws the choice and returns the result; None if there is none yet, or after an error if it can't be read."""
    known = server_results()
    chosen = OWN
    with bar():
        if known:
            chosen = st.selectbox("Result", [*known, OWN], key="result", bind="query-params", width=320,
                                  label_visibility="collapsed") or OWN  # fmt: skip
        file = None if chosen in known else result_field()
    try:
        if chosen in known:
            return server_result(chosen, known[chosen])
        return None if file is None else uploaded_result(file.name, file.getvalue())
    except InputError as error:
        show_error(error)
        return None


def result_field() -> UploadedFile | None:
    """Draws the field for a result of the visitor's own."""
    return st.file_uploader(
        "A result: the JSON file of a corpus job", type=["json"], key="corpus",
        label_visibility="collapsed",
    )  # fmt: skip


def server_result(name: str, path: Path) -> Result:
    """The result at a path of the server."""
    try:
        found = path.stat()
        if found.st_size > MAX_FILE:
            raise InputError(f"{name}: {found.st_size} bytes are too many for a page; give up to {MAX_FILE}")
        return _read_shared(str(path), found.st_mtime_ns, found.st_size, name)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); ask the operator of this server") from None


@st.cache_resource(max_entries=4, show_spinner=False)
def _read_shared(path: str, modified: int, size: int, name: str) -> Result:
    """Reads a result once for all sessions, and again when the file changes."""
    return read(Path(path).read_bytes(), name)


def uploaded_result(name: str, data: bytes) -> Result:
    """The result in an upload."""
    return _read_private(sha256(data).hexdigest(), short_name(name), data)


@st.cache_resource(max_entries=2, show_spinner=False, scope="session")
def _read_private(digest: str, name: str, _data: bytes) -> Result:
    """Reads an upload once in a session."""
    return read(_data, name)
