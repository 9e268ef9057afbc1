"""What the server and the processes beside it share: their environment, their limits, and the messages they exchange.

Limits need POSIX; elsewhere a process has none. Messages are pickled: both ends of the socket are the explorer's own
processes. Files and texts are never unpickled.
"""

import os
import pickle
import signal
import struct
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from explorer.errors import InputError, TryAgain


def environment() -> dict[str, str]:
    """This process's environment, with which Python finds this package and what it found here."""
    given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *given])}


OOM_SCORE = 500
"""Added to what Linux ends first when memory runs out (0 to 1000): these processes go before the server."""


PAUSE: signal.Signals = getattr(signal, "SIGTSTP", signal.SIGTERM)
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


SECONDS = 20.0
"""Seconds of processor time for one question."""
MEMORY = 3_000_000_000
"""Bytes of the whole process."""


class Limits(NamedTuple):
    """What a process may use. seconds: of processor time for one question; memory: bytes of the whole process."""

    seconds: float = SECONDS
    memory: int = MEMORY

    @property
    def out_of_time(self) -> InputError:
        """The error for a question that exceeds `seconds`."""
        return InputError(
            f"this takes more than {self.seconds:g} seconds of computing, {LIMIT_NOTE} give a shorter text or a "
            "simpler pattern, or run it on your own machine (`explorer encode --help`)"
        )

    @property
    def out_of_memory(self) -> InputError:
        """The error for a question that exceeds `memory`."""
        return InputError(
            f"this needs more than {self.memory // 1_000_000:,} MB of memory, {LIMIT_NOTE} give a shorter text or a "
            "smaller file, or run it on your own machine (`explorer encode --help`)"
        )

    @property
    def died(self) -> InputError:
        """The error for a process that ended before it answered."""
        return TryAgain(
            "the process that runs your file or pattern ended before it answered, most often for lack of memory "
            f"(it has {self.memory // 1_000_000:,} MB); try again, or give a shorter text or a smaller file"
        )

    @property
    def crowded_out(self) -> InputError:
        """The error for a process that ended to make room for other visitors."""
        return TryAgain(
            "many visitors' files and patterns are being computed now, and yours, which took most, was stopped to make "
            "room; try again in a moment, or run it on your own machine (`explorer encode --help`)"
        )


LIMIT_NOTE = "the limit here for a visitor's file or pattern;"


class Call(NamedTuple):
    """A question to a worker. cached: whether the worker caches the answer. ended: runs of templates that ended one."""

    module: str
    function: str
    args: tuple[Any, ...]
    cached: bool
    ended: tuple[str, ...] = ()


RUNS = b"runs "
"""Begins a message from a worker that is no reply: the run of a template that begins, none when it is over."""


class Refusal(NamedTuple):
    """The input is in error. exhausted: a limit stopped the worker, so its process must be replaced."""

    error: InputError
    exhausted: bool = False


class Crash(NamedTuple):
    """The code is in error. stack: without exception messages, because they quote the visitor's input."""

    stack: str


class Canceled(NamedTuple):
    """The server canceled the question."""


class Pieces(list[bytes]):
    """A pickle as it is written: large bytes are pieces of their own, not copies."""

    def write(self, piece: bytes | memoryview) -> None:
        """Called by the pickler."""
        self.append(bytes(piece))  # bytes stay the same object


def send(socket: Connection, value: object) -> None:
    """Sends a value without a second copy of large bytes in it, such as those of an upload."""
    pieces = Pieces()
    pickle.dump(value, pieces, pickle.HIGHEST_PROTOCOL)
    socket.send_bytes(str(len(pieces)).encode())
    for piece in pieces:
        socket.send_bytes(piece)


def receive(socket: Connection) -> Any:
    """What `send` sent."""
    return pickle.loads(b"".join([socket.recv_bytes() for _ in range(int(socket.recv_bytes()))]))


ORDER = struct.Struct("=cqdq64s64s")
"""An order to this process: FORK with the limits of the worker and a bundled tokenizer, or REAP with its process id."""
FORK = b"f"
REAP = b"r"
REPLY = struct.Struct("=q")
"""The process id of a new worker."""
START_SECONDS = 60.0
"""How long this process may take to import everything."""
