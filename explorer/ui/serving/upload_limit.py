"""Limits the uploads that no run of a page has taken yet.

Streamlit accepts a file at every upload URL and keeps it until the session ends, whether a page asks for it or not. A
page takes its files at once (`uploads.delete_from_streamlit`), so whatever Streamlit still holds is unclaimed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, MutableMapping
from typing import Any, Final

from streamlit import config
from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from explorer.text.say import size
from explorer.ui.serving.hosts import refuse

MOST_BYTES: Final = 256_000_000
"""Unclaimed bytes of one session, including uploads in progress."""
MOST_FILES: Final = 48
"""Unclaimed files of one session, including uploads in progress."""

PATH: Final = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
REQUEST_OVERHEAD: Final = 1_000_000
"""Bytes by which a request may exceed its file."""
TOO_MANY: Final = f"Too many files at once: a page takes at most {MOST_FILES}, {size(MOST_BYTES)} together."


class UploadLimit:
    """ASGI middleware. stored: the bytes and the number of unclaimed files of a session."""

    def __init__(self, app: Any, stored: Callable[[str], tuple[int, int]] | None = None) -> None:
        self.app, self.stored = app, stored or stored_by_streamlit
        self.bytes_in_progress: Counter[str] = Counter()
        self.files_in_progress: Counter[str] = Counter()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Handles a request; refuses an upload beyond the limit."""
        found = PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        session, length = found[1], content_length(scope)
        bytes, files = self.stored(session)
        too_large = bytes + self.bytes_in_progress[session] + length > MOST_BYTES
        if too_large or files + self.files_in_progress[session] >= MOST_FILES:
            await refuse("http", send, 413, TOO_MANY)
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


def content_length(scope: MutableMapping[str, Any]) -> int:
    """The bytes a request announces; without an announcement, the most that Streamlit accepts."""
    value = dict(scope.get("headers", ())).get(b"content-length", b"")
    if value.isdigit() and len(value) < 20:
        return int(value)
    return int(config.get_option("server.maxUploadSize")) * 2**20 + REQUEST_OVERHEAD
