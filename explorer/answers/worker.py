"""The process in which a stranger's file or pattern runs: `python -m explorer.answers.worker FD`, started by `workers`.

It takes one question after the other from a socket and answers each. A question has so many seconds of computing, and
the process so much memory; what goes over is an `InputError` that says so. A signal gives a question up. Both end it
between two steps of Python; what does not come back from a library's code is killed by the server.

Needs the signals and limits of POSIX; the server does without where there are none (`sessions.apart`).
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import traceback
from importlib import import_module
from math import ceil
from multiprocessing.connection import Connection
from typing import Any, Final

from explorer.answers.asking import Alone, Question, ask_as
from explorer.answers.memory import Memory
from explorer.answers.messages import Abandoned, Asked, Broken, Limits, Refused, read, written
from explorer.answers.offers import Offer
from explorer.errors import InputError

KEPT: Final = 50_000_000
"""Bytes of answers it keeps."""
MATERIAL: Final = 300_000_000
"""Bytes of what they are made of."""
TOKENIZERS: Final = 600_000_000
"""And of tokenizers."""
LAST: Final = 4.0
"""Times these seconds after which the system ends the process, though the server may be gone and nobody else does."""
AGAIN: Final = 0.1
"""Seconds until the deadline is said once more: where the first time fell into code that drops exceptions."""
NICER: Final = 5
"""How much less it gets of a busy machine than the server."""


class OutOfTime(BaseException):
    """The question has taken all of its seconds. No Exception, so that nobody who tries something else catches it."""


class GivenUp(BaseException):
    """Nobody waits for the answer."""


class Worker:
    """Answers the questions of one session."""

    def __init__(self, socket: Connection, limits: Limits) -> None:
        self.limits = limits
        self.socket, self.offers, self.busy = socket, dict[str, Offer](), False
        self.own = Alone(Memory(KEPT), Memory(MATERIAL), Memory(TOKENIZERS))

    def run(self) -> None:
        """Until the server goes. If it leaves words of this process unread, the socket says so with an error."""
        ask_as(lambda: self.own)
        # what every page needs is not on anybody's bill
        import_module("explorer.answers.compare")
        signal.signal(signal.SIGPROF, self.out_of_time)
        signal.signal(signal.SIGUSR1, self.give_up)
        try:
            self.socket.send_bytes(b"ready")
            while True:
                new, message = self.socket.recv_bytes(), self.socket.recv_bytes()
                self.offers |= pickle.loads(new)
                answer = self.answered(message)
                self.socket.send_bytes(answer)
        except (EOFError, OSError):
            return

    def answered(self, message: bytes) -> bytes:
        """One answer, in time."""
        reply: object
        asked: Asked = read(message, self.offers)
        found: Question[..., Any] = getattr(import_module(asked.module), asked.function)
        answer = self.own.answer if asked.kept else self.own.directly
        try:
            self.busy = True
            signal.setitimer(signal.ITIMER_PROF, self.limits.seconds, AGAIN)
            self.killed_after(LAST * self.limits.seconds)
            return written(answer(found, asked.args), self.offers)[0]
        except InputError as error:
            reply = Refused(error)
        except OutOfTime:
            reply = Refused(self.limits.too_long, spent=True)
        except MemoryError:
            reply = Refused(self.limits.too_much, spent=True)
        except GivenUp:
            reply = Abandoned()
        except Exception as error:
            reply = Broken("".join([*traceback.format_tb(error.__traceback__), type(error).__qualname__]))
        finally:
            self.busy = False
            signal.setitimer(signal.ITIMER_PROF, 0)
        return written(reply, self.offers)[0]

    def killed_after(self, seconds: float) -> None:
        """Has the system end the process when it has computed so much longer, in whatever code it is then."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (ceil(used.ru_utime + used.ru_stime + seconds), hard))

    def out_of_time(self, *_: object) -> None:
        if self.busy:
            raise OutOfTime

    def give_up(self, *_: object) -> None:
        if self.busy:
            raise GivenUp


def dropped(unraisable: Any) -> None:
    """Says nothing of a signal that fell into code which drops exceptions: it comes again."""
    if not isinstance(unraisable.exc_value, (OutOfTime, GivenUp)):
        sys.__unraisablehook__(unraisable)


def work(descriptor: int, limits: Limits) -> None:
    """Runs a worker in this process."""
    os.nice(NICER)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.unraisablehook = dropped
    Worker(Connection(descriptor), limits).run()


if __name__ == "__main__":
    work(int(sys.argv[1]), Limits(float(sys.argv[2]), int(sys.argv[3])))
