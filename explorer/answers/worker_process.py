"""Worker processes as the server sees them: started, asked, cancelled, killed.

A session gets a process of its own (`worker`) with its first question about an upload or a pattern, and keeps it while
it asks. As many compute at once as the machine has cores, minus one, but at least two. A process that ended is
replaced at the next question; its caches are filled again.
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

from explorer.answers.cache import Weighed
from explorer.answers.messages import Crash, Limits, Refusal, Request, dumps, loads
from explorer.answers.offers import Offer
from explorer.answers.processes import environment
from explorer.answers.questions import Question
from explorer.answers.waiting import POLL_SECONDS, acquired
from explorer.errors import InputError

START_SECONDS: Final = 60.0
"""How long a process may take to start."""
CANCEL_SECONDS: Final = 1.0
"""How long a process may take to cancel a question before it is killed."""
WALL_CLOCK_FACTOR: Final = 3.0
"""Multiple of its time limit that a process may take by the clock before it is killed."""

COMPUTING = BoundedSemaphore(max(2, (os.cpu_count() or 2) - 1))
"""Held by each process while it computes."""

DEFAULT_LIMITS: Final = Limits()


class WorkerCrash(Exception):
    """An unexpected exception in a worker; the message is its stack."""


class WorkerProcess:
    """The process of one session. Thread-safe."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._lock = Lock()
        self._running: tuple[subprocess.Popen[bytes], Connection] | None = None
        self._ready = False
        self._offers: dict[str, Offer] = {}
        self.last_used = monotonic()
        """When it was last asked, in seconds of `monotonic`."""

    @property
    def running(self) -> bool:
        """Whether the process is started."""
        return self._running is not None

    def ask(
        self, question: Question[..., Any], args: tuple[Any, ...], *, cached: bool, check_wanted: Callable[[], None]
    ) -> Weighed:
        """The worker's answer and its size in bytes. Raises InputError, and whatever `check_wanted` raises."""
        with acquired(self._lock, check_wanted), acquired(COMPUTING, check_wanted):
            self.last_used = monotonic()
            answer, size = self._exchange(question, args, cached, check_wanted)
            self.last_used = monotonic()
            if isinstance(answer, Refusal) and answer.exhausted:
                self._end()
        if isinstance(answer, Refusal):
            raise answer.error
        if isinstance(answer, Crash):
            raise WorkerCrash(answer.stack)
        return Weighed(answer, size)

    def _exchange(
        self, question: Question[..., Any], args: tuple[Any, ...], cached: bool, check_wanted: Callable[[], None]
    ) -> tuple[Any, int]:
        """Sends a question and receives the reply, with its size in bytes."""
        module, _, function = question.name.partition(":")
        connection = self._started()
        message, new = dumps(Request(module, function, args, cached), self._offers)
        try:
            if not self._ready:
                self._receive(connection, check_wanted, START_SECONDS)
                self._ready = True
            connection.send_bytes(pickle.dumps(new))
            connection.send_bytes(message)
            self._offers |= new
            reply = self._receive(connection, check_wanted, WALL_CLOCK_FACTOR * self._limits.seconds)
        except (EOFError, OSError):
            self._end()
            raise self._limits.died from None
        return loads(reply, self._offers), len(reply)

    def start(self) -> None:
        """Starts the process without waiting until it is ready; the first question waits."""
        with self._lock:
            self._started()

    def _started(self) -> Connection:
        if self._running is not None and self._running[0].poll() is None:
            return self._running[1]
        self._end()
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "explorer.answers.worker", str(theirs.fileno()), *map(str, self._limits)],
                # its own group: Ctrl-C in the terminal is for the server, and a starting worker would print a stack
                pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, env=environment(), process_group=0,
            )  # fmt: skip
        connection = Connection(ours.detach())
        self._running = process, connection
        return connection

    def _receive(self, connection: Connection, check_wanted: Callable[[], None], seconds: float) -> bytes:
        """The next message, within so many seconds. If it is no longer wanted, cancels the question."""
        deadline = monotonic() + seconds
        try:
            while not connection.poll(POLL_SECONDS):
                check_wanted()
                if monotonic() > deadline:
                    self._end()
                    raise self._limits.out_of_time
        except InputError:
            raise
        except BaseException:
            if self._ready:
                self._cancel(connection)
            raise
        return connection.recv_bytes()

    def _cancel(self, connection: Connection) -> None:
        """Cancels the current question, so that the process is ready for the next; kills it if that takes long."""
        assert self._running is not None
        process, deadline = self._running[0], monotonic() + CANCEL_SECONDS
        with suppress(OSError, EOFError):
            while monotonic() < deadline:
                process.send_signal(signal.SIGUSR1)
                if connection.poll(POLL_SECONDS):
                    connection.recv_bytes()
                    return
        self._end()

    def end(self) -> None:
        """Ends the process at once; the next question starts another."""
        running = self._running
        if running is not None:
            # wakes the thread that waits for an answer and holds the lock
            running[0].send_signal(signal.SIGKILL)
        with self._lock:
            self._end()

    @property
    def resident(self) -> int:
        """Bytes of its resident memory; 0 where the system doesn't say."""
        running = self._running
        try:
            pages = Path(f"/proc/{running[0].pid}/statm").read_text().split()[1] if running is not None else "0"
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end_if_idle(self, since: float) -> None:
        """Ends the process if it isn't computing and was last asked before `since`."""
        if self.last_used < since and self._lock.acquire(blocking=False):
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
