"""How the process of a job notices that its server is gone, however it ended: a pipe that only the server holds open.

The process then deletes its job's folder, because nobody can go on with it, and ends at once, whatever it computes. If
it was paused then, the system continues it, after a SIGHUP that would end it before it has deleted the folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import Final

STATUS: Final = 3
"""Of a process that ends because its server did."""


def follow_server(folder: Path) -> Thread:
    """Ends this process, and deletes the folder, when its standard input ends. Returns the thread that waits for it.

    Call it in the main thread.
    """

    def wait() -> None:
        # not through `sys.stdin`, whose lock a thread that waits would keep when Python ends
        os.read(sys.stdin.fileno(), 1)
        try:
            # under another name, nothing that the job still writes is put into it
            gone = folder.rename(folder.with_name(f"{folder.name}-gone"))
            shutil.rmtree(gone, ignore_errors=True)
        finally:
            os._exit(STATUS)

    if os.name == "posix":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    waiting = Thread(target=wait, daemon=True)
    waiting.start()
    return waiting
