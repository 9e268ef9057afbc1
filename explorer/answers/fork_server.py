"""Starts worker processes within milliseconds: `python -m explorer.answers.fork_server FD`.

A worker needs two seconds' worth of imports. This process imports them once, and each worker is a fork of it, which
shares the imported memory. It also opens, once, each bundled tokenizer that a visitor's pattern or template is for. It
runs nothing of a visitor's. A worker that has ended stays a zombie until the server reaps it, so that its process id
never names another process meanwhile. When the server ends, this process does.

Needs POSIX.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import struct
import subprocess
import sys
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from threading import Lock
from typing import Final

from explorer.answers.processes import Limits, environment

ORDER: Final = struct.Struct("=cqdq64s64s")
"""An order to this process: FORK with the limits of the worker and a bundled tokenizer, or REAP with its process id."""
FORK: Final = b"f"
REAP: Final = b"r"
REPLY: Final = struct.Struct("=q")
"""The process id of a new worker."""
START_SECONDS: Final = 60.0
"""How long this process may take to import everything."""


class ForkServer:
    """This process as the server sees it. It is started with the first order, or by `start`. Thread-safe."""

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
                    [sys.executable, "-m", "explorer.answers.fork_server", str(theirs.fileno())],
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


FORKS: Final = ForkServer()
"""The one of this server."""


def serve(descriptor: int) -> None:
    """Follows the server's orders until it ends."""
    import_module("explorer.answers.worker").preload()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=descriptor) as orders:
        while True:
            order, descriptors, _, _ = socket.recv_fds(orders, ORDER.size, 1, socket.MSG_WAITALL)
            if len(order) < ORDER.size:
                return
            kind, pid, seconds, memory, *bundled = ORDER.unpack(order)
            if kind == REAP:
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
                continue
            open_once(*(each.rstrip(b"\0").decode() for each in bundled))
            child = fork()
            if child == 0:
                orders.close()
                run(descriptors[0], Limits(seconds, memory))
            os.close(descriptors[0])
            orders.sendall(REPLY.pack(child))


def open_once(label: str, implementation: str) -> None:
    """Opens a bundled tokenizer, which all later workers have; one that fails is the worker's to report."""
    if label:
        with suppress(Exception):
            import_module("explorer.answers.worker").open_bundled(label, implementation)


def fork() -> int:
    """`os.fork`: libraries that were imported have idle threads, which a worker does without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def run(descriptor: int, limits: Limits) -> None:
    """Runs a worker in this process, and ends it."""
    status = 1
    try:
        os.setpgid(0, 0)
        import_module("explorer.answers.worker").work(descriptor, limits)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(int(sys.argv[1]))
