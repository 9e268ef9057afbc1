"""The sessions that ask questions: each has caches of its own and, for uploads and patterns, a worker process.

What a session holds is released within seconds of its end (`RELEASE_SECONDS`). The process of a session that has been
idle for `IDLE_SECONDS` is ended and started again with the next question.
"""

import atexit
import ctypes
import gc
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import monotonic, sleep
from typing import Any

from explorer.answers.corpus_jobs import delete_abandoned
from explorer.answers.offers import Origin
from explorer.answers.questions import (
    LOCAL,
    AnswerCaches,
    AnyQuestion,
    Arguments,
    CheckWanted,
    Store,
    Weighed,
    set_answerer,
    specs_in,
)
from explorer.answers.turns import Account, LeftAccounts, Waits
from explorer.answers.worker_process import FORKS, WorkerProcess

SWITCH = "EXPLORER_WORKERS"
"""An environment variable; 0 runs uploads and patterns in the server itself."""

RESULT_BYTES = 64_000_000
"""Bytes of results that one session caches in the server."""
MATERIAL_BYTES = 200_000_000
"""Bytes of traces and comparisons that one session caches in the server."""
TOKENIZER_BYTES = 600_000_000
"""Bytes of tokenizers that one session caches in the server."""
ALL_BYTES = 1_000_000_000
"""Bytes that all sessions cache in the server together; beyond it, the caches of the one with most are emptied."""
RELEASE_SECONDS = 5.0
"""Interval of the checks for ended sessions."""
UNUSED_SECONDS = 300.0
"""Time after which an answer that nobody has asked for again is not kept any longer."""
RENDERS = "explorer.answers.prompt"
"""The module whose questions run a model's template: the operator chose the model, but a stranger wrote that."""
M_ARENA_MAX = -8
"""The number of the setting in `malloc.h` of glibc."""
HEAPS = 2
IDLE_SECONDS = 600.0
"""Idle time after which the process of a session is ended."""


def uses_workers() -> bool:
    """Whether uploads and patterns run in worker processes, which need POSIX signals and limits."""
    return os.name == "posix" and os.environ.get(SWITCH, "") != "0"


@dataclass
class Session:
    """One visitor's session; an `Answerer`.

    check_wanted: raises once the visitor's next action has overtaken the run that asks. released: the session has
    ended; a download that is still being written (`Question.deferred`) leaves nothing behind.
    """

    check_wanted: CheckWanted = lambda: None
    waits: Waits = lambda before, seconds: None
    """called while a question waits for its turn"""
    away_since: float = 0.0
    """when its browser disconnected, in seconds of `monotonic`; 0 while it is connected"""
    at_end: dict[str, Callable[[], None]] = field(default_factory=dict)
    """what else to release, by name"""
    caches: AnswerCaches = field(
        default_factory=lambda: AnswerCaches(results=RESULT_BYTES, material=MATERIAL_BYTES, tokenizers=TOKENIZER_BYTES)
    )
    process: WorkerProcess | None = None
    account: Account | None = None
    """what was computed for the visitor, in all processes; None before the first one"""
    released: bool = False

    def answer(self, question: AnyQuestion, args: Arguments) -> Any:
        """The answer: shared with other sessions if nothing among the arguments is private."""
        if not (any(spec.private for spec in specs_in(args)) or runs_apart(question, args)):
            return LOCAL.answer(question, args, self.check_wanted)
        compute = partial(self._computed, question, args, cached=True, check_wanted=self.check_wanted)
        return self.caches[question.store].get(question.key(args), compute, self.check_wanted)

    def compute(self, question: AnyQuestion, args: Arguments) -> Any:
        """The answer, computed and not cached. Runs to the end even if the visitor moves on."""
        return self._computed(question, args, cached=False, check_wanted=lambda: None).answer

    def _computed(self, question: AnyQuestion, args: Arguments, *, cached: bool, check_wanted: CheckWanted) -> Weighed:
        # an opened tokenizer can't leave its process
        if question.store is Store.TOKENIZERS or not (uses_workers() and runs_apart(question, args)):
            return question.weighed(args, check_wanted)
        process = self._worker()
        waits = self.waits if cached else lambda before, seconds: None  # a download has no page to report to
        try:
            return process.ask(question, args, cached=cached, check_wanted=check_wanted, waits=waits)
        finally:
            if self.released:
                process.end()
                self.release()

    def _worker(self) -> WorkerProcess:
        if self.process is None:
            self.account = self.account or account_of_newcomer()
            self.process = WorkerProcess(account=self.account)
        return self.process

    def release(self) -> None:
        """Empties the caches and ends the process."""
        self.caches.clear()
        process, self.process = self.process, None
        if process is not None:
            process.end()


def runs_apart(question: AnyQuestion, args: Arguments) -> bool:
    """Whether a question belongs in a worker process: a visitor's file, or the template of a file of the operator."""
    renders = question.function.__module__ == RENDERS
    return any(spec.untrusted or (renders and spec.offer.origin is Origin.SERVER) for spec in specs_in(args))


_sessions: dict[str, Session] = {}
_left = LeftAccounts()
_has_ended: Callable[[str], bool] | None = None
"""Whether the session of an id is over, or its browser away."""
_watching = False
"""Whether `watch` runs."""
_lock = Lock()


def session(id: str, check_wanted: CheckWanted, has_ended: Callable[[str], bool]) -> Session:
    """The session of this id. has_ended: whether the session of an id is over."""
    global _watching, _has_ended
    with _lock:
        _has_ended = has_ended
        if not _watching:
            _watching = True
            threading.Thread(target=watch, args=(has_ended,), daemon=True).start()
            start_workers()
        found = _sessions.setdefault(id, Session())
    found.check_wanted = check_wanted
    return found


def account_of_newcomer() -> Account:
    """The account of one who left, if anybody did: who disconnects and comes again begins with what they used."""
    with _lock:
        for id, each in _sessions.items():
            if each.account is not None and _has_ended is not None and _has_ended(id):
                give_up_account(each)
    return _left.take(monotonic())


def give_up_account(session: Session) -> None:
    """Leaves the account of a visitor who is away to the next who comes."""
    if session.account is not None:
        _left.add(session.account)
        session.account = None


def watch(has_ended: Callable[[str], bool]) -> None:
    """Releases ended sessions for as long as the server runs; before, what an earlier server left behind."""
    delete_abandoned()
    while True:
        sleep(RELEASE_SECONDS)
        with suppress(Exception):  # a server that is shutting down
            release_ended(has_ended, monotonic())


def release_ended(has_ended: Callable[[str], bool], now: float) -> None:
    """One check. A session has ended when two checks in a row say so: a browser may reconnect after a moment."""
    with _lock:
        for id, each in _sessions.items():
            each.away_since = (each.away_since or now) if has_ended(id) else 0.0
        ended = [_sessions.pop(id) for id, each in list(_sessions.items()) if each.away_since and each.away_since < now]
        there = [each.caches for each in _sessions.values()]
        processes = [each.process for each in _sessions.values() if each.process is not None]
    dropped = [each.drop_unused(now - UNUSED_SECONDS) for each in (LOCAL.caches, *there)]
    while sum(each.weight for each in there) > ALL_BYTES:
        max(there, key=lambda each: each.weight).clear()
    for each in ended:
        each.released = True
        give_up_account(each)
        each.release()
        for release in each.at_end.values():
            release()
    for process in processes:
        process.end_if_dead()
        process.end_if_idle(now - IDLE_SECONDS)
    if ended or any(dropped):
        ended.clear()
        gc.collect()
        trim_heap()


def start_workers() -> None:
    """Starts what worker processes are forked from, where they are used."""
    if uses_workers():
        FORKS.start()


def trim_heap() -> None:
    """Returns freed memory to the system, where the C library can."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def share_heaps() -> None:
    """Has all threads take memory from few heaps: by default glibc makes eight for each core, and each keeps gaps."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, HEAPS)


@atexit.register
def end_all() -> None:
    """Ends every process when the server exits."""
    for each in [session.process for session in _sessions.values()]:
        if each is not None:
            each.end()
    FORKS.end()


def use_sessions(find: Callable[[], Session | None]) -> None:
    """Sends each question to the session that `find` returns for the thread, or answers it locally for None."""
    share_heaps()
    set_answerer(lambda: find() or LOCAL)
