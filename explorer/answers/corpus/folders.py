"""The folders of jobs: one for each, readable by the server's user alone, deleted with its job or after its server.

A folder is locked for as long as its server lives. A folder that nobody locks is what a server left behind that was
killed; the next one deletes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

NEW: Final = "explorer-new-corpus-"
"""Folders begin so until they are locked."""
LOCKED: Final = "explorer-corpus-"
LOCK: Final = ".server"


class JobFolder:
    """A new folder, locked until it is deleted or this process ends."""

    def __init__(self) -> None:
        import fcntl  # POSIX alone has it, and runs jobs

        folder = Path(tempfile.mkdtemp(prefix=NEW))
        self.lock: IO[bytes] = (folder / LOCK).open("wb")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.path = folder.rename(folder.with_name(folder.name.replace(NEW, LOCKED)))

    def delete(self) -> None:
        """Deletes it and what is in it. A second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.lock.close()


def delete_abandoned() -> None:
    """Deletes the folders of servers that are gone."""
    if os.name != "posix":
        return
    import fcntl

    for path in Path(tempfile.gettempdir()).glob(f"{LOCKED}*"):
        with suppress(OSError):
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            # without a lock another program made it
            with (path / LOCK).open("r+b") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
