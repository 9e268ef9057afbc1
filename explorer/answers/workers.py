"""Processes that work for sessions, seen from the server: started, asked, given up, killed, ended.

A session that brings a file or types a pattern gets a process of its own (`worker`) with its next question, and keeps
it while it asks. So many compute at once as the machine has cores less one, but two at least. A process that died or
was killed is replaced with the next question; what it knew is made again.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, Final

import explorer
from explorer.answers.asking import Question
from explorer.answers.memory import Weighed
from explorer.answers.messages import Asked, Broken, Limits, Refused, read, written
from explorer.answers.offers import Offer
from explorer.answers.waiting import LOOKED, waited_for
from explorer.errors import InputError

TO_START: Final = 60.0
"""Seconds that a process has to start."""
TO_GIVE_UP: Final = 1.0
"""Seconds that a process has to give up a question before it is killed."""
TO_ANSWER: Final = 3.0
"""Times the seconds it may compute, on the clock, before it is killed."""

AT_ONCE = BoundedSemaphore(max(2, (os.cpu_count() or 2) - 1))
"""Those that compute."""


DEFAULT: Final = Limits()


class Fault(Exception):
    """A fault of ours in a process; its message is the stack there."""


class Process:
    """The process of one session. Its methods may be called on any thread."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self._limits = limits
        self._lock = Lock()
        self._running: tuple[subprocess.Popen[bytes], Connection] | None = None
        self._ready = False
        self._offers: dict[str, Offer] = {}
        self.asked = monotonic()
        """When it was asked last, by `monotonic`."""

    @property
    def running(self) -> bool:
        """Whether there is a process at all."""
        return self._running is not None

    def ask(
        self, question: Question[..., Any], args: tuple[Any, ...], *, kept: bool, still: Callable[[], None]
    ) -> Weighed:
        """The answer, worked out there, and its bytes. Raises InputError, and whatever `still` raises."""
        with waited_for(self._lock, still), waited_for(AT_ONCE, still):
            self.asked = monotonic()
            module, _, function = question.name.partition(":")
            connection = self._started()
            message, new = written(Asked(module, function, args, kept), self._offers)
            try:
                if not self._ready:
                    self._wait(connection, still, TO_START)
                    self._ready = True
                connection.send_bytes(pickle.dumps(new))
                connection.send_bytes(message)
                self._offers |= new
                answer = self._wait(connection, still, TO_ANSWER * self._limits.seconds)
            except (EOFError, OSError):
                self._end()
                raise self._limits.died from None
            found = read(answer, self._offers)
            self.asked = monotonic()
            if isinstance(found, Refused) and found.spent:
                self._end()
        if isinstance(found, Refused):
            raise found.error
        if isinstance(found, Broken):
            raise Fault(found.stack)
        return Weighed(found, len(answer))

    def start(self) -> None:
        """Has it start; whoever asks waits until it is ready."""
        with self._lock:
            self._started()

    def _started(self) -> Connection:
        if self._running is not None and self._running[0].poll() is None:
            return self._running[1]
        self._end()
        ours, theirs = socket.socketpair()
        with theirs:
            env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(explorer.__file__).parents[1]), *paths()])}
            process = subprocess.Popen(
                [sys.executable, "-m", "explorer.answers.worker", str(theirs.fileno()), *map(str, self._limits)],
                # Ctrl-C in the terminal is for the server alone: one that is still starting would show a stack
                pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, env=env, process_group=0,
            )  # fmt: skip
        connection = Connection(ours.detach())
        self._running = process, connection
        return connection

    def _wait(self, connection: Connection, still: Callable[[], None], most: float) -> bytes:
        ends = monotonic() + most
        try:
            while not connection.poll(LOOKED):
                still()
                if monotonic() > ends:
                    self._end()
                    raise self._limits.too_long
        except InputError:
            raise
        except BaseException:
            if self._ready:
                self._give_up(connection)
            raise
        return connection.recv_bytes()

    def _give_up(self, connection: Connection) -> None:
        """Has it stop at what it is doing, and be ready for the next question. Killed where that takes long."""
        assert self._running is not None
        process, ends = self._running[0], monotonic() + TO_GIVE_UP
        with suppress(OSError, EOFError):
            while monotonic() < ends:
                process.send_signal(signal.SIGUSR1)
                if connection.poll(LOOKED):
                    connection.recv_bytes()
                    return
        self._end()

    def end(self) -> None:
        """Gives back all that it holds, at once; the next question starts it anew."""
        running = self._running
        if running is not None:
            # whoever waits for an answer, and keeps the lock meanwhile, hears of it
            running[0].send_signal(signal.SIGKILL)
        with self._lock:
            self._end()

    @property
    def resident(self) -> int:
        """Bytes that it has in memory; 0 where the system does not say."""
        running = self._running
        try:
            pages = Path(f"/proc/{running[0].pid}/statm").read_text().split()[1] if running is not None else "0"
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end_idle(self, since: float) -> None:
        """Ends it where nobody has asked since then."""
        if self.asked < since and self._lock.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._lock.release()

    def _end(self) -> None:
        self._offers.clear()
        self._ready = False
        if self._running is not None:
            process, connection = self._running
            self._running = None
            connection.close()
            process.send_signal(signal.SIGKILL)
            process.wait()


def paths() -> list[str]:
    """What this process was told of where modules lie."""
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
