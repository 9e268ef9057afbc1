"""Which result of a corpus job is shown: one that whoever started the app gave, or a file of the visitor's own.

`streamlit run app.py -- --corpus RESULT.json`, as often as there are results. An address names them by their file
names and never by paths. A dropped file lives in its session only.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import streamlit as st

from explorer.answers.dropped_files import short_name
from explorer.corpus.result import Result, read
from explorer.errors import InputError
from explorer.formats.strict_json import MAX_FILE
from explorer.ui.problem import problem
from explorer.ui.tokenizers.server_arguments import arguments, asked

OWN = "a file of your own"


def offered() -> dict[str, Path]:
    """The operator's results by name; a second one of a name is numbered."""
    found: dict[str, Path] = {}
    for path in map(Path, asked(arguments()).results):
        name, number = short_name(path.name), 2
        while name in found:
            name, number = f"{short_name(path.name)} ({number})", number + 1
        found[name] = path
    return found


def choose() -> Result | None:
    """Draws what a result is chosen by; None where there is none yet, or where it cannot be read, which is said."""
    known = offered()
    chosen = OWN
    if known:
        chosen = st.selectbox("Result", [*known, OWN], key="result", bind="query-params", width=320) or OWN
    try:
        if chosen in known:
            return of_server(chosen, known[chosen])
        file = st.file_uploader("The JSON that `python -m explorer corpus --output` wrote", type=["json"], key="corpus")
        return None if file is None else of_session(file.name, file.getvalue())
    except InputError as error:
        problem(error)
        return None


def of_server(name: str, path: Path) -> Result:
    """A result that lies on the server."""
    try:
        found = path.stat()
        if found.st_size > MAX_FILE:
            raise InputError(f"{name}: {found.st_size} bytes are too many for a page; give up to {MAX_FILE}")
        return kept(str(path), found.st_mtime_ns, found.st_size, name)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); ask whoever started the app") from None


@st.cache_resource(max_entries=4, show_spinner=False)
def kept(path: str, changed: int, size: int, name: str) -> Result:
    """Read once for all sessions, and again when the file was changed."""
    return read(Path(path).read_bytes(), name)


def of_session(name: str, data: bytes) -> Result:
    """A result that somebody dropped."""
    return kept_private(sha256(data).hexdigest(), short_name(name), data)


@st.cache_resource(max_entries=2, show_spinner=False, scope="session")
def kept_private(digest: str, name: str, _data: bytes) -> Result:
    """Read once in a session."""
    return read(_data, name)
