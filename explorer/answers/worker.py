"""The process that runs a visitor's upload or pattern, and the fork server it comes from (`serve`).

The fork server imports what questions need, and opens, once, each bundled tokenizer that a visitor's pattern or
template is for. It runs nothing of a visitor's. A worker that has ended stays a zombie until the server reaps it, so
that its process id never names another process meanwhile. When the server ends, the fork server does.

A worker reads one question at a time from a socket and answers it. Each question has a limit of processor time, and the
process a limit of memory; exceeding one is reported as an `InputError`. A signal cancels a question. Both take effect
between two Python instructions; the server kills a process that hangs inside a library.

Needs POSIX signals and limits; `sessions.uses_workers` is false without them.
"""

import gc
import os
import resource
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from math import ceil
from multiprocessing.connection import Connection
from typing import Any

from explorer.answers.explore import tokenizer
from explorer.answers.offers import Offer, bundled, dumps, loads
from explorer.answers.processes import (
    ORDER,
    REAP,
    REPLY,
    RUNS,
    Call,
    Canceled,
    Crash,
    Limits,
    Refusal,
    keep_to,
    receive,
)
from explorer.answers.questions import AnswerCaches, LocalAnswerer, Question, set_answerer
from explorer.errors import InputError
from explorer.prompts.guards import ENDED, limited, set_guard
from explorer.prompts.run import TemplateStopped

CACHE_BYTES = {"results": 50_000_000, "material": 300_000_000, "tokenizers": 600_000_000}
"""Bytes of cached results, of what they are made of, and of opened tokenizers."""
KILL_FACTOR = 4.0
"""Multiple of the time limit at which the system ends the process, even if the server is gone."""
REPEAT_SECONDS = 0.1
"""Interval at which the deadline signal repeats, in case it was raised in code that swallows exceptions."""
NICENESS = 5
"""How far its priority on a busy machine is below the server's."""
PRELOADED = ("explore", "compare", "prompt")
"""Modules of questions, imported before the first question so that its time limit doesn't include them."""


ANSWERER = LocalAnswerer(AnswerCaches(**CACHE_BYTES))
"""A worker's own; what the fork server has opened is in it from the beginning."""


class OutOfTime(BaseException):
    """The question exceeded its time limit. Not an Exception, so that no fallback catches it."""


class Cancellation(BaseException):
    """The answer is no longer wanted."""


class Worker:
    """Answers the questions of one session. ended: runs of templates that ended a process before this one."""

    def __init__(self, socket: Connection, limits: Limits) -> None:
        self.limits = limits
        self.socket, self.offers, self.busy = socket, dict[str, Offer](), False
        self.ended: tuple[str, ...] = ()

    def run(self) -> None:
        """Answers until the server closes the socket (EOFError, or OSError with an answer unread)."""
        set_answerer(lambda: ANSWERER)
        set_guard(self.run_template)
        signal.signal(signal.SIGPROF, self._interrupt)
        signal.signal(signal.SIGUSR1, self._interrupt)
        try:
            self.socket.send_bytes(b"ready")
            while True:
                self.offers |= receive(self.socket)
                self.socket.send_bytes(self.reply(self.socket.recv_bytes()))
        except (EOFError, OSError):
            return

    def reply(self, message: bytes) -> bytes:
        """The reply to one question, within the limits."""
        try:
            return self._reply(message)
        except (OutOfTime, Cancellation) as again:
            # a signal repeats, and may come again while the reply to the first one is written
            self.busy = False
            signal.setitimer(signal.ITIMER_PROF, 0)
            reply = Refusal(self.limits.out_of_time, exhausted=True) if isinstance(again, OutOfTime) else Canceled()
            return dumps(reply, self.offers)[0]

    def _reply(self, message: bytes) -> bytes:
        reply: object
        call: Call = loads(message, self.offers)
        self.ended = call.ended
        question: Question[..., Any] = getattr(import_module(call.module), call.function)
        answer = ANSWERER.answer if call.cached else ANSWERER.compute
        try:
            self.busy = True
            signal.setitimer(signal.ITIMER_PROF, self.limits.seconds, REPEAT_SECONDS)
            limit_processor_time(KILL_FACTOR * self.limits.seconds)
            return dumps(answer(question, call.args), self.offers)[0]
        except InputError as error:
            reply = Refusal(error)
        except OutOfTime:
            reply = Refusal(self.limits.out_of_time, exhausted=True)
        except MemoryError:
            reply = Refusal(self.limits.out_of_memory, exhausted=True)
        except Cancellation:
            reply = Canceled()
        except Exception as error:
            reply = Crash("".join([*traceback.format_tb(error.__traceback__), type(error).__qualname__]))
        finally:
            self.busy = False
            signal.setitimer(signal.ITIMER_PROF, 0)
        return dumps(reply, self.offers)[0]

    @contextmanager
    def run_template(self, run: str) -> Iterator[None]:
        """Runs a template within limits. The server knows of what this process dies, and doesn't ask for it again."""
        if run in self.ended:
            raise TemplateStopped(ENDED)
        self.socket.send_bytes(RUNS + run.encode())
        try:
            with limited():
                yield
        finally:
            self.socket.send_bytes(RUNS)

    def _interrupt(self, number: int, _: object) -> None:
        if self.busy:
            raise OutOfTime if number == signal.SIGPROF else Cancellation


def limit_processor_time(seconds: float) -> None:
    """Makes the system end this process after that much more processor time, whatever code is running."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(used.ru_utime + used.ru_stime + seconds), hard))


def ignore_swallowed_signals(unraisable: Any) -> None:
    """Doesn't log a signal's exception raised in code that swallows exceptions: the signal repeats."""
    if not isinstance(unraisable.exc_value, OutOfTime | Cancellation):
        sys.__unraisablehook__(unraisable)


def serve(descriptor: int) -> None:
    """The fork server: follows the server's orders until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in PRELOADED:
        import_module(f"explorer.answers.{module}")
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=descriptor) as orders:
        while True:
            order, descriptors, _, _ = socket.recv_fds(orders, ORDER.size, 1, socket.MSG_WAITALL)
            if len(order) < ORDER.size:
                return
            kind, pid, seconds, memory, *model = ORDER.unpack(order)
            if kind == REAP:
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
                continue
            open_once(*(each.rstrip(b"\0").decode() for each in model))
            child = fork()
            if child == 0:
                orders.close()
                run(descriptors[0], Limits(seconds, memory))
            os.close(descriptors[0])
            orders.sendall(REPLY.pack(child))


def open_once(label: str, implementation: str) -> None:
    """Opens a bundled tokenizer, which all later workers have; one that fails is the worker's to report."""
    if label:
        set_answerer(lambda: ANSWERER)
        with suppress(Exception):
            tokenizer(bundled()[label].spec(implementation))


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
        keep_to(NICENESS, limits.memory)
        sys.unraisablehook = ignore_swallowed_signals
        Worker(Connection(descriptor), limits).run()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
