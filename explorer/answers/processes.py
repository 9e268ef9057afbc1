"""What the processes beside the server share: the environment they start in, and the limits they keep to.

Limits need POSIX; elsewhere a process has none.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final


def environment() -> dict[str, str]:
    """This process's environment, with which Python finds this package and what it found here."""
    given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *given])}


OOM_SCORE: Final = 500
"""Added to what Linux ends first when memory runs out (0 to 1000): these processes go before the server."""


PAUSE: Final[signal.Signals] = getattr(signal, "SIGTSTP", signal.SIGTERM)
"""Pauses such a process until SIGCONT. Unlike SIGSTOP, the system ignores it once the server is gone, which could then
never continue it: also one that was sent just before."""


def keep_to(niceness: int, memory: int) -> None:
    """Lowers this process's priority, limits its memory in bytes, and has it leave no core file.

    When the system's memory runs out, this process ends before the server.
    """
    if os.name == "posix":
        import resource

        signal.signal(PAUSE, signal.SIG_DFL)
        os.nice(niceness)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))


def resident(pid: int | None) -> int:
    """Bytes of a process's resident memory; 0 where the system doesn't say."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def allow_many_files() -> None:
    """Lets this process have as many files and sockets open as the system allows it; a visitor needs about six."""
    if os.name == "posix":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
