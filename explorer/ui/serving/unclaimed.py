"""Files that are sent to the server and that no run of a page has taken yet: counted, and refused beyond a bound.

Streamlit takes a file for every address it is sent to and holds it until the session ends, whether a page asks for it
or not. A page takes its files out at once (`uploads.forget`), so what is held there is what nobody has claimed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, MutableMapping
from typing import Any, Final

from streamlit import config
from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from explorer.text.quantities import size

MOST_BYTES: Final = 256_000_000
"""Of one session, with those that are still on their way."""
MOST_FILES: Final = 48

PATH: Final = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
LARGEST: Final = 1_000_000
"""What a request is larger than its file."""


class Unclaimed:
    """Middleware of the server. held: told a session, the bytes and the number of files that wait there."""

    def __init__(self, app: Any, held: Callable[[str], tuple[int, int]] | None = None) -> None:
        self.app, self.held = app, held or waiting
        self.coming: Counter[str] = Counter()
        self.files: Counter[str] = Counter()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        found = PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        session, announced = found[1], length(scope)
        bytes, files = self.held(session)
        if bytes + self.coming[session] + announced > MOST_BYTES or files + self.files[session] >= MOST_FILES:
            await refuse(send)
            return
        self.coming[session] += announced
        self.files[session] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            # nothing stays behind of sessions that are over
            self.coming = +(self.coming - Counter({session: announced}))
            self.files = +(self.files - Counter({session: 1}))


def waiting(session: str) -> tuple[int, int]:
    """The bytes and the number of files that Streamlit holds for a session."""
    manager = get_instance().uploaded_file_mgr if exists() else None
    if not isinstance(manager, MemoryUploadedFileManager):
        return 0, 0
    files = list(manager.file_storage.get(session, {}).values())
    return sum(len(file.data) for file in files), len(files)


def length(scope: MutableMapping[str, Any]) -> int:
    """How many bytes a request announces; as many as there may be where it does not say, which Streamlit sees to."""
    said = dict(scope.get("headers", ())).get(b"content-length", b"")
    if said.isdigit() and len(said) < 20:
        return int(said)
    return int(config.get_option("server.maxUploadSize")) * 2**20 + LARGEST


async def refuse(send: Any) -> None:
    says = f"These are more files than a page takes at once: at most {MOST_FILES}, {size(MOST_BYTES)} together."
    body = says.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})
