"""Worker processes as the server sees them: started, asked, paused, canceled, killed.

A session gets a process of its own (`worker`) with its first question about an upload or a pattern, and keeps it while
it asks. The `Pool` says when it may start, `turns` when it computes; while it is not its turn, the process is stopped.
A process that ended is replaced at the next question; its caches are filled again.

A process is started only under `MAX_PROCESSES`: the one idle longest makes room. If all compute, visitors wait, who
used least first, and after `PATIENCE_SECONDS` the process that computed most ends. Beyond `MAX_RESIDENT`, idle ones end
first, then the largest. What a process shares with the fork server is not counted.

The fork server imports what a worker needs, two seconds' worth, once; each worker is a fork of it within milliseconds,
which shares the imported memory. Needs POSIX.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock
from time import monotonic, sleep
from typing import Any

from explorer.answers.offers import Offer, Origin, dumps, loads
from explorer.answers.processes import (
    FORK,
    ORDER,
    PAUSE,
    REAP,
    REPLY,
    RUNS,
    START_SECONDS,
    Call,
    Crash,
    Limits,
    Refusal,
    environment,
    resident,
    send,
)
from explorer.answers.questions import POLL_SECONDS, AnyQuestion, Arguments, CheckWanted, Weighed, acquired, specs_in
from explorer.answers.turns import SLICE, Account, Turn, Turns, Waits
from explorer.errors import InputError, TryAgain
from explorer.prompts.guards import ENDED
from explorer.prompts.run import TemplateStopped

MAX_PROCESSES = 48
"""Worker processes."""
MAX_RESIDENT = 4_000_000_000
"""Bytes of memory of all worker processes."""
OWN_BYTES = 60_000_000
"""Bytes counted for each process: what it soon writes of the memory it shared."""
PATIENCE_SECONDS = 2.0
"""How long a visitor waits before the process that computed most makes room."""


class ForkServer:
    """The process that all others are forked from (`worker.serve`). It starts with the first order, or by `start`.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def start(self) -> None:
        """Starts it without waiting until it is ready."""
        with self._lock:
            self._orders()

    def fork(self, limits: Limits, bundled: tuple[str, str] = ("", "")) -> tuple[int, Connection]:
        """A new worker's process id and its socket. Raises OSError if the system starts no process.

        bundled: label and implementation of a tokenizer that the worker is to have open.
        """
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            order = ORDER.pack(FORK, 0, *limits, *(each.encode() for each in bundled))
            try:
                pid = self._ask(order, theirs)
            except OSError:  # it was killed: another one takes its place
                self._end()
                pid = self._ask(order, theirs)
        return pid, Connection(ours.detach())

    def _ask(self, order: bytes, theirs: socket.socket) -> int:
        orders = self._orders()
        socket.send_fds(orders, [order], [theirs.fileno()])
        reply = orders.recv(REPLY.size, socket.MSG_WAITALL)
        if len(reply) < REPLY.size:
            raise OSError("no worker process can be started")
        (pid,) = REPLY.unpack(reply)
        return int(pid)

    def reap(self, pid: int) -> None:
        """Releases the process id of a worker that has been killed."""
        with self._lock, suppress(OSError):
            if self._running is not None:
                self._running[1].sendall(ORDER.pack(REAP, pid, 0, 0, b"", b""))

    def end(self) -> None:
        """Ends it; workers go on until their sockets are closed."""
        with self._lock:
            self._end()

    def _orders(self) -> socket.socket:
        if self._running is None:
            ours, theirs = socket.socketpair()
            with theirs:
                process = subprocess.Popen(
                    [sys.executable, "-c", f"from explorer.answers.worker import serve; serve({theirs.fileno()})"],
                    # its own group: Ctrl-C in the terminal is for the server, and this process would print a stack.
                    # One thread: a fork has the thread that forks and no other
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    process_group=0,
                    env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
                )
            ours.settimeout(START_SECONDS)
            self._running = process, ours
        return self._running[1]

    def _end(self) -> None:
        if self._running is not None:
            process, orders = self._running
            self._running = None
            orders.close()
            process.kill()
            process.wait()


FORKS = ForkServer()
"""The one of this server."""


class Pool:
    """The worker processes of all sessions, and the bytes they occupy. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._bytes: dict[WorkerProcess, int] = {}
        self._waiting: list[WorkerProcess] = []

    def enter(self, process: WorkerProcess, check_wanted: CheckWanted, waits: Waits) -> None:
        """Waits until there is room for another process. check_wanted: raises once it isn't needed."""
        since = monotonic()
        with self._lock:
            self._waiting.append(process)
        try:
            while not self._entered(process):
                check_wanted()
                waits(len(self._bytes), 0.0)
                if monotonic() - since > PATIENCE_SECONDS and self._let_in(process):
                    since = monotonic()
                sleep(POLL_SECONDS)
        finally:
            with self._lock:
                self._waiting.remove(process)
        self.measured(process)

    def _entered(self, process: WorkerProcess) -> bool:
        now = monotonic()
        with self._lock:
            if min(self._waiting, key=lambda each: each.account.at(now)) is not process:
                return False
            if len(self._bytes) < MAX_PROCESSES:
                self._bytes[process] = OWN_BYTES
                return True
        return self._end_idle() and self._entered(process)

    def _let_in(self, process: WorkerProcess) -> bool:
        """Ends the process that computed most, unless that is less than `process` did. Returns whether it did."""
        now = monotonic()
        most = max(self._members(), key=lambda each: each.account.at(now), default=process)
        if most.account.at(now) <= process.account.at(now) + SLICE / 2:
            return False
        most.evict()
        return True

    def left(self, process: WorkerProcess) -> None:
        """The process has ended."""
        with self._lock:
            self._bytes.pop(process, None)

    def measured(self, process: WorkerProcess) -> None:
        """Measures a process that computes. If all of them occupy too much, idle ones end, then the largest."""
        with self._lock:
            self._bytes[process] = OWN_BYTES + process.own_bytes
        while sum(self._bytes.copy().values()) > MAX_RESIDENT:
            if not self._end_idle():
                max(self._bytes.copy().items(), key=lambda each: each[1])[0].evict()
                return

    def _members(self) -> list[WorkerProcess]:
        with self._lock:
            return list(self._bytes)

    def _end_idle(self) -> bool:
        """Ends the process idle longest. Returns whether there was one."""
        return any(each.end_if_idle(monotonic()) for each in sorted(self._members(), key=lambda each: each.last_used))


POOL = Pool()
"""The one of this server."""


CANCEL_SECONDS = 1.0
"""How long a process may take to cancel a question before it is killed."""
WALL_CLOCK_FACTOR = 3.0
"""Multiple of its time limit that a process may take by the clock, while it is its turn, before it is killed."""

TURNS = Turns()
"""Those of this server."""
DEFAULT_LIMITS = Limits()


AGAIN = 3
"""How often a question is asked again, in another process, after the run of a template ended one."""
TEMPLATE_WEIGHT = 5.0
"""How many times a second in a template counts: others go before a template that takes longer than an honest one."""
MOST_ENDED = 50
"""Runs that ended a session's process and are remembered."""


class EndedByTemplate(TemplateStopped):
    """A template ran when the process ended."""


class WorkerCrash(Exception):
    """An unexpected exception in a worker; the message is its stack."""


class WorkerProcess:
    """The process of one session. Thread-safe."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS, account: Account | None = None) -> None:
        """account: of its visitor; by default, one for whom nothing was computed."""
        self._limits = limits
        self._lock = Lock()
        self._signals = Lock()
        """Held while a signal is sent, and while the process id is released."""
        self._running: tuple[int, Connection] | None = None
        self._shared = 0
        """Bytes of memory when it was forked."""
        self._ready = self._evicted = False
        self._offers: dict[str, Offer] = {}
        self._run = ""
        """The run of a template that it is in; "" outside."""
        self._runs_ended: tuple[str, ...] = ()
        """Runs that ended a process of this session, the last ones; the next process doesn't begin them."""
        self.account = account or Account()
        self.last_used = monotonic()
        """When it was last asked, in seconds of `monotonic`."""

    @property
    def pid(self) -> int | None:
        """The process id, while it runs."""
        running = self._running
        return None if running is None else running[0]

    def ask(
        self,
        question: AnyQuestion,
        args: Arguments,
        *,
        cached: bool,
        check_wanted: CheckWanted,
        waits: Waits = lambda before, seconds: None,
    ) -> Weighed:
        """The worker's answer and its size in bytes. Raises InputError, and whatever `check_wanted` raises."""
        with acquired(self._lock, check_wanted):
            again = AGAIN
            while True:
                connection = self._started(args, check_wanted, waits)
                try:
                    with TURNS.turn(self.account, check_wanted, waits) as turn:
                        self.last_used = monotonic()
                        answer, size = self._exchange(connection, turn, question, args, cached, check_wanted)
                        break
                except EndedByTemplate:
                    if not again:
                        raise
                    again -= 1
                finally:
                    self.last_used = monotonic()
            if isinstance(answer, Refusal) and answer.exhausted:
                self._end()
        if isinstance(answer, Refusal):
            raise answer.error
        if isinstance(answer, Crash):
            raise WorkerCrash(answer.stack)
        return Weighed(answer, size)

    def _exchange(
        self,
        connection: Connection,
        turn: Turn,
        question: AnyQuestion,
        args: Arguments,
        cached: bool,
        check_wanted: CheckWanted,
    ) -> tuple[Any, int]:
        """Sends a question and receives the reply, with its size in bytes."""
        module, _, function = question.name.partition(":")
        message, new = dumps(Call(module, function, args, cached, self._runs_ended), self._offers)
        self._run = ""
        try:
            if not self._ready:
                self._receive(connection, turn, check_wanted, START_SECONDS)
                self._ready = True
            send(connection, new)
            connection.send_bytes(message)
            self._offers |= new
            reply = self._receive(connection, turn, check_wanted, WALL_CLOCK_FACTOR * self._limits.seconds)
        except (EOFError, OSError):
            evicted = self._evicted
            self._end()
            if self._run and not evicted:
                self._runs_ended = (*self._runs_ended[1 - MOST_ENDED :], self._run)
                raise EndedByTemplate(ENDED) from None
            raise (self._limits.crowded_out if evicted else self._limits.died) from None
        return loads(reply, self._offers), len(reply)

    def _started(self, args: Arguments, check_wanted: CheckWanted, waits: Waits) -> Connection:
        if self._running is not None and not self._has_ended():
            return self._running[1]
        self._end()
        POOL.enter(self, check_wanted, waits)
        try:
            models = (each for each in specs_in(args) if each.offer.origin is Origin.BUNDLED and not each.choices)
            asked = next(((each.offer.label, each.implementation) for each in models), ("", ""))
            self._running = FORKS.fork(self._limits, asked)
        except OSError as error:
            POOL.left(self)
            raise TryAgain("the server can start no process for your file or pattern now; try again later") from error
        self._evicted, self._shared = False, resident(self.pid)
        return self._running[1]

    def _has_ended(self) -> bool:
        """Whether the system ended it while it was idle: its end of the socket is closed."""
        assert self._running is not None
        return self._ready and self._running[1].poll()

    def _receive(self, connection: Connection, turn: Turn, check_wanted: CheckWanted, seconds: float) -> bytes:
        """The next message, within so many seconds of its turns. If it is no longer wanted, cancels the question."""
        last, computes = turn.computed, True
        try:
            while not (message := self._message(connection)):
                check_wanted()
                turn.weight = TEMPLATE_WEIGHT if self._run else 1.0
                if TURNS.runs(turn) != computes:
                    computes = not computes
                    self._signal(signal.SIGCONT if computes else PAUSE)
                if computes:
                    POOL.measured(self)
                if turn.computed > last + seconds:
                    self._end()
                    raise self._limits.out_of_time
        except (InputError, EOFError, OSError):
            raise
        except BaseException:
            self._signal(signal.SIGCONT)
            if self._ready:
                self._cancel(connection)
            raise
        if not computes:  # it answered while it was being stopped
            self._signal(signal.SIGCONT)
        return message

    def _message(self, connection: Connection) -> bytes:
        """The next message, b"" if none comes soon. One about a template is kept in `_run`."""
        message = connection.recv_bytes() if connection.poll(POLL_SECONDS) else b""
        if message.startswith(RUNS):
            self._run, message = message.removeprefix(RUNS).decode(), b""
        return message

    def _cancel(self, connection: Connection) -> None:
        """Cancels the current question, so that the process is ready for the next; kills it if that takes long."""
        deadline = monotonic() + CANCEL_SECONDS
        with suppress(OSError, EOFError):
            while monotonic() < deadline:
                self._signal(signal.SIGUSR1)
                if self._message(connection):
                    return
        self._end()

    def _signal(self, number: signal.Signals) -> None:
        with self._signals, suppress(ProcessLookupError):
            if self._running is not None:
                os.kill(self._running[0], number)

    def end(self) -> None:
        """Ends the process at once; the next question starts another."""
        self._signal(signal.SIGKILL)  # wakes the thread that waits for an answer and holds the lock
        with self._lock:
            self._end()

    def evict(self) -> None:
        """Ends the process though it computes; its question is refused."""
        self._evicted = True
        self._signal(signal.SIGKILL)

    @property
    def own_bytes(self) -> int:
        """Bytes of its memory since it was forked."""
        return max(0, resident(self.pid) - self._shared)

    def end_if_idle(self, since: float) -> bool:
        """Ends the process if it isn't computing and was last asked before `since`. Returns whether it ended."""
        if self.last_used >= since or not self._lock.acquire(blocking=False):
            return False
        try:
            if self._running is None:
                return False
            self._end()
            return True
        finally:
            self._lock.release()

    def end_if_dead(self) -> None:
        """Releases the process if the system ended it while it was idle."""
        if self._lock.acquire(blocking=False):
            try:
                if self._running is not None and self._has_ended():
                    self._end()
            finally:
                self._lock.release()

    def _end(self) -> None:
        self._offers.clear()
        self._ready = False
        with self._signals:
            if self._running is None:
                return
            pid, connection = self._running
            self._running = None
            connection.close()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            FORKS.reap(pid)
        POOL.left(self)
