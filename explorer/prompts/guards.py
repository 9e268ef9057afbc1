"""The end of a template inside one operation, where no check in Python is asked: the system ends its process.

A power, a format or a long list may compute for a minute in one call, and so may compiling. A process that is watched
therefore gives itself up: it says which run it begins, and the system ends it after `SECONDS` of its processor. Whoever
watches it says so: the server for a visitor's worker (`answers.worker_process`), its parent on the command line
(`cli.main`). More memory than `MEMORY` is refused, which is an error of the template.

Left out: a process that nobody watches, of a caller of the library, and systems without POSIX limits.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from hashlib import sha256
from math import ceil
from pathlib import Path

SECONDS = 3
"""Seconds of the processor after which the system ends the process. A second more may pass until it does."""
MEMORY = 500_000_000
"""Bytes that a run may add to its process."""
ENDED = (
    f"The template was stopped: a run of it computes for more than {SECONDS} s, or its process ended otherwise. "
    "Give it less to do in one operation."
)

Guard = Callable[[str], AbstractContextManager[None]]
"""Runs a template within limits. Its argument identifies the run."""

_guard: Guard | None = None
_inside: ContextVar[bool] = ContextVar("inside a guard", default=False)


def set_guard(guard: Guard | None) -> None:
    """Sets what this process runs templates in; None: nobody watches it."""
    global _guard
    _guard = guard


@contextmanager
def guarded(*run: object) -> Iterator[None]:
    """Runs or compiles a template in this process's guard. run: identifies it for those who watch."""
    if _guard is None or _inside.get():
        yield
        return
    token = _inside.set(True)
    try:
        with _guard(sha256(repr(run).encode("utf-8", "surrogatepass")).hexdigest()):
            yield
    finally:
        _inside.reset(token)


@contextmanager
def limited() -> Iterator[None]:
    """Has the system end this process after `SECONDS`, whatever code runs, and refuse it more than `MEMORY`."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    limits = {resource.RLIMIT_CPU: ceil(used.ru_utime + used.ru_stime + SECONDS)}
    with suppress(OSError):  # only Linux says how much there is
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limits[resource.RLIMIT_AS] = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    before = {kind: resource.getrlimit(kind) for kind in limits}
    try:
        for kind, most in limits.items():
            given = [each for each in before[kind] if each != resource.RLIM_INFINITY]
            resource.setrlimit(kind, (min([most, *given]), before[kind][1]))
        yield
    finally:
        for kind, each in before.items():
            resource.setrlimit(kind, each)
