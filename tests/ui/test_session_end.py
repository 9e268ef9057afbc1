"""What a session's widgets hold is freed when the session ends."""

from __future__ import annotations

from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from explorer.ui.frame import close_files


def test_files_that_widgets_hold_are_freed() -> None:
    one, other = (UploadedFile(UploadedFileRec(name, name, "", b"data"), FileURLs()) for name in ("one", "other"))
    state = SafeSessionState(SessionState(), lambda: None)
    state["one file"], state["several"], state["a text"] = one, [other, "text"], "text"
    close_files(state)
    assert (one.closed, other.closed, state["a text"]) == (True, True, "text")
