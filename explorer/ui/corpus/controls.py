"""Chooses the result of a corpus job: the sample's, one that the operator gave, the visitor's own job or upload.

The operator starts the app with `streamlit run app.py -- --corpus RESULT.json`, once for each result. URLs name
results by file name, never by path. A visitor's own live in the session only.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.upload_offer import short_name
from explorer.corpus.result import Result, read
from explorer.corpus.sample import sample_result
from explorer.errors import InputError
from explorer.formats.strict_json import MAX_FILE
from explorer.ui.bar import bar
from explorer.ui.notices import show_error
from explorer.ui.tokenizers.server_arguments import app_arguments, parse_arguments

OWN = "a result from a file"
SAMPLE = "The Declaration of Human Rights in 46 languages"
NONE = "nothing beside it"


def server_results() -> dict[str, Path]:
    """The operator's results by name; repeated names are numbered."""
    found: dict[str, Path] = {}
    for path in map(Path, parse_arguments(app_arguments()).results):
        name, number = short_name(path.name), 2
        while name in found:
            name, number = f"{short_name(path.name)} ({number})", number + 1
        found[name] = path
    return found


def choose() -> tuple[Result | None, Result | None]:
    """Draws the choice of a result, and of one beside it. None for one that is not chosen yet or can't be read."""
    server, own = server_results(), own_results()
    known = [*server, *own, SAMPLE]
    shown = st.session_state.pop("corpus_show", None)
    if shown in known:
        st.session_state.result = shown
    with bar():
        chosen = st.selectbox("Result", [*known, OWN], key="result", bind="query-params", width=320,
                              label_visibility="collapsed") or known[0]  # fmt: skip
        beside = st.selectbox("Beside it", [NONE, *(name for name in known if name != chosen)], key="beside",
                              bind="query-params", width=320, label_visibility="collapsed")  # fmt: skip
        file = None if chosen in known else result_field()

    def result_of(name: str | None) -> Result | None:
        try:
            if name in server:
                return server_result(name, server[name])
            if name in own:
                return uploaded_result(name, own[name])
            if name == SAMPLE:
                return sample_result()
            return uploaded_result(file.name, file.getvalue()) if name == OWN and file is not None else None
        except InputError as error:
            show_error(error)
            return None

    return result_of(chosen), result_of(beside)


def own_results() -> dict[str, bytes]:
    """The results of this session's own jobs by name, the latest first."""
    results: dict[str, bytes] = st.session_state.setdefault("corpus_results", {})
    return results


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
